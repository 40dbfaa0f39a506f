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


def cells(page: Document, row: str, *, numbered: bool = True) -> list[str]:
    """The texts of one row's cells, with or without the numbers of their sources."""
    [head] = [head for head in page.all("th", scope="row") if head.text == row]
    found = []
    for cell in page.all("td"):
        if cell.inside[-1] is head.inside[-1]:
            text = cell.text
            for number in page.of_class("source-number"):
                if cell in number.inside and not numbered:
                    text = "".join(text.rsplit(number.text, 1))
            found.append(text)
    return found


def answers(page: Document, row: str) -> list[str]:
    """The texts of one row's cells without the numbers of their sources."""
    return cells(page, row, numbered=False)


def sources(page: Document) -> list[str]:
    """The list of sources: the day of each group, and its sources with their numbers."""
    boxes = page.of_class("sources")
    rows = [each for each in page.elements if each.name in ("p", "li")]
    return [row.text for row in rows if any(box in row.inside for box in boxes)]


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
        "Verdicts": ["Panel verdict", "Mean score", "Community"],
        "Prices": ["Entry price", "Pricing"],
        "Model": ["Window", "Same"],
        "Running it": ["Cloud"],
        "About": ["Loose", "Category"],
    }
    page = read(client.get(f"{PAGE}?rows=differing"))
    assert groups(page) == {"Model": ["Window"], "Running it": ["Cloud"]}


def test_numbers_have_thousands_and_one_unit_and_the_better_one_is_named(client, pair):
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
    for name in ("Greatest dimensions", "Subdimensions"):
        row = make.attribute(name=name, unit="dimensions")
        make.fact(Decimal(4096), on=alpha, to=row)
    page = read(client.get(PAGE))
    assert answers(page, "Greatest dimensions")[0] == "4,096"
    assert answers(page, "Subdimensions")[0] == "4,096 dimensions"
    assert answers(page, "Window") == ["128,000 units better", "32,000 units"]
    assert answers(page, "Memory") == ["1.92 units better", "2 units"]
    assert answers(page, "Layers") == ["24 units", "36 units"]
    assert answers(page, "Heads") == ["16 units", "16 units"]


LIMIT = "2,000 in an index"


def test_no_number_is_better_where_a_note_limits_a_compared_one(client, pair):
    third = make.tool(slug="gamma", name="Gamma", in_category=pair[0].category)
    rows = {
        "No note": ([("16000", ""), ("4096", ""), ("1024", "")], ["16,000 better", "4096"]),
        "First": ([("16000", LIMIT), ("4096", ""), ("1024", "")], [f"16,000 {LIMIT}", "4096"]),
        "Second": ([("16000", ""), ("4096", LIMIT), ("1024", "")], ["16,000", f"4096 {LIMIT}"]),
    }
    for name, (facts, _) in rows.items():
        row = make.attribute(name=name, better="higher")
        for tool, (value, note) in zip((*pair, third), facts, strict=True):
            make.fact(Decimal(value), on=tool, to=row, note=note)
    explained = make.attribute(name="Explained", better="higher")
    make.fact(Decimal(2), on=pair[0], to=explained, note="Both kinds", note_only_explains=True)
    make.fact(Decimal(1), on=pair[1], to=explained)
    make.fact(None, on=third, to=explained, note="They will tell soon")
    two = read(client.get(PAGE))
    three = read(client.get("/compare/alpha-vs-beta-vs-gamma/"))
    for name, (_, shown) in rows.items():
        assert answers(two, name) == shown, name
        best = [text.replace("better", "best") for text in shown]
        assert answers(three, name) == [*best, "1024"], name
    assert answers(two, "Explained") == ["2 better Both kinds", "1"]
    unlimited = ["2 best Both kinds", "1", "Not stated They will tell soon"]
    assert answers(three, "Explained") == unlimited


def test_an_answer_that_a_note_limits_differs_from_one_without(client, pair):
    for name, explains in (("Limited", False), ("Explained", True)):
        row = make.attribute(name=name, kind="yes-no")
        make.fact(True, on=pair[0], to=row)
        make.fact(True, on=pair[1], to=row, note="Cloud only", note_only_explains=explains)
    page = read(client.get(f"{PAGE}?rows=differing"))
    assert answers(page, "Limited") == ["Yes", "Yes Cloud only"]
    assert "Explained" not in groups(page)["About"]


