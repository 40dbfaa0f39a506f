"""The rule for held votes, at its limits."""

import pytest

from reviews.screening import judge


@pytest.mark.parametrize(
    ("ship", "skip", "state"),
    [
        (1, 0, "counted"),
        (9, 0, "counted"),
        (0, 9, "counted"),
        (10, 0, "void"),
        (0, 10, "void"),
        (9, 1, "void"),
        (1, 9, "void"),
        (8, 2, "counted"),
        (10, 1, "void"),
        (17, 2, "counted"),
        (18, 2, "void"),
        (89, 11, "counted"),
        (90, 10, "void"),
        (50, 50, "counted"),
        (5_000, 0, "void"),
    ],
)
def test_ten_or_more_of_one_voice_are_voided_and_all_others_released(
    ship: int, skip: int, state: str
):
    assert judge(["ship"] * ship + ["skip"] * skip)[0] == state


@pytest.mark.parametrize(
    ("ship", "skip", "reason"),
    [
        (3, 1, "only 4 held of one network and day"),
        (11, 1, "11 of 12 held votes of one network and day say the same"),
        (6, 6, "6 of 12 held of one network and day say the same: mixed voices"),
    ],
)
def test_each_decision_says_why(ship: int, skip: int, reason: str):
    assert judge(["ship"] * ship + ["skip"] * skip)[1] == reason


def test_the_order_of_the_votes_decides_nothing():
    assert judge(["skip", *["ship"] * 9]) == judge([*["ship"] * 9, "skip"])


def test_without_votes_there_is_nothing_to_judge():
    with pytest.raises(ValueError, match="no votes to judge"):
        judge([])
