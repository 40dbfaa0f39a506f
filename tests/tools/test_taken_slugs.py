"""A slug that is taken is explained beside its field, by the name of the tool that has it."""

from datetime import UTC, datetime

import pytest
from django.core.exceptions import ValidationError
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


def test_a_slug_in_use_names_the_other_tool(editor_client):
    make.tool(slug="taken", name="Other", tagline="The first")
    tool = draft(slug="own")
    assert rename(editor_client, tool, "taken") == {
        "slug": [
            "“taken” is the address of “Other (The first)”: choose another, such as one with its "
            "maker or version."
        ]
    }
    tool.refresh_from_db()
    assert tool.slug == "own"


def test_a_slug_of_a_draft_is_in_use_too(editor_client):
    make.tool(slug="taken", name="Draft", published_at=None)
    assert "Draft" in rename(editor_client, draft(), "taken")["slug"][0]


def test_a_new_tool_at_a_slug_in_use_is_refused_as_well(editor_client):
    other = make.tool(slug="taken", name="Other")
    form = tool_form(category=other.category_id, slug="taken")
    assert "Other" in errors(editor_client.post("/admin/tools/tool/add/", form))["slug"][0]


def test_an_earlier_slug_of_another_tool_names_it(editor_client):
    make.tool(slug="old", name="Other").rename("new")
    found = rename(editor_client, draft(slug="own"), "old")
    assert set(found) == {"slug"}
    assert "is an earlier address of “Other (new)”, and old links still use it" in found["slug"][0]


@pytest.mark.parametrize("slug", ["vs", "a-vs-b", "vs-b", "a-vs"])
def test_the_word_that_separates_two_tools_is_refused(editor_client, slug):
    found = rename(editor_client, draft(), slug)
    assert set(found) == {"slug"}
    assert "contains the word “vs”, which separates tools" in found["slug"][0]


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


@pytest.mark.parametrize("slug", ["gone", "gone-too"])
def test_a_slug_under_which_readers_knew_a_deleted_tool_is_refused(editor_client, slug):
    deleted = make.tool(slug="gone", name="Gone", tagline="Once public")
    deleted.rename("gone-too")
    deleted.remove(datetime(2026, 5, 3, tzinfo=UTC))
    form = tool_form(category=deleted.category_id, slug=slug)
    added = errors(editor_client.post("/admin/tools/tool/add/", form))
    assert added == rename(editor_client, draft(), slug)
    assert list(added) == ["slug"]
    assert len(added["slug"]) == 1
    assert (
        "the public tool “Gone (Once public)”, which was deleted on 3 May 2026" in added["slug"][0]
    )
    assert '<a href="/admin/tools/tool/deleted/">Deleted tools</a>' in added["slug"][0]


def test_a_tool_that_has_such_a_slug_already_keeps_it(editor_client):
    deleted = make.tool(slug="same")
    deleted.remove(timezone.now())
    assert rename(editor_client, draft(slug="same"), "same") == {}
    Tool.objects.get(slug="same").remove(timezone.now())
    deleted.full_clean()


def test_one_fault_is_reported_once():
    make.tool(slug="taken")
    tool = make.tool()
    tool.slug = "taken"
    with pytest.raises(ValidationError) as refusal:
        tool.full_clean()
    assert list(refusal.value.message_dict) == ["slug"]
    assert len(refusal.value.message_dict["slug"]) == 1


def test_a_tool_does_not_clash_with_itself():
    tool = make.tool(slug="own", tagline="Mine")
    tool.full_clean()
    assert Tool.objects.get() == tool
