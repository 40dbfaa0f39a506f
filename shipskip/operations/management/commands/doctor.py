"""`manage.py doctor`: checks every setting, and the servers and files that settings refer to.

An invalid value stops manage.py itself before any command, with a sentence for each.
"""

from contextlib import suppress

from django.conf import settings
from django.core import checks
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone

from shipskip import operator_notes
from shipskip.checks import is_local
from shipskip.jobs.timetable import states
from shipskip.operations import running_checks
from shipskip.operations.settings_doctor import server_checks


class Command(BaseCommand):
    """Print what is wrong with the settings and how to correct it."""

    help = "Checks the settings, database, files, disk, backups, jobs, nginx and mail server."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """`--quick`, for the start of a server."""
        parser.add_argument("--quick", action="store_true", help="check only the values")
        parser.add_argument(
            "--no-jobs", action="store_true", help="ignore late and failed jobs, before an upgrade"
        )

    def handle(self, *, quick: bool, no_jobs: bool, **options: object) -> None:
        """Run every check; exit status 1 with all faults."""
        if quick:
            return
        for sentence in settings.RETIRED_SETTINGS.values():
            self.stdout.write(sentence)
        found = checks.run_checks(include_deployment_checks=not is_local())
        faults = [
            f"{message.msg} {message.hint or ''}".rstrip()
            for message in found
            if message.is_serious(checks.WARNING) and not message.is_silenced()
        ]
        without_database = list(server_checks.database())
        faults += without_database
        for part in server_checks.ALL:
            faults += part()
        if not without_database:
            self._tell_jobs()
            for part in (running_checks.disk,) + (() if no_jobs else running_checks.OF_JOBS):
                faults += part()
        if not no_jobs and (unasked := operator_notes.look_for_release()):
            self.stdout.write(unasked)
        for note in operator_notes.notes():
            self.stdout.write(f"Note: {note}")
        if faults:
            raise CommandError("\n".join(faults))
        self.stdout.write("No problems found.")

    def _tell_jobs(self) -> None:
        """Print when each periodic job last succeeded, if any has run."""
        with suppress(DatabaseError):
            found = states(timezone.now())
            if not any(state.run for state in found):
                return
            for state in found:
                run, told = state.run, "never"
                if run and run.succeeded_at:
                    told = f"{run.succeeded_at:%Y-%m-%d %H:%M} UTC, {run.seconds:.1f} s"
                self.stdout.write(f"{state.job.label}: last done {told}.")
