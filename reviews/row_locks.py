"""The order in which rows of the panel are held while they are saved: a tool before its takes."""

from collections.abc import Iterable, Sequence

from reviews.models import Take
from shipskip.editing.row_locks import locked
from tools.models import Tool


def hold_tools(keys: Iterable[int | str]) -> None:
    """Hold the tools with these keys (a list or a subquery) ahead of their takes."""
    tools = Tool.everything.filter(pk__in=keys).order_by("pk")
    list(locked(tools).values_list("pk"))


def hold_tools_of(takes: Sequence[int | str]) -> None:
    """Hold the tools of the takes with these keys."""
    hold_tools(Take.objects.filter(pk__in=takes).order_by().values_list("tool", flat=True))
