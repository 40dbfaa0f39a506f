"""Export all data stored about one subscriber, for the address's owner."""

from datetime import datetime

from shipskip.newsletter.models import Subscriber


def export(subscriber: Subscriber) -> dict[str, object]:
    """The subscriber's data as JSON values; times are UTC in ISO 8601."""
    return {
        "format": "shipskip-subscriber/1",
        "address": subscriber.address,
        "compared_as": subscriber.normalised,
        "state": subscriber.state,
        "joined": _moment(subscriber.joined_at),
        "confirmed": _moment(subscriber.confirmed_at),
        "ended": _moment(subscriber.ended_at),
        "ended_why": subscriber.ended_why,
        "confirmation_mails": [
            {"asked": _moment(row.asked_at), "sent": _moment(row.sent_at)}
            for row in subscriber.confirmations.order_by("asked_at")
        ],
        "issues": [
            {
                "issue": str(row.issue.date),
                "state": row.state,
                "attempts": row.attempts,
                "finished": _moment(row.finished_at),
                "reason": row.reason,
            }
            for row in subscriber.deliveries.select_related("issue").order_by("issue__date")
        ],
        "seen_at_the_desk": [
            {"act": row.act, "at": _moment(row.at)} for row in subscriber.looks.order_by("at")
        ],
    }


def _moment(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
