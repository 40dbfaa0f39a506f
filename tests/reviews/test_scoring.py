"""The rules of the verdict, at their limits."""

from decimal import Decimal

import pytest

from reviews import scoring
from reviews.models import Take
from reviews.scoring import Panel, Tally, verdict_beside_score


def take_of(score: int, verdict: str) -> Take:
    return Take(score=score, verdict=verdict, reviewer_id=1)


def test_the_share_is_the_nearest_whole_per_cent_and_half_a_per_cent_is_rounded_up():
    half = 10**30
    counts = [(part, whole) for whole in range(1, 202) for part in range(whole + 1)]
    counts += [(half, 2 * half), (half * 101 // 100, 2 * half), (half * 101 // 100 - 1, 2 * half)]
    for part, whole in counts:
        lowest = scoring.percent(part, whole) * 2 - 1
        assert lowest * whole <= 200 * part < (lowest + 2) * whole


@pytest.mark.parametrize(("part", "whole"), [(0, 0), (1, 0), (-1, 4), (5, 4), (0, -1)])
def test_counts_without_a_share_are_refused(part: int, whole: int):
    with pytest.raises(ValueError, match="is not a share"):
        scoring.percent(part, whole)
    with pytest.raises(ValueError, match="is not a share"):
        scoring.wilson(part, whole)


@pytest.mark.parametrize(
    ("verdict", "counts"),
    [
        ("none", [(0, 0)]),
        ("ship", [(1, 1), (2, 3), (26, 50), (101, 200)]),
        ("skip", [(0, 1), (1, 3), (24, 50), (98, 200)]),
        ("split", [(1, 2), (25, 50), (99, 200), (100, 199)]),  # 49.5 is shown as 50
    ],
)
def test_the_share_that_readers_see_decides(verdict: str, counts: list[tuple[int, int]]):
    assert {scoring.verdict_of(ship, total) for ship, total in counts} == {verdict}


def test_the_mean_has_one_decimal_with_halves_up():
    assert scoring.mean_of(0, 0) is None
    for count in (1, 2, 3, 7, 8, 16, 19):
        for points in range(100 * count + 1):
            mean = scoring.mean_of(points, count)
            assert mean is not None
            assert mean.as_tuple().exponent == -1
            lowest = int(mean * 20) - 1
            assert lowest * count <= 20 * points < (lowest + 2) * count


def test_a_panel_counts_takes_and_means_their_scores_which_decide_no_verdict():
    panel = scoring.panel_of([])
    assert panel == Panel(ship=0, skip=0, points=0)
    assert (panel.total, panel.share, panel.score, panel.verdict) == (0, None, None, "none")
    takes = [take_of(90, "ship"), take_of(72, "ship"), take_of(72, "skip")]
    panel = scoring.panel_of(iter(takes))
    assert panel == Panel(ship=2, skip=1, points=234)
    assert panel.score == Decimal("78.0")
    assert (panel.total, panel.share, panel.verdict) == (3, 67, "ship")
    assert scoring.panel_of([take_of(0, "ship")]).verdict == "ship"
    assert scoring.panel_of([take_of(100, "skip")]).verdict == "skip"


def test_a_verdict_and_a_score_that_point_apart_are_explained():
    assert "ships it at a low mean" in verdict_beside_score("ship", Decimal("59.9"))
    assert "skips it at a high mean" in verdict_beside_score("skip", Decimal("60.1"))
    alike = {"ship": ("60.0", "100.0"), "skip": ("60.0", "0.0"), "split": ("0.0", "100.0")}
    for verdict, scores in alike.items():
        assert [verdict_beside_score(verdict, Decimal(score)) for score in scores] == ["", ""]
    assert verdict_beside_score("none", None) == ""
    shown_as_60 = [*[take_of(60, "ship")] * 19, take_of(59, "ship")]  # a mean of 59.95
    assert not scoring.panel_of(shown_as_60).verdict_beside_score
    assert scoring.panel_of([take_of(59, "ship")]).verdict_beside_score


# R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine
# 17 (1998), 857-872, table I, method 3: 81 of 263 gives 0.2553 to 0.3662, 15 of 148 gives 0.0624 to
# 0.1605, 0 of 20 gives 0 to 0.1611, 1 of 29 gives 0.0061 to 0.1718.
@pytest.mark.parametrize(
    ("part", "whole", "interval"),
    [
        (8, 10, (49, 94)),
        (81, 263, (26, 37)),
        (0, 20, (0, 16)),
        (1, 29, (1, 17)),
        (1, 1, (21, 100)),
        (700_000, 1_000_000, (70, 70)),
    ],
)
def test_the_wilson_interval_is_the_published_one(part: int, whole: int, interval: tuple[int, int]):
    assert scoring.wilson(part, whole) == interval


@pytest.mark.parametrize(
    ("expected", "pairs"),
    [
        (True, [(Panel(3, 1), Tally(6, 4)), (Panel(1, 3), Tally(4, 6))]),
        (False, [(Panel(3, 1), Tally(4, 6)), (Panel(1, 3), Tally(6, 4))]),
        (None, [(Panel(3, 1), Tally(5, 5)), (Panel(3, 1), Tally(0, 9))]),
        (None, [(Panel(2, 2), Tally(0, 10)), (Panel(), Tally(0, 10))]),
    ],
)
def test_panel_and_community_disagree_on_opposite_sides_of_half(expected, pairs):
    assert [scoring.agree(panel, tally) for panel, tally in pairs] == [expected, expected]
