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
)
from shipskip.newsletter.models import EntryKind

SINCE = datetime(2026, 5, 4, 9, tzinfo=UTC)
UNTIL = SINCE + timedelta(days=7)
BEFORE, WITHIN = SINCE - timedelta(days=30), SINCE + timedelta(days=2)
INSTANT = timedelta(microseconds=1)
NEW, CHANGED = EntryKind.NEW_VERDICT, EntryKind.CHANGED_VERDICT


def candidate(tool: int, *scores: int | None, ship: int = 4, skip: int = 1, **fields):
    """A tool with a score of each reviewer in turn; None where one has not judged it."""
    values = {
        "first_verdict_at": BEFORE,
        "before": Tally(ship, skip),
        "category": 1,
        "slug": f"t{tool:03}",
        "panel": Panel(ship, skip, round(float(fields.pop("mean", 80)) * (ship + skip))),
        "scores": {n: score for n, score in enumerate(scores) if score is not None},
    }
    return DigestCandidate(tool=tool, **(values | fields))


def change(tool: int, *, by: int = 1, before: str = "ship", after: str = "skip", at=WITHIN):
    return VerdictChange(tool, by, before, after, at)


def kinds(rows, changes=(), **options) -> list[tuple[str, tuple[int, ...]]]:
    return [(part.kind, part.tools) for part in choose(rows, changes, SINCE, UNTIL, **options)]


CHANGED_BACK = change(1, before="skip", after="ship", at=WITHIN + timedelta(hours=1))
ONE, ONE_SHIP = candidate(1), Tally(1, 0)


@pytest.mark.parametrize(
    ("row", "changes", "news"),
    [
        pytest.param(candidate(1, tally=Tally(0, 100)), [], [], id="only divided"),
        pytest.param(ONE, [change(1)], [CHANGED], id="a reviewer's change"),
        pytest.param(ONE, [change(1), CHANGED_BACK], [], id="changed back"),
        pytest.param(ONE, [change(1, at=SINCE - INSTANT)], [], id="a change before"),
        pytest.param(ONE, [change(1, at=SINCE)], [CHANGED], id="at the start"),
        pytest.param(ONE, [change(1, at=UNTIL - INSTANT)], [CHANGED], id="before the end"),
        pytest.param(ONE, [change(1, at=UNTIL)], [], id="at the end"),
        pytest.param(ONE, [change(2)], [], id="a change of a deleted tool"),
        pytest.param(candidate(1, ship=1, skip=2, before=ONE_SHIP), [], [CHANGED], id="turned"),
        pytest.param(candidate(1, ship=2, skip=1, before=ONE_SHIP), [], [], id="not turned"),
    ],
)
def test_what_is_news(row, changes, news):
    assert kinds([row], changes) == [(kind, (1,)) for kind in news]


def test_a_first_verdict_is_new_from_the_first_moment_and_not_at_the_last():
    moments = {SINCE - INSTANT: False, SINCE: True, UNTIL - INSTANT: True, UNTIL: False}
    for moment, is_new in moments.items():
        assert bool(kinds([candidate(1, first_verdict_at=moment, before=Tally())])) is is_new


def test_the_most_judged_new_and_the_turned_panels_come_first_and_no_more_than_fit():
    rows = [candidate(n, first_verdict_at=WITHIN, mean=n) for n in range(1, MAX_NEW + 3)]
    rows.append(candidate(99, first_verdict_at=WITHIN, ship=6, mean=1))
    chosen = [tools[0] for kind, tools in kinds(rows) if kind == NEW]
    assert chosen == [99, *range(MAX_NEW + 2, 3, -1)]
    assert len(chosen) == MAX_NEW
    quiet = candidate(1, ship=3, skip=1, before=Tally(3, 1))
    turned = candidate(2, ship=1, skip=2, before=Tally(1, 2))
    changed = [tools for kind, tools in kinds([quiet, turned], [change(1), change(2)])]
    assert changed[:2] == [(2,), (1,)]
    rows = [candidate(n) for n in range(1, MAX_CHANGED + 4)]
    found = kinds(rows, [change(row.tool) for row in rows])
    assert sum(kind == CHANGED for kind, _ in found) == MAX_CHANGED


def test_two_changes_of_two_reviewers_stay_two_net_changes():
    assert [row.after for row in net_changes([change(1), change(1, by=2)])] == ["skip", "skip"]


ONE_CATEGORY = [
    candidate(1, 80, 80),
    candidate(2, 81, 80),
    candidate(3, 81, 80, category=2),
    candidate(4, 81, 80, ship=1, skip=4),
    candidate(5, 60, 60),
    candidate(6, 60, 60),
]
FEW_SHARED = [
    candidate(1, 80, 80, None, mean=80),
    candidate(2, 60, 60, 99, 99, mean=79.5),
    candidate(3, 84, 84, 10, mean=59.3),
]
EQUALLY_CLOSE = [candidate(n, 80, 80) for n in (1, 2)] + [candidate(n, 7, 7, 7) for n in (3, 4)]


@pytest.mark.parametrize(
    ("rows", "in_the_news", "pair"),
    [
        pytest.param(ONE_CATEGORY, {2}, [1, 2], id="one category and one verdict"),
        pytest.param(ONE_CATEGORY, {1, 6}, [5, 6], id="closer"),
        pytest.param(ONE_CATEGORY, {3}, [], id="no other of the category"),
        pytest.param(ONE_CATEGORY, set(), [], id="none in the news"),
        pytest.param(FEW_SHARED, {1, 2, 3}, [1, 3], id="by reviewers who judged both"),
        pytest.param([candidate(1, 80, None), candidate(2, 80, 70)], {1, 2}, [], id="one shared"),
        pytest.param(EQUALLY_CLOSE, {1, 3}, [3, 4], id="more reviewers"),
    ],
)
def test_the_closest_pair_is_of_one_category_and_one_verdict_with_one_in_the_news(
    rows, in_the_news, pair
):
    assert [row.tool for row in closest(rows, in_the_news) or ()] == pair


def test_the_most_divided_tool_needs_ten_votes_and_a_wide_gap_and_is_not_repeated():
    wide, more_votes = candidate(1, tally=Tally(1, 9)), candidate(2, tally=Tally(2, 18))
    assert most_divided([wide, more_votes]) == more_votes
    assert most_divided([wide, candidate(2, ship=5, skip=0, tally=Tally(0, 9))]) == wide
    near = candidate(3, ship=4, skip=1, tally=Tally(81 - MIN_GAP, 19 + MIN_GAP))
    assert most_divided([near]) is None
    new = candidate(2, tally=Tally(5, 45), first_verdict_at=WITHIN)
    rows = [candidate(1, tally=Tally(0, 50)), new]
    assert kinds(rows)[-1] == (EntryKind.MOST_DIVIDED, (1,))
    assert kinds(rows, recently_divided={1})[-1] == (EntryKind.MOST_DIVIDED, (2,))


def test_the_parts_are_in_the_order_of_the_mail():
    new = candidate(1, 80, 80, first_verdict_at=WITHIN, before=Tally())
    rows = [new, candidate(2, 70, 80), candidate(3, tally=Tally(1, 20))]
    order = [NEW, CHANGED, EntryKind.CLOSEST_PAIR, EntryKind.MOST_DIVIDED]
    assert [kind for kind, _ in kinds(rows, [change(2)])] == order
