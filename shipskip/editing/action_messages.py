"""Messages after an action on the chosen rows: what readers see now, and what they lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic

from django.contrib import messages
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from shipskip.editing.content_admin import ContentAdmin, P
from shipskip.editing.deletion_counts import MAX_NAMES, in_words
from shipskip.editing.publish_buttons import what_readers_see
from shipskip.editing.states import is_shown, name_of, waits_for, with_verb


@dataclass(frozen=True)
class Withdrawal(Generic[P]):
    """Rows to withdraw with the number of public and scheduled ones, and what readers lose."""

    rows: Sequence[P]
    public: int
    scheduled: int
    gone: Mapping[str, Sequence[str]]
    """Maps a phrase such as `3 comparisons` to the names or addresses that readers lose."""

    @classmethod
    def of(cls, screen: ContentAdmin[P], rows: Sequence[P], now: datetime) -> "Withdrawal[P]":
        """The withdrawal of these rows as they are at `now`."""
        states = [row.state(now) for row in rows]
        shown = [row for row in rows if is_shown(row, now)]
        gone = screen.lost_by_withdrawal(shown, now) if shown else {}
        return cls(rows, states.count("public"), states.count("scheduled"), gone)


def say_published(
    screen: ContentAdmin[P], request: HttpRequest, rows: Sequence[P], now: datetime
) -> None:
    """Add messages about rows that were published at `now`: what readers see, with links."""
    if len(rows) == 1:
        messages.success(request, what_readers_see(rows[0], None, now, changed=True))
        return
    shown = [row for row in rows if is_shown(row, now)]
    hidden = [row for row in rows if not is_shown(row, now)]
    if shown:
        text = format_html("{}: {}", _are(screen, shown, "public"), _links(shown))
        messages.success(request, text)
    if hidden:
        waited_for = dict.fromkeys(name for row in hidden for name in waits_for(row, now))
        others = with_verb([*waited_for][:MAX_NAMES])
        what = _are(screen, hidden, "published")
        messages.success(request, f"{what}; readers see nothing of it until {others} public.")


def say_withdrawn(screen: ContentAdmin[P], request: HttpRequest, withdrawal: Withdrawal[P]) -> None:
    """Add messages about rows that were withdrawn: what readers no longer see."""
    left = len(withdrawal.rows) - withdrawal.public - withdrawal.scheduled
    if withdrawal.public:
        gone = list(withdrawal.gone)
        lost = f"readers no longer see {in_words(gone)}" if gone else "readers did not see it"
        what = _what(screen, withdrawal, withdrawal.public)
        messages.success(request, f"{what} withdrawn: {lost}; nothing was deleted.")
    if withdrawal.scheduled:
        what = _what(screen, withdrawal, withdrawal.scheduled)
        messages.success(request, f"{what} removed from the schedule; readers see nothing of it.")
    if left:
        messages.info(request, f"{_what(screen, withdrawal, left)} neither public nor scheduled.")


def _what(screen: ContentAdmin[P], withdrawal: Withdrawal[P], number: int) -> str:
    """The subject and verb of a sentence: the name of its only row, or a number of rows."""
    if len(withdrawal.rows) == 1:
        return f"“{name_of(withdrawal.rows[0])}” is"
    return f"{screen.count_in_words(number)} {'is' if number == 1 else 'are'}"


def _are(screen: ContentAdmin[P], rows: Sequence[P], what: str) -> str:
    return f"{screen.count_in_words(len(rows))} {'is' if len(rows) == 1 else 'are'} {what}"


def _links(rows: Sequence[P]) -> SafeString:
    """The names of rows as links to their pages; names after MAX_NAMES are only counted."""
    found = ((row.get_absolute_url(), name_of(row)) for row in rows[:MAX_NAMES])
    links = format_html_join(", ", '<a href="{}">{}</a>', found)
    more = len(rows) - MAX_NAMES
    return format_html("{} and {} more", links, more) if more > 0 else links
