"""Takes as CSV: exported, changed in a spreadsheet, and loaded again.

`load` reads a file, `dump` writes one. A form checks each row, and the catalogue's merger writes
them, with the same histories and public record.
"""

from shipskip.catalogue.takes_csv.dumping import dump
from shipskip.catalogue.takes_csv.loading import COMMAND, HISTORY_NOTE, load

__all__ = ["COMMAND", "HISTORY_NOTE", "dump", "load"]
