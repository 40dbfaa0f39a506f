"""A day as readers and programs read it."""

from datetime import UTC, date, datetime

from django.utils import timezone

from shipskip.web.templatetags.web import day


def test_a_date_is_written_for_readers_and_for_programs():
    assert day(date(2026, 5, 3)) == '<time datetime="2026-05-03">3 May 2026</time>'


def test_a_time_is_the_day_in_the_current_time_zone():
    late = datetime(2026, 5, 3, 23, tzinfo=UTC)
    assert day(late) == day(date(2026, 5, 3))
    with timezone.override("Asia/Tokyo"):
        assert day(late) == day(date(2026, 5, 4))
