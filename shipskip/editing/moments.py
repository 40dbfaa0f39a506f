"""Date and time as one text, in the editor's own time zone and in UTC.

A form is parsed in the time zone in which it was shown, whose name is in a hidden field.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.forms.renderers import BaseRenderer
from django.forms.utils import from_current_timezone
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from django.utils.html import format_html
from django.utils.safestring import SafeString

ZONE_SUFFIX = "-zone"
"""Suffix of the name of the hidden field."""
INVALID = "Enter the whole date, as in 2026-05-03 14:00, 3.5.2026 or 3 May 2026 2 pm."
_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d %b %Y", "%d %B %Y", "%b %d %Y", "%B %d %Y")
_TIMES = ("%H:%M", "%I:%M %p", "%I:%M%p", "%I %p", "%I%p")
_WHOLE = re.compile(
    r"\d:\d\d|\d ?[ap]m|^(\d{4}([-/])\d\d?\2\d\d?|\d\d?\.\d\d?\.\d{4}|\w+ \w+ \d{4})$",
    re.ASCII | re.IGNORECASE,
)
"""What a text with a time contains, or a whole date alone: a half-typed one is no date."""


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(available_timezones() - {"Factory", "localtime"})  # not real time zones


def zone_named(name: object) -> ZoneInfo | None:
    """The time zone with an IANA name such as `Europe/Berlin`; None if there is none."""
    if not isinstance(name, str) or name not in _zone_names():
        return None
    return ZoneInfo("UTC" if name == "Etc/UTC" else name)


def moment_in_words(moment: datetime) -> str:
    """A moment in the editor's zone, as in `3 May 2026 14:00 CEST`."""
    at = timezone.localtime(moment)
    return f"{at.day} {at:%b %Y %H:%M %Z}"


def as_text(moment: datetime) -> str:
    """A moment in the editor's zone; in UTC, with that name, if its local time is ambiguous there.

    Its seconds are shown only if there are any.
    """
    local, suffix = timezone.make_naive(moment), ""
    try:
        from_current_timezone(local)
    except ValidationError:
        local, suffix = timezone.make_naive(moment, UTC), " UTC"
    return f"{local:%Y-%m-%d %H:%M:%S}".removesuffix(":00") + suffix


class MomentInput(forms.DateTimeInput):
    """Date and time as one text, with its zone and the time in UTC; a script offers a calendar.

    Not `datetime-local`: browsers submit a half-typed date of that type as an empty one.
    """

    def __init__(self, attrs: dict[str, object] | None = None) -> None:
        own = {"placeholder": "2026-05-03 14:00", "autocomplete": "off", "size": "19"}
        own["data-calendar"] = "datetime-local"
        super().__init__(own | (attrs or {}))

    def value_from_datadict(
        self, data: Mapping[str, Any], files: "MultiValueDict[str, Any]", name: str
    ) -> str | None:
        """The text; with the name of the zone that it was typed in, if that is another one now."""
        text: str | None = super().value_from_datadict(data, files, name)
        zone = zone_named(data.get(f"{name}{ZONE_SUFFIX}"))
        if not text or zone in (None, timezone.get_current_timezone()) or _split(text)[1]:
            return text
        return f"{text} {zone}"

    def render(
        self,
        name: str,
        value: object,
        attrs: dict[str, Any] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        """The text, the hidden name of the zone, and the zone and the moment in UTC beside it."""
        attrs = dict(attrs or {})
        note = f"{attrs.get('id', name)}_zone"
        attrs["aria-describedby"] = f"{attrs.get('aria-describedby', '')} {note}".strip()
        zone = timezone.get_current_timezone_name()
        hidden = forms.HiddenInput({"form": self.attrs["form"]} if "form" in self.attrs else None)
        return format_html(
            '<span class="moment" data-moment="{}">{}{} <span class="moment__zone" id="{}">{}'
            "<span data-moment-utc>{}</span></span></span>",
            zone,
            super().render(name, value, attrs, renderer),
            hidden.render(f"{name}{ZONE_SUFFIX}", zone),
            note,
            zone,
            _in_utc(value) if zone != "UTC" else "",
        )


class MomentField(forms.DateTimeField):
    """A date with its time, in the zone that the form shows or that the text names; a date alone is
    the start of that day.
    """

    widget = MomentInput
    input_formats = [*(" ".join(both) for both in product(_DATES, _TIMES)), *_DATES]
    default_error_messages = {"invalid": INVALID}

    def prepare_value(self, value: object) -> object:
        """A moment as text; a typed text stays as it is."""
        return as_text(value) if isinstance(value, datetime) else value

    def to_python(self, value: str | date | None) -> datetime | None:
        """The moment in UTC; raises ValidationError for an incomplete date, and for a local time
        that the clocks skip or repeat.
        """
        if not isinstance(value, str) or not value.strip():
            return super().to_python(value or None)
        text, zone = _split(value)
        text = " ".join(text.replace(",", " ").split())
        if not text.isascii() or not _WHOLE.search(text):
            raise ValidationError(INVALID, code="invalid")
        try:
            with timezone.override(zone or timezone.get_current_timezone()):
                moment = super().to_python(text)
        except ValidationError as error:
            if error.code != "ambiguous_timezone":
                raise
            zone = zone or zone_named(timezone.get_current_timezone_name())
            raise ValidationError(
                f"The clocks change: this time comes twice or never on this day in {zone}. "
                "Enter another time, or one in UTC, as in 2026-05-03 14:00 UTC.",
                code=error.code,
            ) from None
        # Each time zone and a catalogue can represent these years.
        if moment is None or not 2 < moment.year < 9998:
            raise ValidationError(INVALID, code="invalid")
        return moment.astimezone(UTC)


def _split(text: str) -> tuple[str, ZoneInfo | None]:
    """A text and the zone that it names at its end, if it does."""
    start, _, end = text.strip().rpartition(" ")
    zone = zone_named(end)
    return (start, zone) if zone else (text, None)


def _in_utc(value: object) -> str:
    """The moment of a text in UTC, after an equals sign; empty if there is none."""
    try:
        moment = MomentField(required=False).to_python(value if isinstance(value, str) else None)
    except ValidationError:
        return ""
    return f" = {moment.day} {moment:%b %Y %H:%M} UTC" if moment else ""
