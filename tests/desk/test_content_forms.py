"""Forms of the desk: written rows, errors beside their fields, and one version for a change."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Reviewer, Take
from reviews.portraits import Sign
from tests import factories as make
from tests.desk.acts import change
from tests.desk.forms import (
    ADD,
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

ATTRIBUTES = "/admin/tools/attribute/"
REVIEWER = "/admin/reviews/reviewer/"
FAULTS = {
    "slug": {"../admin": "", "\0": "", "x" * 5000: ""},
    "name": {"": "", "x" * 121: "", "one\ntwo": ""},
    "website": {
        "javascript:alert(1)": "Begin the address with https:// or http://.",
        "https://example.com/a b": "Remove the space from the address.",
        "http://a_b.com/x": "“a_b.com” is not a host on the web",
    },
    "entry": {"bribe": ""},
    "category": {"999999": ""},
    "published_at": {"12/31/2026": ""},
}
"""Bad values of each field of a tool, and words of their faults where they say more than it."""
TAKE_FAULTS = {"score": "80.5", "verdict": "maybe"}


@pytest.mark.both_databases
def test_a_fault_is_named_beside_its_field_and_nothing_is_lost(publisher):
    form = tool_form(category=make.category().pk, tagline="Just written")
    for at in range(3):
        bad = {field: list(values)[at] for field, values in FAULTS.items() if at < len(values)}
        response = publisher.post(ADD, form | bad)
        assert response.status_code == 200, bad
        assert set(errors(response)) == set(bad), bad
        for field, value in bad.items():
            assert FAULTS[field][value] in errors(response)[field][0]
        assert on_the_page(response)["tagline"] == "Just written"
    assert not Tool.objects.exists()
    assert publisher.post(ADD, form | {"name": "x" * 120}).status_code == 302
    tool, faults = make.tool(tagline="x"), {"slug"}
    sent: dict[str, str] = {}
    for field, value in TAKE_FAULTS.items():
        reviewer = make.reviewer()
        row = {"score": "84", "verdict": "ship", "body": "Good."} | {field: value}
        sent |= take_fields(reviewer, **row)
        faults.add(f"{take_name(reviewer)}-{field}")
    response = post(publisher, tool, slug="", **sent)
    assert response.status_code == 200
    assert set(errors(response)) == faults
    assert errors(response)["slug"] == ["Enter the address."]
    assert not Take.objects.exists()
    for other in (reviewer, tool.category):
        assert "slug" in errors(publisher.post(page_of(other), {"slug": "Not an address"}))


def test_a_reviewer_has_one_take_on_a_tool(publisher):
    take = make.take(body="Theirs, the first.")
    sent = {"tool": take.tool_id, "reviewer": take.reviewer_id, "score": 1, "verdict": "skip"}
    response = publisher.post("/admin/reviews/take/add/", sent | {"body": "Mine."})
    assert "reviewer" in errors(response)
    page = response.content.decode()
    assert "Theirs, the first." in page
    assert "Mine." in page


def test_no_form_saves_a_row_as_a_new_one(publisher):
    take = make.take()
    sent = {"_saveasnew": "1", "tool": take.tool_id, "reviewer": make.reviewer().pk}
    assert post(publisher, take, **sent).status_code == 400
    assert Take.objects.get() == take


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
    assert page.content.decode().count('class="portrait portrait--plum"') == len(Sign) + 2
    form = on_the_page(page)
    assert form["likes"].split("\n") == ["small tools", "honest docs"]
    assert (form["sign"], form["tint"]) == ("visor", "plum")


# --- Attributes ------------------------------------------------------------------------------


def test_an_attribute_is_written_and_listed_with_its_categories(publisher):
    agents = make.category(name="Agents")
    form = {"name": "Terms", "kind": "choice", "choices": "MIT\n Apache 2.0 \n", "position": 3}
    form |= {"category_ids": [agents.pk], "group": "Licence and data"}
    assert publisher.post(f"{ATTRIBUTES}add/", form).status_code == 302
    row = Attribute.objects.get()
    assert (row.slug, row.choices, row.categories) == ("terms", ["MIT", "Apache 2.0"], [agents])
    assert row.history.get().history_user.username == "paula"
    assert "Agents" in read(publisher.get(ATTRIBUTES)).text


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
    "take that a browser wrote": lambda: make.take(body=TEXT.replace("\n", "\r\n")),
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


@pytest.mark.parametrize("make_row", ROWS.values(), ids=ROWS)
def test_a_save_that_changes_nothing_writes_nothing(publisher, make_row):
    row = make_row()
    page = publisher.get(page_of(row))
    sent = sent_by_a_browser(page)
    assert any("\r\n" in text for text in sent.values())
    for part in ("text", "preview"):
        assert f'class="markdown-field__{part}"' in page.content.decode()
    assert writes_of(publisher, page_of(row), sent) == []


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


def test_a_renaming_writes_one_version_and_an_ended_redirect_none(publisher):
    tool = make.take(on=make.tool(slug="old", tagline="One")).tool
    assert post(publisher, tool, slug="new", tagline="Two").status_code == 302
    newest, last = tool.history.all()
    assert newest.history_user.username == "paula"
    for version, values in ((newest, ("new", "Two")), (last, ("old", "One"))):
        assert (version.slug, version.tagline) == values
    assert FormerSlug.objects.get().slug == "old"
    sent = opened(publisher, tool) | {"ended": ["old"]}
    for _ in range(2):  # the second time a colleague has ended it
        assert publisher.post(page_of(tool), sent).status_code == 302
        assert not FormerSlug.objects.exists()
    assert tool.history.count() == 2
