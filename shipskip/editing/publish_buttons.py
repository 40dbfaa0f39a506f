"""How the buttons of a form change the moment of publication, and messages on what readers see."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from django.core.exceptions import ValidationError
from django.utils.html import format_html
from django.utils.safestring import SafeString

from shipskip.editing.moments import moment_in_words
from shipskip.editing.states import name_of, waits_for, with_verb
from shipskip.web.publishing import ALWAYS, Publishable


class Act(StrEnum):
    """How a save changes the state of a row; each act has its own button."""

    SAVE = "save"
    PUBLISH = "publish"
    SCHEDULE = "schedule"
    UNSCHEDULE = "unschedule"

    @classmethod
    def of(cls, sent: Mapping[str, object]) -> "Act":
        """The act whose button was pressed; by default a save that does not change the state."""
        return next((act for act in cls if f"_{act}" in sent), cls.SAVE)


def moment_after(
    act: Act,
    typed: datetime | None,
    stored: datetime | None,
    now: datetime,
    *,
    earlier: datetime | None = None,
) -> datetime | None:
    """Return the moment of publication after a save; only some acts use the typed date. A row that
    was withdrawn gets its `earlier` moment again when it is published.

    Raises ValidationError, with what to do instead, if the act is not possible.
    """
    is_public = stored is not None and stored <= now
    if act is Act.PUBLISH:
        return stored if is_public else earlier or now.replace(microsecond=0)
    if act is Act.SAVE:
        return _corrected(typed, stored, now) if is_public and typed else stored
    if stored is not None and is_public:
        raise ValidationError(
            f"It is public{_since(stored)}. To schedule it again, withdraw it first."
        )
    if act is Act.UNSCHEDULE:
        return None
    if typed is None:
        raise ValidationError("Enter the date to schedule it for, as in 2026-05-03 14:00.")
    if typed <= now:
        raise ValidationError(
            f"This date has passed: it is {moment_in_words(now)}. Enter a later date, or "
            "publish now."
        )
    return typed


def _corrected(typed: datetime, stored: datetime | None, now: datetime) -> datetime:
    """The corrected date of a public row, which cannot be in the future."""
    if typed > now and stored:
        raise ValidationError(
            f"It is public{_since(stored)}, and a later date would take it away from readers. To "
            "do that, withdraw it first, then schedule it."
        )
    return typed


def _since(moment: datetime) -> str:
    """Since when a row is public, in words; empty if it always was."""
    return "" if moment == ALWAYS else f" since {moment_in_words(moment)}"


def unused_date(typed: datetime | None, stored: datetime | None, now: datetime, how: str) -> str:
    """The message about a typed date that the save did not use; `how` says which button uses it."""
    if stored is not None and stored <= now:
        return f"The date was emptied, which does not withdraw: it stays public{_since(stored)}."
    unchanged = f" It stays scheduled for {moment_in_words(stored)}." if stored else ""
    if typed is None:
        return f"The date was emptied, which changes nothing.{unchanged}"
    return f"The date {moment_in_words(typed)} was not used: {how} to use it.{unchanged}"


def what_readers_see(
    row: Publishable, before: datetime | None, now: datetime, *, changed: bool
) -> SafeString:
    """Return the message on what readers see of a row that was saved at `now`.

    `before` is its previous moment of publication; `changed` is whether its page has changed.
    """
    state, moment, name = row.state(now), row.published_at, name_of(row)
    if state == "scheduled" and moment:
        verb = "is scheduled" if before != moment else "is saved and stays scheduled"
        at = moment_in_words(moment)
        return format_html("“{}” {} for {}; until then readers see nothing of it.", name, verb, at)
    if state != "public":
        if before is not None:
            text = "“{}” is removed from the schedule; readers see nothing of it."
            return format_html(text, name)
        if state == "withdrawn":
            return format_html("“{}” is saved and stays withdrawn; readers do not see it.", name)
        return format_html("“{}” is saved as a draft; readers see nothing of it.", name)
    if others := waits_for(row, now):
        return format_html("“{}” is saved; readers see it once {} public.", name, with_verb(others))
    path = row.get_absolute_url()
    link = format_html('<a href="{}">{}</a>', path, path)
    if before is None or before > now:
        return format_html("“{}” is public: {}", name, link)
    if changed:
        return format_html("Saved. Readers see the change now: {}", link)
    return format_html("Saved. What readers see has not changed: {}", link)
