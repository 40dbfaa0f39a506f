"""`check_sources`: look whether the quotes of facts and plans still stand at their sources."""

from collections import Counter
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from shipskip.jobs import runs
from shipskip.jobs.memory import memory_limit
from shipskip.jobs.timetable import SOURCES
from shipskip.web.bounded_fetch import Client
from tools.models import Outcome
from tools.source_checking import (
    PAUSE_SECONDS,
    ROBOT,
    Looking,
    delete_unused,
    quotes_by_source,
    store,
)

MINUTES = 30.0
MORE_MEMORY = 512 * 2**20
"""Bytes that a run may need. The largest page needs 80 MB; a look that needs more has failed."""


class Command(BaseCommand):
    """`manage.py check_sources`; of two runs at once the second one does nothing."""

    help = (
        "Asks the sources of facts and prices, the least recently asked first, whether their "
        "quotes are still there. It changes no fact."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the options: how long to run, and how fast."""
        parser.add_argument(
            "--minutes",
            type=float,
            default=MINUTES,
            help="begin no look after so many minutes (30)",
        )
        parser.add_argument(
            "--pause",
            type=float,
            default=PAUSE_SECONDS,
            help="seconds between two requests to one host (1); robots.txt may ask for more",
        )

    def handle(self, *args: object, **options: Any) -> None:
        """Look at sources until the time is up, print a line for each quote, and sum up."""
        with runs.run(SOURCES) as check_lock:
            if check_lock is None:
                self.stdout.write("Another process checks the sources: this one leaves it to it.")
                return
            with memory_limit(MORE_MEMORY):
                self._check(options["minutes"], options["pause"], is_quiet=not options["verbosity"])

    def _check(self, minutes: float, pause: float, *, is_quiet: bool) -> None:
        quotes = quotes_by_source()
        delete_unused(quotes)
        client = Client(f"{ROBOT}/1.0 (+{settings.SITE_URL})", settings.PRIVATE_SOURCES)
        looking = Looking(client, monotonic() + minutes * 60, pause)
        counts: Counter[str] = Counter()
        asked = 0
        for look in looking.looks(quotes):
            asked += 1
            for check in store(look, quotes[look.source], timezone.now()):
                counts[check.outcome] += 1
                if not is_quiet:
                    why = f": {check.detail}" if check.detail else ""
                    self.stdout.write(f"{Outcome(check.outcome).label}{why}  {check.source}")
        left = len(quotes) - asked
        more = f"; {left:,} were left for the next run" if left else ""
        found = [f" {each.label}: {counts[each]:,}." for each in Outcome if counts[each]]
        self.stdout.write(f"{asked:,} sources asked{more}.{''.join(found)}")
