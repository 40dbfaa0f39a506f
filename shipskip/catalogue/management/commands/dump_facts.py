"""Write all facts as a CSV file."""

from shipskip.catalogue.files import FACTS
from shipskip.catalogue.management.dump_command import DumpCommand


class Command(DumpCommand):
    """`manage.py dump_facts [FILE]`."""

    help = "Writes all facts as CSV that a spreadsheet opens safely."
    kind = FACTS
