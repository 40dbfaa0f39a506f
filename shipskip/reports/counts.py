"""How many reports on each tool were decided, for its page."""

from collections.abc import Mapping

from cachetools import LRUCache, cached

from shipskip.content.content import Content
from shipskip.reports.models import Decision


def decided_on(content: Content, tool: int) -> int:
    """The number of decided reports on a tool (primary key); one query for each content version."""
    numbers = _numbers(content) if content.number else _read(content)
    return numbers.get(tool, 0)


def _read(content: Content) -> Mapping[int, int]:
    return Decision.objects.public(content.now).numbers()


_numbers = cached(LRUCache[int | None, Mapping[int, int]](2), key=lambda content: content.number)(
    _read
)
