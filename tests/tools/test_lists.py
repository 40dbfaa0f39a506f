"""Lists of tools, of all and of a category: filters, counts, orders, pages and notices."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from reviews.models import ToolTally
from shipskip.page_cache.middleware import cache
from shipskip.web.paging import PAGE_SIZE
from tests import factories as make
from tests.desk.editor_clients import queries_of
from tests.markup import Document, read
from tools.models import Category, Tool

pytestmark = pytest.mark.django_db
LIST, AGENTS = "/tools/", "/categories/agents/"
MINUTE = timedelta(minutes=1)


def opened(client: Client, url: str) -> Document:
    response = client.get(url)
    assert response.status_code == 200
    return read(response)


def names(client: Client, url: str) -> str:
    """The names on a list, in order, as one word."""
    return "".join(opened(client, url).texts("p", class_="tool-row__name"))


def counts(client: Client, url: str) -> dict[str, str]:
    """The number beside each choice, by its value."""
    boxes = [
        (e.attributes["value"], e.within("label"))
        for e in opened(client, url).all("input", type="checkbox")
    ]
    return {value: label.text.split()[-1] for value, label in boxes if label}


@pytest.fixture
def agents() -> Category:
    """A category with tools A, B, C, of which A and B state everything, and D, which says that
    nothing applies; and another with E and F.
    """
    agents = make.category(slug="agents", name="Agents")
    other = make.category(slug="other", name="Other")
    entries = {"A": "free", "B": "free", "C": "paid", "D": "free", "E": "free", "F": "freemium"}
    tools = []
    for name, entry in entries.items():
        kind = other if name in "EF" else agents
        tools.append(make.tool(slug=name.lower(), name=name, entry=entry, in_category=kind))
    platforms = {"kind": "choices", "choices": ["Linux", "macOS", "Mac"]}
    licence = {"kind": "choice", "choices": ["MIT", "Apache-2.0"]}
    facts: list[tuple[str, dict[str, Any], Any, Any]] = [
        ("self-hosted", {"kind": "yes-no"}, True, False),
        ("licence", licence, "MIT", "Apache-2.0"),
        ("platforms", platforms, ["Linux", "macOS"], ["Linux", "Mac"]),
        ("window", {"kind": "number", "unit": "tokens"}, Decimal(8000), Decimal(128000)),
        ("memory", {"kind": "number", "better": "lower"}, Decimal("1.5"), Decimal(2)),
        ("release", {"kind": "date"}, date(2024, 5, 1), date(2025, 5, 1)),
        ("words", {"kind": "text"}, "x", "y"),
    ]
    for slug, fields, of_a, of_b in facts:
        row = make.attribute(slug=slug, name=slug.title(), asked_in=[agents], **fields)
        make.fact(of_a, on=tools[0], to=row)
        make.fact(of_b, on=tools[1], to=row)
        make.fact(None, on=tools[3], to=row, applies=False)
    return agents


STATED = [
    ("fact.self-hosted=yes&fact.self-hosted=no", "AB"),
    ("fact.licence=MIT&fact.licence=Apache-2.0&fact.self-hosted=no", "B"),
    ("fact.platforms=Linux", "AB"),
    ("fact.platforms=Mac", "B"),
    ("fact.window.min=8000", "AB"),
    ("fact.window.min=8000.5", "B"),
    ("fact.window.max=0", ""),
    ("fact.release.min=2025-01-01", "B"),
    ("fact.release.max=2024-05-01", "A"),
    ("sort=fact.window", "BA"),
    ("sort=fact.memory", "AB"),
    ("sort=fact.release", "BA"),
    ("sort=fact.window&fact.memory.max=1.5", "A"),
    ("sort=entry", "ABDC"),
]


def test_tools_are_filtered_and_sorted_by_what_they_state(client, agents):
    for query, found in STATED:
        assert names(client, f"{AGENTS}?{query}") == found, query
    assert names(client, f"{LIST}?category=agents&fact.platforms=Mac&sort=fact.window") == "B"


def test_each_filter_narrows_the_list_its_choices_widen_it(client, snapshot):
    agents = make.category(slug="agents", name="Agents", description="They act.")
    now = timezone.now()
    for name, ship, skip, votes, fields in (
        ("Ångström", 2, 1, (9, 0), {"in_category": agents, "entry": "paid", "tagline": "Quick"}),
        ("eclair", 2, 0, (11, 0), {"in_category": agents, "entry": "free"}),
        ("Éclipse", 1, 0, (190, 10), {"entry": "paid"}),
        ("Zed", 0, 0, (0, 0), {"in_category": agents, "entry": "paid"}),
        ("Skip", 1, 2, (0, 0), {"entry": "freemium", "maker": "Acme"}),
        ("Split", 1, 1, (1, 24), {"entry": "freemium"}),
    ):
        tool = make.tool(name=name, published_at=now - (ship + 3 * skip) * MINUTE, **fields)
        make.panel(on=tool, ship=ship, skip=skip, score=50 + 10 * ship - skip)
        ToolTally.objects.create(tool=tool, ship=votes[0], skip=votes[1])
    make.tool(name="Draft", published_at=None)
    make.tool(name="Soon", published_at=now + MINUTE)
    found = []
    queries = """
        sort=name sort=newest sort=entry category=agents entry=freemium
        entry=paid&entry=freemium&category=agents verdict=ship verdict=none
        q=quick q=ACME q=quick&category=agents&entry=paid&verdict=ship
    """
    for query in ["", *queries.split()]:
        rows = opened(client, f"{LIST}?{query}").texts("p", class_="tool-row__name")
        found.append(f"?{query}: {', '.join(rows)}")
    page = opened(client, f"{LIST}?q=zzz")
    assert "No tool matches these filters." in page.text
    assert LIST in page.links
    rows = opened(client, f"{LIST}?sort=community").texts("li", class_="tool-row")
    page = opened(client, AGENTS)
    assert page.title == "Agents: AI tools, best panel first — Ship or Skip"
    rows += [page.heading, *page.texts("p", class_="tool-row__name")]
    assert "\n".join([*found, *rows]) == snapshot
    assert "They act." in page.text


def test_an_empty_list_says_so_and_tools_appear_at_their_time(client, clock):
    now = timezone.now()
    assert "No categories yet." in opened(client, "/categories/").text
    later = make.category(slug="b", name="B tools", published_at=now)
    make.category(slug="agents", name="A tools", description="What they are.")
    make.tool(name="Soon", published_at=now, in_category=later)
    clock(now - MINUTE)
    assert "No tools yet." in opened(client, LIST).text
    assert "No tools in this category yet." in opened(client, AGENTS).text
    for slug in ("b", "unknown", "AGENTS"):
        assert client.get(f"/categories/{slug}/").status_code == 404, slug
    clock(now + MINUTE)
    assert names(client, LIST) == names(client, "/categories/b/") == "Soon"
    page = opened(client, "/categories/")
    assert page.texts("a", class_="pair__names") == ["A tools", "B tools"]
    assert "What they are." in page.text


def test_rows_and_the_tool_s_page_say_why_a_ship_can_have_a_low_score(client):
    make.panel(on=make.tool(slug="alpha"), ship=3, skip=1, score=55)
    make.panel(on=make.tool(), ship=1, score=60)
    for path in (LIST, "/tools/alpha/"):
        text = opened(client, path).text
        assert text.count("the panel ships it at a low mean score") == 1, path


def test_what_all_rows_of_the_list_share_is_said_once_above_them(client, snapshot):
    agents = make.category(slug="agents", name="Agents")
    search = make.category(slug="search", name="Search")
    alpha = make.tool(name="A", in_category=agents, entry="free", maker="Acme")
    make.tool(name="B", in_category=agents, entry="free", maker="")
    paid = make.tool(name="C", in_category=search, entry="paid", maker="Acme")

    def shared_and_rows(path: str) -> list[list[str]]:
        page = opened(client, path)
        return [page.texts("p", class_=f"tool-{name}") for name in ("list__shared", "row__about")]

    found = [shared_and_rows(path) for path in (LIST, f"{LIST}?entry=free", AGENTS)]
    # What only one page of the list shares stands in its rows.
    paid.delete()
    for number in range(PAGE_SIZE - 2):
        make.tool(name=f"B{number}", in_category=agents, entry="free")
    make.tool(name="C", in_category=agents, entry="paid")
    [shared, rows] = shared_and_rows(f"{LIST}?sort=name")
    assert rows[1:] == ["Free"] * (PAGE_SIZE - 1)
    # A plan says the price.
    make.plan(on=alpha, name="Pro", amount="10", per_user=True)
    make.plan(on=alpha, name="Free", amount="0")
    assert [*found, [shared, rows[:1]], shared_and_rows(f"{LIST}?entry=freemium")] == snapshot
    assert "A" not in names(client, f"{AGENTS}?entry=free&sort=name")


def test_what_is_not_recorded_and_what_is_not_stated_are_counted_apart(client, agents):
    def counted(query: str, path: str = AGENTS) -> list[str]:
        quiet = opened(client, f"{path}?{query}").texts("p", class_="quiet")
        return [text for text in quiet if "record" in text or "state" in text]

    # D says that it does not apply: that is an answer.
    assert counted("fact.self-hosted=yes") == ["We have not recorded it for 1 tool."]
    row = make.attribute(slug="new", name="New", asked_in=[agents])
    make.fact(Decimal(1), on=agents.tools.get(slug="c"), to=row)
    make.fact(None, on=agents.tools.get(slug="a"), to=row)
    # Of the tools of another category it is not asked, so nothing is missing there.
    query = "category=agents&category=other&sort=fact.new&fact.window.min=1"
    assert counted(query, LIST) == [
        "We have not recorded “new” for 2 tools. 1 tool does not state “new”. "
        "We have not recorded “window” for 1 tool."
    ]


def test_filters_show_what_was_chosen_and_only_attributes_of_the_category_or_of_all(client, agents):
    make.attribute(slug="asked-of-all", name="Asked of all", kind="yes-no")
    make.attribute(name="Elsewhere", asked_in=[make.category()])
    page = opened(client, LIST)
    legends = page.texts("legend")
    assert ("Asked of all" in legends, "Self-Hosted" in legends) == (True, False)
    assert page.all("meta", name="robots") == []
    query = 'q="a"&category=agents&entry=free&verdict=none&sort=fact.window&fact.self-hosted=yes'
    page = opened(client, f"{LIST}?{query}")
    legends = page.texts("legend")
    assert {"Self-Hosted", "Asked of all", "Window (tokens)"} <= set(legends)
    assert not {"Elsewhere", "Words"} & set(legends)
    ticked = [box.attributes["value"] for box in page.all("input", type="checkbox", checked="")]
    assert ticked == ["agents", "free", "none", "yes"]
    assert [e.text for e in page.all("option") if "selected" in e.attributes] == ["Window"]
    assert page.by_id("filter-q").attributes["value"] == '"a"'
    assert page.texts("p", class_="tool-row__stated") == ["Self-Hosted: Yes · Window: 8,000 tokens"]
    assert "Filter by facts (1 chosen)" in page.texts("summary")
    # Filtered lists are not for search engines.
    assert page.one("meta", name="robots").attributes["content"] == "noindex, follow"
    assert page.one("link", rel="canonical").attributes["href"].endswith(LIST)


SENSELESS = ["page=500", "entry=FREE", f"q={'a' * 10_000}", f"sort={'x' * 10_000}"]
SENSELESS += ["page=-1&sort=drop&entry=x&verdict=y&category=z&q=%00&q[]=1"]
SENSELESS_FACTS = ["fact.self-hosted=maybe", "fact.licence=%ED%A0%80", "fact.window.min=many"]
SENSELESS_FACTS += ["fact.window.max=NaN", f"fact.window.min={'9' * 400}", "fact.unknown=1"]
SENSELESS_FACTS += ["fact.release.min=2026-13-40", "fact.words=x", "sort=fact.words"]
NO_NOTICE = ["utm_source=x", "&&&", "q=", "fact.self-hosted=&fact.window.min="]


@pytest.mark.parametrize(
    ("path", "queries"), [(LIST, SENSELESS), (AGENTS, SENSELESS_FACTS)], ids=["all", "category"]
)
def test_a_filter_that_makes_no_sense_is_ignored_and_the_page_says_so(
    client, agents, snapshot, path, queries
):
    everything, said = names(client, path), []
    for query in queries + NO_NOTICE:
        page = opened(client, f"{path}?{query}")
        assert "".join(page.texts("p", class_="tool-row__name")) == everything, query
        assert bool(page.notices) is (query not in NO_NOTICE), query
        if page.notices:
            said += [f"?{query[:40]}", *page.notices]
    assert "\n".join(said) == snapshot
    many = "&".join(f"fact.x{number}=1" for number in range(900))
    assert len(opened(client, f"{path}?{many}").notices) == 5


def test_the_totals_tell_how_many_match_and_pages_keep_only_good_filters(client, agents):
    def total(path: str) -> list[str]:
        page = opened(client, path)
        return [page.of_class("tool-list__total")[0].text, page.texts("a", href="#listed")[0]]

    # Each choice has the number of tools that match with it.
    found = counts(client, "/tools/?category=agents&entry=free")
    expected = {"agents": "3", "other": "1", "free": "3", "freemium": "0", "paid": "1"}
    expected |= {"none": "3", "ship": "0", "yes": "1", "no": "1"}
    assert found | expected == found
    assert total(LIST) == ["6 tools", "Show 6 tools"]
    assert total("/tools/?entry=paid") == ["1 of 6 matches", "Show 1 tool"]
    assert total("/tools/?category=other&entry=paid")[1] == "No tool matches"
    row = make.attribute(slug="cloud", kind="yes-no", asked_in=[agents])
    for number in range(2 * PAGE_SIZE - 3):
        tool = make.tool(name="a & b", entry="free", in_category=agents)
        if number <= PAGE_SIZE:
            make.fact(True, on=tool, to=row)
    assert total("/tools/?entry=free&page=2")[0] == "49 of 51 match, page 2 of 3"
    for path, previous, following, rows in (
        (f"{AGENTS}?page=2", ["."], ["?page=3"], PAGE_SIZE),
        ("/tools/?q=a+%26+b&verdict=maybe&page=2", ["?q=a+%26+b"], [], PAGE_SIZE - 2),
        (f"{AGENTS}?fact.cloud=yes&sort=name", [], ["?sort=name&page=2&fact.cloud=yes"], PAGE_SIZE),
    ):
        page = opened(client, path)
        assert [e.attributes["href"] for e in page.all("a", rel="prev")] == previous, path
        assert [e.attributes["href"] for e in page.all("a", rel="next")] == following, path
        assert len(page.all("li", class_="tool-row")) == rows, path
        assert ("page " in page.title) is ("page=" in path), path


def test_each_chosen_value_has_a_link_that_removes_it(client, agents, snapshot):
    def links(query: str, class_: str) -> dict[str, str]:
        page = opened(client, f"{LIST}?{query}")
        return {link.text: link.attributes["href"] for link in page.all("a", class_=class_)}

    size = make.attribute(slug="size", name="Size", unit="GB")
    make.fact(Decimal(8), on=agents.tools.get(slug="a"), to=size)
    query = "category=agents&entry=free&entry=paid&fact.size.min=4&sort=name&page=1"
    assert links(query, "chip") == snapshot(name="chips")
    # Without its category, a filter that is asked only there goes too.
    chips = links("category=agents&fact.self-hosted=yes&fact.size.min=4", "chip")
    assert chips["Remove filter Agents"] == "?fact.size.min=4"
    # If nothing matches, the filters to remove are named.
    offered = links("category=other&entry=paid&verdict=none", "standalone-link")
    assert offered == snapshot(name="without a filter")


def test_pages_are_cached_by_good_filters_and_counts_once_a_version(client, agents, page_cache):
    for query in ("fact.window.min=NaN", "fact.x=1", "sort=fact.x", "fact.self-hosted=%00"):
        opened(client, f"{AGENTS}?{query}")
    opened(client, f"{LIST}?fact.window.min=1")
    assert not cache.others.pages
    for same in ("no&fact.self-hosted=yes", "yes&fact.self-hosted=no&fact.licence="):
        assert names(client, f"{AGENTS}?fact.self-hosted={same}") == "AB"
    assert len(cache.others.pages) == 1
    # nginx stores one choice of each filter at most.
    for path, is_shared in (
        ("/tools/?entry=free", True),
        ("/tools/?entry=free&entry=paid", False),
        (f"{AGENTS}?fact.window.min=3", False),
    ):
        response = client.get(path, headers={"x-front": "1"})
        assert (response["X-Accel-Expires"] != "0") is is_shared, path
    before = queries_of(client, f"{AGENTS}?entry=free&fact.release.min=2024-01-01")
    assert queries_of(client, f"{AGENTS}?entry=paid&fact.release.min=2024-01-01") < before
    make.tool(name="New", entry="free")
    assert counts(client, LIST)["free"] == "5"
    # An order by votes follows each vote.
    for first_name in ("A", "E"):
        page_cache.reset()
        assert names(client, "/tools/?sort=community")[0] == first_name
        ToolTally.objects.update_or_create(tool=Tool.objects.get(slug="e"), defaults={"ship": 12})


def test_a_list_runs_as_many_queries_for_12_attributes_as_for_3(client, agents, keep_content):
    found = []
    query = ""
    for numbers in (range(3), range(3, 12)):
        for number in numbers:
            row = make.attribute(slug=f"asked-{number}", kind="yes-no")
            make.fact(True, on=agents.tools.get(slug="a"), to=row)
            query += f"&fact.asked-{number}=yes"
        keep_content()
        found.append([queries_of(client, f"{path}?{query}") for path in (LIST, AGENTS)])
        assert names(client, f"{LIST}?{query}") == "A"
    assert found[0] == found[1]
    limits = "fact.self-hosted=yes&fact.licence=MIT&fact.window.min=1&fact.memory.max=9"
    client.get(f"{AGENTS}?{limits}")
    assert queries_of(client, f"{AGENTS}?sort=fact.window&{limits}") == 1
