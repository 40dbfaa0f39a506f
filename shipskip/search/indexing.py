"""Update the index for the rows that the triggers marked."""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from comparisons.models import ComparisonTool
from reviews.models import Take
from shipskip.search import index_triggers
from shipskip.search.documents import BY_KIND, Indexed
from shipskip.search.models import SearchChange, SearchDocument, SearchKind, SearchWord
from shipskip.web.postgresql.advisory_locks import lock_until_end
from tools.models import Fact, Tool

BATCH = 200
"""How many marked rows one look-up in the background indexes, in some tens of milliseconds."""
LARGE_BATCH = 2_000
_WRITTEN = ("public_at", "votes", "score", "length", "due_at", "names", "fields", "tokens")
_LOCK = 7_221_401
"""The number of PostgreSQL's advisory lock, so that only one process at a time indexes."""


def catch_up() -> None:
    """Index the next marked rows, and tools whose scheduled take became public; the look-up in the
    background calls it.
    """
    if SearchChange.objects.exists():
        index_batch(BATCH)
    due = SearchDocument.objects.filter(due_at__lte=timezone.now())
    if keys := list(due.values_list("object_id", flat=True)[:BATCH]):
        _mark(SearchKind.TOOL, keys)


def index_all(batch: int = LARGE_BATCH) -> int:
    """Index every marked row, in transactions of `batch` rows; return how many there were."""
    total = 0
    while number := index_batch(batch, wait=True):
        total += number
    return total


def rebuild() -> int:
    """Rebuild the index from all rows; return the number of rows."""
    with transaction.atomic():
        lock_until_end(_LOCK, wait=True)
        SearchDocument.objects.all().delete()
        SearchWord.objects.all().delete()
        index_triggers.change_triggers.install(connection)
        index_triggers.mark_all(connection)
    return index_all()


def index_batch(size: int, *, wait: bool = False) -> int:
    """Index at most `size` marked rows; return how many. Without `wait`, return 0 while another
    process indexes.
    """
    with transaction.atomic():
        if not lock_until_end(_LOCK, wait=wait):
            return 0
        changes = list(SearchChange.objects.order_by("pk")[:size])
        by_kind: dict[str, set[int]] = {}
        for change in changes:
            by_kind.setdefault(change.kind, set()).add(change.object_id)
        now = timezone.now()
        for kind, keys in by_kind.items():
            if kind == "attribute":
                facts = Fact.objects.filter(attribute__in=keys).order_by()
                _mark(SearchKind.TOOL, facts.values_list("tool_id", flat=True).distinct())
            elif kind == "family":
                _mark(
                    SearchKind.TOOL,
                    Tool.objects.filter(family__in=keys).values_list("pk", flat=True),
                )
            else:
                _index(SearchKind(kind), keys, now)
        if changes:
            SearchChange.objects.filter(pk__in=[change.pk for change in changes]).delete()
    return len(changes)


def _index(kind: SearchKind, keys: Collection[int], now: datetime) -> None:
    """Write the changed documents of these rows, and delete those of rows that no longer exist."""
    stored = SearchDocument.objects.filter(kind=kind, object_id__in=keys)
    before = {row.object_id: row for row in stored}
    made = {each.document.object_id: each for each in BY_KIND[kind](keys, now)}
    changed = [each for key, each in made.items() if _differs(each.document, before.get(key))]
    SearchDocument.objects.bulk_create(
        [each.document for each in changed],
        batch_size=500,
        update_conflicts=True,
        unique_fields=["kind", "object_id"],
        update_fields=_WRITTEN,
    )
    _add_words(changed)
    gone = before.keys() - made.keys()
    if gone:
        SearchDocument.objects.filter(kind=kind, object_id__in=gone).delete()
    renamed = {
        each.document.object_id
        for each in changed
        if _shows_elsewhere(each.document, before.get(each.document.object_id))
    }
    if touched := (renamed & before.keys()) | gone:
        _mark_dependents(kind, touched)


def _differs(new: SearchDocument, old: SearchDocument | None) -> bool:
    return old is None or any(getattr(new, name) != getattr(old, name) for name in _WRITTEN)


def _shows_elsewhere(new: SearchDocument, old: SearchDocument | None) -> bool:
    """Whether documents of other rows depend on what changed."""
    return old is None or (new.names, new.public_at, new.tokens) != (
        old.names,
        old.public_at,
        old.tokens,
    )


def _mark_dependents(kind: SearchKind, keys: Collection[int]) -> None:
    """Mark the rows whose documents contain the names of these rows."""
    if kind is SearchKind.CATEGORY:
        _mark(SearchKind.TOOL, Tool.objects.filter(category__in=keys).values_list("pk", flat=True))
    elif kind is SearchKind.TOOL:
        members = ComparisonTool.objects.filter(tool__in=keys).order_by()
        _mark(SearchKind.COMPARISON, members.values_list("comparison_id", flat=True).distinct())
        _mark(
            SearchKind.TAKE,
            Take.objects.filter(tool__in=keys).order_by().values_list("pk", flat=True),
        )
    elif kind is SearchKind.REVIEWER:
        takes = Take.objects.filter(reviewer__in=keys).order_by()
        _mark(SearchKind.TAKE, takes.values_list("pk", flat=True))


def _mark(kind: SearchKind, keys: Iterable[int]) -> None:
    rows = [SearchChange(kind=kind, object_id=key) for key in keys]
    SearchChange.objects.bulk_create(rows, batch_size=2_000)


def _add_words(changed: Iterable[Indexed]) -> None:
    """Add new words, in sorted order, so that two transactions cannot deadlock."""
    found = sorted({word for each in changed for word in each.words})
    known: set[str] = set()
    for start in range(0, len(found), 1_000):
        part = found[start : start + 1_000]
        known.update(SearchWord.objects.filter(word__in=part).values_list("word", flat=True))
    rows = [SearchWord(word=word) for word in found if word not in known]
    SearchWord.objects.bulk_create(rows, batch_size=1_000)
