"""Content for tests: keyword-only, with sensible defaults, public since 2026-05-01 by default."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

from comparisons.models import Comparison
from reviews.models import Reviewer, Take, TakeChange
from shipskip.newsletter.issues import snapshot
from shipskip.newsletter.models import Confirmation, Issue, IssueEntry, Subscriber
from shipskip.reports.models import Decision, Report, Result
from shipskip.web import mail_addresses
from shipskip.web.publishing import ALWAYS
from tools.fact_values import AttributeKind, Value
from tools.models import Attribute, Category, Fact, Plan, Tool

PUBLISHED = datetime(2026, 5, 1, 9, tzinfo=UTC)
"""The publication time of rows that the factories make."""

_numbers = count(1)


def number_from(first: int) -> None:
    """Give the next row without a name of its own this number, for texts of snapshots."""
    global _numbers
    _numbers = count(first)


def category(
    *, slug: str = "", name: str = "", published_at: datetime | None = ALWAYS, **fields: Any
) -> Category:
    """A category, always public by default."""
    number = next(_numbers)
    return Category.objects.create(
        slug=slug or f"category-{number}",
        name=name or f"Category {number}",
        published_at=published_at,
        **fields,
    )


def tool(
    *,
    slug: str = "",
    name: str = "",
    in_category: Category | None = None,
    published_at: datetime | None = PUBLISHED,
    **fields: Any,
) -> Tool:
    """A tool, in a new category unless one is given."""
    number = next(_numbers)
    return Tool.objects.create(
        slug=slug or f"tool-{number}",
        name=name or f"Tool {number}",
        category=in_category or category(),
        published_at=published_at,
        **fields,
    )


def attribute(
    *,
    slug: str = "",
    name: str = "",
    kind: str = AttributeKind.NUMBER,
    asked_in: Sequence[Category] = (),
    **fields: Any,
) -> Attribute:
    """A question, asked of every tool unless categories are given."""
    number = next(_numbers)
    return Attribute.objects.create(
        slug=slug or f"attribute-{number}",
        name=name or f"Attribute {number}",
        kind=kind,
        category_ids=[row.pk for row in asked_in],
        **fields,
    )


def fact(value: Value, *, on: Tool, to: Attribute, **fields: Any) -> Fact:
    """A tool's answer to an attribute."""
    row = Fact(tool=on, attribute=to, **fields)
    row.set_value(value)
    row.save()
    return row


def plan(
    *, on: Tool, amount: str = "20", name: str = "Pro", per: str = "month", **fields: Any
) -> Plan:
    """A price of a tool, in US dollars by default."""
    return Plan.objects.create(tool=on, amount=Decimal(amount), name=name, per=per, **fields)


def reviewer(
    *,
    slug: str = "",
    name: str = "",
    position: int = 0,
    published_at: datetime | None = ALWAYS,
    **fields: Any,
) -> Reviewer:
    """A reviewer, always public by default."""
    number = next(_numbers)
    return Reviewer.objects.create(
        slug=slug or f"reviewer-{number}",
        name=name or f"Reviewer {number}",
        position=position,
        published_at=published_at,
        **fields,
    )


def take(
    *,
    on: Tool | None = None,
    by: Reviewer | None = None,
    score: int | None = 80,
    verdict: str = "ship",
    because: str = "",
    body: str = "It does what it says.",
    basis: str = "",
    published_at: datetime | None = PUBLISHED,
) -> Take:
    """A take, on a new tool and by a new reviewer unless they are given."""
    return Take.objects.create(
        tool=on or tool(),
        reviewer=by or reviewer(),
        score=score,
        verdict=verdict,
        because=because,
        body=body,
        basis=basis,
        published_at=published_at,
    )


def take_change(
    *,
    on: Tool,
    by: Reviewer | None = None,
    before: tuple[int, str] = (78, "ship"),
    after: tuple[int, str] = (64, "skip"),
    reason: str = "why",
    **fields: Any,
) -> TakeChange:
    """A change of a public take on the record: its score and verdict before and after."""
    return TakeChange.objects.create(
        tool=on,
        reviewer=by or reviewer(),
        score_before=before[0],
        score_after=after[0],
        verdict_before=before[1],
        verdict_after=after[1],
        reason=reason,
        **fields,
    )


