"""The decision table: facts and prices in groups, with their sources."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from tests import factories as make
from tests.markup import Document, read
from tools.models import Family, Tool

pytestmark = pytest.mark.django_db
PAGE = "/compare/alpha-vs-beta/"
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def pair(clock) -> tuple[Tool, Tool]:
    """Tools `alpha` and `beta` of one category, at a fixed time."""
    clock(NOW)
    kind = make.category()
    alpha = make.tool(slug="alpha", name="Alpha", in_category=kind)
    return alpha, make.tool(slug="beta", name="Beta", in_category=kind)


def groups(page: Document) -> dict[str, list[str]]:
    """The names of the rows by the heading of their group."""
    return {
        head.text: [
            row.text for row in page.all("th", scope="row") if head.inside[-2] in row.inside
        ]
        for head in page.all("th", scope="rowgroup")
    }


def cells(page: Document, row: str) -> list[str]:
    """The texts of one row's cells."""
    [head] = [head for head in page.all("th", scope="row") if head.text == row]
    return [cell.text for cell in page.all("td") if cell.inside[-1] is head.inside[-1]]


def sources(page: Document) -> list[str]:
    """The list of sources, each with its number."""
    rows = [each for each in page.all("li") if each.attributes.get("id", "").startswith("source-")]
    return [row.text for row in rows]


def test_rows_are_in_groups_and_those_that_differ_come_first_in_each_group(client, pair):
    alpha, beta = pair
    for number, (name, group, same) in enumerate(
        [
            ("Same", "Model", True),
            ("Window", "Model", False),
            ("Cloud", "Running it", False),
            ("Loose", "", True),
        ]
    ):
        row = make.attribute(name=name, group=group, kind="text", position=number)
        make.fact("x", on=alpha, to=row)
        make.fact("x" if same else "y", on=beta, to=row)
    page = read(client.get(PAGE))
    assert groups(page) == {
        "Verdicts": ["Panel verdict", "Panel score", "Community"],
        "Prices": ["Entry price", "Pricing"],
        "Model": ["Window", "Same"],
        "Running it": ["Cloud"],
        "About": ["Loose", "Category"],
    }
    page = read(client.get(f"{PAGE}?rows=differing"))
    assert groups(page) == {"Model": ["Window"], "Running it": ["Cloud"]}


def test_numbers_have_thousands_and_a_unit_and_the_better_one_is_named(client, pair):
    alpha, beta = pair
    for name, better, values in (
        ("Window", "higher", ("128000", "32000")),
        ("Memory", "lower", ("1.92", "2")),
        ("Layers", "", ("24", "36")),
        ("Heads", "higher", ("16", "16")),
    ):
        row = make.attribute(name=name, unit="units", better=better)
        make.fact(Decimal(values[0]), on=alpha, to=row)
        make.fact(Decimal(values[1]), on=beta, to=row)
    page = read(client.get(PAGE))
    assert cells(page, "Window") == ["128,000 units better", "32,000 units"]
    assert cells(page, "Memory") == ["1.92 units better", "2 units"]
    assert cells(page, "Layers") == ["24 units", "36 units"]
    assert cells(page, "Heads") == ["16 units", "16 units"]


def test_missing_answers_are_words_and_rows_that_apply_to_no_tool_are_left_out(client, pair):
    alpha, beta = pair
    unsaid, inapplicable, other, silent, empty = (
        make.attribute(name=name, kind="yes-no")
        for name in ("Unsaid", "Inapplicable", "Other", "Silent", "Empty")
    )
    asked_elsewhere = make.attribute(name="Elsewhere", asked_in=[make.category()], kind="text")
    make.fact(True, on=alpha, to=unsaid)
    make.fact(None, on=beta, to=unsaid)
    make.fact(True, on=alpha, to=inapplicable)
    make.fact(None, on=beta, to=inapplicable, applies=False)
    make.fact(False, on=beta, to=other)
    make.fact(None, on=alpha, to=silent)
    make.fact(None, on=beta, to=silent, applies=False)
    for tool in pair:
        make.fact(None, on=tool, to=empty, applies=False)
    make.fact("x", on=alpha, to=asked_elsewhere)
    page = read(client.get(PAGE))
    assert cells(page, "Unsaid") == ["Yes", "The maker does not say"]
    assert cells(page, "Inapplicable") == ["Yes", "Does not apply"]
    assert cells(page, "Other") == ["Not stated", "No"]
    assert cells(page, "Elsewhere") == ["x", "Does not apply"]
    assert cells(page, "Silent") == ["The maker does not say", "Does not apply"]
    assert "Empty" not in groups(page)["About"]


def test_a_licence_is_shown_once(client, pair):
    Tool.objects.update(license="MIT, says the editor")
    assert groups(read(client.get(PAGE)))["About"] == ["Licence", "Category"]
    row = make.attribute(name="Licence", group="Data", kind="text")
    make.fact("MIT", on=pair[0], to=row)
    page = read(client.get(PAGE))
    assert cells(page, "Licence") == ["MIT", "Not stated"]


