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


def test_every_public_tool_is_listed_with_what_the_panel_says(client):
    tool = make.tool(name="Alpha", tagline="Quick", maker="Acme", entry="paid")
    make.panel(on=tool, ship=3, skip=1, score=84)
    page = read(client.get(LIST))
    assert page.heading == "Tools"
    row = page.one("li", class_="tool-row").text
    for words in ("Alpha", "Quick", "Acme", "Paid", "Ship", "3 of 4 ship", "mean score 84.0"):
        assert words in row


@pytest.mark.parametrize(
    "path", [LIST, "/", "/categories/agents/", "/search/?q=alpha", "/tools/alpha/"]
)
def test_a_row_and_the_tool_s_page_say_why_a_ship_can_have_a_low_score(client, path):
    tool = make.tool(slug="alpha", name="Alpha", in_category=make.category(slug="agents"))
    make.panel(on=tool, ship=3, skip=1, score=55)
    make.panel(on=make.tool(name="Beta"), ship=1, score=60)
    assert read(client.get(path)).text.count("the panel ships it at a low mean score") == 1


@pytest.mark.parametrize(
    ("path", "said", "rows"),
    [
        ("/tools/", [], ["Free · Agents · Acme", "Free · Agents", "Paid · Search · Acme"]),
        ("/tools/?entry=free", ["All: Free · Agents"], ["Acme"]),
        ("/tools/?entry=paid", [], ["Paid · Search · Acme"]),
        ("/categories/agents/", ["All: Free"], ["Acme"]),
        ("/categories/search/", [], ["Paid · Acme"]),
    ],
)
def test_what_all_rows_share_is_said_once_above_them(client, path, said, rows):
    agents = make.category(slug="agents", name="Agents")
    search = make.category(slug="search", name="Search")
    make.tool(name="A", in_category=agents, entry="free", maker="Acme")
    make.tool(name="B", in_category=agents, entry="free", maker="")
    make.tool(name="C", in_category=search, entry="paid", maker="Acme")
    page = read(client.get(path))
    assert page.texts("p", class_="tool-list__shared") == said
    assert page.texts("p", class_="tool-row__byline") == rows


def test_what_only_one_page_of_a_list_shares_stands_in_its_rows(client):
    category = make.category(name="Agents")
    for number in range(PAGE_SIZE):
        make.tool(name=f"A{number}", in_category=category, entry="free")
    make.tool(name="B", in_category=category, entry="paid")
    page = read(client.get("/tools/?sort=name"))
    assert page.texts("p", class_="tool-list__shared") == ["All: Agents"]
    assert page.texts("p", class_="tool-row__byline") == ["Free"] * PAGE_SIZE


def test_a_tool_without_takes_has_no_verdict_yet(client):
    make.tool()
    assert "No verdict yet" in read(client.get(LIST)).one("li", class_="tool-row").text


def test_an_empty_site_says_so(client):
    assert "No tools yet." in read(client.get(LIST)).text


def test_drafts_and_scheduled_tools_are_not_listed(client, clock):
    now = timezone.now()
    make.tool(name="Draft", published_at=None)
    make.tool(name="Soon", published_at=now)
    clock(now - MINUTE)
    assert names(client) == []
    clock(now + MINUTE)
    assert names(client) == ["Soon"]


def test_the_best_panel_score_comes_first(client):
    make.tool(name="Not reviewed")
    for name, score in (("Low", 10), ("High", 90)):
        make.take(on=make.tool(name=name), score=score)
    assert names(client) == ["High", "Low", "Not reviewed"]
    assert names(client, "?sort=score") == ["High", "Low", "Not reviewed"]


def test_the_list_can_be_sorted_by_name_and_date(client):
    now = timezone.now()
    make.tool(name="b", published_at=now - MINUTE)
    make.tool(name="A", published_at=now - 3 * MINUTE)
    make.tool(name="c", published_at=now - 2 * MINUTE)
    assert names(client, "?sort=name") == ["A", "b", "c"]
    assert names(client, "?sort=newest") == ["b", "c", "A"]


def test_a_category_narrows_the_list(client):
    make.tool(name="In", in_category=make.category(slug="agents"))
    make.tool(name="Out")
    assert names(client, "?category=agents") == ["In"]


def test_an_entry_narrows_the_list(client):
    for entry in ("free", "freemium", "paid"):
        make.tool(name=entry, entry=entry)
    assert names(client, "?entry=freemium") == ["freemium"]


def test_a_verdict_narrows_the_list(client):
    for name, ship, skip in (("ship", 2, 1), ("skip", 1, 2), ("split", 1, 1), ("none", 0, 0)):
        make.panel(on=make.tool(name=name), ship=ship, skip=skip)
    for verdict in ("ship", "skip", "split", "none"):
        assert names(client, f"?verdict={verdict}") == [verdict]


def test_a_search_narrows_the_list(client):
    make.tool(name="Alpha", tagline="Quick")
    make.tool(name="Beta", maker="Acme")
    assert names(client, "?q=quick") == ["Alpha"]
    assert names(client, "?q=ACME") == ["Beta"]


