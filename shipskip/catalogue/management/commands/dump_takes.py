"""Write all takes as a CSV file."""

from shipskip.catalogue.files import TAKES
from shipskip.catalogue.management.dump_command import DumpCommand


class Command(DumpCommand):
    """`manage.py dump_takes [FILE]`."""

    help = "Writes all takes as CSV that a spreadsheet opens safely."
    kind = TAKES
