"""Reviewers, takes and votes."""

from reviews.models.held_groups import HeldGroup, HeldGroupQuerySet
from reviews.models.reviewers import LONGEST_PHRASE, Reviewer, ReviewerQuerySet, validate_phrases
from reviews.models.takes import (
    Take,
    TakeBasis,
    TakeChange,
    TakeChangeQuerySet,
    TakeQuerySet,
    TakeVerdict,
)
from reviews.models.votes import (
    DailySalt,
    NewVisitors,
    ToolTally,
    Vote,
    VoteChoice,
    VoteDay,
    VoteEvent,
    VoteQuerySet,
    VoteState,
)

__all__ = [
    "LONGEST_PHRASE",
    "DailySalt",
    "HeldGroup",
    "HeldGroupQuerySet",
    "NewVisitors",
    "Reviewer",
    "ReviewerQuerySet",
    "Take",
    "TakeBasis",
    "TakeChange",
    "TakeChangeQuerySet",
    "TakeQuerySet",
    "TakeVerdict",
    "ToolTally",
    "Vote",
    "VoteChoice",
    "VoteDay",
    "VoteEvent",
    "VoteQuerySet",
    "VoteState",
    "validate_phrases",
]
