"""The page object for any number of tools."""

import pytest

from tests.content.made_records import reviewer, side_by_side, take, tool


def test_the_page_of_three_tools_has_them_in_order_and_runs_no_query():
    """No database is allowed in this test, so every access would raise."""
    last, first = reviewer(1, "last", position=2), reviewer(2, "first", position=1)
    three = side_by_side(
        [
            tool(3, "c", take(last, 90)),
            tool(1, "a", take(first)),
            tool(2, "b", take(last, 10, "skip")),
        ]
    )
    columns = [(column.tool.slug, column.panel.verdict) for column in three.columns]
    assert columns == [("c", "ship"), ("a", "ship"), ("b", "skip")]
    scores = {
        row.reviewer.slug: [cell.take and cell.take.score for cell in row.cells]
        for row in three.scorecard
    }
    assert list(scores.items()) == [("first", [None, 80, None]), ("last", [90, None, 10])]
    assert three.title == "C vs A vs B: Which AI Tool Should You Ship?"
    assert three.address == "/compare/c-vs-a-vs-b/"
    sentence = "Ship C and A; skip B. Between C and A, too few reviewers judged both to call."
    assert three.answer == sentence


QUESTION = ": Which AI Tool Should You Ship?"
LONG = "Cursor v0.50 – Background Agent & Codebase Refactoring"


@pytest.mark.parametrize(
    ("names", "title"),
    [
        (["Cursor Background Agent", "SmolLM3"], f"Cursor Background Agent vs SmolLM3{QUESTION}"),
        ([LONG, "Llama"], f"{LONG} vs Llama{QUESTION}"),  # 54 + 5 letters
        ([LONG, "Code Llama 4"], f"{LONG} vs Code Llama 4 (agentic)"),
        (["A" * 20, "B" * 20, "C" * 20], f"{'A' * 20} vs {'B' * 20} vs {'C' * 20}{QUESTION}"),
        (["A" * 20, "B" * 20, "C" * 21], f"{'A' * 20} vs {'B' * 20} vs {'C' * 21}"),
        (["A" * 15, "B" * 15, "C" * 15, "D" * 15], " vs ".join(n * 15 for n in "ABCD")),
        (
            ["A" * 15, "B" * 15, "C" * 15, "D" * 16],
            " vs ".join(n * 15 for n in "ABC") + " and 1 more",
        ),
        ([LONG, LONG, "C", "D"], f"{LONG} vs {LONG} and 2 more"),
        (["A long name"] * 10, " vs ".join(["A long name"] * 5) + " and 5 more"),
    ],
)
def test_a_title_never_cuts_a_name(names: list[str], title: str):
    tools = [
        tool(pk, f"t{pk}", name=name, label="agentic", shares_name=name == "Code Llama 4")
        for pk, name in enumerate(names)
    ]
    assert side_by_side(tools).title == title


def test_a_right_to_left_name_does_not_change_the_order_of_its_sentence():
    named = tool(1, "a", take(reviewer(1, "r")), name="כלי 2")
    page = side_by_side([named, tool(2, "b")])
    assert page.answer == "Ship \u2068כלי 2\u2069. No verdict yet on B."
    assert page.judged_by == "1 reviewer judged \u2068כלי 2\u2069"


@pytest.mark.parametrize(
    ("tools", "cards_per_row"),
    [(2, 2), (3, 3), (4, 4), (5, 5), (6, 3), (7, 4), (8, 4), (9, 5), (10, 5)],
)
def test_cards_are_in_rows_of_equal_length_where_possible(tools, cards_per_row):
    page = side_by_side([tool(pk, f"t{pk}") for pk in range(tools)])
    assert page.cards_per_row == cards_per_row
