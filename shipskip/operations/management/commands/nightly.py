"""`nightly`: the backup, the tallies, the pairs that search engines may list, a newer release, once
a month the check of a restore, and the sources.
"""

import logging
from collections.abc import Callable
from datetime import datetime

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from comparisons.models import ReadPair
from shipskip.jobs import runs
from shipskip.jobs.models import JobRun
from shipskip.jobs.timetable import NIGHTLY, RESTORE_CHECK
from shipskip.operator_notes import look_for_release

log = logging.getLogger(__name__)

BACKUP_DAYS = 30
"""Days for which backups are kept."""


class Command(BaseCommand):
    """`manage.py nightly`; of two runs at once the second one does nothing."""

    help = (
        "Makes a backup, recounts tallies, once a month checks a restore, and looks at sources. "
        "For a timer."
    )

    def handle(self, *args: object, **options: object) -> None:
        """Run every step, also after one that failed; exit status 1 with what failed."""
        with runs.run(NIGHTLY) as check_lock:
            if check_lock is None:
                self.stdout.write("Another process does this work: this one leaves it to it.")
                return
            steps: list[Callable[[], object]] = [self._backup, self._recount, self._list_pairs]
            steps.append(look_for_release)
            if is_restore_check_due(timezone.now()):
                steps.append(self._check_restore)
            steps.append(self._check_sources)
            failures = []
            for step in steps:
                try:
                    step()
                except runs.StoppedError:
                    raise
                except Exception as error:
                    expected = isinstance(error, CommandError)
                    log.warning("A step failed: %s", error, exc_info=not expected)
                    failures.append(str(error))
            if failures:
                raise CommandError("\n".join(failures))

    def _backup(self) -> None:
        call_command("backup", days=BACKUP_DAYS, stdout=self.stdout)

    def _recount(self) -> None:
        call_command("recount", stdout=self.stdout)

    def _list_pairs(self) -> None:
        ReadPair.objects.decide()

    def _check_restore(self) -> None:
        with runs.recorded(RESTORE_CHECK):
            call_command("restore", check=True, stdout=self.stdout)

    def _check_sources(self) -> None:
        call_command("check_sources", verbosity=0, stdout=self.stdout)


def is_restore_check_due(now: datetime) -> bool:
    """Whether no check of a restore succeeded in this month."""
    first = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return not JobRun.objects.filter(job=RESTORE_CHECK.name, succeeded_at__gte=first).exists()
