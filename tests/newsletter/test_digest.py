"""What an issue is about, by rule: no database is asked."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from reviews.scoring import Panel, Tally
from shipskip.newsletter.issues.digest import (
    CHANGED,
    CLOSEST,
    DIVIDED,
    LEAST_GAP,
    MOST_CHANGED,
    MOST_NEW,
    NEW,
    Judged,
    Turn,
    choose,
    closest,
    most_divided,
    net,
    verdict_before,
)

SINCE = datetime(2026, 5, 4, 9, tzinfo=UTC)
UNTIL = SINCE + timedelta(days=7)
BEFORE, WITHIN = SINCE - timedelta(days=30), SINCE + timedelta(days=2)


def judged(tool: int, *, score: str = "80.0", ship: int = 4, skip: int = 1, **fields) -> Judged:
    values = {"begun_at": BEFORE, "before": Tally(ship, skip), "category": 1, "slug": f"t{tool:03}"}
    return Judged(tool=tool, panel=Panel(ship, skip, Decimal(score)), **(values | fields))


def turn(tool: int, *, by: int = 1, before: str = "ship", after: str = "skip", at=WITHIN) -> Turn:
    return Turn(tool, by, before, after, at)


def kinds(rows, turns=(), **options) -> list[tuple[str, tuple[int, ...]]]:
    return [(part.kind, part.tools) for part in choose(rows, turns, SINCE, UNTIL, **options)]


def test_a_week_without_news_has_no_issue_however_divided_a_tool_is():
    assert kinds([judged(1, tally=Tally(0, 100)), judged(2)]) == []


@pytest.mark.parametrize(
    ("moment", "news"),
    [
        (SINCE - timedelta(microseconds=1), False),
        (SINCE, True),
        (UNTIL - timedelta(microseconds=1), True),
        (UNTIL, False),
    ],
)
def test_the_window_holds_its_first_moment_and_not_its_last(moment, news):
    row = judged(1, begun_at=moment, before=Tally())
    assert bool(kinds([row])) is news


def test_new_verdicts_come_first_the_most_judged_first_and_no_more_than_fit():
    rows = [judged(n, begun_at=WITHIN, score=f"{n}.0") for n in range(1, MOST_NEW + 3)]
    rows.append(judged(99, begun_at=WITHIN, ship=6, score="1.0"))
    chosen = [tools[0] for kind, tools in kinds(rows) if kind == NEW]
    assert chosen == [99, *range(MOST_NEW + 2, 3, -1)]
    assert len(chosen) == MOST_NEW


def test_a_reviewer_s_turn_is_a_changed_verdict_and_a_turned_panel_comes_first():
    quiet = judged(1, ship=3, skip=1, before=Tally(3, 1))
    turned = judged(2, ship=1, skip=2, before=Tally(1, 2))
    chosen = kinds([quiet, turned], [turn(1), turn(2)])
    assert [part for part in chosen if part[0] == CHANGED] == [(CHANGED, (2,)), (CHANGED, (1,))]


def test_a_new_take_that_turns_the_panel_is_a_changed_verdict():
    row = judged(1, ship=1, skip=2, before=Tally(1, 0))
    assert (CHANGED, (1,)) in kinds([row])
    same = judged(1, ship=2, skip=1, before=Tally(1, 0))
    assert kinds([same]) == []


def test_who_turned_and_turned_back_changed_nothing():
    there, back = turn(1), turn(1, before="skip", after="ship", at=WITHIN + timedelta(hours=1))
    assert net([back, there]) == []
    assert kinds([judged(1)], [there, back]) == []
    assert [row.after for row in net([there, turn(1, by=2)])] == ["skip", "skip"]


def test_changes_outside_the_window_and_on_tools_that_are_gone_are_not_told():
    assert kinds([judged(1)], [turn(1, at=UNTIL), turn(1, at=BEFORE), turn(2)]) == []


def test_changed_verdicts_are_no_more_than_fit():
    rows = [judged(n) for n in range(1, MOST_CHANGED + 4)]
    chosen = kinds(rows, [turn(row.tool) for row in rows])
    assert sum(kind == CHANGED for kind, _ in chosen) == MOST_CHANGED


def test_the_verdict_before_takes_the_turns_back():
    row = judged(1, ship=1, skip=2, before=Tally(1, 2))
    assert verdict_before(row, []) == "skip"
    assert verdict_before(row, [turn(1)]) == "ship"
    assert verdict_before(judged(1, before=Tally()), []) == "none"


def test_the_closest_pair_is_of_one_category_and_one_verdict_with_one_in_the_news():
    rows = [
        judged(1, score="80.0"),
        judged(2, score="80.4"),
        judged(3, score="80.5", category=2),
        judged(4, score="80.4", ship=1, skip=4),
        judged(5, score="60.0"),
        judged(6, score="60.1"),
    ]
    pair = closest(rows, {2})
    assert pair
    assert [row.tool for row in pair] == [1, 2]
    assert closest(rows, {3}) is None
    assert closest(rows, set()) is None


def test_a_tool_that_one_reviewer_judged_is_close_to_none():
    assert closest([judged(1, ship=1, skip=0), judged(2, ship=1, skip=0)], {1}) is None


def points(row: Judged) -> Decimal:
    assert row.panel.score is not None
    return row.panel.score


def test_the_closest_of_many_is_what_comparing_all_with_all_would_find():
    scores = [(n * 37 % 101, n) for n in range(60)]
    rows = [judged(n, score=f"{score}.{n % 10}") for score, n in scores]
    news = {3, 17, 44}
    best = min(
        abs(points(a) - points(b))
        for a in rows
        for b in rows
        if a.tool < b.tool and news & {a.tool, b.tool}
    )
    pair = closest(rows, news)
    assert pair
    assert abs(points(pair[0]) - points(pair[1])) == best


def test_the_most_divided_tool_needs_ten_votes_and_a_wide_gap():
    wide = judged(1, tally=Tally(1, 9))
    wider = judged(2, ship=5, skip=0, tally=Tally(0, 9))
    assert most_divided([wide, wider]) == wide
    near = judged(3, ship=4, skip=1, tally=Tally(100 - 80 + 81 - LEAST_GAP, 38))
    assert most_divided([near]) is None


def test_the_most_divided_tool_has_its_turn_and_makes_room_for_the_next():
    rows = [judged(1, tally=Tally(0, 50)), judged(2, tally=Tally(5, 45), begun_at=WITHIN)]
    assert kinds(rows)[-1] == (DIVIDED, (1,))
    assert kinds(rows, lately_divided={1})[-1] == (DIVIDED, (2,))


def test_the_parts_stand_in_the_order_of_the_mail():
    rows = [
        judged(1, begun_at=WITHIN, before=Tally()),
        judged(2),
        judged(3, tally=Tally(1, 20)),
    ]
    assert [kind for kind, _ in kinds(rows, [turn(2)])] == [NEW, CHANGED, CLOSEST, DIVIDED]