def test_a_question_of_another_category_is_a_dash_with_words_for_screen_readers(client, pair):
    row = make.attribute(name="Elsewhere", kind="text", asked_in=[pair[0].category])
    make.fact("x", on=pair[0], to=row)
    make.tool(slug="gamma", name="Gamma")
    page = read(client.get("/compare/alpha-vs-gamma/"))
    assert answers(page, "Elsewhere") == ["x", "—Not asked of this category"]
    [dash] = [each for each in page.all("i") if each.text == "—" and each.within("td")]
    assert dash.attributes == {"aria-hidden": "true"}
    [words] = [each for each in page.all("span", class_="visually-hidden") if "asked" in each.text]
    assert words.text == "Not asked of this category"
    [head] = [head for head in page.all("th", scope="row") if head.text == "Elsewhere"]
    assert "decision__more" in head.inside[-1].attributes["class"]  # a phone folds it


def test_missing_answers_are_words_and_rows_that_apply_to_no_tool_are_left_out(client, pair):
    alpha, beta = pair
    unsaid, inapplicable, other, silent, empty = (
        make.attribute(name=name, kind="yes-no")
        for name in ("Unsaid", "Inapplicable", "Other", "Silent", "Empty")
    )
    asked_elsewhere = make.attribute(name="Elsewhere", kind="text")
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
    platforms = make.attribute(
        name="Platforms", kind="choices", choices=["Linux", "macOS", "Windows"]
    )
    make.fact(["macOS", "Linux"], on=alpha, to=platforms)
    make.fact(["Linux", "macOS"], on=beta, to=platforms)
    page = read(client.get(PAGE))
    assert answers(page, "Unsaid") == ["Yes", "Not stated"]
    assert answers(page, "Inapplicable") == ["Yes", "Does not apply"]
    assert answers(page, "Other") == ["Not recorded", "No"]
    assert answers(page, "Elsewhere") == ["x", "Not recorded"]
    assert answers(page, "Silent") == ["Not stated", "Does not apply"]
    assert "Empty" not in groups(page)["About"]
    assert answers(page, "Platforms") == ["Linux, macOS"] * 2, "in whatever order they were given"
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
    assert cells(page, "C") == ["c1", "d3 no source"]
    assert cells(page, "M") == ["e4 no source", "f5 no day"]
    assert sources(page) == [
        *("Alpha, checked 3 November 2026", "1 acme.example/docs"),
        *("Alpha, no day", "4 no source"),
        *("Beta, checked 3 November 2026", "2 acme.example/docs"),
        *("Beta, checked 8 months ago", "3 no source"),
        *("Beta, no day", "5 acme.example/other"),
    ]
    assert page.one("a", href="#source-5").attributes["aria-label"] == "Source 5 no day"
    first = page.all("a", href="#source-1")[0]
    assert first.attributes["aria-label"] == "Source 1"
    assert page.all("time", datetime="2026-03-20")
    assert page.one("a", href="https://acme.example/other").attributes["rel"] == "nofollow"


def test_old_checks_show_their_age_and_the_sources_of_one_day_say_it_once(client, pair):
    fact = make.fact("a", on=pair[0], to=make.attribute(kind="text"))
    for day, words in [
        (date(2026, 5, 26), "checked 26 May 2026"),
        (date(2026, 5, 25), "checked 6 months ago"),
        (date(2025, 11, 20), "checked 12 months ago"),
        (date(2024, 11, 20), "checked 2 years ago"),
        (date(2021, 1, 1), "checked 5 years ago"),
    ]:
        fact.checked_on = day
        fact.save()
        assert sources(read(client.get(PAGE))) == [f"Alpha, {words}", "1 no source"], day
    fact.delete()
    for number, day_of_month in enumerate([3, 5, 3, 3]):
        row = make.attribute(name=f"Q{number}", kind="text")
        source = f"https://acme.example/{number}"
        day = date(2026, 11, day_of_month)
        make.fact("a", on=pair[0], to=row, source=source, checked_on=day)
    page = read(client.get(PAGE))
    assert sources(page) == [
        *("Alpha, checked 3 November 2026", "1 acme.example/0", "3 acme.example/2"),
        "4 acme.example/3",
        *("Alpha, checked 5 November 2026", "2 acme.example/1"),
    ]
    assert len(page.all("time", datetime="2026-11-03")) == 1


