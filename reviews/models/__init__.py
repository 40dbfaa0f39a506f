"""Reviewers, takes and votes."""

from reviews.models.reviewers import (
    LONGEST_PHRASE,
    MAX_PHRASES,
    Reviewer,
    ReviewerQuerySet,
    validate_phrases,
)
from reviews.models.takes import (
    Take,
    TakeBasis,
    TakeChange,
    TakeChangeQuerySet,
    TakeQuerySet,
    TakeVerdict,
)
from reviews.models.votes import (
    ToolTally,
    Voiding,
    Vote,
    VoteChoice,
    VoteEvent,
    VoteQuerySet,
)

__all__ = [
    "LONGEST_PHRASE",
    "MAX_PHRASES",
    "Reviewer",
    "ReviewerQuerySet",
    "Take",
    "TakeBasis",
    "TakeChange",
    "TakeChangeQuerySet",
    "TakeQuerySet",
    "TakeVerdict",
    "ToolTally",
    "Voiding",
    "Vote",
    "VoteChoice",
    "VoteEvent",
    "VoteQuerySet",
    "validate_phrases",
]
