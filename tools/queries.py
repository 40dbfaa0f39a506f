"""What is asked of tools with almost every request, prepared once a process."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import BigIntegerField, CharField, DateTimeField, UUIDField

from shipskip.web.prepared import prepared
from tools.models import Bookmark, BookmarkQuerySet, Tool, ToolQuerySet


@prepared(CharField(), DateTimeField())
def tools_at(slugs: list[str], now: datetime) -> ToolQuerySet:
    """The public tools at these slugs, with category and tally, able to tell namesakes apart."""
    return Tool.objects.for_side_by_side(now).filter(slug__in=slugs)


def tool_at(slug: str, now: datetime) -> Tool | None:
    """The one at a slug, or the one that was once there; None without either."""
    found = tools_at([slug], now)
    return found[0] if found else Tool.objects.for_side_by_side(now).at(slug)


def neighbours_of(tools: Sequence[Tool], now: datetime) -> list[Tool]:
    """Links to the newest public tools of the first tool's category, without `tools`."""
    return _near(tools[0].category_id, [tool.pk for tool in tools], now)


def drawer_of(visitor: UUID | None, now: datetime) -> list[Bookmark]:
    """A visitor's bookmarks of public tools, newest first; no query for a reader."""
    return _drawer(visitor, now) if visitor else []


@prepared(BigIntegerField(), BigIntegerField(), DateTimeField())
def _near(category: int, tools: list[int], now: datetime) -> ToolQuerySet:
    return Tool.objects.near(category, tools, now)


@prepared(UUIDField(), DateTimeField())
def _drawer(visitor: UUID, now: datetime) -> BookmarkQuerySet:
    return Bookmark.objects.for_drawer(visitor, now)
