"""The rules that choose the entries of an issue; no database."""

from datetime import UTC, datetime, timedelta

import pytest

from reviews.scoring import Panel, Tally
from shipskip.newsletter.issues.digest import (
    MAX_CHANGED,
    MAX_NEW,
    MIN_GAP,
    DigestCandidate,
    VerdictChange,
    choose,
    closest,
    most_divided,
    net_changes,
    verdict_before,
)
from shipskip.newsletter.models import EntryKind

SINCE = datetime(2026, 5, 4, 9, tzinfo=UTC)
UNTIL = SINCE + timedelta(days=7)
BEFORE, WITHIN = SINCE - timedelta(days=30), SINCE + timedelta(days=2)


def candidate(
    tool: int, *, score: str = "80.0", ship: int = 4, skip: int = 1, **fields
) -> DigestCandidate:
    values = {
        "first_verdict_at": BEFORE,
        "before": Tally(ship, skip),
        "category": 1,
        "slug": f"t{tool:03}",
    }
    return DigestCandidate(
        tool=tool, panel=Panel(ship, skip, round(float(score) * (ship + skip))), **(values | fields)
    )


def change(
    tool: int, *, by: int = 1, before: str = "ship", after: str = "skip", at=WITHIN
) -> VerdictChange:
    return VerdictChange(tool, by, before, after, at)


def kinds(rows, changes=(), **options) -> list[tuple[str, tuple[int, ...]]]:
    return [(part.kind, part.tools) for part in choose(rows, changes, SINCE, UNTIL, **options)]


def test_a_week_without_new_or_changed_verdicts_has_no_issue_even_with_a_divided_tool():
    assert kinds([candidate(1, tally=Tally(0, 100)), candidate(2)]) == []


@pytest.mark.parametrize(
    ("moment", "fresh"),
    [
        (SINCE - timedelta(microseconds=1), False),
        (SINCE, True),
        (UNTIL - timedelta(microseconds=1), True),
        (UNTIL, False),
    ],
)
def test_the_window_holds_its_first_moment_and_not_its_last(moment, fresh):
    row = candidate(1, first_verdict_at=moment, before=Tally())
    assert bool(kinds([row])) is fresh


def test_new_verdicts_come_first_the_most_judged_first_and_no_more_than_fit():
    rows = [candidate(n, first_verdict_at=WITHIN, score=f"{n}.0") for n in range(1, MAX_NEW + 3)]
    rows.append(candidate(99, first_verdict_at=WITHIN, ship=6, score="1.0"))
    chosen = [tools[0] for kind, tools in kinds(rows) if kind == EntryKind.NEW_VERDICT]
    assert chosen == [99, *range(MAX_NEW + 2, 3, -1)]
    assert len(chosen) == MAX_NEW


def test_a_reviewer_s_changed_verdict_counts_and_a_changed_panel_comes_first():
    quiet = candidate(1, ship=3, skip=1, before=Tally(3, 1))
    turned = candidate(2, ship=1, skip=2, before=Tally(1, 2))
    chosen = kinds([quiet, turned], [change(1), change(2)])
    assert [part for part in chosen if part[0] == EntryKind.CHANGED_VERDICT] == [
        (EntryKind.CHANGED_VERDICT, (2,)),
        (EntryKind.CHANGED_VERDICT, (1,)),
    ]


def test_a_new_take_that_changes_the_panel_s_verdict_counts():
    row = candidate(1, ship=1, skip=2, before=Tally(1, 0))
    assert (EntryKind.CHANGED_VERDICT, (1,)) in kinds([row])
    same = candidate(1, ship=2, skip=1, before=Tally(1, 0))
    assert kinds([same]) == []


def test_a_verdict_that_changed_and_changed_back_is_left_out():
    there, back = change(1), change(1, before="skip", after="ship", at=WITHIN + timedelta(hours=1))
    assert net_changes([back, there]) == []
    assert kinds([candidate(1)], [there, back]) == []
    assert [row.after for row in net_changes([there, change(1, by=2)])] == ["skip", "skip"]


