"""The list of tools: filtered, sorted and paged, with notices about ignored filters."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from shipskip.web.paging import PAGE_SIZE
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db
LIST = "/tools/"
MINUTE = timedelta(minutes=1)


def names(client: Client, query: str = "") -> list[str]:
    """The names on the list, in order."""
    return read(client.get(LIST + query)).texts("p", class_="tool-row__name")


def test_every_public_tool_is_listed_with_what_the_panel_says(client, snapshot):
    tool = make.tool(name="Alpha", tagline="Quick", maker="Acme", entry="paid")
    make.panel(on=tool, ship=3, skip=1, score=84)
    page = read(client.get(LIST))
    assert page.heading == "Tools"
    assert page.one("li", class_="tool-row").text == snapshot


def test_rows_and_the_tool_s_page_say_why_a_ship_can_have_a_low_score(client):
    tool = make.tool(slug="alpha", name="Alpha", in_category=make.category(slug="agents"))
    make.panel(on=tool, ship=3, skip=1, score=55)
    make.panel(on=make.tool(name="Beta"), ship=1, score=60)
    for path in (LIST, "/", "/categories/agents/", "/search/?q=alpha", "/tools/alpha/"):
        text = read(client.get(path)).text
        assert text.count("the panel ships it at a low mean score") == 1, path


def test_what_all_rows_share_is_said_once_above_them(client):
    agents = make.category(slug="agents", name="Agents")
    search = make.category(slug="search", name="Search")
    make.tool(name="A", in_category=agents, entry="free", maker="Acme")
    make.tool(name="B", in_category=agents, entry="free", maker="")
    paid = make.tool(name="C", in_category=search, entry="paid", maker="Acme")

    def shared_and_rows(path: str) -> tuple[list[str], list[str]]:
        page = read(client.get(path))
        shared = page.texts("p", class_="tool-list__shared")
        return shared, page.texts("p", class_="tool-row__byline")

    for path, shared, rows in (
        ("/tools/", [], ["Free · Agents · Acme", "Free · Agents", "Paid · Search · Acme"]),
        ("/tools/?entry=free", ["All: Free · Agents"], ["Acme"]),
        ("/tools/?entry=paid", [], ["Paid · Search · Acme"]),
        ("/categories/agents/", ["All: Free"], ["Acme"]),
        ("/categories/search/", [], ["Paid · Acme"]),
    ):
        assert shared_and_rows(path) == (shared, rows), path
    # What only one page of the list shares stands in its rows.
    paid.delete()
    for number in range(PAGE_SIZE - 2):
        make.tool(name=f"B{number}", in_category=agents, entry="free")
    make.tool(name="C", in_category=agents, entry="paid")
    rows = ["Free · Acme"] + ["Free"] * (PAGE_SIZE - 1)
    assert shared_and_rows("/tools/?sort=name") == (["All: Agents"], rows)


def test_drafts_and_scheduled_tools_are_not_listed(client, clock):
    now = timezone.now()
    make.tool(name="Draft", published_at=None)
    make.tool(name="Soon", published_at=now)
    clock(now - MINUTE)
    page = read(client.get(LIST))
    assert page.all("li", class_="tool-row") == []
    assert "No tools yet." in page.text
    clock(now + MINUTE)
    [row] = read(client.get(LIST)).texts("li", class_="tool-row")
    assert "Soon" in row
    assert "No verdict yet" in row


def test_the_list_is_sorted_by_score_name_and_date(client):
    now = timezone.now()
    for name, score, minutes in (("b", None, 1), ("A", 10, 3), ("c", 90, 2)):
        tool = make.tool(name=name, published_at=now - minutes * MINUTE)
        if score:
            make.take(on=tool, score=score)
    for sort, expected in (
        ("", ["c", "A", "b"]),
        ("?sort=score", ["c", "A", "b"]),
        ("?sort=name", ["A", "b", "c"]),
        ("?sort=newest", ["b", "c", "A"]),
    ):
        assert names(client, sort) == expected, sort


def test_each_filter_narrows_the_list_and_filters_narrow_together(client):
    agents = make.category(slug="agents")
    for name, ship, skip, fields in (
        ("All of it", 2, 1, {"in_category": agents, "entry": "paid", "tagline": "Quick"}),
        ("All but the entry", 2, 0, {"in_category": agents, "entry": "free"}),
        ("All but the category", 1, 0, {"entry": "paid"}),
        ("All but the verdict", 0, 0, {"in_category": agents, "entry": "paid"}),
        ("Skip", 1, 2, {"entry": "freemium", "maker": "Acme"}),
        ("Split", 1, 1, {"entry": "freemium"}),
    ):
        make.panel(on=make.tool(name=name, **fields), ship=ship, skip=skip)
    for query, expected in (
        ("category=agents", ["All but the entry", "All but the verdict", "All of it"]),
        ("entry=freemium", ["Skip", "Split"]),
        ("entry=free", ["All but the entry"]),
        ("verdict=ship", ["All but the category", "All but the entry", "All of it"]),
        ("verdict=skip", ["Skip"]),
        ("verdict=split", ["Split"]),
        ("verdict=none", ["All but the verdict"]),
        ("q=quick", ["All of it"]),
        ("q=ACME", ["Skip"]),
        ("q=all&category=agents&entry=paid&verdict=ship", ["All of it"]),
        ("entry=free&sort=drop", ["All but the entry"]),
    ):
        assert sorted(names(client, f"?{query}")) == expected, query
    page = read(client.get(f"{LIST}?q=zzz"))
    assert "No tool matches these filters." in page.text
    assert LIST in page.links


def test_the_form_shows_what_was_chosen(client):
    make.category(slug="agents", name="Agents")
    page = read(client.get(f'{LIST}?q="a"&category=agents&entry=paid&verdict=none&sort=name'))
    assert page.by_id("filter-q").attributes["value"] == '"a"'
    chosen = [option.text for option in page.all("option") if "selected" in option.attributes]
    assert chosen == ["Name"]
    ticked = [box.attributes["value"] for box in page.all("input", type="checkbox", checked="")]
    assert ticked == ["agents", "paid", "none"]


def test_a_page_has_a_limited_number_of_tools_and_links_that_keep_only_good_filters(client):
    category = make.category()
    for _ in range(PAGE_SIZE):
        make.tool(name="a & b", entry="paid", in_category=category)
    assert read(client.get(LIST)).all("a", rel="next") == []
    make.tool(name="a & b", entry="paid", in_category=category)
    first, second = (read(client.get(f"{LIST}?sort=name{page}")) for page in ("", "&page=2"))
    assert len(first.all("li", class_="tool-row")) == PAGE_SIZE
    assert first.one("a", rel="next").attributes["href"] == "?sort=name&page=2"
    assert first.all("a", rel="prev") == []
    assert len(second.all("li", class_="tool-row")) == 1
    assert second.one("a", rel="prev").attributes["href"] == "?sort=name"
    assert second.all("a", rel="next") == []
    assert "page 2" in second.title
    page = read(client.get(f"{LIST}?q=a+%26+b&entry=paid&verdict=maybe"))
    assert page.one("a", rel="next").attributes["href"] == "?q=a+%26+b&entry=paid&page=2"


SENSELESS = [
    *("page=-1", "page=0", "page=x", "page=1.5", "page=500", "page=99999999999999999999"),
    *("sort=drop", "sort=name;drop table", "sort=%00", "sort=<script>alert(1)</script>"),
    *("category=nothing", "entry=FREE", "verdict=maybe", "entry=%ff%fe"),
    *("category[]=agents", "category%5B%5D=", "Q=x", "q=a%00b"),
    *(f"q={'a' * 10_000}", f"sort={'x' * 10_000}"),
    "page=-1&sort=drop&entry=x&verdict=y&category=z&q=%00&q[]=1",
]
NO_NOTICE = ["utm_source=x", "a[b][c]=1", "", "&&&", "=", "q=", "page="]


def test_a_filter_that_makes_no_sense_is_ignored_and_the_page_says_so(client, snapshot):
    make.tool(name="Alpha")
    make.category(slug="agents")
    said = []
    for query in SENSELESS + NO_NOTICE:
        response = client.get(f"{LIST}?{query}")
        assert response.status_code == 200, query
        page = read(response)
        assert page.texts("p", class_="tool-row__name") == ["Alpha"], query
        assert bool(page.notices) is (query in SENSELESS), query
        if page.notices:
            said += [f"?{query[:40]}", *page.notices]
    assert "\n".join(said) == snapshot


def test_any_character_can_be_searched_for(client):
    signs = ["%", "_", "'", '"', "\\", "🚀", "👩‍💻", "שלום", "–", "<script>", "((("]
    make.tool(name="Plain")
    for sign in signs:
        text = f"Has {sign}"
        tool = make.tool(name=text)
        page = read(client.get(LIST, {"q": text}))
        assert page.texts("p", class_="tool-row__name") == [text]
        assert page.by_id("filter-q").attributes["value"] == text
        assert page.notices == [], text
        tool.delete()


def test_filtered_lists_are_not_for_search_engines(client):
    assert read(client.get(LIST)).all("meta", name="robots") == []
    for query in ("?q=a", "?entry=paid", "?sort=name"):
        page = read(client.get(LIST + query))
        assert page.one("meta", name="robots").attributes["content"] == "noindex, follow"
        assert page.one("link", rel="canonical").attributes["href"].endswith("/tools/")
