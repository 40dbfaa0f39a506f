"""Load facts from a CSV file: all rows or none."""

from django.core.management.base import CommandParser

from shipskip.catalogue.files import FACTS
from shipskip.catalogue.management.load_command import LoadCommand
from shipskip.web.typed_values import DayOrder, DecimalSign


class Command(LoadCommand):
    """`manage.py load_facts FILE.csv`."""

    help = "Loads facts from a CSV file: all rows or none, and safe to repeat."
    kind = FACTS

    def add_arguments(self, parser: CommandParser) -> None:
        """FILE and the options."""
        super().add_arguments(parser)
        parser.add_argument(
            "--decimal-sign",
            type=DecimalSign,
            choices=[*DecimalSign],
            help="how the file writes decimals, if its numbers do not tell",
        )
        parser.add_argument(
            "--day-order",
            type=DayOrder,
            choices=[*DayOrder],
            help="what comes first in its days, if they do not tell",
        )
