"""Load a catalogue document into the site: all of it or nothing."""

from typing import Any

from django.core.management.base import CommandParser

from shipskip.catalogue.files import CATALOGUE
from shipskip.catalogue.management.load_command import LoadCommand, database_errors
from tools.models import Tool


class Command(LoadCommand):
    """`manage.py load_catalogue FILE`."""

    help = "Loads a catalogue document (JSON): all of it or nothing, and safe to repeat."
    kind = CATALOGUE

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE and the options."""
        super().add_arguments(parser)
        parser.add_argument(
            "--if-empty", action="store_true", help="do nothing if the site has any tool"
        )

    def handle(self, **options: Any) -> None:
        """Load, unless --if-empty is given and the site has tools."""
        with database_errors(options["file"]):
            if options["if_empty"] and Tool.objects.exists():
                self.stdout.write(f"The site has tools already; {options['file']} was not loaded.")
                return
        super().handle(**options)
