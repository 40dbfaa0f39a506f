"""Forms of the desk: writing, publishing, and errors beside their fields."""

import pytest

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from reviews.portraits import Sign
from tests import factories as make
from tests.desk.forms import (
    ADD,
    comparison_form,
    errors,
    on_the_page,
    page_of,
    take_name,
    tool_form,
    written_take,
)
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


COMPARISON = "/admin/comparisons/comparison/add/"


# --- Tools -----------------------------------------------------------------------------------


def test_an_editor_writes_a_tool_with_a_take_and_readers_see_both(editor_client, client):
    category, reviewer = make.category(), make.reviewer()
    form = tool_form(category=category.pk, takes=[written_take(reviewer)])
    assert editor_client.post(ADD, form).status_code == 302
    assert client.get("/tools/written/").status_code == 404, "it is a draft"
    url = page_of(Tool.objects.get())
    response = editor_client.post(url, on_the_page(editor_client.get(url)) | {"_publish": "x"})
    assert response.status_code == 302, errors(response)
    page = client.get("/tools/written/").content.decode()
    assert "84</b>/100" in page
    assert "Good." in page


def test_a_changed_score_is_on_the_comparison_page_at_once(editor_client, client):
    tool, reviewer = make.tool(slug="aa"), make.reviewer()
    make.tool(slug="bb")
    make.take(on=tool, by=reviewer, score=50)
    assert "50</b>/100" in client.get("/compare/aa-vs-bb/").content.decode()
    row = written_take(reviewer, score="91", reason="It got better.")
    response = editor_client.post(page_of(tool), tool_form(tool, takes=[row]))
    assert response.status_code == 302, errors(response)
    assert "91</b>/100" in client.get("/compare/aa-vs-bb/").content.decode()


FAULTS = [
    ("slug", "Has-Capitals", ""),
    ("slug", "spaces here", ""),
    ("slug", "Ünï", ""),
    ("name", "", ""),
    ("name", "x" * 121, ""),
    ("name", "bell \x07", ""),
    ("name", "one\ntwo", ""),
    ("website", "javascript:alert(1)", "Begin the address with https:// or http://."),
    ("website", "example.com", "Begin the address with https:// or http://."),
    ("website", "https://example.com/a b", "Remove the space from the address."),
    ("website", "https://example", "“example” is not a host on the web"),
    ("website", "http://a_b.com/x", "“a_b.com” is not a host on the web"),
    ("entry", "bribe", ""),
    ("category", "999999", ""),
    ("published_at", "12/31/2026", ""),
]
"""A field of a tool, a bad value, and words of its fault, where they say more than the field."""


def test_a_fault_of_a_tool_is_named_beside_its_field_and_nothing_is_lost(editor_client):
    form = tool_form(category=make.category().pk, tagline="Just written")
    for field, value, words in FAULTS:
        response = editor_client.post(ADD, form | {field: value})
        assert response.status_code == 200, (field, value)
        assert set(errors(response)) == {field}, value
        assert words in errors(response)[field][0], value
        assert on_the_page(response)["tagline"] == "Just written"
    assert not Tool.objects.exists()
    assert editor_client.post(ADD, form | {"name": "x" * 120}).status_code == 302


def test_a_fault_of_a_take_is_named_beside_its_field(editor_client):
    tool, reviewer = make.tool(), make.reviewer()
    faults = [("score", "101"), ("score", "-1"), ("score", "80.5"), ("score", "")]
    for field, value in [*faults, ("verdict", "maybe")]:
        form = tool_form(tool, takes=[written_take(reviewer, **{field: value})])
        response = editor_client.post(page_of(tool), form)
        assert response.status_code == 200
        assert set(errors(response)) == {f"{take_name(reviewer)}-{field}"}, value
        assert not Take.objects.exists()
    for score in ("100", "0"):
        form = tool_form(tool, takes=[written_take(reviewer, score=score, reason="Other")])
        assert editor_client.post(page_of(tool), form).status_code == 302


def test_an_empty_slug_is_made_from_the_name_of_a_new_row_only(editor_client):
    form = tool_form(category=make.category().pk, name="שלום", slug="")
    assert editor_client.post(ADD, form).status_code == 302
    tool = Tool.objects.get()
    assert tool.slug == "slvm"
    taken = editor_client.post(ADD, form)
    emptied = editor_client.post(page_of(tool), tool_form(tool, slug=""))
    assert set(errors(taken)) == set(errors(emptied)) == {"slug"}
    assert errors(emptied)["slug"] == ["Enter the address."]


