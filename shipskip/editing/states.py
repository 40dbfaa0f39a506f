"""The state of a row in the admin: as text, and as a list filter."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from shipskip.editing.moments import moment_in_words
from shipskip.web.publishing import ALWAYS, Publishable, PublishedQuerySet

P = TypeVar("P", bound=Publishable)
R = TypeVar("R", bound="QuerySet[Any]")

STATES = {
    "draft": "Draft",
    "scheduled": "Scheduled",
    "public": "Public",
    "withdrawn": "Withdrawn",
}


def name_of(row: object) -> str:
    """The name of a row for a heading or a message, without a tagline; without one, its text."""
    return str(getattr(row, "labelled_name", getattr(row, "name", row)))


def waits_for(row: Publishable, now: datetime) -> list[str]:
    """The names of the rows that are not public and keep readers from seeing this one."""
    return [name_of(each) for each in row.required_rows if each.state(now) != "public"]


def is_shown(row: Publishable, now: datetime) -> bool:
    """Whether readers see a row: it is public, and so is all that it needs."""
    return row.state(now) == "public" and not waits_for(row, now)


def with_verb(names: Sequence[str]) -> str:
    """Names as the subject of a sentence: `A is`, `A and B are`."""
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'}"


def state_in_words(row: Publishable) -> str:
    """The state with its date, as in `Public since 3 May 2026 09:00`. A public row that needs one
    that is not public is hidden: `Hidden: Alpha is not public`.
    """
    return " ".join(filter(None, state_and_date(row)))


def state_and_date(row: Publishable) -> tuple[str, str]:
    """The state in words and its date, which may be empty."""
    now = timezone.now()
    state = row.state(now)
    if state == "public" and (others := waits_for(row, now)):
        return f"Hidden: {with_verb(others)} not public", ""
    moment = row.withdrawn_at if state == "withdrawn" else row.published_at
    if moment is None or moment == ALWAYS:
        return STATES[state], ""
    since = "from" if state == "scheduled" else "since"
    return f"{STATES[state]} {since}", moment_in_words(moment)


def in_state(rows: R, state: str | None, now: datetime) -> R:
    """The rows in a state at `now`, by their own dates only; all without a known state."""
    if not isinstance(rows, PublishedQuerySet) or state not in STATES:
        return rows
    found: dict[str, Any] = {
        "draft": rows.draft(),
        "scheduled": rows.scheduled(now),
        "public": rows.filter(published_at__lte=now),
        "withdrawn": rows.withdrawn(),
    }
    chosen: R = found[state]
    return chosen


class StateFilter(admin.SimpleListFilter):
    """Filter a list by draft, scheduled, public and withdrawn."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[P]") -> list[tuple[str, str]]:
        return list(STATES.items())

    def queryset(self, request: HttpRequest, queryset: "QuerySet[P]") -> "QuerySet[P]":
        return in_state(queryset, self.value(), timezone.now())
