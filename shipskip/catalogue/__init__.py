"""The catalogue: all editorial content in and out as one document.

`load` reads a document from a binary, seekable file, `dump` writes one.
"""

from shipskip.catalogue.changes import REASON, Count, Journal, Report, Signature
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.faults import ConflictError, Fault, RefusedError
from shipskip.catalogue.loading import load

__all__ = [
    "REASON",
    "ConflictError",
    "Count",
    "Fault",
    "Journal",
    "RefusedError",
    "Report",
    "Signature",
    "dump",
    "load",
]
