"""The table of tools by reviewers: its cells, links, filters, totals and pages."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from reviews.models import Take
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.markup import read
from tools.models import Tool

pytestmark = pytest.mark.django_db

PATH = "/admin/coverage/"
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
LONG_AGO = NOW - 181 * DAY


@pytest.fixture(autouse=True)
def _at_noon(clock):
    clock(NOW)


def names(client, query=""):
    """The names of the tools in the order of the rows."""
    return [row.tool.name for row in client.get(PATH + query).context["table"].rows]


def cells(client):
    """The texts of the cells of the table."""
    return [cell.text for cell in read(client.get(PATH)).of_class("coverage__cell")]


def links(page):
    """The targets of the links of the table, by their text."""
    (table,) = page.of_class("coverage__table")
    return {a.text: a.attributes["href"] for a in page.all("a") if table in a.inside}


TAKES_BY_TOOL = {
    "whole": (NOW - DAY, NOW - DAY),
    "half": (NOW - DAY, ...),
    "bare": (..., ...),
    "drafted": (NOW - DAY, None),
    "planned": (NOW + 2 * DAY, datetime(2027, 5, 3, tzinfo=UTC)),
    "stale": (LONG_AGO, NOW - DAY),
}
"""When the builder's and the skeptic's takes are published; `...` if they have none."""


@pytest.fixture
def tools_by_state(publisher):
    """Tools named for their state or that of their takes, and reviewers of each state."""
    builder = make.reviewer(name="Builder", slug="builder", position=1)
    skeptic = make.reviewer(name="Skeptic", slug="skeptic", position=2)
    make.reviewer(name="<i>Soon", slug="soon", position=3, published_at=NOW + DAY)
    make.reviewer(name="Gone", published_at=None, withdrawn_at=NOW)
    agents = make.category(slug="agents", name="Agents")
    for at, (name, moments) in enumerate(TAKES_BY_TOOL.items()):
        published_at = NOW - (9 - at) * DAY
        tool = make.tool(name=name, slug=name, in_category=agents, published_at=published_at)
        for reviewer, moment in zip((builder, skeptic), moments, strict=True):
            if moment is not ...:
                make.take(on=tool, by=reviewer, published_at=moment)
    make.tool(name="unpublished", slug="unpublished", published_at=None, tagline="A line")
    make.tool(name="coming", slug="coming", published_at=NOW + DAY, maker="Needle")
    make.tool(name="gone", slug="gone", published_at=None, withdrawn_at=NOW - 20 * DAY)
    private = make.category(name="Private", published_at=None)
    hidden = make.tool(name="<b>hid & den", slug="hidden", in_category=private)
    make.take(on=hidden, by=builder, score=9, verdict="skip")
    withdrawn = make.take(on=hidden, by=skeptic, published_at=None)
    Take.objects.filter(pk=withdrawn.pk).update(withdrawn_at=NOW)
    deleted = make.take(by=builder, published_at=None).tool
    make.take(on=deleted, by=skeptic, published_at=LONG_AGO)
    deleted.remove(NOW)
    return publisher


def test_the_table_shows_the_state_of_each_tool_and_take(snapshot, tools_by_state):
    assert read(tools_by_state.get(PATH)).visible_text == snapshot


def test_cells_lead_to_the_take_or_to_a_form_for_it_and_back(tools_by_state):
    to = links(read(tools_by_state.get(f"{PATH}?sort=newest")))
    take = Take.objects.get(tool__name="drafted", reviewer__slug="skeptic")
    screen = reverse("admin:reviews_take_change", args=[take.pk])
    assert to["draft: Skeptic on drafted"] == f"{screen}?back=sort%3Dnewest"
    tool = Tool.objects.get(name="half")
    assert to["half"] == reverse("admin:tools_tool_change", args=[tool.pk])
    url = to["missing: Skeptic on half"]
    assert url == (
        f"/admin/reviews/take/add/?tool={tool.pk}&reviewer={take.reviewer_id}&back=sort%3Dnewest"
    )
    form = tools_by_state.get(url).context["adminform"].form
    assert int(form["tool"].value()) == tool.pk
    assert int(form["reviewer"].value()) == take.reviewer_id


def test_cells_are_links_where_the_editor_may_write(tools_by_state, writer):
    reader = desk_of(rights=("view_tool", "view_take"))
    drafted = f"{PATH}?what=draft"
    assert links(read(reader.get(drafted))).keys() == {"drafted"}
    own = {"draft: Skeptic on drafted", "missing: <i>Soon on drafted"}
    assert links(read(writer.get(drafted))).keys() == {"drafted"} | own
    own.add("80 ship: Builder on drafted")
    assert links(read(tools_by_state.get(drafted))).keys() == {"drafted"} | own


def take_on_solo():
    tool = make.tool(name="Solo", published_at=LONG_AGO)
    return make.take(on=tool, by=make.reviewer(name="Builder"), score=84)


def test_a_scheduled_take_becomes_public_at_its_publication_time(clock, publisher):
    take = take_on_solo()
    Take.objects.filter(pk=take.pk).update(published_at=NOW + MINUTE)
    assert cells(publisher) == ["scheduled 15 Jun: Builder on Solo"]
    clock(NOW + 2 * MINUTE)
    assert cells(publisher) == ["84 ship: Builder on Solo"]


@pytest.mark.parametrize("field", ["published_at", "checked_at"])
def test_a_take_is_old_180_days_after_its_last_confirmation(clock, publisher, field):
    take = take_on_solo()
    Take.objects.filter(pk=take.pk).update(published_at=NOW - 200 * DAY)
    Take.objects.filter(pk=take.pk).update(**{field: NOW - 180 * DAY})
    clock(NOW - MINUTE)
    assert cells(publisher) == ["84 ship: Builder on Solo"]
    assert names(publisher, "?what=old") == []
    clock(NOW + MINUTE)
    assert cells(publisher) == ["84 ship old: 17 Dec 2025: Builder on Solo"]
    assert names(publisher, "?what=old") == ["Solo"]


# --- Filters ---------------------------------------------------------------------------------

HIDDEN = "<b>hid & den"
OF_AGENTS = ["bare", "drafted", "half", "planned", "stale", "whole"]
EVERY = sorted([HIDDEN, *OF_AGENTS, "coming", "gone", "unpublished"])
FOUND = {
    "": EVERY,
    "?what=missing": ["bare", "coming", "gone", "half", "unpublished"],
    "?what=missing&state=public": ["bare", "half"],
    "?what=missing&reviewer=skeptic&state=public": ["bare", "half"],
    "?what=missing&reviewer=builder&state=public": ["bare"],
    "?what=missing&reviewer=soon&category=agents": OF_AGENTS,
    "?what=draft": ["drafted"],
    "?what=draft&reviewer=skeptic": ["drafted"],
    "?what=draft&reviewer=builder": [],
    "?what=old": ["stale"],
    "?what=old&reviewer=builder": ["stale"],
    "?what=old&reviewer=skeptic": [],
    "?reviewer=builder": EVERY,
    "?category=agents": OF_AGENTS,
    "?state=draft": ["unpublished"],
    "?state=scheduled": ["coming"],
    "?state=public": OF_AGENTS,
    "?state=withdrawn": ["gone"],
    "?q=NEEDLE": ["coming"],
    "?q=nothing+like+it": [],
    "?sort=name": EVERY,
    "?category=agents&what=missing&state=public&sort=newest": ["bare", "half"],
    "?sort=newest": [
        *("unpublished", "coming", "stale", "planned", "drafted", "bare", "half", "whole"),
        *("gone", HIDDEN),
    ],
}
"""The tools of a table by its query."""


def test_the_table_is_filtered_and_sorted(tools_by_state):
    assert {query: names(tools_by_state, query) for query in FOUND} == FOUND


def test_the_form_shows_what_was_chosen_and_only_that_reviewer_has_a_column(tools_by_state):
    query = "?what=missing&state=public&reviewer=skeptic&q=half"
    page = read(tools_by_state.get(PATH + query))
    assert page.texts("th", scope="col") == ["Tool", "Skeptic"]
    assert [cell.text for cell in page.of_class("coverage__cell")] == ["missing: Skeptic on half"]
    chosen = [e.attributes["value"] for e in page.elements if "selected" in e.attributes]
    assert [value for value in chosen if value] == ["missing", "skeptic", "public"]
    assert page.by_id("filter-q").attributes["value"] == "half"


def test_the_totals_lead_to_what_they_count_whatever_the_filters(tools_by_state):
    for query in ("", "?q=zzz&state=draft"):
        page = read(tools_by_state.get(PATH + query))
        (line,) = page.of_class("coverage__totals")
        assert {a.text: a.attributes["href"] for a in page.all("a") if line in a.inside} == {
            "3 missing": f"{PATH}?what=missing&state=public",
            "1 draft": f"{PATH}?what=draft",
            "1 old": f"{PATH}?what=old",
        }


def test_takes_on_tools_that_are_not_public_make_no_total_negative(publisher):
    reviewer = make.reviewer()
    make.take(on=make.tool(published_at=None), by=reviewer)
    make.take(on=make.tool(in_category=make.category(published_at=None)), by=reviewer)
    make.tool()
    assert "1 missing on public tools" in read(publisher.get(PATH)).text


def test_a_bad_filter_is_left_out_and_the_page_says_so(tools_by_state):
    queries = {
        "?what=everything": "“everything”",
        "?category=nope": "“nope”",
        "?reviewer=nobody": "“nobody”",
        "?state=deleted": "“deleted”",
        "?sort=random": "“random”",
        "?page=0": "“0”",
        "?page=two": "“two”",
        "?page=7": "page 7",
        "?q=" + "x" * 101: "at most 100 characters",
        "?q=%00": "control characters",
        "?What=missing": "“What”",
    }
    for query, word in queries.items():
        response = tools_by_state.get(PATH + query)
        assert [row.tool.name for row in response.context["table"].rows] == EVERY, query
        (notice,) = read(response).all("p", role="status")
        assert word in notice.text


def test_fifty_tools_make_a_page(publisher):
    kind = make.category(slug="many")
    for at in range(51):
        make.tool(name=f"{at:02}", in_category=kind)
    query = "?what=&category=many"
    first = publisher.get(PATH + query)
    assert len(first.context["table"].rows) == 50
    onward = read(first).one("a", rel="next").attributes["href"]
    assert onward == "?category=many&page=2"
    assert names(publisher, onward) == ["50"]


def test_a_page_without_rows_says_why(publisher):
    viewer = desk_of(rights=("view_tool", "view_take"))
    assert "There are no tools yet. Add the first tool" in read(publisher.get(PATH)).text
    assert "Add the first tool" not in read(viewer.get(PATH)).text
    assert "No tool matches" in read(publisher.get(f"{PATH}?q=zzz")).text
    make.tool()
    assert "There are no reviewers yet" in read(publisher.get(PATH)).text
    assert names(publisher, "?what=missing") == []


def test_the_table_is_read_only_and_for_editors_who_view_tools_and_takes(publisher, client):
    assert publisher.post(PATH).status_code == 405
    login = client.get(f"{PATH}?what=missing")["Location"]
    assert login == "/admin/login/?next=/admin/coverage/%3Fwhat%3Dmissing"
    for rights in ((), ("view_tool",), ("view_take",)):
        assert desk_of(rights=rights).get(PATH).status_code == 403, rights
