"""Editors' comparisons, and how often comparisons are read."""

from comparisons.models.comparisons import (
    ON_HOME_PAGE,
    Comparison,
    ComparisonQuerySet,
    ComparisonTool,
    delete_comparison_too,
    tools_key,
)
from comparisons.models.reads import (
    MIN_READS,
    RECENT_PERIOD,
    STORAGE_PERIOD,
    DayReads,
    ReadPair,
    RecentReads,
    recent_reads,
)

__all__ = [
    "MIN_READS",
    "ON_HOME_PAGE",
    "RECENT_PERIOD",
    "STORAGE_PERIOD",
    "Comparison",
    "ComparisonQuerySet",
    "ComparisonTool",
    "DayReads",
    "ReadPair",
    "RecentReads",
    "delete_comparison_too",
    "recent_reads",
    "tools_key",
]
