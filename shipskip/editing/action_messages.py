"""Messages after an action on the chosen rows: what readers see now, and what they lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeAlias

from django.contrib import messages
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from shipskip.editing.deletion_counts import MAX_NAMES, count_in_words, in_words
from shipskip.editing.publish_buttons import what_readers_see
from shipskip.editing.states import P, is_shown, name_of, waits_for, with_verb
from shipskip.web.publishing import Publishable

MAX_LINKS = 5
"""How many published rows a message names."""
Lost: TypeAlias = dict[str, list[str]]
"""What readers lose: names or addresses by a phrase such as `3 comparisons`."""


@dataclass(frozen=True)
class Withdrawal(Generic[P]):
    """Rows to withdraw with the number of public and scheduled ones, and what readers lose."""

    rows: Sequence[P]
    public: int
    scheduled: int
    gone: Lost

    @classmethod
    def of(
        cls, rows: Sequence[P], now: datetime, lost: Callable[[Sequence[P], datetime], Lost]
    ) -> "Withdrawal[P]":
        """The withdrawal of these rows as they are at `now`; `lost` says what readers lose."""
        states = [row.state(now) for row in rows]
        shown = [row for row in rows if is_shown(row, now)]
        gone = lost(shown, now) if shown else {}
        return cls(rows, states.count("public"), states.count("scheduled"), gone)


def say_published(
    request: HttpRequest,
    rows: Sequence[P],
    along: Sequence[Publishable],
    now: datetime,
) -> None:
    """Add messages about rows that were published at `now`, and those published along with them:
    what readers see, with links.
    """
    if len(rows) == 1:
        messages.success(request, what_readers_see(rows[0], None, now, changed=True))
    else:
        _say_several_published(request, rows, now)
    if along:
        number = count_in_words(len(along), along[0]._meta)
        messages.success(request, f"Published with {_them(rows)}: {number}.")


def _them(rows: Sequence[Publishable]) -> str:
    return "it" if len(rows) == 1 else "them"


def _say_several_published(request: HttpRequest, rows: Sequence[P], now: datetime) -> None:
    shown = [row for row in rows if is_shown(row, now)]
    hidden = [row for row in rows if not is_shown(row, now)]
    if shown:
        text = format_html("{}: {}", _are(shown, "public"), _links(shown))
        messages.success(request, text)
    if hidden:
        waited_for = dict.fromkeys(name for row in hidden for name in waits_for(row, now))
        others = with_verb([*waited_for][:MAX_NAMES])
        what = _are(hidden, "published")
        messages.success(request, f"{what}; readers see nothing of it until {others} public.")


def say_withdrawn(request: HttpRequest, withdrawal: Withdrawal[P]) -> None:
    """Add messages about rows that were withdrawn: what readers no longer see."""
    left = len(withdrawal.rows) - withdrawal.public - withdrawal.scheduled
    if withdrawal.public:
        gone = list(withdrawal.gone)
        lost = f"readers no longer see {in_words(gone)}" if gone else "readers did not see it"
        what = _what(withdrawal, withdrawal.public)
        messages.success(request, f"{what} withdrawn: {lost}; nothing was deleted.")
    if withdrawal.scheduled:
        what = _what(withdrawal, withdrawal.scheduled)
        messages.success(request, f"{what} removed from the schedule; readers see nothing of it.")
    if left:
        messages.info(request, f"{_what(withdrawal, left)} neither public nor scheduled.")


def _what(withdrawal: Withdrawal[P], number: int) -> str:
    """The subject and verb of a sentence: the name of its only row, or a number of rows."""
    if len(withdrawal.rows) == 1:
        return f"“{name_of(withdrawal.rows[0])}” is"
    return f"{count_in_words(number, withdrawal.rows[0]._meta)} {'is' if number == 1 else 'are'}"


def _are(rows: Sequence[P], what: str) -> str:
    return f"{count_in_words(len(rows), rows[0]._meta)} {'is' if len(rows) == 1 else 'are'} {what}"


def _links(rows: Sequence[P]) -> SafeString:
    """The names of rows as links to their pages; names after MAX_LINKS are only counted."""
    found = ((row.get_absolute_url(), name_of(row)) for row in rows[:MAX_LINKS])
    links = format_html_join(", ", '<a href="{}">{}</a>', found)
    more = len(rows) - MAX_LINKS
    return format_html("{} and {} more", links, more) if more > 0 else links
