"""Load facts from a CSV file: all rows or none."""

from shipskip.catalogue.files import FACTS
from shipskip.catalogue.management.load_command import LoadCommand


class Command(LoadCommand):
    """`manage.py load_facts FILE.csv`."""

    help = "Loads facts from a CSV file: all rows or none, and safe to repeat."
    kind = FACTS