def test_filters_narrow_together(client):
    agents = make.category(slug="agents")
    make.take(on=make.tool(name="All of it", in_category=agents, entry="paid"))
    make.take(on=make.tool(name="All but the entry", in_category=agents))
    make.take(on=make.tool(name="All but the category", entry="paid"))
    make.tool(name="All but the verdict", in_category=agents, entry="paid")
    assert names(client, "?q=all&category=agents&entry=paid&verdict=ship") == ["All of it"]


def test_if_nothing_matches_the_whole_list_is_offered(client):
    make.tool()
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


def test_a_page_has_a_limited_number_of_tools_and_a_link_to_the_next(client):
    for number in range(PAGE_SIZE + 1):
        make.tool(name=f"Tool {number:03}")
    first, second = (read(client.get(f"{LIST}?sort=name{page}")) for page in ("", "&page=2"))
    assert len(first.all("li", class_="tool-row")) == PAGE_SIZE
    assert first.one("a", rel="next").attributes["href"] == "?sort=name&page=2"
    assert first.all("a", rel="prev") == []
    assert len(second.all("li", class_="tool-row")) == 1
    assert second.one("a", rel="prev").attributes["href"] == "?sort=name"
    assert second.all("a", rel="next") == []
    assert "page 2" in second.title


def test_a_full_last_page_has_no_link_to_a_next_one(client):
    for _ in range(PAGE_SIZE):
        make.tool()
    assert read(client.get(LIST)).all("a", rel="next") == []


def test_the_pager_keeps_the_good_filters_and_drops_the_bad(client):
    for _ in range(PAGE_SIZE + 1):
        make.tool(name="a & b", entry="paid")
    page = read(client.get(f"{LIST}?q=a+%26+b&entry=paid&verdict=maybe"))
    assert page.one("a", rel="next").attributes["href"] == "?q=a+%26+b&entry=paid&page=2"


@pytest.mark.parametrize(
    ("query", "notice"),
    [
        ("?page=-1", "There is no page “-1”; this is the first."),
        ("?page=0", "There is no page “0”; this is the first."),
        ("?page=x", "There is no page “x”; this is the first."),
        ("?page=1.5", "There is no page “1.5”; this is the first."),
        ("?page=500", "There is no page 500: the last is 1; this is the first."),
        (
            "?page=99999999999999999999",
            "There is no page “99999999999999999999”; this is the first.",
        ),
        ("?sort=drop", "There is no sort “drop” here; it was left out."),
        ("?sort=name;drop table", "There is no sort “name;drop table” here; it was left out."),
        ("?category=nothing", "There is no category “nothing” here; it was left out."),
        ("?entry=FREE", "There is no entry price “FREE” here; it was left out."),
        ("?verdict=maybe", "There is no verdict “maybe” here; it was left out."),
        ("?category[]=agents", "“category[]” is not a filter of this page; it was left out."),
        ("?category%5B%5D=", "“category[]” is not a filter of this page; it was left out."),
        ("?Q=x", "“Q” is not a filter of this page; it was left out."),
        (
            "?q=a%00b",
            "Search cannot contain control characters; your text was left out.",
        ),
        (
            "?q=" + "a" * 10_000,
            "Search takes at most 100 characters; your text was left out.",
        ),
        ("?sort=%00", "There is no sort “�” here; it was left out."),
        ("?entry=%ff%fe", "There is no entry price “��” here; it was left out."),
    ],
    ids=lambda value: value[:40],
)
def test_a_filter_that_makes_no_sense_is_ignored_and_the_page_says_so(client, query, notice):
    make.tool(name="Alpha")
    make.category(slug="agents")
    response = client.get(LIST + query)
    assert response.status_code == 200
    page = read(response)
    assert page.notices == [notice]
    assert page.texts("p", class_="tool-row__name") == ["Alpha"]


def test_every_bad_filter_is_named(client):
    page = read(client.get(f"{LIST}?page=-1&sort=drop&entry=x&verdict=y&category=z&q=%00&q[]=1"))
    assert len(page.notices) == 7


def test_an_invalid_filter_does_not_disable_the_valid_ones(client):
    make.tool(name="Paid one", entry="paid")
    make.tool(name="Free one")
    assert names(client, "?entry=paid&sort=drop") == ["Paid one"]


def test_unknown_keys_need_no_notice(client):
    make.tool(name="Alpha")
    for query in ("?utm_source=x", "?a[b][c]=1", "?", "?&&&", "?=", "?q=", "?page="):
        page = read(client.get(LIST + query))
        assert page.notices == [], query
        assert page.texts("p", class_="tool-row__name") == ["Alpha"], query


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


def test_a_notice_shows_markup_as_written(client):
    page = read(client.get(f"{LIST}?sort=<script>alert(1)</script>"))
    assert page.notices == ["There is no sort “<script>alert(1)</script>” here; it was left out."]


def test_a_notice_repeats_only_the_beginning_of_a_long_value(client):
    [notice] = read(client.get(f"{LIST}?sort={'x' * 10_000}")).notices
    assert len(notice) < 100


def test_filtered_lists_are_not_for_search_engines(client):
    assert read(client.get(LIST)).all("meta", name="robots") == []
    for query in ("?q=a", "?entry=paid", "?sort=name"):
        page = read(client.get(LIST + query))
        assert page.one("meta", name="robots").attributes["content"] == "noindex, follow"
        assert page.one("link", rel="canonical").attributes["href"].endswith("/tools/")
