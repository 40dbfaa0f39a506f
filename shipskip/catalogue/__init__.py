"""The catalogue: all editorial content in and out as one document.

`check` and `load` read a document from a binary, seekable file, `dump` writes one.
"""

from shipskip.catalogue.dumping import dump
from shipskip.catalogue.faults import Fault, RefusedError
from shipskip.catalogue.loading import check, load
from shipskip.catalogue.writing import ConflictError, Count, Report

__all__ = ["ConflictError", "Count", "Fault", "RefusedError", "Report", "check", "dump", "load"]
