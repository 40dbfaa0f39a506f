"""Load takes from a CSV file: all rows or none."""

from shipskip.catalogue.files import TAKES
from shipskip.catalogue.management.load_command import LoadCommand


class Command(LoadCommand):
    """`manage.py load_takes FILE.csv`."""

    help = "Loads takes from a CSV file: all rows or none, and safe to repeat."
    kind = TAKES
