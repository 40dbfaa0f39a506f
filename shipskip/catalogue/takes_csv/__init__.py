"""Takes as CSV, both ways: what is exported can be changed in a spreadsheet and loaded again.

`load` reads a file, `dump` writes one. A form checks each row; what is written goes through the
catalogue's merger, so that histories and the public record are the same.
"""

from shipskip.catalogue.takes_csv.dumping import dump
from shipskip.catalogue.takes_csv.loading import ACT, COMMAND, load

__all__ = ["ACT", "COMMAND", "dump", "load"]
