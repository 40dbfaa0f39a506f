"""The catalogue: all editorial content in and out as one document.

`check` and `load` read a document from a binary, seekable file, `dump` writes one.
"""

from shipskip.catalogue.changes import REASON, Count, Journal, Report, Signature
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.faults import Fault, RefusedError
from shipskip.catalogue.loading import check, load
from shipskip.catalogue.merging import ConflictError

__all__ = [
    "REASON",
    "ConflictError",
    "Count",
    "Fault",
    "Journal",
    "RefusedError",
    "Report",
    "Signature",
    "check",
    "dump",
    "load",
]
