"""The table of tools by reviewers: its cells, links, filters, totals and pages."""

from datetime import UTC, datetime, timedelta

import pytest

from reviews.models import Take
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import page_of
from tests.markup import read
from tools.models import Tool

pytestmark = pytest.mark.django_db

PATH = "/admin/coverage/"
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _at_noon(clock):
    clock(NOW)


def names(client, query=""):
    """The names of the tools in the order of the rows."""
    return [row.tool.name for row in client.get(PATH + query).context["table"].rows]


def links(client, query, part="coverage__table"):
    """The targets of the links of the table or another part, by their text."""
    page = read(client.get(PATH + query))
    (outer,) = page.of_class(part)
    return {a.text: a.attributes["href"] for a in page.all("a") if outer in a.inside}


TAKES_BY_TOOL = {
    "whole": (NOW - DAY, NOW - DAY),
    "half": (NOW - DAY, ...),
    "bare": (..., ...),
    "drafted": (NOW - DAY, None),
    "planned": (NOW + 2 * DAY, datetime(2027, 5, 3, tzinfo=UTC)),
    "stale": (NOW - 181 * DAY, NOW - DAY),
}
"""When the builder's and the skeptic's takes are published; `...` if they have none."""
HIDDEN = "<b>hid & den"
OF_AGENTS = ["bare", "drafted", "half", "planned", "stale", "whole"]
EVERY = sorted([HIDDEN, *OF_AGENTS, "coming", "gone", "Unpublished"], key=str.lower)


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
    make.tool(name="Unpublished", slug="unpublished", published_at=None, tagline="A line")
    make.tool(name="coming", slug="coming", published_at=NOW + DAY, maker="Needle")
    make.tool(name="gone", slug="gone", published_at=None, withdrawn_at=NOW - 20 * DAY)
    private = make.category(name="Private", published_at=None)
    hidden = make.tool(name=HIDDEN, slug="hidden", in_category=private)
    make.take(on=hidden, by=builder, score=9, verdict="skip")
    withdrawn = make.take(on=hidden, by=skeptic, published_at=None)
    Take.objects.filter(pk=withdrawn.pk).update(withdrawn_at=NOW)
    deleted = make.take(by=builder, published_at=None).tool
    make.take(on=deleted, by=skeptic, published_at=NOW - 181 * DAY)
    deleted.remove(NOW)
    return publisher


def test_the_table_shows_states_and_leads_to_takes_forms_and_what_totals_count(
    snapshot, tools_by_state, writer
):
    assert read(tools_by_state.get(PATH)).visible_text == snapshot
    to = links(tools_by_state, "?sort=newest")
    take = Take.objects.get(tool__name="drafted", reviewer__slug="skeptic")
    tool = Tool.objects.get(name="half")
    assert to["draft: Skeptic on drafted"] == f"{page_of(take)}?back=sort%3Dnewest"
    assert to["half"] == page_of(tool)
    url = to["missing: Skeptic on half"]
    place = f"tool={tool.pk}&reviewer={take.reviewer_id}"
    assert url == f"/admin/reviews/take/add/?{place}&back=sort%3Dnewest"
    form = tools_by_state.get(url).context["adminform"].form
    chosen = [int(form[name].value()) for name in ("tool", "reviewer")]
    assert chosen == [tool.pk, take.reviewer_id]
    of_writers = ["drafted", "draft: Skeptic on drafted", "missing: <i>Soon on drafted"]
    linked = {
        desk_of(rights=("view_tool", "view_take")): of_writers[:1],
        writer: of_writers,
        tools_by_state: [of_writers[0], "80 ship: Builder on drafted", *of_writers[1:]],
    }
    for client, texts in linked.items():
        assert list(links(client, "?what=draft")) == texts, "links only where one may write"
    for query in ("", "?q=zzz&state=draft"):
        assert links(tools_by_state, query, "coverage__totals") == {
            "3 missing": f"{PATH}?what=missing&state=public",
            "1 draft": f"{PATH}?what=draft",
            "1 old": f"{PATH}?what=old",
        }


