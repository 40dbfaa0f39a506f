"""Reviewers, takes and votes."""

from reviews.models.held_groups import HeldGroup, HeldGroupQuerySet
from reviews.models.panel_figures import PanelFigures, PanelMark, PanelVerdict
from reviews.models.reviewers import LONGEST_PHRASE, Reviewer, ReviewerQuerySet, validate_phrases
from reviews.models.takes import (
    MAX_SHARED,
    ScoreOfTool,
    Take,
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
    "MAX_SHARED",
    "DailySalt",
    "HeldGroup",
    "HeldGroupQuerySet",
    "NewVisitors",
    "PanelFigures",
    "PanelMark",
    "PanelVerdict",
    "Reviewer",
    "ReviewerQuerySet",
    "ScoreOfTool",
    "Take",
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
