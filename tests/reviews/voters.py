"""Cast votes in tests, and compare rows, tallies and events."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from unittest.mock import patch
from uuid import UUID, uuid4

from django.core.signing import Signer
from django.db import OperationalError, connection
from django.db.models import QuerySet
from django.test import Client

from reviews import tallies, voiding, voting
from reviews.models import ToolTally, Voiding, Vote, VoteEvent
from reviews.voting import VisitorVote
from shipskip.web import visitor
from tools.models import Tool

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
"""When tests vote by default: the middle of a day."""

HOME = "192.0.2.0/24"
"""The default network of voters."""


def cast(
    tool: Tool,
    choice: str,
    *,
    by: UUID | None = None,
    network: str = HOME,
    now: datetime = NOON,
) -> VisitorVote:
    """Cast a vote (an empty choice withdraws it), by a new visitor unless one is given."""
    return voting.cast(tool, by or uuid4(), choice, network, now)


def tally(tool: Tool) -> tuple[int, int]:
    rows = ToolTally.objects.filter(pk=tool.pk).values_list("ship", "skip")
    return rows.first() or (0, 0)


def rows(tool: Tool) -> list[tuple[str, str]]:
    votes = Vote.objects.filter(tool=tool).order_by("pk").values_list("choice", "voiding")
    return [(choice, "void" if voiding else "counted") for choice, voiding in votes]


def events(tool: Tool) -> list[tuple[str, str]]:
    return list(VoteEvent.objects.filter(tool=tool).order_by("pk").values_list("before", "after"))


def assert_in_agreement(tool: Tool) -> None:
    """Check that rows, tally and events of a tool agree, and that no visitor has two rows."""
    counted = Counter(choice for choice, state in rows(tool) if state == "counted")
    assert tally(tool) == (counted["ship"], counted["skip"])
    of_visitors: dict[UUID | None, str] = {}
    for event in VoteEvent.objects.filter(tool=tool).order_by("pk"):
        assert event.before == of_visitors.pop(event.visitor, ""), "the previous event's `after`"
        if event.after:
            of_visitors[event.visitor] = event.after
    assert Counter(choice for choice, _ in rows(tool)) == Counter(of_visitors.values())
    visitors = list(Vote.objects.filter(tool=tool).values_list("visitor", flat=True))
    assert len(visitors) == len(set(visitors))
    assert tallies.drifts() == []


def void(votes: QuerySet[Vote], now: datetime = NOON, reason: str = "a script") -> Voiding:
    """Void these votes, which are on one tool."""
    tool = Tool.everything.get(pk=votes.values_list("tool", flat=True)[0])
    act = Voiding(tool=tool, reason=reason, voided_at=now)
    voiding.void(act, Vote.objects.filter(pk__in=list(votes.values_list("pk", flat=True))))
    return act


def vote_url(tool: Tool) -> str:
    return f"/tools/{tool.slug}/vote/"


def set_visitor_cookie(client: Client, visitor_id: UUID) -> UUID:
    client.cookies[visitor.cookie_name()] = Signer(salt="shipskip.visitor").sign(visitor_id.hex)
    return visitor_id


def in_place(tool: Tool) -> str:
    return f"/tools/{tool.slug}/vote/in-place/"


def row_counts() -> dict[str, int]:
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
        counts = {}
        for name in names:
            cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(name)}")  # noqa: S608
            counts[name] = cursor.fetchone()[0]
    return counts


@contextmanager
def database_error(message: str, *, only: str = "") -> Iterator[None]:
    """Every statement, or each that starts with `only`, raises the driver's error."""

    def fail(execute, sql, params, many, context):  # type: ignore[no-untyped-def]
        if sql.startswith(only):
            raise OperationalError(message)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(fail):
        yield


@contextmanager
def unreachable_database() -> Iterator[None]:
    """No connection can be opened."""
    error = OperationalError("connection refused")
    with patch("django.db.backends.base.base.BaseDatabaseWrapper.cursor", side_effect=error):
        yield
