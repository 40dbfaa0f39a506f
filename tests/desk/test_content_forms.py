"""Forms of the desk: writing, publishing, and errors beside their fields."""

import pytest
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Reviewer, Take, TakeChange
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
from tests.markup import read
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

COMPARISON = "/admin/comparisons/comparison/add/"
REVIEWER = "/admin/reviews/reviewer/"


# --- Tools -----------------------------------------------------------------------------------


def test_readers_see_a_tool_and_its_take_once_published_and_each_change_at_once(
    editor_client, client
):
    category, reviewer = make.category(), make.reviewer()
    form = tool_form(category=category.pk, takes=[written_take(reviewer)])
    assert editor_client.post(ADD, form).status_code == 302
    tool = Tool.objects.get()
    url, link = page_of(tool), f'href="{tool.get_absolute_url()}"'
    assert client.get("/tools/written/").status_code == 404, "it is a draft"
    draft = editor_client.get(url)
    assert link not in draft.content.decode()
    response = editor_client.post(url, on_the_page(draft) | {"_publish": "x"})
    assert response.status_code == 302, errors(response)
    page = client.get("/tools/written/").content.decode()
    assert "84</b>/100" in page
    assert "Good." in page
    assert link in editor_client.get(url).content.decode()
    make.tool(slug="bb")
    pair = "/compare/bb-vs-written/"
    assert "84</b>/100" in client.get(pair).content.decode()
    tool.refresh_from_db()
    better = written_take(reviewer, score="91", reason="It got better.")
    response = editor_client.post(url, tool_form(tool, takes=[better]))
    assert response.status_code == 302, errors(response)
    assert "91</b>/100" in client.get(pair).content.decode()


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
TAKE_FAULTS = [
    ("score", "101"),
    ("score", "-1"),
    ("score", "80.5"),
    ("score", ""),
    ("verdict", "maybe"),
]


def test_a_fault_is_named_beside_its_field_and_nothing_is_lost(editor_client):
    form = tool_form(category=make.category().pk, tagline="Just written")
    for field, value, words in FAULTS:
        response = editor_client.post(ADD, form | {field: value})
        assert response.status_code == 200, (field, value)
        assert set(errors(response)) == {field}, value
        assert words in errors(response)[field][0], value
        assert on_the_page(response)["tagline"] == "Just written"
    assert not Tool.objects.exists()
    assert editor_client.post(ADD, form | {"name": "x" * 120}).status_code == 302
    tool, reviewer = make.tool(), make.reviewer()
    for field, value in TAKE_FAULTS:
        sent = tool_form(tool, takes=[written_take(reviewer, **{field: value})])
        response = editor_client.post(page_of(tool), sent)
        assert response.status_code == 200
        assert set(errors(response)) == {f"{take_name(reviewer)}-{field}"}, value
        assert not Take.objects.exists()
    for score in ("100", "0"):
        sent = tool_form(tool, takes=[written_take(reviewer, score=score, reason="Other")])
        assert editor_client.post(page_of(tool), sent).status_code == 302


def test_a_slug_is_made_from_the_name_of_a_new_row_and_its_redirect_can_be_ended(
    editor_client, client
):
    form = tool_form(category=make.category().pk, name="שלום", slug="")
    assert editor_client.post(ADD, form).status_code == 302
    tool = Tool.objects.get()
    assert tool.slug == "slvm"
    taken = editor_client.post(ADD, form)
    emptied = editor_client.post(page_of(tool), tool_form(tool, slug=""))
    assert set(errors(taken)) == set(errors(emptied)) == {"slug"}
    assert errors(emptied)["slug"] == ["Enter the address."]
    tool = make.take(on=make.tool(slug="old-name")).tool
    for sent in ({"slug": "new-name"}, {"ended": ["old-name"]}):
        response = editor_client.post(page_of(tool), tool_form(tool, **sent))
        assert response.status_code == 302, errors(response)
        tool.refresh_from_db()
        response = client.get("/tools/old-name/")
        if "slug" in sent:
            assert (response.status_code, response["Location"]) == (301, "/tools/new-name/")
    assert response.status_code == 404


