"""Reviewers, takes and votes."""

from reviews.models.reviewers import LONGEST_PHRASE, Reviewer, ReviewerQuerySet, validate_phrases
from reviews.models.takes import Take, TakeChange, TakeChangeQuerySet, TakeQuerySet, TakeVerdict
from reviews.models.votes import (
    DailySalt,
    ToolTally,
    Vote,
    VoteChoice,
    VoteEvent,
    VoteQuerySet,
    VoteState,
)

__all__ = [
    "LONGEST_PHRASE",
    "DailySalt",
    "Reviewer",
    "ReviewerQuerySet",
    "Take",
    "TakeChange",
    "TakeChangeQuerySet",
    "TakeQuerySet",
    "TakeVerdict",
    "ToolTally",
    "Vote",
    "VoteChoice",
    "VoteEvent",
    "VoteQuerySet",
    "VoteState",
    "validate_phrases",
]
