"""A slug that is taken is explained beside its field, by the name of the tool that has it."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from tests import factories as make
from tests.desk.forms import errors, tool_form
from tools.models import Tool

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both_databases,
    pytest.mark.usefixtures("repeated_queries"),
]


def draft(**fields):
    """A tool that needs no takes to be saved."""
    return make.tool(published_at=None, **fields)


def rename(editor_client, tool, slug):
    """The errors of the tool's form for a new slug, by field; empty when it was saved."""
    url = f"/admin/tools/tool/{tool.pk}/change/"
    response = editor_client.post(url, tool_form(tool, slug=slug))
    return {} if response.status_code == 302 else errors(response)


def test_a_slug_in_use_names_the_other_tool_and_the_tool_keeps_its_own(editor_client):
    other = make.tool(slug="taken", name="Other", tagline="The first")
    make.tool(slug="drafted", name="Draft", published_at=None)
    make.tool(slug="old", name="Renamed").rename("new")
    tool = draft(slug="own")
    separates = "contains the word “vs”, which separates tools"
    for slug, fault in (
        (
            "taken",
            "“taken” is the address of “Other (The first)”: choose another, such as one with its "
            "maker or version.",
        ),
        ("drafted", "Draft"),
        ("old", "is an earlier address of “Renamed (new)”, and old links still use it"),
        ("vs", separates),
        ("a-vs-b", separates),
        ("vs-b", separates),
        ("a-vs", separates),
    ):
        found = rename(editor_client, tool, slug)
        assert set(found) == {"slug"}, slug
        [sentence] = found["slug"]
        assert fault in sentence
        tool.refresh_from_db()
        assert tool.slug == "own", slug
    form = tool_form(category=other.category_id, slug="taken")
    assert "Other" in errors(editor_client.post("/admin/tools/tool/add/", form))["slug"][0]


def test_its_own_slugs_and_those_of_tools_deleted_as_drafts_are_free(editor_client, client):
    deleted = make.tool(slug="gone", published_at=None)
    deleted.rename("gone-too")
    deleted.remove(timezone.now())
    tool = draft(slug="first")
    for slug in ("second", "first", "gone", "gone-too"):
        assert rename(editor_client, tool, slug) == {}
        tool.refresh_from_db()
        assert tool.slug == slug
    tool.publish(timezone.now())
    for slug in ("first", "second", "gone"):
        response = client.get(f"/tools/{slug}/")
        assert (response.status_code, response["Location"]) == (301, "/tools/gone-too/")


def test_a_slug_under_which_readers_knew_a_deleted_tool_is_refused(editor_client):
    deleted = make.tool(slug="gone", name="Gone", tagline="Once public")
    deleted.rename("gone-too")
    deleted.remove(datetime(2026, 5, 3, tzinfo=UTC))
    tool = draft()
    for slug in ("gone", "gone-too"):
        form = tool_form(category=deleted.category_id, slug=slug)
        added = errors(editor_client.post("/admin/tools/tool/add/", form))
        assert added == rename(editor_client, tool, slug)
        assert list(added) == ["slug"]
        [fault] = added["slug"]
        assert "the public tool “Gone (Once public)”, which was deleted on 3 May 2026" in fault
        assert '<a href="/admin/tools/tool/deleted/">Deleted tools</a>' in fault


def test_a_tool_that_has_such_a_slug_already_keeps_it(editor_client):
    deleted = make.tool(slug="same")
    deleted.remove(timezone.now())
    assert rename(editor_client, draft(slug="same"), "same") == {}
    Tool.objects.get(slug="same").remove(timezone.now())
    deleted.full_clean()