def test_a_phone_folds_the_statuses_of_active_tools(client, pair):
    for statuses, is_folded in [
        (("active", "active"), True),
        (("active", "maintenance"), False),
        (("discontinued", "discontinued"), False),
    ]:
        for day, (tool, status) in enumerate(zip(pair, statuses, strict=True), 1):
            tool.status, tool.status_on = status, date(2026, 6, day)
            tool.save()
        heads = read(client.get(PAGE)).all("th", scope="row")
        [row] = [head.inside[-1] for head in heads if head.text == "Status"]
        assert ("decision__more" in row.attributes.get("class", "")) == is_folded, statuses


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
    assert hidden == ["Mean score", "Community", "Entry price", "One", "Same", "Category"]
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
        "Yes only for Alpha: hybrid search, OpenAI-compatible API.",
        "Yes only for Beta: embedded mode.",
    ]
    third = make.tool(slug="gamma", name="Gamma", in_category=alpha.category)
    make.fact(False, on=third, to=alpha.facts.get(attribute__name="Hybrid search").attribute)
    page = read(client.get("/compare/alpha-vs-beta-vs-gamma/"))
    assert page.of_class("only-one-has")[0].text == "Yes only for Alpha: hybrid search."


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
    assert answers(page, "Entry price") == [
        "Free · from $20 per user and month",
        "From €18 per month",
    ]
    assert cells(page, "Pricing") == [
        "Free1 no sourceTeam: $40 per user and month2"
        "Pro: $20 per user and month1 no source Three seats"
        "Pro: $192 per user and year1 no source",
        "Pro: €18 per month3 no sourcePro: $30 per month3 no source",
    ]
    assert (
        "Pro: $192 per user and year1 no sourceAsk for more"
        in read(client.get("/tools/alpha/")).text
    )


def test_without_plans_a_note_is_shown_and_on_a_phone_three_of_five_plans(client, pair):
    Tool.objects.filter(slug="alpha").update(entry="paid", pricing="Pro $20/mo")
    page = read(client.get(PAGE))
    assert answers(page, "Entry price") == ["Paid", "Free"]
    assert answers(page, "Pricing") == ["Pro $20/mo", "Not recorded"]
    for number, tool in ((4, pair[0]), (5, pair[1])):
        for each in range(number):
            fields = {"source": "https://acme.example/", "checked_on": NOW.date()}
            make.plan(on=tool, name=f"P{each}", amount="10", position=each + 1, **fields)
    page = read(client.get(PAGE))
    assert [each.text for each in page.all("summary") if "more" in each.text] == ["2 more"]
    [rest] = page.all("details", class_="more-values")
    assert rest.text == "2 moreP3: $10 per month2P4: $10 per month2"


def test_a_comparison_of_releases_of_one_product_says_so(client, pair):
    family = Family.objects.create(slug="acme", name="Acme’s agent")
    Tool.objects.update(family=family)
    assert "Both are releases of one product: Acme’s agent." in read(client.get(PAGE)).text
    make.tool(slug="gamma", name="Gamma")
    page = read(client.get("/compare/alpha-vs-beta-vs-gamma/"))
    assert "Alpha and Beta are releases of one product: Acme’s agent." in page.text
    assert "releases of" not in read(client.get("/compare/alpha-vs-gamma/")).text


def test_an_attribute_is_explained_beside_its_name_and_a_note_beside_its_answer(client, pair):
    assert "Sources" not in client.get(PAGE).content.decode()
    row = make.attribute(name="W", kind="text", help="What it is.")
    make.fact("a", on=pair[0], to=row, note="Mostly")
    page = read(client.get(PAGE))
    [head] = [head for head in page.all("th", scope="row") if "What it is." in head.text]
    assert [each.text for each in page.all("summary") if head in each.inside] == ["W"]
    texts = [cell.text for cell in page.all("td") if cell.inside[-1] is head.inside[-1]]
    assert texts == ["a1 no source Mostly", "Not recorded"]
    assert sources(page) == ["Alpha, no day", "1 no source"]