def test_a_take_is_public_at_its_time_and_old_180_days_after_its_last_confirmation(publisher):
    builder, limit = make.reviewer(name="Builder"), -180 * DAY
    old, published = "80 ship old: 17 Dec 2025", []
    for published_after, checked_after, words in (
        (MINUTE, None, "scheduled 15 Jun"),
        (timedelta(0), None, "80 ship"),
        (limit + MINUTE, None, "80 ship"),
        (limit - MINUTE, None, old),
        (-200 * DAY, limit + MINUTE, "80 ship"),
        (-200 * DAY, limit - MINUTE, old),
    ):
        take = make.take(by=builder, published_at=NOW + published_after)
        if checked_after:
            Take.objects.filter(pk=take.pk).update(checked_at=NOW + checked_after)
        published.append(f"{words}: Builder on {take.tool.name}")
    cells = read(publisher.get(PATH)).of_class("coverage__cell")
    assert [cell.text for cell in cells] == published
    assert [f"{old}: Builder on {name}" for name in names(publisher, "?what=old")] == [
        text for text in published if text.startswith(old)
    ]


FOUND = {
    "": EVERY,
    "?what=missing": ["bare", "coming", "gone", "half", "Unpublished"],
    "?what=missing&reviewer=skeptic&state=public": ["bare", "half"],
    "?what=missing&reviewer=soon&category=agents": OF_AGENTS,
    "?what=draft&reviewer=builder": [],
    "?what=old&reviewer=skeptic": [],
    "?category=agents": OF_AGENTS,
    "?state=draft": ["Unpublished"],
    "?state=scheduled": ["coming"],
    "?state=withdrawn": ["gone"],
    "?q=NEEDLE": ["coming"],
    "?category=agents&what=missing&state=public&sort=newest": ["bare", "half"],
    "?sort=newest": [
        *"Unpublished coming stale planned drafted bare half whole gone".split(),
        HIDDEN,
    ],
}
"""The tools of a table by its query."""
BAD = {
    "what": "everything",
    "category": "nope",
    "reviewer": "nobody",
    "state": "deleted",
    "sort": "random",
    "page": "two",
}
"""A filter that is left out, and the value that its notice names."""


def test_the_table_is_filtered_and_sorted_and_leaves_bad_filters_out(tools_by_state):
    assert {query: names(tools_by_state, query) for query in FOUND} == FOUND
    response = tools_by_state.get(PATH, BAD | {"q": "x" * 101, "What": "missing"})
    assert [row.tool.name for row in response.context["table"].rows] == EVERY
    notices = " ".join(read(response).texts("p", role="status"))
    words = [f"“{value}”" for value in BAD.values()] + ["at most 100 characters", "“What”"]
    assert [word for word in words if word not in notices] == []
    query = "?what=missing&state=public&reviewer=skeptic&q=half"
    page = read(tools_by_state.get(PATH + query))
    assert page.texts("th", scope="col") == ["Tool", "Skeptic"], "only that reviewer has a column"
    assert [cell.text for cell in page.of_class("coverage__cell")] == ["missing: Skeptic on half"]
    chosen = [e.attributes["value"] for e in page.elements if "selected" in e.attributes]
    assert [value for value in chosen if value] == ["missing", "skeptic", "public"]
    assert page.by_id("filter-q").attributes["value"] == "half"


def test_a_page_has_fifty_tools_and_one_without_rows_says_why(publisher):
    viewer = desk_of(rights=("view_tool", "view_take"))
    assert "There are no tools yet. Add the first tool" in read(publisher.get(PATH)).text
    assert "Add the first tool" not in read(viewer.get(PATH)).text
    assert "No tool matches" in read(publisher.get(f"{PATH}?q=zzz")).text
    kind = make.category(slug="many")
    for at in range(51):
        make.tool(name=f"{at:02}", in_category=kind)
    assert "There are no reviewers yet" in read(publisher.get(PATH)).text
    assert names(publisher, "?what=missing") == []
    first = publisher.get(f"{PATH}?what=&category=many")
    assert len(first.context["table"].rows) == 50
    onward = read(first).one("a", rel="next").attributes["href"]
    assert onward == "?category=many&page=2"
    assert names(publisher, onward) == ["50"]


def test_the_table_is_read_only_and_for_editors_who_view_tools_and_takes(publisher):
    assert publisher.post(PATH).status_code == 405
    for rights in ((), ("view_tool",), ("view_take",)):
        assert desk_of(rights=rights).get(PATH).status_code == 403, rights
