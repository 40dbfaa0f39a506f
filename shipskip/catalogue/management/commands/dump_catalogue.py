"""Write the site's catalogue as one document."""

from shipskip.catalogue.files import CATALOGUE
from shipskip.catalogue.management.dump_command import DumpCommand


class Command(DumpCommand):
    """`manage.py dump_catalogue [FILE]`."""

    help = "Writes the whole catalogue, drafts included, as one document."
    kind = CATALOGUE
