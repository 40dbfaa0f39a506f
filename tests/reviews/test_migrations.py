"""The migrations that end the holding of votes and that allow unfinished drafts, and back."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection

from reviews import tallies, voiding
from reviews.models import Voiding, Vote, VoteEvent
from tests import factories
from tests.reviews.voters import NOON, rows, tally

pytestmark = pytest.mark.both_databases

BEFORE, AFTER = "0020_hold_takes_back", "0024_drop_held_groups"
BEFORE_UNFINISHED, UNFINISHED = "0008_take_reasons", "0009_unfinished_drafts"


VOTES = [
    # choice, kept choice, state, reason; afterwards choice, state, reason
    (("ship", "", "counted", ""), ("ship", "counted", None)),
    (("skip", "", "counted", "an office"), ("skip", "counted", None)),
    (("skip", "ship", "held", ""), ("ship", "counted", None)),
    (("", "skip", "void", "a script"), ("skip", "counted", None)),
    (("ship", "", "held", ""), ("ship", "void", "Above the daily limit of a network")),
    (("skip", "", "void", "a script"), ("skip", "void", "a script")),
    (("", "", "held", ""), None),
    (("", "", "void", "a script"), None),
]
EVENTS = [
    # state, reason; afterwards the reason, and the hashes by which a limit counts it
    (("counted", ""), ("", "a", "b")),
    (("held", ""), ("held", "", "")),
    (("void", ""), ("void", "", "")),
    (("counted", "an office"), ("counted: an office", "", "")),
    (("void", "a script"), ("void: a script", "", "")),
]


def test_each_tally_stays_and_no_vote_is_held_any_more(migrate):
    """Further back an unfinished draft is refused. In one test, because the way takes seconds."""
    draft = factories.take(score=None, verdict="", published_at=None)
    tool, other = factories.tool(), factories.tool()
    model = migrate("reviews", BEFORE)
    moments = {"cast_at": NOON, "changed_at": NOON}
    for (choice, kept, state, reason), _ in VOTES:
        row = {"choice": choice, "kept_choice": kept, "state": state, "reason": reason} | moments
        model("Vote").objects.create(tool_id=tool.pk, visitor=uuid4(), **row)
    network = {"network": "a", "wide_network": "b", "before": "", "after": "ship", "at": NOON}
    for (state, reason), _ in EVENTS:
        model("VoteEvent").objects.create(tool_id=tool.pk, state=state, reason=reason, **network)
    model("ToolTally").objects.create(tool_id=tool.pk, ship=2, skip=2)
    model("ToolTally").objects.create(tool_id=other.pk, ship=0, skip=0)

    migrate("reviews", AFTER)
    expected = [after for _, after in VOTES if after]
    reasons = Vote.objects.order_by("pk").values_list("voiding__reason", flat=True)
    assert [(*row, reason) for row, reason in zip(rows(tool), reasons, strict=True)] == expected
    assert (tally(tool), tally(other), tallies.drifts()) == ((2, 2), (0, 0), [])
    assert set(Voiding.objects.values_list("tool", "votes", "is_listed")) == {(tool.pk, 1, False)}
    events = VoteEvent.objects.order_by("pk").values_list("reason", "network", "wide_network")
    assert list(events) == [after for _, after in EVENTS]
    last = Voiding.objects.latest("pk")
    assert voiding.undo(last, last.voided_at + timedelta(hours=23)) == 1
    assert tallies.drifts() == []
    Voiding.objects.filter(pk=last.pk).update(undone_at=None)
    Vote.objects.filter(pk=Vote.objects.latest("pk").pk).update(voiding=last)
    tallies.recount(tool.pk)

    model = migrate("reviews", BEFORE)
    votes = model("Vote").objects.order_by("pk").values_list("choice", "state", "kept_choice")
    assert list(votes) == [(choice, state, "") for choice, state, _ in expected]
    void = set(votes.filter(state="void").values_list("reason", flat=True))
    assert void == {reason for *_, reason in expected if reason}
    events_before = model("VoteEvent").objects.order_by("pk").values_list("state", "reason")
    assert list(events_before) == [before for before, _ in EVENTS]
    with pytest.raises(RuntimeError, match="without a score or a verdict: 1"):
        migrate("reviews", BEFORE_UNFINISHED)
    write = "UPDATE reviews_take SET score = 70, verdict = 'ship' WHERE id = %s"
    connection.cursor().execute(write, [draft.pk])
    migrate("reviews", BEFORE_UNFINISHED)
    model = migrate("reviews", UNFINISHED)
    assert model("Take").objects.get(pk=draft.pk).score == 70
    assert model("HistoricalTake").objects.get(id=draft.pk).score is None
