"""The table of tools by reviewers: its filters, totals and pages."""

import pytest

from shipskip.search.indexing import index_all
from tests import factories as make
from tests.desk.coverage_table import (
    DAY,
    LONG_AGO,
    NOW,
    PATH,
    cells_of,
    column_headings,
    document_of,
    names,
    text_of,
)
from tests.desk.editor_clients import queries_of

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("coverage_clock"),
]
MAX_QUERIES = 27
"""Of the page with its totals, and of a search in it, which looks for marked rows in tests."""


@pytest.fixture
def tools_by_state(publisher):
    """Tools named for the state of their takes, and two reviewers."""
    builder = make.reviewer(name="Builder", slug="builder", position=1)
    skeptic = make.reviewer(name="Skeptic", slug="skeptic", position=2)
    agents = make.category(slug="agents")
    moments = {
        "whole": (NOW - DAY, NOW - DAY),
        "half": (NOW - DAY, ...),
        "bare": (..., ...),
        "drafted": (NOW - DAY, None),
        "stale": (LONG_AGO, NOW - DAY),
    }
    for at, (name, pair) in enumerate(moments.items()):
        tool = make.tool(
            name=name, slug=name, in_category=agents, published_at=NOW - (9 - at) * DAY
        )
        for reviewer, moment in zip((builder, skeptic), pair, strict=True):
            if moment is not ...:
                make.take(on=tool, by=reviewer, published_at=moment)
    make.tool(name="unpublished", slug="unpublished", published_at=None)
    make.tool(name="coming", slug="coming", published_at=NOW + DAY, maker="Needle")
    make.tool(name="gone", slug="gone", published_at=None, withdrawn_at=NOW - 20 * DAY)
    return publisher


EVERY = ["bare", "coming", "drafted", "gone", "half", "stale", "unpublished", "whole"]


FOUND = {
    "": EVERY,
    "?what=missing": ["bare", "coming", "gone", "half", "unpublished"],
    "?what=missing&state=public": ["bare", "half"],
    "?what=missing&reviewer=skeptic&state=public": ["bare", "half"],
    "?what=missing&reviewer=builder&state=public": ["bare"],
    "?what=draft": ["drafted"],
    "?what=draft&reviewer=skeptic": ["drafted"],
    "?what=draft&reviewer=builder": [],
    "?what=old": ["stale"],
    "?what=old&reviewer=builder": ["stale"],
    "?what=old&reviewer=skeptic": [],
    "?reviewer=builder": EVERY,
    "?category=agents": ["bare", "drafted", "half", "stale", "whole"],
    "?state=draft": ["unpublished"],
    "?state=scheduled": ["coming"],
    "?state=public": ["bare", "drafted", "half", "stale", "whole"],
    "?state=withdrawn": ["gone"],
    "?q=NEEDLE": ["coming"],
    "?q=nothing+like+it": [],
    "?sort=name": EVERY,
    "?category=agents&what=missing&state=public&sort=newest": ["bare", "half"],
    "?sort=newest": [
        *("unpublished", "coming", "stale", "drafted", "bare", "half", "whole", "gone"),
    ],
}
"""The tools of a table by its query."""


def test_the_table_is_filtered_and_sorted(tools_by_state):
    assert {query: names(tools_by_state, query) for query in FOUND} == FOUND


def test_only_the_chosen_reviewer_has_a_column(tools_by_state):
    page = document_of(tools_by_state.get(f"{PATH}?reviewer=skeptic&q=half"))
    assert column_headings(page) == ["Tool", "Skeptic"]
    assert [cell.text for cell in cells_of(page)] == ["missing: Skeptic on half"]


def test_the_form_shows_what_was_chosen(tools_by_state):
    page = document_of(
        tools_by_state.get(f"{PATH}?what=missing&state=public&reviewer=builder&q=bar")
    )
    chosen = [
        element.attributes["value"] for element in page.elements if "selected" in element.attributes
    ]
    assert [value for value in chosen if value] == ["missing", "builder", "public"]
    field = next(e for e in page.elements if e.attributes.get("id") == "filter-q")
    assert field.attributes["value"] == "bar"