def test_choices_read_alike_in_whatever_order_they_were_given(client, pair):
    row = make.attribute(name="Platforms", kind="choices", choices=["Linux", "macOS", "Windows"])
    for tool, order in zip(pair, (["macOS", "Linux"], ["Linux", "macOS"]), strict=True):
        make.fact(order, on=tool, to=row)
    page = read(client.get(PAGE))
    assert cells(page, "Platforms") == ["Linux, macOS"] * 2
    [head] = [head for head in page.all("th", scope="row") if head.text == "Platforms"]
    assert head.inside[-1].attributes["class"] == "decision__more decision__same"


def test_each_answer_leads_to_its_source_and_date(client, pair):
    alpha, beta = pair
    window, cloud, memory = (make.attribute(name=name, kind="text") for name in "WCM")
    page_of_maker = {"source": "https://www.acme.example/docs", "checked_on": date(2026, 11, 3)}
    make.fact("a", on=alpha, to=window, note="Only in the cloud", **page_of_maker)
    make.fact("b", on=beta, to=window, **page_of_maker)
    make.fact("c", on=alpha, to=cloud, **page_of_maker)
    make.fact("d", on=beta, to=cloud, checked_on=date(2026, 3, 20))
    make.fact("e", on=alpha, to=memory)
    make.fact("f", on=beta, to=memory, source="https://acme.example/other")
    page = read(client.get(PAGE))
    assert cells(page, "W") == ["a1 Only in the cloud", "b2"]
    assert cells(page, "C") == ["c1", "d3"]
    assert cells(page, "M") == ["e", "f4"]
    assert sources(page) == [
        "1 Alpha: acme.example/docs 3 Nov 2026 W: Only in the cloud",
        "2 Beta: acme.example/docs 3 Nov 2026",
        "3 Beta: checked 8 months ago",
        "4 Beta: acme.example/other",
    ]
    first = page.all("a", href="#source-1")[0]
    assert first.attributes["aria-label"] == "Source 1"
    assert page.all("time", datetime="2026-03-20")
    assert page.one("a", href="https://acme.example/other").attributes["rel"] == "nofollow"


def test_a_page_without_sources_has_no_list_of_them(client, pair):
    assert sources(read(client.get(PAGE))) == []
    assert "Sources" not in client.get(PAGE).content.decode()


@pytest.mark.parametrize(
    ("day", "words"),
    [
        (date(2026, 5, 26), "checked 26 May 2026"),
        (date(2026, 5, 25), "checked 6 months ago"),
        (date(2025, 11, 20), "checked 12 months ago"),
        (date(2024, 11, 20), "checked 2 years ago"),
        (date(2021, 1, 1), "checked 5 years ago"),
    ],
)
def test_a_check_of_more_than_180_days_ago_shows_its_age(client, pair, day, words):
    make.fact("a", on=pair[0], to=make.attribute(kind="text"), checked_on=day)
    assert sources(read(client.get(PAGE))) == [f"1 Alpha: {words}"]


def test_a_note_without_a_source_is_in_the_list_too(client, pair):
    make.fact("a", on=pair[0], to=make.attribute(name="W", kind="text"), note="Mostly")
    assert sources(read(client.get(PAGE))) == ["1 Alpha: W: Mostly"]


def test_a_phone_shows_the_rows_that_differ_and_the_others_on_demand(client, pair):
    names = {"Differs": ("x", "y"), "Same": ("x", "x"), "One": ("x", "n/a"), "Unstated": ("x", "")}
    for number, (name, values) in enumerate(names.items()):
        row = make.attribute(name=name, group="G", kind="text", position=number)
        for tool, value in zip(pair, values, strict=True):
            if value:
                stated = None if value == "n/a" else value
                make.fact(stated, on=tool, to=row, applies=value != "n/a")
    page = read(client.get(PAGE))
    hidden = [
        head.text
        for head in page.all("th", scope="row")
        if "decision__more" in head.inside[-1].attributes.get("class", "")
    ]
    assert hidden == ["Panel score", "Community", "Entry price", "One", "Same", "Category"]
    [about] = [head for head in page.all("th", scope="rowgroup") if head.text == "About"]
    assert about.inside[-2].attributes["class"] == "decision__more"
    assert "decision--short" in page.all("table")[-1].attributes["class"]
    total = len(page.all("th", scope="row"))
    link = page.one("a", href=f"{PAGE}?rows=all#decision")
    assert link.text == f"Show all {total} rows"
    page = read(client.get(link.attributes["href"]))
    assert "decision--short" not in page.all("table")[-1].attributes["class"]
    assert len(page.all("th", scope="row")) == total
    assert page.one("a", href=f"{PAGE}#decision").text == "Show fewer rows"
    assert page.one("link", rel="canonical").attributes["href"].endswith(PAGE)
    page = read(client.get(f"{PAGE}?rows=differing"))
    assert page.one("a", href=f"{PAGE}?rows=all#decision").text == link.text


