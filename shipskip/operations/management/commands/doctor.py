"""`manage.py doctor`: checks every setting, and the servers and files that settings refer to.

An invalid value stops manage.py itself before any command, with a sentence for each.
"""

from django.conf import settings
from django.core import checks
from django.core.management.base import BaseCommand, CommandError, CommandParser

from shipskip.checks import is_local
from shipskip.operations.settings_doctor import server_checks


class Command(BaseCommand):
    """Print what is wrong with the settings and how to correct it."""

    help = "Checks the settings, the database, file modes, nginx and the mail server."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """`--quick`, for the start of a server."""
        parser.add_argument("--quick", action="store_true", help="check only the values")

    def handle(self, *, quick: bool, **options: object) -> None:
        """Run every check; exit status 1 with all faults."""
        if quick:
            return
        for sentence in settings.RETIRED_SETTINGS:
            self.stdout.write(sentence)
        found = checks.run_checks(include_deployment_checks=not is_local())
        faults = [
            f"{message.msg} {message.hint or ''}".rstrip()
            for message in found
            if message.is_serious(checks.WARNING) and not message.is_silenced()
        ]
        for part in server_checks.ALL:
            faults += part()
        if faults:
            raise CommandError("\n".join(faults))
        self.stdout.write("No problems found.")
