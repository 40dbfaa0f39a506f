"""Compute the stored figures of tools from their takes, after database triggers marked the tools.

`published(now)` decides whether a take counts, `scoring` computes the verdict. Only rows that
differ are written, because every written row raises the content version.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from reviews.models import PanelFigures, PanelMark, ScoreOfTool, Take
from reviews.scoring import panel_of
from shipskip.web.postgresql.advisory_locks import lock_until_end
from tools.models import Tool

BATCH = 500
"""How many marks one look-up in the background processes, in some tens of milliseconds."""
LARGE_BATCH = 2_000
_LOCK = 7_221_402
"""The number of PostgreSQL's advisory lock, so that only one process at a time counts."""

_WRITTEN = ("ship", "skip", "points", "mean", "verdict", "judged_at", "due_at")


@dataclass(frozen=True)
class Difference:
    """A tool whose stored figures differ from its takes; `stored` is None if it has no row."""

    tool_id: int
    stored: PanelFigures | None
    counted: PanelFigures


def catch_up() -> None:
    """Count the next marked tools, and those for which a scheduled moment has come; the look-up in
    the background calls it.
    """
    now = timezone.now()
    if PanelMark.objects.exists():
        count_marked(BATCH, now)
    count_due(now)


def count_all_marked() -> int:
    """Count every marked tool, and those for which a moment has come; return how many."""
    total = 0
    while number := count_marked(LARGE_BATCH, timezone.now(), wait=True):
        total += number
    while number := count_due(timezone.now(), wait=True):
        total += number
    return total


def count_marked(size: int, now: datetime, *, wait: bool = False) -> int:
    """Count the tools of at most `size` marks; return how many marks. Without `wait`, return 0
    while another process counts.
    """
    with transaction.atomic():
        if not lock_until_end(_LOCK, wait=wait):
            return 0
        marks = dict(PanelMark.objects.order_by("pk").values_list("pk", "tool_id")[:size])
        if marks:
            _write(_differences(set(marks.values()), now))
            PanelMark.objects.filter(pk__in=list(marks)).delete()
    return len(marks)


def count_due(now: datetime, *, wait: bool = False) -> int:
    """Count at most BATCH tools for which a scheduled moment has come at `now`; return how many.
    Without `wait`, return 0 while another process counts.
    """
    due = PanelFigures.objects.filter(due_at__lte=now).order_by("due_at")
    if not due.exists():
        return 0
    with transaction.atomic():
        if not lock_until_end(_LOCK, wait=wait):
            return 0
        keys = list(due.values_list("pk", flat=True)[:BATCH])
        _write(_differences(keys, now))
    return len(keys)


def differences(now: datetime, *, correct: bool) -> Iterator[Difference]:
    """The tools whose stored figures differ from their takes at `now`, in the order of their
    primary keys, without marked ones. With `correct`, store the right figures.

    A batch is read under the lock, and its marks are read last: so a take that is written meanwhile
    is not reported as a difference.
    """
    keys = list(Tool.everything.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(keys), LARGE_BATCH):
        with transaction.atomic():
            lock_until_end(_LOCK, wait=True)
            found = _differences(keys[start : start + LARGE_BATCH], now)
            wait = tools_to_count(now, [row.tool_id for row in found])
            found = [row for row in found if row.tool_id not in wait]
            if correct:
                _write(found)
        yield from found


def tools_to_count(now: datetime, keys: Collection[int] | None = None) -> set[int]:
    """All tools, or those of `keys`, that are marked or for which a moment has come at `now`."""
    marked, due = PanelMark.objects.all(), PanelFigures.objects.filter(due_at__lte=now)
    if keys is not None:
        marked, due = marked.filter(tool_id__in=keys), due.filter(pk__in=keys)
    return {*marked.values_list("tool_id", flat=True), *due.values_list("pk", flat=True)}


def _differences(keys: Collection[int], now: datetime) -> list[Difference]:
    """The differences of these tools: stored figures that do not match the takes at `now`."""
    stored = PanelFigures.objects.in_bulk(keys)
    public: dict[int, list[ScoreOfTool]] = {}
    for take in Take.objects.published(now).scores_by_tool(keys):
        public.setdefault(take.tool_id, []).append(take)
    due = Take.objects.next_moments(keys, now)
    existing = Tool.everything.filter(pk__in=keys).order_by("pk").values_list("pk", flat=True)
    counted = (_figures_of(key, public.get(key, []), due.get(key)) for key in existing)
    found = (Difference(row.tool_id, stored.get(row.tool_id), row) for row in counted)
    return [row for row in found if row.stored is None or _differ(row.stored, row.counted)]


def _figures_of(key: int, takes: Sequence[ScoreOfTool], due_at: datetime | None) -> PanelFigures:
    """The figures of a tool with these public takes; unsaved."""
    panel, points = panel_of(takes), sum(take.score for take in takes)
    return PanelFigures(
        tool_id=key,
        ship=panel.ship,
        skip=panel.skip,
        points=points,
        mean=points / panel.total if panel.total else None,
        verdict=panel.verdict,
        judged_at=max((take.published_at for take in takes), default=None),
        due_at=due_at,
    )


def _differ(one: PanelFigures, other: PanelFigures) -> bool:
    return any(getattr(one, name) != getattr(other, name) for name in _WRITTEN)


def _write(rows: Sequence[Difference]) -> None:
    """Store the computed figures."""
    PanelFigures.objects.bulk_create(
        [row.counted for row in rows],
        batch_size=500,
        update_conflicts=True,
        unique_fields=["tool"],
        update_fields=_WRITTEN,
    )