def test_a_reviewer_has_one_take_on_a_tool_and_takes_stand_in_panel_order(editor_client):
    late = make.take(by=make.reviewer(position=2), body="Theirs, the first.")
    early = make.take(on=late.tool, by=make.reviewer(position=1))
    sent = {"tool": late.tool_id, "reviewer": late.reviewer_id, "score": 1, "verdict": "skip"}
    response = editor_client.post("/admin/reviews/take/add/", sent | {"body": "Mine."})
    assert "reviewer" in errors(response)
    page = response.content.decode()
    assert "Theirs, the first." in page
    assert "Mine." in page
    formset = editor_client.get(page_of(late.tool)).context["inline_admin_formsets"][0].formset
    assert [form.instance for form in formset.forms] == [early, late]


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


def test_a_reviewer_s_likes_are_lines_and_portrait_and_tint_are_chosen_among_pictures(
    editor_client,
):
    sent = {"name": "Ann", "slug": "ann", "position": "1", "dislikes": "", "published_at": ""}
    sent |= {"likes": "small tools\n\n  honest docs ", "sign": "visor", "tint": "plum"}
    response = editor_client.post(f"{REVIEWER}add/", sent)
    assert response.status_code == 302, response.context["faults"]
    row = Reviewer.objects.get()
    assert row.likes == ["small tools", "honest docs"]
    url = f"{REVIEWER}{row.pk}/change/"
    page = editor_client.get(url)
    assert page.content.decode().count('<svg class="portrait portrait--plum"') == len(Sign) + 2
    form = on_the_page(page)
    assert form["likes"].split("\n") == ["small tools", "honest docs"]
    assert (form["sign"], form["tint"]) == ("visor", "plum")
    assert editor_client.post(url, form | {"sign": "bob", "tint": ""}).status_code == 302
    row.refresh_from_db()
    assert (row.sign, row.tint) == ("bob", "")
    assert editor_client.post(url, form | {"sign": "hat"}).status_code == 200


# --- What lists and histories say ------------------------------------------------------------


def test_lists_sort_names_regardless_of_capitals_and_say_which_rows_hide_one(publisher):
    rows = [make.tool(name=name) for name in ("beta", "Zulu", "Alpha", "chroma")]
    make.take(on=rows[3])
    make.comparison(tools=rows[2:])
    for order in ("", "?o=1"):
        listed = read(publisher.get(f"/admin/tools/tool/{order}")).of_class("field-sorted_name")
        assert [cell.text.split()[0] for cell in listed] == ["Alpha", "beta", "chroma", "Zulu"]
    rows[3].withdraw(timezone.now())
    for screen in ("reviews/take", "comparisons/comparison"):
        (state,) = read(publisher.get(f"/admin/{screen}/")).of_class("field-state")
        assert state.text == "Hidden: chroma is not public"


def test_a_corrected_public_reason_is_in_the_history_of_its_tool(publisher, client):
    take = make.take(score=64)
    scores = {"score_before": 78, "score_after": 64, "at": timezone.now()}
    verdicts = {"verdict_before": "ship", "verdict_after": "ship", "reason": "Slowr"}
    change = TakeChange.objects.create(tool=take.tool, reviewer=take.reviewer, **scores, **verdicts)
    url = f"/admin/reviews/takechange/{change.pk}/change/"
    assert publisher.post(url, {"reason": "Slower"}).status_code == 302
    history = read(publisher.get(f"/admin/tools/tool/{take.tool_id}/history/"))
    newest = history.of_class("history__entry")[0].text
    assert "Public reason corrected: “Slowr” → “Slower”" in newest
    assert "paula" in newest
    assert "Slower" in read(client.get(take.tool.get_absolute_url())).text
