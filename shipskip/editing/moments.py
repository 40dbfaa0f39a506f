"""Date and 24-hour time as one text, in the editor's own time zone and in UTC.

A form is parsed in the time zone in which it was shown, whose name is in a hidden field.
"""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, tzinfo
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.core.exceptions import ValidationError
from django.forms.renderers import BaseRenderer
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html
from django.utils.safestring import SafeString

ZONE_SUFFIX = "-zone"
"""Suffix of the name of the hidden field."""
INVALID = "Enter the whole date and the time, as in 2026-05-03 14:00 (24 hours)."
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?", re.ASCII)


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


class ZonedText(str):
    """A typed or shown date and time, with the name of the zone that it is in."""

    __slots__ = ("zone",)
    zone: str

    @classmethod
    def of(cls, text: str, zone: str) -> "ZonedText":
        """This text in this zone."""
        zoned = cls(text)
        zoned.zone = zone
        return zoned


def as_text(moment: datetime) -> ZonedText:
    """A moment in the editor's zone; in UTC if its local time is ambiguous there.

    Its seconds are shown only if there are any.
    """
    zone: tzinfo = timezone.get_current_timezone()
    local = moment.astimezone(zone)
    if _offsets(local.replace(tzinfo=None), zone) != 1:
        zone, local = ZoneInfo("UTC"), moment.astimezone(UTC)
    return ZonedText.of(f"{local:%Y-%m-%d %H:%M:%S}".removesuffix(":00"), str(zone))


def read_moment(text: str) -> datetime:
    """The moment in UTC that a text means in its own zone, else in the editor's.

    Raises ValidationError for an incomplete date, and for a local time that does not exist or is
    ambiguous in the zone.
    """
    try:
        naive = parse_datetime(text.strip()) if _MOMENT.fullmatch(text.strip()) else None
        if naive is None:
            raise ValueError
        zone = zone_named(getattr(text, "zone", "")) or timezone.get_current_timezone()
        moment = naive.replace(tzinfo=zone).astimezone(UTC)
        if not 1 < moment.year < 9999:  # so that each time zone and a catalogue can represent it
            raise ValueError
        offsets = _offsets(naive, zone)
    except (ValueError, OverflowError):
        raise ValidationError(INVALID, code="invalid") from None
    if offsets != 1:
        how = "comes twice" if offsets else "never comes"
        raise ValidationError(
            f"The clocks change: {naive:%H:%M} {how} on this day in {zone}. Enter another time.",
            code="clock_change",
        )
    return moment


def _offsets(naive: datetime, zone: tzinfo) -> int:
    """How many moments a local time is: none or two where the clocks change."""
    both = (naive.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return len({at for at in both if at.astimezone(zone).replace(tzinfo=None, fold=0) == naive})


class MomentInput(forms.DateTimeInput):
    """Date and 24-hour time as one text, `2026-05-03 14:00`, with its zone and the time in UTC.

    Not `datetime-local`: browsers submit a half-typed date of that type as an empty one.
    """

    def __init__(self, attrs: dict[str, object] | None = None) -> None:
        own = {"placeholder": "2026-05-03 14:00", "autocomplete": "off", "size": "19"}
        super().__init__(own | (attrs or {}))

    def format_value(self, value: object) -> str | None:
        """The text as it is."""
        return str(value) if value else None

    def value_from_datadict(
        self, data: Mapping[str, Any], files: "MultiValueDict[str, Any]", name: str
    ) -> str | None:
        """The text with the zone that it was typed in."""
        text = super().value_from_datadict(data, files, name)
        return text and ZonedText.of(text, str(data.get(f"{name}{ZONE_SUFFIX}", "")))

    def render(
        self,
        name: str,
        value: object,
        attrs: dict[str, Any] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        """The text, the hidden name of its zone, and the zone and the moment in UTC beside it."""
        attrs = dict(attrs or {})
        note = f"{attrs.get('id', name)}_zone"
        attrs["aria-describedby"] = f"{attrs.get('aria-describedby', '')} {note}".strip()
        zone = str(zone_named(getattr(value, "zone", "")) or timezone.get_current_timezone())
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


def _in_utc(value: object) -> str:
    """The moment of a text in UTC, after an equals sign; empty if there is none."""
    try:
        moment = read_moment(value) if isinstance(value, str) else None
    except ValidationError:
        return ""
    return f" = {moment.day} {moment:%b %Y %H:%M} UTC" if moment else ""


class MomentField(forms.DateTimeField):
    """A date with its time, in the zone that the form shows; all other input is refused."""

    widget = MomentInput

    def prepare_value(self, value: object) -> object:
        """A moment as text with its zone; a typed text stays as it is."""
        return as_text(value) if isinstance(value, datetime) else value

    def to_python(self, value: str | date | None) -> datetime | None:
        """The moment in UTC; raises ValidationError that says what to enter."""
        if isinstance(value, str):
            return read_moment(value) if value.strip() else None
        return super().to_python(value)
