"""The filters of lists of tools: counts beside choices, chips that remove them, and the total."""

from decimal import Decimal

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reviews.models import ToolTally
from shipskip.web.paging import PAGE_SIZE
from tests import factories as make
from tests.markup import Document, read
from tools.models import Category, Tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def agents() -> Category:
    """Five tools: three in a category, of which two are free and one runs on one's own machines."""
    agents, other = (make.category(slug=slug, name=slug.title()) for slug in ("agents", "other"))
    hosted = make.attribute(slug="hosted", name="Self-hosted", kind="yes-no", asked_in=[agents])
    size = make.attribute(slug="size", name="Size", kind="number", unit="GB")
    for name, kind, entry, yes in (
        ("A", agents, "free", True),
        ("B", agents, "free", False),
        ("C", agents, "paid", False),
        ("D", other, "free", None),
        ("E", other, "freemium", None),
    ):
        tool = make.tool(slug=name.lower(), name=name, in_category=kind, entry=entry)
        if yes is not None:
            make.fact(yes, on=tool, to=hosted)
            make.fact(Decimal(8), on=tool, to=size)
    return agents


def counts(page: Document) -> dict[str, str]:
    """The number beside each choice, by its value."""
    fields = page.all("input", type="checkbox")
    labels = [(box.attributes["value"], box.within("label")) for box in fields]
    return {value: label.text.split()[-1] for value, label in labels if label and label.inside}


def facets(client: Client, path: str) -> dict[str, str]:
    found = counts(read(client.get(path)))
    return {key: number for key, number in found.items() if number.isdigit()}


def names(client: Client, path: str) -> str:
    """The names on a list, in order, as one word."""
    return "".join(read(client.get(path)).texts("p", class_="tool-row__name"))


def queries(client: Client, path: str) -> int:
    """The number of queries of a page."""
    with CaptureQueriesContext(connection) as found:
        client.get(path)
    return len(found)


def test_each_choice_has_the_number_of_tools_that_match_with_it(client, agents):
    found = facets(client, "/tools/?category=agents&entry=free")
    expected = {"agents": "2", "other": "1", "free": "2", "freemium": "0", "paid": "1"}
    expected |= {"none": "2", "ship": "0", "yes": "1", "no": "1"}
    assert found | expected == found
    before = facets(client, "/categories/agents/?fact.hosted=no")
    for entry in ("free", "freemium", "paid"):
        page = read(client.get(f"/categories/agents/?fact.hosted=no&entry={entry}"))
        assert page.of_class("tool-list__total")[0].text.startswith(f"{before[entry]} of 3 match")


def test_choices_of_one_filter_are_joined_by_or_and_filters_by_and(client, agents):
    for query, expected in (
        ("entry=paid&entry=freemium", "CE"),
        ("entry=paid&entry=freemium&category=agents", "C"),
        ("category=agents&category=other&entry=free", "ABD"),
        ("category=agents&category=other&fact.hosted=yes&fact.hosted=no", "ABC"),
    ):
        assert names(client, f"/tools/?sort=name&{query}") == expected, query


def test_the_totals_tell_how_many_match_and_which_page_this_is(client, agents):
    def total(path: str) -> list[str]:
        page = read(client.get(path))
        return [page.of_class("tool-list__total")[0].text, page.texts("a", href="#listed")[0]]

    assert total("/tools/") == ["5 tools", "Show 5 tools"]
    assert total("/tools/?entry=paid") == ["1 of 5 matches", "Show 1 tool"]
    assert total("/tools/?category=other&entry=paid")[1] == "No tool matches"
    assert total("/categories/agents/")[0] == "3 tools"
    for _ in range(2 * PAGE_SIZE):
        make.tool(entry="free", in_category=agents)
    assert total("/tools/?entry=free&page=2")[0] == "51 of 53 match, page 2 of 3"
    pager = read(client.get("/tools/?page=2")).one("nav", class_="pager")
    assert pager.text == "Previous Page 2 of 3 Next"
    [notice] = read(client.get("/tools/?entry=free&page=4")).notices
    assert notice == "There is no page 4: the last is 3; this is the first."


def test_each_chosen_value_has_a_link_that_removes_it(client, agents):
    def links(query: str, class_: str) -> dict[str, str]:
        page = read(client.get(f"/tools/{query}"))
        return {link.text: link.attributes["href"] for link in page.all("a", class_=class_)}

    query = "?category=agents&entry=free&entry=paid&fact.size.min=4&sort=name&page=1"
    assert links(query, "chip") == {
        "Remove filter Agents": "?sort=name&entry=free&entry=paid&fact.size.min=4",
        "Remove filter Free": "?sort=name&category=agents&entry=paid&fact.size.min=4",
        "Remove filter Paid": "?sort=name&category=agents&entry=free&fact.size.min=4",
        "Remove filter Size: at least 4 GB": ("?sort=name&category=agents&entry=free&entry=paid"),
        "Clear all": "/tools/",
    }
    # Without its category, a filter that is asked only there goes too.
    found = links("?category=agents&fact.hosted=yes&fact.size.min=4", "chip")
    assert found["Remove filter Agents"] == "?fact.size.min=4"
    assert read(client.get("/tools/?fact.size.min=4")).notices == []
    # If nothing matches, the filters to remove are named.
    offered = links("?category=other&entry=paid&verdict=none", "standalone-link")
    assert offered["Without the filter “Category”"] == "?entry=paid&verdict=none"
    assert offered["Without the filter “Entry price”"] == "?category=other&verdict=none"
    assert "Without the filter “Verdict”" not in offered


