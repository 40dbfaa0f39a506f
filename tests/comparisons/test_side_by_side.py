"""The page object for any number of tools."""

import pytest
from comparisons.side_by_side import SideBySide
from reviews.judged_tools import JudgedTool

from reviews.models import Reviewer, Take, ToolTally
from tools.models import Category, Tool


def tool(pk: int, slug: str, category: int = 1) -> Tool:
    row = Tool(pk=pk, slug=slug, name=slug.upper(), category=Category(pk=category))
    ToolTally(tool=row)
    return row


def take(on: Tool, by: Reviewer, score: int = 80, verdict: str = "ship") -> Take:
    return Take(tool=on, reviewer=by, score=score, verdict=verdict)


def columns(tools: list[Tool], *takes: Take) -> list[JudgedTool]:
    return [JudgedTool(row, [take for take in takes if take.tool == row]) for row in tools]


@pytest.fixture
def three() -> SideBySide:
    tools = [tool(3, "c"), tool(1, "a"), tool(2, "b", category=2)]
    last = Reviewer(pk=1, slug="last", position=2)
    first = Reviewer(pk=2, slug="first", position=1)
    takes = [take(tools[0], last, 90), take(tools[2], last, 10, "skip"), take(tools[1], first)]
    return SideBySide(columns(tools, *takes))


def test_there_is_a_column_for_each_tool_in_order(three):
    assert [column.tool.slug for column in three.columns] == ["c", "a", "b"]
    assert [column.panel.verdict for column in three.columns] == ["ship", "ship", "skip"]


def test_there_is_a_cell_for_each_tool_in_each_row(three):
    cells = [
        (row.reviewer.slug, [cell.take and cell.take.score for cell in row.cells])
        for row in three.scorecard
    ]
    assert cells == [("first", [None, 80, None]), ("last", [90, None, 10])]


def test_title_address_and_answer_name_each_tool(three):
    assert three.title == "C vs A vs B: Which AI Tool Should You Ship?"
    assert three.address == "/compare/c-vs-a-vs-b/"
    assert three.answer == "Ship C and A; skip B. Between C and A it is too close to call."


def test_the_page_object_runs_no_query(three):
    """No database is allowed in this test, so every access would raise."""
    for name in ("columns", "scorecard", "title", "answer"):
        assert getattr(three, name)


def test_a_title_has_at_most_70_characters_and_keeps_what_tells_namesakes_apart():
    def titles(*names: str) -> str:
        tools = [tool(pk, f"t{pk}") for pk in range(len(names))]
        for row, name in zip(tools, names, strict=True):
            row.name = name
            row.label, row.shares_name = "agentic", name == "Code Llama 4"
        title = SideBySide(columns(tools)).title
        assert title.endswith(": Which AI Tool Should You Ship?")
        assert len(title) <= 70
        return title.removesuffix(": Which AI Tool Should You Ship?")

    assert titles("Cursor Background Agent", "SmolLM3") == "Cursor Background Agent vs SmolLM3"
    long = titles("Cursor v0.50 – Background Agent & Codebase Refactoring", "Code Llama 4")
    assert long == "Cursor v0.50 – B… vs Code L… (agentic)"
    assert titles("Alpha", "Cursor Background Agent", "Gamma Ray") == (
        "Alpha vs Cursor Backgrou… vs Gamma Ray"
    )
    assert titles(*["A long name"] * 10) == "A long name vs A long name and 8 more"


def test_a_right_to_left_name_does_not_change_the_order_of_its_sentence():
    tools = [tool(1, "a"), tool(2, "b")]
    tools[0].name = "כלי 2"
    reviewer = Reviewer(pk=1, slug="r")
    page = SideBySide(columns(tools, take(tools[0], reviewer)))
    assert page.answer == "Ship \u2068כלי 2\u2069. No verdict yet on B."
    assert page.judged_by == "1 reviewer judged \u2068כלי 2\u2069"


@pytest.mark.parametrize(
    ("tools", "cards_per_row"),
    [(2, 2), (3, 3), (4, 4), (5, 5), (6, 3), (7, 4), (8, 4), (9, 5), (10, 5)],
)
def test_cards_are_in_rows_of_equal_length_where_possible(tools, cards_per_row):
    assert (
        SideBySide(columns([tool(pk, f"t{pk}") for pk in range(tools)])).cards_per_row
        == cards_per_row
    )
