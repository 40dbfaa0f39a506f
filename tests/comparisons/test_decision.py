"""The decision table: facts and prices in groups, with their sources."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests import factories as make
from tests.markup import Document, read
from tools.models import Family, Tool

pytestmark = pytest.mark.django_db
PAGE = "/compare/alpha-vs-beta/"
THREE = "/compare/alpha-vs-beta-vs-gamma/"
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
DOCS = {"source": "https://www.acme.example/docs", "checked_on": date(2026, 11, 3)}
NO_FACT, DOES_NOT_APPLY = "no fact", "does not apply"


@pytest.fixture
def tools(clock) -> list[Tool]:
    """Tools `alpha` and `beta` of one category, and `gamma` of another, at a fixed time."""
    clock(NOW)
    kind, other = make.category(name="Agents"), make.category(name="Others")
    return [
        make.tool(slug=slug, name=slug.title(), in_category=category)
        for slug, category in (("alpha", kind), ("beta", kind), ("gamma", other))
    ]


def ask(tools: list[Tool], name: str, *answers: Any, **fields: Any) -> None:
    """Ask a question; an answer is a value, or one with the other fields of the fact."""
    attribute = make.attribute(name=name, **fields)
    for tool, answer in zip(tools, answers, strict=False):
        value, more = answer if isinstance(answer, tuple) else (answer, {})
        if value == DOES_NOT_APPLY:
            make.fact(None, on=tool, to=attribute, applies=False, **more)
        elif value != NO_FACT:
            make.fact(value, on=tool, to=attribute, **more)


def table(page: Document) -> str:
    """The text of the table and its sources; `=` and `>` mark rows that a phone folds: those of
    equal answers and others.
    """
    folded = {}
    for element in page.all("th", scope="row") + page.all("th", scope="rowgroup"):
        around = element.inside[-1 if element.attributes["scope"] == "row" else -2]
        classes = around.attributes.get("class", "").split()
        if "decision__more" in classes:
            folded[element.text] = "= " if "decision__same" in classes else "> "
    text = page.visible_text.partition("The decision\n")[2].partition("\nThe panel")[0]
    return "\n".join(folded.get(row.partition(" | ")[0], "") + row for row in text.splitlines())


def test_answers_stand_in_groups_with_sources_and_those_that_differ_can_be_shown_alone(
    client, tools, snapshot
):
    ask(tools, "Same", "x", "x", group="Model", kind="text", position=1)
    ask(tools, "Window", Decimal(128000), Decimal(32000), unit="units", better="higher")
    ask(tools, "Memory", Decimal("1.92"), Decimal(2), unit="units", better="lower")
    ask(tools, "Layers", Decimal(24), Decimal(36), unit="units")
    ask(tools, "Heads", Decimal(16), Decimal(16), unit="units", better="higher")
    ask(tools, "Greatest dimensions", Decimal(4096), unit="dimensions")
    ask(tools, "Subdimensions", Decimal(4096), unit="dimensions")
    ask(tools, "Unsaid", True, None, kind="yes-no", group="Model", position=2)
    ask(tools, "Inapplicable", True, DOES_NOT_APPLY, kind="yes-no")
    ask(tools, "Other", NO_FACT, False, kind="yes-no")
    ask(tools, "Silent", None, DOES_NOT_APPLY, kind="yes-no")
    ask(tools, "Empty", DOES_NOT_APPLY, DOES_NOT_APPLY, kind="yes-no")
    platforms = {"kind": "choices", "choices": ["Linux", "macOS", "Windows"]}
    ask(tools, "Platforms", ["macOS", "Linux"], ["Linux", "macOS"], **platforms)
    limited = {"note": "Cloud only"}
    ask(tools, "Limited", True, (True, limited), kind="yes-no", group="Running it")
    explained = limited | {"note_only_explains": True}
    ask(tools, "Explained", True, (True, explained), kind="yes-no")
    words = {"kind": "text", "group": "Sources", "help": "What it is."}
    ask(tools, "W", ("a", DOCS | {"note": "In the cloud"}), ("b", DOCS), **words)
    ask(tools, "C", ("c", DOCS), ("d", {"checked_on": date(2026, 3, 20)}), **words)
    ask(tools, "M", "e", ("f", {"source": "https://acme.example/other"}), **words)
    page = read(client.get(PAGE))
    assert table(page) == snapshot(name="all")
    total = len(page.all("th", scope="row"))
    assert table(read(client.get(f"{PAGE}?rows=differing"))) == snapshot(name="differing")

    source = page.one("a", href="https://acme.example/other")
    assert source.attributes["rel"] == "nofollow"
    labels = [page.all("a", href=f"#source-{n}")[0].attributes["aria-label"] for n in (2, 6, 4)]
    assert labels == ["Source 2", "Source 6 no source", "Source 4 no day"]
    # A phone has the folded rows behind a link.
    assert "decision--short" in page.all("table")[-1].attributes["class"]
    link = page.one("a", href=f"{PAGE}?rows=all#decision")
    assert link.text == f"Show all {total} rows"
    page = read(client.get(link.attributes["href"]))
    assert "decision--short" not in page.all("table")[-1].attributes["class"]
    assert len(page.all("th", scope="row")) == total
    assert page.one("link", rel="canonical").attributes["href"].endswith(PAGE)


def test_of_three_the_best_number_is_named_unless_a_note_limits_a_compared_one(
    client, tools, snapshot
):
    limit = {"note": "2,000 in an index"}
    explains = {"note": "Both kinds", "note_only_explains": True}
    numbers = [Decimal(16000), Decimal(4096), Decimal(1024)]
    ask(tools, "No note", *numbers, better="higher")
    ask(tools, "First", (numbers[0], limit), *numbers[1:], better="higher")
    ask(tools, "Second", numbers[0], (numbers[1], limit), numbers[2], better="higher")
    unstated = (None, {"note": "They will tell soon"})
    ask(tools, "Explained", (Decimal(2), explains), Decimal(1), unstated, better="higher")
    ask(tools, "Elsewhere", "x", kind="text", asked_in=[tools[0].category])
    for name, *answers in (
        ("Hybrid search", True, False, False),
        ("OpenAI-compatible API", True, False),
        ("Embedded mode", False, True),
        ("Both have it", True, True),
        ("Not known", True, None),
    ):
        ask(tools, name, *answers, kind="yes-no")
    found = []
    for path in (PAGE, THREE):
        page = read(client.get(path))
        section = page.visible_text.partition("The decision\n")[2].partition("\nSources")[0]
        found += [path, section]
    assert "\n".join(found) == snapshot
    [dash] = [each for each in page.all("i") if each.text == "—" and each.within("td")]
    assert dash.attributes == {"aria-hidden": "true"}
    [words] = [each for each in page.all("span", class_="visually-hidden") if "asked" in each.text]
    assert words.text == "Not asked of this category"


def test_old_checks_show_their_age_and_the_sources_of_one_day_say_it_once(client, tools):
    day, same_day = date(2026, 5, 26), date(2026, 11, 3)
    half_a_year, years = date(2026, 5, 25), [date(2025, 11, 20), date(2024, 11, 20)]
    for number, checked_on in enumerate((same_day, day, half_a_year, *years, same_day)):
        source = f"https://acme.example/{number}" if checked_on == same_day else ""
        answer = ("a", {"checked_on": checked_on, "source": source})
        ask(tools, f"Q{number}", answer, kind="text")
    page = read(client.get(PAGE))
    [box] = page.of_class("sources")
    lines = [each for each in page.elements if each.name in "p li" and box in each.inside]
    numbered = [f"{line.attributes.get('value', '')} {line.text}".strip() for line in lines]
    assert numbered == [
        "Alpha, checked 3 November 2026",
        "1 acme.example/0",
        "2 acme.example/5",
        "Alpha, checked 26 May 2026",
        "3 no source",
        "Alpha, checked 6 months ago",
        "4 no source",
        "Alpha, checked 12 months ago",
        "5 no source",
        "Alpha, checked 2 years ago",
        "6 no source",
    ]
    assert [each.attributes["start"] for each in page.all("ol", start="3")] == ["3"]


def test_a_phone_folds_the_statuses_of_active_tools(client, tools):
    for statuses, is_folded in (
        (("active", "active"), True),
        (("active", "maintenance"), False),
        (("discontinued", "discontinued"), False),
    ):
        for day, (tool, status) in enumerate(zip(tools, statuses, strict=False), 1):
            tool.status, tool.status_on = status, date(2026, 6, day)
            tool.save()
        assert ("> Status" in table(read(client.get(PAGE)))) is is_folded, statuses


def test_prices_begin_with_the_cheapest_and_a_phone_has_three_of_five_plans(
    client, tools, snapshot
):
    alpha, beta, _ = tools
    Tool.objects.filter(pk=alpha.pk).update(entry="paid", pricing="Pro $20/mo")
    found = [table(read(client.get(PAGE)))]
    make.plan(on=alpha, name="Free", amount="0", position=1)
    make.plan(on=alpha, name="Team", amount="40", position=2, per_user=True, **DOCS)
    make.plan(on=alpha, position=3, note="Three seats", per_user=True)
    make.plan(on=alpha, amount="192", per="year", position=4, per_user=True)
    make.plan(on=beta, amount="18", currency="EUR", position=1)
    for number in range(2, 6):
        make.plan(on=beta, name=f"P{number}", amount="30", position=number, **DOCS)
    page = read(client.get(PAGE))
    assert "\n\n".join([*found, table(page)]) == snapshot
    [rest] = page.all("details", class_="other-values")
    assert rest.text.startswith("2 more")
    last = "Pro: $192 per user and year [1 no source] Pro $20/mo"
    assert last in read(client.get("/tools/alpha/")).text


def test_a_comparison_of_releases_of_one_product_says_so(client, tools):
    family = Family.objects.create(slug="acme", name="Acme’s agent")
    Tool.objects.exclude(slug="gamma").update(family=family)
    for path, sentence in (
        (PAGE, "Both are releases of one product: Acme’s agent."),
        (THREE, "Alpha and Beta are releases of one product: Acme’s agent."),
    ):
        assert sentence in read(client.get(path)).text
    assert "releases of" not in read(client.get("/compare/alpha-vs-gamma/")).text