def test_a_changed_slug_leaves_a_redirect_that_an_editor_can_end(editor_client, client):
    tool = make.take(on=make.tool(slug="old-name")).tool
    url = page_of(tool)
    response = editor_client.post(url, tool_form(tool, slug="new-name"))
    assert response.status_code == 302, errors(response)
    response = client.get("/tools/old-name/")
    assert (response.status_code, response["Location"]) == (301, "/tools/new-name/")
    tool.refresh_from_db()
    assert editor_client.post(url, tool_form(tool, ended=["old-name"])).status_code == 302
    assert client.get("/tools/old-name/").status_code == 404


def test_a_reviewer_has_one_take_on_a_tool(editor_client):
    take = make.take(body="Theirs, the first.")
    sent = {"tool": take.tool_id, "reviewer": take.reviewer_id, "score": 1, "verdict": "skip"}
    response = editor_client.post("/admin/reviews/take/add/", sent | {"body": "Mine."})
    assert "reviewer" in errors(response)
    page = response.content.decode()
    assert "Theirs, the first." in page
    assert "Mine." in page
    assert Take.objects.get().body == "Theirs, the first."


def test_takes_stand_in_panel_order(editor_client):
    tool = make.tool()
    late = make.take(on=tool, by=make.reviewer(position=2))
    early = make.take(on=tool, by=make.reviewer(position=1))
    response = editor_client.get(page_of(tool))
    formset = response.context["inline_admin_formsets"][0].formset
    assert [form.instance.pk for form in formset.forms] == [early.pk, late.pk]


# --- Comparisons and reviewers ---------------------------------------------------------------


def test_an_editor_sets_two_tools_side_by_side_in_an_order_once(editor_client, client):
    one, two = make.tool(slug="aa"), make.tool(slug="bb")
    response = editor_client.post(COMPARISON, comparison_form(two.pk, one.pk, _publish="x"))
    assert response.status_code == 302, response.context["faults"]
    assert client.get("/compare/bb-vs-aa/").status_code == 200
    assert client.get("/compare/aa-vs-bb/")["Location"] == "/compare/bb-vs-aa/"
    for keys in ((one.pk, one.pk), (one.pk, two.pk)):
        response = editor_client.post(COMPARISON, comparison_form(*keys))
        assert set(response.context["adminform"].form.errors) == {"tool_list"}, keys
    assert Comparison.objects.count() == 1


def test_likes_are_written_one_a_line(editor_client):
    form = {"name": "Builder", "slug": "builder", "dislikes": "", "position": "1"}
    likes = {"likes": "small tools\n\n  honest docs ", "published_at": ""}
    response = editor_client.post("/admin/reviews/reviewer/add/", form | likes)
    assert response.status_code == 302, response.context["faults"]
    row = Reviewer.objects.get()
    assert row.likes == ["small tools", "honest docs"]
    page = editor_client.get(f"/admin/reviews/reviewer/{row.pk}/change/")
    assert on_the_page(page)["likes"].split("\n") == ["small tools", "honest docs"]


def test_portraits_and_tints_are_chosen_among_pictures(editor_client):
    row = make.reviewer(name="Ann", sign="visor", tint="plum")
    url = f"/admin/reviews/reviewer/{row.pk}/change/"
    page = editor_client.get(url)
    assert page.content.decode().count('<svg class="portrait portrait--plum"') == len(Sign) + 2
    form = on_the_page(page)
    assert (form["sign"], form["tint"]) == ("visor", "plum")
    assert editor_client.post(url, form | {"sign": "bob", "tint": ""}).status_code == 302
    row.refresh_from_db()
    assert (row.sign, row.tint) == ("bob", "")
    assert editor_client.post(url, form | {"sign": "hat"}).status_code == 200


def test_view_on_site_is_offered_for_what_can_be_seen(editor_client):
    seen, draft = make.tool(), make.tool(published_at=None)
    page = editor_client.get(page_of(seen)).content.decode()
    assert f'href="{seen.get_absolute_url()}"' in page
    page = editor_client.get(page_of(draft)).content.decode()
    assert f'href="{draft.get_absolute_url()}"' not in page