def test_the_totals_count_takes_and_lead_to_them(tools_by_state):
    page = document_of(tools_by_state.get(PATH))
    totals = {
        element.text: element.attributes["href"]
        for element in page.elements
        if element.name == "a" and element.attributes["href"].startswith(f"{PATH}?")
    }
    assert totals == {
        "3 missing": f"{PATH}?what=missing&state=public",
        "1 draft": f"{PATH}?what=draft",
        "1 old": f"{PATH}?what=old",
    }
    assert names(tools_by_state, totals["3 missing"].removeprefix(PATH)) == ["bare", "half"]


def test_takes_on_tools_that_are_not_public_make_no_total_negative(publisher):
    reviewer = make.reviewer()
    make.take(on=make.tool(published_at=None), by=reviewer)
    make.take(on=make.tool(in_category=make.category(published_at=None)), by=reviewer)
    make.tool()
    assert "1 missing on public tools" in text_of(publisher)


def test_the_totals_do_not_depend_on_the_filters(tools_by_state):
    assert "3 missing on public tools · 1 draft · 1 old" in text_of(
        tools_by_state, "?q=zzz&state=draft"
    )


NOTICES = [
    ("?what=everything", "There is no kind of take “everything” here; it was left out."),
    ("?category=nope", "There is no category “nope” here; it was left out."),
    ("?reviewer=nobody", "There is no reviewer “nobody” here; it was left out."),
    ("?state=deleted", "There is no state of the tool “deleted” here; it was left out."),
    ("?sort=random", "There is no order “random” here; it was left out."),
    ("?page=0", "There is no page “0”; this is the first."),
    ("?page=two", "There is no page “two”; this is the first."),
    ("?page=7", "There is no page 7; this is the first."),
    (
        "?q=" + "x" * 101,
        "Search takes at most 100 characters; your text was left out.",
    ),
    ("?q=%00", "Search cannot contain control characters; your text was left out."),
    ("?What=missing", "“What” is not a filter of this page; it was left out."),
]


def test_a_bad_filter_is_left_out_and_the_page_says_so(tools_by_state):
    for query, notice in NOTICES:
        response = tools_by_state.get(PATH + query)
        assert [row.tool.name for row in response.context["table"].rows] == EVERY, query
        assert notice in document_of(response).root.text


def test_fifty_tools_make_a_page(publisher):
    kind = make.category(slug="many")
    for at in range(51):
        make.tool(name=f"{at:02}", in_category=kind)
    query = "?what=&category=many"
    first = publisher.get(PATH + query)
    assert len(first.context["table"].rows) == 50
    page = document_of(first)
    onward = next(e for e in page.elements if e.attributes.get("rel") == "next")
    assert onward.attributes["href"] == "?category=many&page=2"
    assert names(publisher, onward.attributes["href"]) == ["50"]


MEASURED = (
    *("", "?what=missing", "?what=missing&state=public&sort=newest&reviewer=builder"),
    *("?what=draft", "?what=old", "?q=many", "?page=1&category=agents"),
)


def test_a_hundred_tools_run_as_many_queries_as_two(publisher):
    panel = [make.reviewer(slug="builder"), make.reviewer(), make.reviewer()]
    agents = make.category(slug="agents")

    def create_tools(number):
        for _ in range(number):
            tool = make.tool(name="many", in_category=agents)
            make.take(on=tool, by=panel[0], published_at=LONG_AGO)
            make.take(on=tool, by=panel[1], published_at=None)
            make.take(on=make.tool(name="many", in_category=agents), by=panel[0])
        index_all()

    create_tools(2)
    few = {query: queries_of(publisher, PATH + query) for query in MEASURED}
    create_tools(50)
    make.reviewer()
    index_all()
    assert {query: queries_of(publisher, PATH + query) for query in MEASURED} == few
    assert max(few.values()) <= MAX_QUERIES
