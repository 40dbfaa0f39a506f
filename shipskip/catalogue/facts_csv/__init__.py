"""Facts as CSV: exported, changed in a spreadsheet, and loaded again.

`load` reads a file, `dump` writes one. A form checks each row; tools/fact_edits.py writes them,
with histories and the public record.
"""

from shipskip.catalogue.facts_csv.dumping import dump
from shipskip.catalogue.facts_csv.loading import COMMAND, HISTORY_NOTE, load

__all__ = ["COMMAND", "HISTORY_NOTE", "dump", "load"]