def test_a_unit_is_not_repeated_after_a_name_that_ends_with_it(client, pair):
    for name, unit in (("Greatest dimensions", "dimensions"), ("Subdimensions", "dimensions")):
        make.fact(Decimal(4096), on=pair[0], to=make.attribute(name=name, unit=unit))
    page = read(client.get(PAGE))
    assert cells(page, "Greatest dimensions")[0] == "4,096"
    assert cells(page, "Subdimensions")[0] == "4,096 dimensions"


def test_what_only_one_tool_has_is_above_the_table(client, pair):
    alpha, beta = pair
    for name, first, second in (
        ("Hybrid search", True, False),
        ("OpenAI-compatible API", True, False),
        ("Embedded mode", False, True),
        ("Both have it", True, True),
        ("Not known", True, None),
    ):
        row = make.attribute(name=name, kind="yes-no")
        make.fact(first, on=alpha, to=row)
        make.fact(second, on=beta, to=row)
    page = read(client.get(PAGE))
    lines = [
        each.text for each in page.all("li") if each.inside[-1] in page.of_class("only-one-has")
    ]
    assert lines == [
        "Only Alpha: hybrid search, OpenAI-compatible API.",
        "Only Beta: embedded mode.",
    ]
    third = make.tool(slug="gamma", name="Gamma", in_category=alpha.category)
    make.fact(False, on=third, to=alpha.facts.get(attribute__name="Hybrid search").attribute)
    page = read(client.get("/compare/alpha-vs-beta-vs-gamma/"))
    assert page.of_class("only-one-has")[0].text == "Only Alpha: hybrid search."


def test_the_cheapest_price_comes_first_and_then_the_plans(client, pair):
    alpha, beta = pair
    page_of_maker = {"source": "https://acme.example/", "checked_on": date(2026, 11, 3)}
    make.plan(on=alpha, name="Free", amount="0", position=1)
    make.plan(on=alpha, name="Team", amount="40", per_user=True, position=2, **page_of_maker)
    make.plan(on=alpha, name="Pro", amount="20", per_user=True, position=3, note="Three seats")
    make.plan(on=alpha, name="Pro", amount="192", per="year", per_user=True, position=4)
    Tool.objects.filter(pk=alpha.pk).update(pricing="Ask for more")
    make.plan(on=beta, name="Pro", amount="18", currency="EUR", position=1)
    make.plan(on=beta, name="Pro", amount="30", currency="USD", position=2)
    page = read(client.get(PAGE))
    assert cells(page, "Entry price") == [
        "Freemium, paid from $20 per user and month",
        "Paid, from €18 per month",
    ]
    assert cells(page, "Pricing") == [
        "FreeTeam: $40 per user and month1Pro: $20 per user and month2 Three seats"
        "Pro: $192 per user and year",
        "Pro: €18 per monthPro: $30 per month",
    ]
    assert "Pro: $192 per user and yearAsk for more" in read(client.get("/tools/alpha/")).text


def test_a_phone_shows_three_of_five_or_more_plans(client, pair):
    for number, tool in ((4, pair[0]), (5, pair[1])):
        for each in range(number):
            make.plan(on=tool, name=f"P{each}", amount="10", position=each + 1)
    page = read(client.get(PAGE))
    assert [each.text for each in page.all("summary") if "more" in each.text] == ["2 more"]
    [rest] = page.all("details", class_="more-values")
    assert rest.text == "2 moreP3: $10 per monthP4: $10 per month"


def test_without_plans_the_entry_price_and_the_note_are_shown(client, pair):
    Tool.objects.filter(slug="alpha").update(entry="paid", pricing="Pro $20/mo")
    page = read(client.get(PAGE))
    assert cells(page, "Entry price") == ["Paid", "Free"]
    assert cells(page, "Pricing") == ["Pro $20/mo", "Not stated"]


def test_a_comparison_of_releases_of_one_product_says_so(client, pair):
    family = Family.objects.create(slug="acme", name="Acme’s agent")
    Tool.objects.update(family=family)
    assert "Both are releases of one product: Acme’s agent." in read(client.get(PAGE)).text
    make.tool(slug="gamma", name="Gamma")
    page = read(client.get("/compare/alpha-vs-beta-vs-gamma/"))
    assert "Alpha and Beta are releases of one product: Acme’s agent." in page.text
    assert "releases of" not in read(client.get("/compare/alpha-vs-gamma/")).text


def test_an_attribute_is_explained_beside_its_name(client, pair):
    make.fact("x", on=pair[0], to=make.attribute(name="W", kind="text", help="What it is."))
    page = read(client.get(PAGE))
    [head] = [head for head in page.all("th", scope="row") if "What it is." in head.text]
    assert [each.text for each in page.all("summary") if head in each.inside] == ["W"]