def test_changes_outside_the_window_and_on_deleted_tools_are_left_out():
    assert kinds([candidate(1)], [change(1, at=UNTIL), change(1, at=BEFORE), change(2)]) == []


def test_changed_verdicts_are_limited():
    rows = [candidate(n) for n in range(1, MAX_CHANGED + 4)]
    chosen = kinds(rows, [change(row.tool) for row in rows])
    assert sum(kind == EntryKind.CHANGED_VERDICT for kind, _ in chosen) == MAX_CHANGED


def test_the_verdict_before_is_calculated_without_the_changes():
    row = candidate(1, ship=1, skip=2, before=Tally(1, 2))
    assert verdict_before(row, []) == "skip"
    assert verdict_before(row, [change(1)]) == "ship"
    assert verdict_before(candidate(1, before=Tally()), []) == "none"


def scored(tool: int, *scores: int | None, **fields) -> DigestCandidate:
    """A tool with a score of each reviewer in turn; None where one has not judged it."""
    return candidate(
        tool, scores={n: it for n, it in enumerate(scores) if it is not None}, **fields
    )


def numbers(pair) -> list[int]:
    assert pair
    return [row.tool for row in pair]


def test_the_closest_pair_is_of_one_category_and_one_verdict_with_one_in_the_news():
    rows = [
        scored(1, 80, 80),
        scored(2, 81, 80),
        scored(3, 81, 80, category=2),
        scored(4, 81, 80, ship=1, skip=4),
        scored(5, 60, 60),
        scored(6, 60, 60),
    ]
    assert numbers(closest(rows, {2})) == [1, 2]
    assert numbers(closest(rows, {1, 6})) == [5, 6]
    assert closest(rows, {3}) is None
    assert closest(rows, set()) is None


def test_only_reviewers_who_judged_both_make_a_pair_close():
    rows = [
        scored(1, 80, 80, None, score="80.0"),
        scored(2, 60, 60, 99, 99, score="79.5"),
        scored(3, 84, 84, 10, score="59.3"),
    ]
    assert numbers(closest(rows, {1, 2, 3})) == [1, 3]
    assert closest([scored(1, 80, None), scored(2, 80, 70)], {1, 2}) is None


def test_of_equally_close_pairs_the_one_with_more_reviewers_is_named():
    rows = [scored(1, 80, 80), scored(2, 80, 80), scored(3, 70, 70, 70), scored(4, 70, 70, 70)]
    assert numbers(closest(rows, {1, 3})) == [3, 4]


def test_the_most_divided_tool_needs_ten_votes_and_a_wide_gap():
    wide = candidate(1, tally=Tally(1, 9))
    wider = candidate(2, ship=5, skip=0, tally=Tally(0, 9))
    assert most_divided([wide, wider]) == wide
    near = candidate(3, ship=4, skip=1, tally=Tally(100 - 80 + 81 - MIN_GAP, 38))
    assert most_divided([near]) is None


def test_the_most_divided_tool_is_not_repeated_in_the_next_issues():
    rows = [
        candidate(1, tally=Tally(0, 50)),
        candidate(2, tally=Tally(5, 45), first_verdict_at=WITHIN),
    ]
    assert kinds(rows)[-1] == (EntryKind.MOST_DIVIDED, (1,))
    assert kinds(rows, recently_divided={1})[-1] == (EntryKind.MOST_DIVIDED, (2,))


def test_the_parts_are_in_the_order_of_the_mail():
    rows = [
        scored(1, 80, 80, first_verdict_at=WITHIN, before=Tally()),
        scored(2, 70, 80),
        candidate(3, tally=Tally(1, 20)),
    ]
    assert [kind for kind, _ in kinds(rows, [change(2)])] == [
        EntryKind.NEW_VERDICT,
        EntryKind.CHANGED_VERDICT,
        EntryKind.CLOSEST_PAIR,
        EntryKind.MOST_DIVIDED,
    ]
