"""Forms of the desk: written rows, errors beside their fields, and one version for a change."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from reviews.portraits import Sign
from tests import factories as make
from tests.desk.acts import change, changes_of, entries, restore
from tests.desk.forms import (
    ADD,
    comparison_form,
    errors,
    on_the_page,
    opened,
    page_of,
    post,
    take_fields,
    take_name,
    tool_form,
)
from tests.markup import read
from tools.fact_values import AttributeKind
from tools.models import Attribute, FormerSlug, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

COMPARISON = "/admin/comparisons/comparison/add/"
ATTRIBUTES = "/admin/tools/attribute/"
REVIEWER = "/admin/reviews/reviewer/"
FAULTS = {
    "slug": dict.fromkeys(["A-Z", "spaces here", "Ünï", "../admin", "%00", "\0", "x" * 5000], ""),
    "name": dict.fromkeys(["", "x" * 121, "bell \x07", "one\ntwo"], ""),
    "website": {
        "javascript:alert(1)": "Begin the address with https:// or http://.",
        "example.com": "Begin the address with https:// or http://.",
        "https://example.com/a b": "Remove the space from the address.",
        "https://example": "“example” is not a host on the web",
        "http://a_b.com/x": "“a_b.com” is not a host on the web",
    },
    "entry": {"bribe": ""},
    "category": {"999999": ""},
    "published_at": {"12/31/2026": ""},
}
"""Bad values of each field of a tool, and words of their faults where they say more than it."""
TAKE_FAULTS = [
    *(("score", value) for value in ("101", "-1", "80.5", "")),
    ("verdict", "maybe"),
]


@pytest.mark.both_databases
def test_a_fault_is_named_beside_its_field_and_nothing_is_lost(publisher):
    form = tool_form(category=make.category().pk, tagline="Just written")
    for at in range(7):
        bad = {field: list(values)[at] for field, values in FAULTS.items() if at < len(values)}
        response = publisher.post(ADD, form | bad)
        assert response.status_code == 200, bad
        assert set(errors(response)) == set(bad), bad
        for field, value in bad.items():
            assert FAULTS[field][value] in errors(response)[field][0]
        assert on_the_page(response)["tagline"] == "Just written"
    assert not Tool.objects.exists()
    assert publisher.post(ADD, form | {"name": "x" * 120}).status_code == 302
    tool, faults = make.tool(tagline="x"), set()
    sent: dict[str, str] = {}
    panel = [make.reviewer() for _ in TAKE_FAULTS]
    for reviewer, (field, value) in zip(panel, TAKE_FAULTS, strict=True):
        row = {"score": "84", "verdict": "ship", "body": "Good."} | {field: value}
        sent |= take_fields(reviewer, **row)
        faults.add(f"{take_name(reviewer)}-{field}")
    response = post(publisher, tool, **sent)
    assert response.status_code == 200
    assert set(errors(response)) == faults
    assert not Take.objects.exists()
    sent = take_fields(panel[0], score="100", verdict="ship", body="Good.")
    sent |= take_fields(panel[1], score="0", verdict="skip", body="Bad.")
    assert post(publisher, tool, **sent).status_code == 302
    for other in (panel[0], tool.category):
        assert "slug" in errors(post(publisher, other, slug="Not an address"))


def test_a_slug_is_made_from_the_name_of_a_new_row_and_its_redirect_can_be_ended(publisher, client):
    form = tool_form(category=make.category().pk, name="שלום", slug="")
    assert publisher.post(ADD, form).status_code == 302
    tool = Tool.objects.get()
    assert tool.slug == "slvm"
    taken, emptied = publisher.post(ADD, form), post(publisher, tool, slug="")
    assert set(errors(taken)) == set(errors(emptied)) == {"slug"}
    assert errors(emptied)["slug"] == ["Enter the address."]
    tool = make.take(on=make.tool(slug="old-name", tagline="A tool")).tool
    assert post(publisher, tool, slug="new-name").status_code == 302
    response = client.get("/tools/old-name/")
    assert (response.status_code, response["Location"]) == (301, "/tools/new-name/")
    assert post(publisher, tool, ended=["old-name"]).status_code == 302
    assert client.get("/tools/old-name/").status_code == 404


def test_slugs_that_change_while_the_form_is_open_do_not_block_it(publisher):
    tool = make.take(on=make.tool(tagline="x")).tool
    sent = opened(publisher, tool) | {"tagline": "My new line"}
    tool.rename("second-name")
    response = publisher.post(page_of(tool), sent)
    if response.status_code == 200:
        response = publisher.post(page_of(tool), on_the_page(response))
    assert response.status_code == 302
    tool.refresh_from_db()
    assert tool.tagline == "My new line"
    tool.rename("third-name")
    sent = opened(publisher, tool) | {"ended": ["second-name"], "tagline": "Mine"}
    tool.former_slugs.filter(slug="second-name").delete()
    assert publisher.post(page_of(tool), sent).status_code == 302
    tool.refresh_from_db()
    assert (tool.tagline, tool.former_slugs.count()) == ("Mine", 1)


def test_a_reviewer_has_one_take_on_a_tool_and_takes_stand_in_panel_order(publisher):
    late = make.take(by=make.reviewer(position=2), body="Theirs, the first.")
    early = make.take(on=late.tool, by=make.reviewer(position=1))
    sent = {"tool": late.tool_id, "reviewer": late.reviewer_id, "score": 1, "verdict": "skip"}
    response = publisher.post("/admin/reviews/take/add/", sent | {"body": "Mine."})
    assert "reviewer" in errors(response)
    page = response.content.decode()
    assert "Theirs, the first." in page
    assert "Mine." in page
    formset = publisher.get(page_of(late.tool)).context["inline_admin_formsets"][0].formset
    assert [form.instance for form in formset.forms] == [early, late]


def test_a_take_for_a_reviewer_deleted_while_the_form_is_open_is_shown_again(publisher):
    tool = make.take(on=make.tool(tagline="x")).tool
    reviewer = make.reviewer()
    written = take_fields(reviewer, score="50", verdict="ship", body="Precious words.")
    sent = opened(publisher, tool) | written
    reviewer.remove(timezone.now())
    response = publisher.post(page_of(tool), sent)
    assert "Precious words." in str(errors(response)["takes"])
    assert publisher.post(page_of(tool), on_the_page(response)).status_code == 302


def test_no_form_saves_a_row_as_a_new_one(publisher):
    take = make.take()
    for row in (take, take.tool, take.reviewer):
        assert post(publisher, row, _saveasnew="1", name="").status_code == 400
        assert type(row).objects.count() == 1


def test_an_editor_sets_two_tools_side_by_side_in_an_order_once(publisher, client):
    one, two = make.tool(slug="aa"), make.tool(slug="bb")
    response = publisher.post(COMPARISON, comparison_form(two.pk, one.pk, _publish="x"))
    assert response.status_code == 302, errors(response)
    assert client.get("/compare/bb-vs-aa/").status_code == 200
    assert client.get("/compare/aa-vs-bb/")["Location"] == "/compare/bb-vs-aa/"
    for keys in ((one.pk, one.pk), (one.pk, two.pk)):
        response = publisher.post(COMPARISON, comparison_form(*keys))
        assert set(response.context["adminform"].form.errors) == {"tool_list"}, keys
    assert Comparison.objects.count() == 1


def test_a_reviewer_s_likes_are_lines_and_portrait_and_tint_are_chosen_among_pictures(publisher):
    make.reviewer(name="Builder", position=4)
    sent = on_the_page(publisher.get(f"{REVIEWER}add/")) | {"name": "Ann", "slug": "ann"}
    sent |= {"likes": "small tools\n\n  honest docs ", "sign": "visor", "tint": "plum"}
    response = publisher.post(f"{REVIEWER}add/", sent)
    assert response.status_code == 302, response.context["faults"]
    row = Reviewer.objects.latest("pk")
    assert row.likes == ["small tools", "honest docs"]
    assert [each.name for each in Reviewer.objects.all()] == ["Builder", "Ann"], "a new one is last"
    page = publisher.get(page_of(row))
    assert page.content.decode().count('<svg class="portrait portrait--plum"') == len(Sign) + 2
    form = on_the_page(page)
    assert form["likes"].split("\n") == ["small tools", "honest docs"]
    assert (form["sign"], form["tint"]) == ("visor", "plum")
    assert post(publisher, row, sign="bob", tint="").status_code == 302
    row.refresh_from_db()
    assert (row.sign, row.tint) == ("bob", "")
    assert post(publisher, row, sign="hat").status_code == 200


# --- Attributes ------------------------------------------------------------------------------


def test_an_attribute_is_written_listed_changed_on_record_and_restored(publisher):
    agents = make.category(name="Agents")
    form = {"name": "Terms", "kind": "choice", "choices": "MIT\n Apache 2.0 \n", "position": 3}
    form |= {"category_ids": [agents.pk], "group": "Licence and data"}
    assert publisher.post(f"{ATTRIBUTES}add/", form).status_code == 302
    row = Attribute.objects.get()
    assert (row.slug, row.choices, row.categories) == ("terms", ["MIT", "Apache 2.0"], [agents])
    first = row.history.get()
    assert first.history_user.username == "paula"
    assert "Agents" in read(publisher.get(ATTRIBUTES)).text
    publisher.post(page_of(row), form | {"name": "Licence terms", "slug": "terms"})
    newest = entries(publisher, row)[0]
    assert (newest.who, changes_of(newest)) == ("paula", ["Name: Terms → Licence terms"])
    restore(publisher, row, first)
    row.refresh_from_db()
    assert row.name == "Terms"


def test_what_tools_answered_stays_possible(publisher):
    row = make.attribute(kind=AttributeKind.CHOICE, choices=["MIT", "GPL"])
    make.fact("GPL", on=make.tool(), to=row)
    page = publisher.get(page_of(row))
    assert "Cannot be changed: 1 tool answers it." in read(page).text
    response = publisher.post(page_of(row), on_the_page(page) | {"choices": "MIT"})
    assert "“GPL”" in errors(response)["choices"][0]
    sent = on_the_page(page) | {"kind": "text", "choices": "GPL"}
    assert publisher.post(page_of(row), sent).status_code == 302
    row.refresh_from_db()
    assert (row.kind, row.choices) == (AttributeKind.CHOICE, ["GPL"])


def test_ticked_categories_of_another_editor_are_kept(publisher):
    keys = [make.category().pk for _ in "ab"]
    row = make.attribute()
    change(row, category_ids=keys[:1])
    hers = opened(publisher, row) | {"help": "Tokens"}
    change(row, category_ids=keys)
    response = publisher.post(page_of(row), hers)
    assert response.status_code == 200
    chosen = response.context["adminform"].form["category_ids"].value()
    assert [int(key) for key in chosen] == keys


def test_writers_read_attributes_and_the_one_of_licences_keeps_its_kind_and_address(
    writer, publisher
):
    row = make.attribute(slug="licence", name="Licence", kind="text")
    assert writer.get(page_of(row)).status_code == 200
    assert writer.post(page_of(row), {"name": "Other"}).status_code == 403
    assert writer.get(f"{ATTRIBUTES}add/").status_code == 403
    form = {"name": "Licence", "slug": "licence", "kind": "text", "position": 1}
    for changes, field in (({"kind": "choice", "choices": "MIT"}, "kind"), ({"slug": "x"}, "slug")):
        response = publisher.post(page_of(row), form | changes)
        assert set(errors(response)) == {field}
    assert publisher.get(page_of(row, "delete")).status_code == 403


# --- What a save writes ----------------------------------------------------------------------

TEXT = "First line.\n\nSecond line."
"""A text whose line endings browsers change."""


def written_tool():
    """A public tool with two takes, facts and a plan, with texts in every text field."""
    tool = make.tool(tagline="One line", description=TEXT, pricing="Free", maker="Maker")
    make.take(on=tool, body=TEXT)
    make.take(on=tool, published_at=None)
    make.fact(["A"], on=tool, to=make.attribute(kind="choices", choices=["A", "B"]))
    make.fact(False, on=tool, to=make.attribute(kind="yes-no"))
    make.plan(on=tool)
    Tool.objects.update(entry="paid")
    return tool


ROWS = {
    "tool": written_tool,
    "take": lambda: make.take(body=TEXT),
    "take that a browser wrote": lambda: make.take(body=TEXT.replace("\n", "\r\n")),
    "category": make.category,
    "reviewer": lambda: make.reviewer(bio=TEXT, likes=["Speed", "Docs"]),
    "comparison": lambda: make.comparison(summary=TEXT, featured=True),
    "issue": lambda: make.issue(introduction=TEXT),
}


def sent_by_a_browser(response):
    """Every field of a page unchanged, its line ends as browsers send them."""
    return {name: re.sub("\r?\n", "\r\n", text) for name, text in on_the_page(response).items()}


def writes_of(client, url, sent):
    """The SQL statements of a save that write content or its log."""
    with CaptureQueriesContext(connection) as queries:
        response = client.post(url, sent)
    assert response.status_code == 302, response.context["faults"]
    texts = [query["sql"].replace('"', "") for query in queries]
    written = [text for text in texts if text.startswith(("UPDATE", "INSERT", "DELETE"))]
    return [text[:80] for text in written if "session" not in text]


@pytest.mark.both_databases
@pytest.mark.parametrize("make_row", ROWS.values(), ids=ROWS)
def test_a_save_that_changes_nothing_writes_nothing(publisher, make_row):
    row = make_row()
    page = publisher.get(page_of(row))
    sent = sent_by_a_browser(page)
    has_text = any("\r\n" in text for text in sent.values())
    assert has_text or row._meta.model_name == "category"
    for part in ("text", "preview"):
        shown = f'class="markdown-field__{part}"' in page.content.decode()
        assert shown or row._meta.model_name == "category"
    assert writes_of(publisher, page_of(row), sent) == []
    if isinstance(row, Take):
        assert writes_of(publisher, page_of(row), sent | {"reason": "For nothing"}) == []


@pytest.mark.both_databases
def test_a_save_that_changes_one_field_writes_one_version(publisher):
    tool = written_tool()
    sent = sent_by_a_browser(publisher.get(page_of(tool))) | {"maker": "Another"}
    sent |= {f"{take_name(Take.objects.earliest('pk').reviewer_id)}-reason": "For nothing"}
    assert publisher.post(page_of(tool), sent).status_code == 302
    assert tool.history.count() == 2
    assert Take.history.filter(tool=tool).count() == 2
    tool.refresh_from_db()
    assert (tool.maker, tool.description) == ("Another", TEXT)


@pytest.mark.both_databases
def test_a_renaming_writes_one_version_and_an_ended_redirect_none(publisher):
    tool = make.take(on=make.tool(slug="old", tagline="One line")).tool
    for versions, typed in enumerate(({"slug": "new"}, {"slug": "newer", "tagline": "Two"}), 2):
        before = {"slug": tool.slug, "tagline": tool.tagline}
        assert post(publisher, tool, **typed).status_code == 302
        tool.refresh_from_db()
        newest, last = tool.history.all()[:2]
        assert tool.history.count() == versions
        assert newest.history_user.username == "paula"
        for version, values in ((newest, before | typed), (tool, before | typed), (last, before)):
            assert {"slug": version.slug, "tagline": version.tagline} == values
        assert FormerSlug.objects.filter(slug=before["slug"]).exists()
    assert post(publisher, tool, ended=["old"]).status_code == 302
    assert [former.slug for former in FormerSlug.objects.all()] == ["new"]
    assert tool.history.count() == versions
