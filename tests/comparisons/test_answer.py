"""The one sentence that answers a comparison, in every case."""

from decimal import Decimal

import pytest

from comparisons.answer import Contender, answer
from reviews.scoring import Panel


def a(name: str, ship: int = 0, skip: int = 0, score: str = "80.0") -> Contender:
    return Contender(name, Panel(ship, skip, Decimal(score) if ship + skip else None))


def test_one_contender_has_no_answer():
    with pytest.raises(ValueError, match="two contenders"):
        answer([a("A", 1)])


@pytest.mark.parametrize(
    ("contenders", "sentence"),
    [
        ([a("A"), a("B")], "The panel has not reviewed these tools yet."),
        (
            [a("A"), a("B", 3, 1)],
            "B: 3 of 4 reviewers ship it. The panel has not reviewed A yet.",
        ),
        ([a("A", 0, 1), a("B")], "A: 0 of 1 reviewer ships it. The panel has not reviewed B yet."),
    ],
    ids=["neither is reviewed", "only the second is reviewed", "one take on the first"],
)
def test_a_tool_without_takes_is_named(contenders: list[Contender], sentence: str):
    assert answer(contenders) == sentence


@pytest.mark.parametrize(
    ("contenders", "sentence"),
    [
        (
            [a("A", 1, 3), a("B", 4)],
            "Ship B (4 of 4 reviewers ship it); skip A (1 of 4 reviewers ship it).",
        ),
        (
            [a("A", 1), a("B", 0, 1)],
            "Ship A (1 of 1 reviewer ships it); skip B (0 of 1 reviewer ships it).",
        ),
        (
            [a("A", 2, 2), a("B", 3, 1)],
            "Ship B (3 of 4 reviewers ship it); the panel is split on A "
            "(2 of 4 reviewers ship it).",
        ),
        (
            [a("A", 0, 4), a("B", 2, 2)],
            "The panel is split on B (2 of 4 reviewers ship it); skip A "
            "(0 of 4 reviewers ship it).",
        ),
    ],
    ids=["ship and skip", "one take each", "ship and split", "split and skip"],
)
def test_different_verdicts_decide(contenders: list[Contender], sentence: str):
    assert answer(contenders) == sentence


@pytest.mark.parametrize(
    ("contenders", "sentence"),
    [
        ([a("A", 3, 1), a("B", 4)], "B: 4 of 4 reviewers ship it; A: 3 of 4."),
        ([a("A", 1, 3), a("B", 0, 4)], "A: 1 of 4 reviewers ship it; B: 0 of 4."),
        ([a("A", 1), a("B", 3, 1)], "A: 1 of 1 reviewer ships it; B: 3 of 4."),
    ],
)
def test_of_one_verdict_the_share_decides(contenders: list[Contender], sentence: str):
    assert answer(contenders) == sentence


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ("86.0", "80.0", "Both ship; A leads by 6 points."),
        ("80.0", "86.5", "Both ship; B leads by 6.5 points."),
        ("80.0", "81.0", "Both ship; B leads by 1 point."),
        ("80.1", "80.0", "Both ship; A leads by 0.1 points."),
        ("100.0", "0.0", "Both ship; A leads by 100 points."),
        ("80.0", "80.0", "Both ship, level at 80.0 points."),
    ],
)
def test_of_one_share_the_mean_score_decides(first: str, second: str, sentence: str):
    assert answer([a("A", 4, score=first), a("B", 4, score=second)]) == sentence


def test_both_may_skip_or_split():
    assert answer([a("A", 0, 2, "30"), a("B", 0, 2, "20")]) == "Both skip; A leads by 10 points."
    split = [a("A", 1, 1, "50"), a("B", 2, 2, "50")]
    assert answer(split) == "The panel is split on both, level at 50 points."


def test_three_contenders_without_takes():
    rows = [a("A"), a("B"), a("C")]
    assert answer(rows) == "The panel has not reviewed these tools yet."


def test_of_three_contenders_those_without_takes_are_listed():
    rows = [a("A"), a("B", 4), a("C")]
    assert answer(rows) == "B: 4 of 4 reviewers ship it. The panel has not reviewed A and C yet."
    rows = [a("A"), a("B", 4), a("C"), a("D")]
    assert answer(rows).endswith("The panel has not reviewed A, C and D yet.")


def test_of_three_contenders_each_verdict_is_listed_best_first():
    rows = [a("A", 0, 4), a("B", 2, 2), a("C", 4)]
    assert answer(rows) == (
        "Ship C (4 of 4 reviewers ship it); the panel is split on B (2 of 4 reviewers ship it); "
        "skip A (0 of 4 reviewers ship it)."
    )


def test_of_three_contenders_of_one_verdict_the_shares_are_listed_best_first():
    rows = [a("A", 3, 2), a("B", 5), a("C", 4, 1)]
    assert answer(rows) == "B: 5 of 5 reviewers ship it; C: 4 of 5; A: 3 of 5."


def test_of_three_contenders_of_one_share_the_first_leads_the_second():
    rows = [a("A", 4, score="70.0"), a("B", 4, score="90.0"), a("C", 4, score="85.0")]
    assert answer(rows) == "All ship; B leads by 5 points."


def test_equals_keep_the_order_of_the_page():
    rows = [a("Z", 3, 1, "80.0"), a("A", 3, 1, "80.0"), a("M", 0, 4)]
    assert answer(rows).index("Z") < answer(rows).index("A (")


def test_names_are_shown_as_written():
    rows = [a("{0} & <b>", 4), a("%s – 🚀", 0, 4)]
    assert answer(rows).startswith("Ship {0} & <b> (4 of 4")
    assert "skip %s – 🚀 (0 of 4" in answer(rows)
