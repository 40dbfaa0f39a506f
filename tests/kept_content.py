"""Keep the content between the pages of a test that runs in a transaction on SQLite."""

from datetime import datetime
from typing import Any

from django.db import connection
from django.utils import timezone

from shipskip.content.content import Content
from shipskip.page_cache.models import ContentVersion

REAL_CLOCK = timezone.now
NUMBER = f"SELECT number FROM {ContentVersion._meta.db_table}"  # noqa: S608 - our own table


class KeptContent:
    """Makes contents as `Content` does, but makes one again only when the content version or the
    time is another one. In an atomic block the site builds a content for each page, which took a
    third of the processor time of the tests of pages.

    On PostgreSQL the version rises when a transaction ends, so that nothing is kept there.
    """

    def __init__(self) -> None:
        self.content: Content | None = None
        self.number: int | None = None

    def __call__(self, number: int | None, now: datetime, before: Any = None) -> Content:
        """The content at this moment."""
        if number is not None or connection.vendor != "sqlite" or not connection.in_atomic_block:
            return Content(number, now, before)
        stored = self._stored_number()
        if self.content is None or stored != self.number or not self._is_at(now):
            self.content, self.number = Content(None, now), stored
        return self.content

    def reset(self) -> None:
        """Forget the content."""
        self.content = None

    def _is_at(self, now: datetime) -> bool:
        """Whether the kept content is the one of this moment. No test waits for a row to become
        public: one that is about moments sets the clock.
        """
        assert self.content
        kept = self.content.now
        return now == kept or (
            timezone.now is REAL_CLOCK and kept < now and kept.date() == now.date()
        )

    def _stored_number(self) -> int | None:
        """The number of the content version, read by a query that no test counts."""
        row = connection.connection.execute(NUMBER).fetchone()
        return row[0] if row else None


kept_content = KeptContent()