def test_entry_prices_and_answers_are_sorted_in_their_order_then_by_name(client, agents):
    assert names(client, "/tools/?sort=entry") == "ABDEC"
    assert names(client, "/categories/agents/?sort=fact.hosted") == "ABC"
    assert names(client, "/categories/agents/?sort=fact.hosted&entry=paid&entry=free") == "ABC"


def test_counts_are_made_once_a_content_version(client, agents, page_cache):
    first = queries(client, "/tools/?entry=free&fact.size.min=1")
    more_queries = queries(client, "/tools/?entry=free&entry=paid&fact.size.min=1")
    assert more_queries < first
    make.tool(name="New", entry="free")
    assert facets(client, "/tools/")["free"] == "4"


@pytest.mark.both_databases
def test_what_a_transaction_shows_is_counted_for_it_alone(client, agents, transactional_db):
    with transaction.atomic():
        make.tool(entry="free")
        assert facets(client, "/tools/")["free"] == "4"
        transaction.set_rollback(True)
    assert facets(client, "/tools/")["free"] == "3"


def test_pages_of_several_choices_or_facts_are_stored_by_processes_alone(
    client, agents, page_cache
):
    """nginx stores one choice of each filter at most."""
    for query, shared in (
        ("?entry=free", True),
        ("?entry=free&entry=paid", False),
        ("?fact.size.min=3", False),
    ):
        response = client.get(f"/tools/{query}", headers={"x-front": "1"})
        assert (response["X-Accel-Expires"] != "0") is shared, query
    assert len(page_cache.others.pages) == 3


def test_lists_are_sorted_by_verdict_dates_votes_and_disagreement(client):
    for name, ship, skip, votes in (
        ("A", 3, 0, (9, 0)),
        ("B", 0, 3, (11, 0)),
        ("C", 3, 0, (190, 10)),
        ("D", 0, 0, (0, 0)),
    ):
        tool = make.tool(name=name)
        make.panel(on=tool, ship=ship, skip=skip)
        given = {"ship": votes[0], "skip": votes[1]}
        ToolTally.objects.update_or_create(tool=tool, defaults=given)

    assert names(client, "/tools/?sort=community") == "CBAD"
    assert names(client, "/tools/?sort=disagreement") == "BCAD"
    rows = read(client.get("/tools/?sort=community")).texts("p", class_="tool-row__community")
    assert rows == [
        "Community 95% ship of 200",
        "Community 100% ship of 11",
        "Community 9 ship / 0 skip",
        "Community —",
    ]


def test_names_are_sorted_without_case_and_accents(client):
    for name in ("Zebra", "éclair", "Eclipse", "ecco", "Ångström"):
        make.tool(name=name)
    assert names(client, "/tools/?sort=name") == "ÅngströmeccoéclairEclipseZebra"


def test_an_order_by_votes_follows_each_vote(client, agents, page_cache):
    def first() -> str:
        page_cache.reset()
        return read(client.get("/tools/?sort=community")).texts("p", class_="tool-row__name")[0]

    assert first() == "A"
    tool = Tool.objects.get(slug="e")
    ToolTally.objects.update_or_create(tool=tool, defaults={"ship": 12, "skip": 0})
    assert first() == "E"


def test_a_list_runs_as_many_queries_for_40_tools_as_for_5(client, agents, keep_content):
    paths = [
        f"{place}?sort={sort}&entry=free&entry=paid&fact.size.min=1&fact.hosted=yes"
        for place in ("/tools/", "/categories/agents/")
        for sort in ("score", "community", "disagreement", "entry", "fact.size")
    ]
    keep_content()
    few = [queries(client, path) for path in paths]
    size = agents.tools.get(slug="a").facts.get(attribute__slug="size").attribute
    for _ in range(35):
        tool = make.tool(in_category=agents, entry="paid")
        make.panel(on=tool, ship=1, skip=0)
        make.fact(Decimal(3), on=tool, to=size)
    keep_content()
    assert [queries(client, path) for path in paths] == few


def test_the_entry_price_of_a_list_follows_from_the_plans(client):
    agents = make.category(slug="agents")
    planned = make.tool(name="Planned", in_category=agents, entry="paid")
    make.plan(on=planned, name="Free", amount="0")
    make.plan(on=planned, name="Pro", amount="10", per_user=True)
    make.tool(name="Unplanned", in_category=agents, entry="freemium")
    page = read(client.get("/categories/agents/?entry=freemium&sort=name"))
    assert page.texts("p", class_="tool-row__name") == ["Planned", "Unplanned"]
    assert [
        text.partition(f" · {agents}")[0] for text in page.texts("p", class_="tool-row__byline")
    ] == [
        "Free · from $10 per user and month",
        "Freemium",
    ]
    assert read(client.get("/categories/agents/?entry=paid")).of_class("tool-row__name") == []