def panel(*, on: Tool, ship: int = 0, skip: int = 0, score: int = 80) -> list[Take]:
    """Takes on one tool, this many of each verdict, with one score, each by a new reviewer."""
    verdicts = ["ship"] * ship + ["skip"] * skip
    return [take(on=on, score=score, verdict=verdict) for verdict in verdicts]


def comparison(
    *,
    tools: Sequence[Tool] = (),
    summary: str = "",
    featured: bool = False,
    published_at: datetime | None = PUBLISHED,
) -> Comparison:
    """An editor's comparison of these tools in this order, or of two new ones."""
    return Comparison.objects.create(
        tool_list=[{"tool": row.pk, "choose_if": ""} for row in tools or (tool(), tool())],
        summary=summary,
        featured=featured,
        published_at=published_at,
    )


def report(*, tool: Tool | None = None, reported_at: datetime = PUBLISHED, **fields: Any) -> Report:
    """An undecided report, alone of its network; without a tool, a suggested one."""
    values = {"text": "It is wrong.", "network": f"{next(_numbers):032}", **fields}
    return Report.objects.create(tool=tool, reported_at=reported_at, **values)


def decision(
    *,
    tool: Tool | None = None,
    reported_at: datetime = PUBLISHED,
    decided_at: datetime = PUBLISHED + timedelta(days=3),
    **fields: Any,
) -> Decision:
    """A decided report, accepted unless another result is given."""
    values = {
        "result": Result.ACCEPTED,
        "wrong": "The price was last year’s.",
        "outcome": "We corrected it.",
        **fields,
    }
    return Decision.objects.create(
        tool=tool, reported_at=reported_at, decided_at=decided_at, **values
    )


def subscriber(
    *, address: str = "", state: str = "confirmed", joined_at: datetime = PUBLISHED, **fields: Any
) -> Subscriber:
    """A subscriber, confirmed when they joined unless another state is given."""
    address = address or f"reader-{next(_numbers)}@example.org"
    if state == "confirmed":
        fields.setdefault("confirmed_at", joined_at)
    return Subscriber.objects.create(
        address=address,
        normalised=mail_addresses.parse(address).normalised,
        state=state,
        joined_at=joined_at,
        **fields,
    )


def confirmation(
    *, to: Subscriber | None = None, asked_at: datetime = PUBLISHED, **fields: Any
) -> Confirmation:
    """A confirmation mail, to a new waiting subscriber unless one is given."""
    to = to or subscriber(state="waiting", joined_at=asked_at)
    return Confirmation.objects.create(subscriber=to, asked_at=asked_at, **fields)


def issue(
    *,
    about: Sequence[Tool] = (),
    kind: str = "new_verdict",
    scheduled_at: datetime | None = None,
    until: datetime = PUBLISHED + timedelta(days=6),
    **fields: Any,
) -> Issue:
    """An issue of a week, a draft unless it is scheduled, about these tools or a new one."""
    number = next(_numbers)
    row = Issue.objects.create(
        **{
            "number": number,
            "date": until.date(),
            "subject": f"Issue {number}",
            "since": until - timedelta(days=7),
            "until": until,
            "scheduled_at": scheduled_at,
        }
        | fields
    )
    tools = about or [tool()]
    if not about:
        panel(on=tools[0], ship=2, skip=1)
    for place, each in enumerate(tools, 1):
        IssueEntry.objects.create(issue=row, kind=kind, tool=each, position=place)
    return row


def frozen(row: Issue, now: datetime) -> Issue:
    """A due issue with its snapshot, in state *sending* (or *cancelled*)."""
    found = snapshot.create_snapshot(row.pk, now)
    assert found
    return found


def sent_issue(*, about: Tool | None = None, **fields: Any) -> Issue:
    """An issue that was sent to no subscriber and is in the archive."""
    moment = fields.pop("scheduled_at", PUBLISHED + timedelta(days=6))
    row = issue(about=[about] if about else (), scheduled_at=moment, **fields)
    sent = frozen(row, moment)
    sent.sent_at = moment
    sent.save(update_fields=["sent_at"])
    return sent
