"""The tools that a visitor saved to compare later."""

from datetime import datetime
from typing import Self
from uuid import UUID

from django.db import models, transaction

from tools.models.tools import Tool

MAX_BOOKMARKS = 200


class BookmarkQuerySet(models.QuerySet["Bookmark"]):
    """One visitor's saved tools."""

    def of(self, visitor: UUID | None) -> Self:
        """The bookmarks of a visitor; none without one."""
        return self.filter(visitor=visitor) if visitor else self.none()

    def for_drawer(self, visitor: UUID | None, now: datetime) -> Self:
        """A visitor's bookmarks of public tools, newest first; no query without a visitor."""
        public = Tool.objects.published(now)
        rows = self.of(visitor).filter(tool__in=public).select_related("tool__category")
        return rows.order_by("-saved_at", "-pk")[:MAX_BOOKMARKS]

    def save_tool(self, tool: Tool, visitor: UUID, now: datetime) -> "Bookmark | None":
        """Save a tool (idempotent); return the bookmark, None when the list is full."""
        with transaction.atomic():
            # Lock the list before counting, so that parallel requests cannot exceed the maximum.
            saved = {row.tool_id: row for row in self.of(visitor).select_for_update()}
            if tool.pk in saved:
                return saved[tool.pk]
            public = Tool.objects.published(now)
            if self.of(visitor).filter(tool__in=public).count() >= MAX_BOOKMARKS:
                return None
            row = Bookmark(visitor=visitor, tool=tool, saved_at=now)
            self.bulk_create([row], ignore_conflicts=True)
        return row

    def remove_tool(self, tool: Tool, visitor: UUID) -> None:
        """Remove a tool from the list (idempotent)."""
        self.filter(visitor=visitor, tool=tool).delete()


class Bookmark(models.Model):
    """A tool that a visitor saved."""

    visitor = models.UUIDField(editable=False)
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="bookmarks")
    saved_at = models.DateTimeField()

    objects = BookmarkQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["visitor", "tool"], name="bookmark_once_per_visitor")
        ]
        indexes = [models.Index(fields=["visitor", "saved_at"], name="bookmark_of_visitor")]

    def __str__(self) -> str:
        return f"{self.tool}"
