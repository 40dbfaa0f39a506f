"""The query strings of the API as forms: a fault is an answer with status 400 and a sentence."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from django import forms

from shipskip.content.own_panel import WEIGH_KEY
from shipskip.content.tool_filters import ToolFilterForm
from shipskip.search.query_string import Typed
from shipskip.web.filters import ChoicesField, FilterForm

T = TypeVar("T")

LIMIT, MAX_LIMIT = 50, 100
"""How many items an answer has unless `limit` says otherwise, and at most."""

MAX_FIELDS = 500
"""Maximum characters of `fields`."""


class BadRequestError(Exception):
    """Something in a query string is wrong; the message says what, as sentences."""


class FieldsForm(FilterForm):
    """`fields`: the keys of each item that are wanted, separated by commas; all without it."""

    fields = forms.CharField(required=False, max_length=MAX_FIELDS)  # type: ignore[assignment]
    page = None  # type: ignore[assignment] # a cursor instead
    refuses = True

    def is_meant(self, key: str) -> bool:
        """Whether an unknown key is a fault: all but weights, which are checked elsewhere."""
        return not key.startswith(WEIGH_KEY)

    def notice_of_key(self, key: str) -> str:
        """The sentence about an unknown key."""
        return f"“{key}” is no parameter of this address."


class PageForm(FieldsForm):
    """`limit` and `cursor` besides: a part of a list, from where the one before ended."""

    limit = forms.IntegerField(required=False, min_value=1, max_value=MAX_LIMIT)
    cursor = forms.CharField(required=False, max_length=100)

    def notice_of(self, name_of_field: str, given: str) -> str:
        """The sentence about a bad value."""
        if name_of_field == "limit":
            return f"“limit” is a number from 1 to {MAX_LIMIT}, not “{given}”."
        return super().notice_of(name_of_field, given)


class ToolsForm(ToolFilterForm):
    """The filters and orders of the page of all tools, and a part of the list."""

    fields = FieldsForm.base_fields["fields"]  # type: ignore[assignment]
    limit = PageForm.base_fields["limit"]
    cursor = PageForm.base_fields["cursor"]
    page = None  # type: ignore[assignment]
    refuses = True

    is_meant = FieldsForm.is_meant
    notice_of_key = FieldsForm.notice_of_key

    def notice_of(self, name_of_field: str, given: str) -> str:
        """The sentence about a bad value."""
        if name_of_field == "limit":
            return f"“limit” is a number from 1 to {MAX_LIMIT}, not “{given}”."
        return super().notice_of(name_of_field, given)


class TakesForm(PageForm):
    """`reviewer` and `category`, each a slug, and `since`."""

    reviewer = forms.CharField(required=False, max_length=100)
    category = forms.CharField(required=False, max_length=100)
    since = forms.DateTimeField(required=False)

    def notice_of(self, name_of_field: str, given: str) -> str:
        """The sentence about a bad value."""
        if name_of_field == "since":
            return f"“since” is a moment such as 2026-11-20T09:00:00Z, not “{given}”."
        return super().notice_of(name_of_field, given)


class ChangesForm(TakesForm):
    """`limit` and `since` alone."""

    reviewer = category = cursor = None  # type: ignore[assignment]


class SearchForm(FieldsForm):
    """`q`: what to search for."""

    q = Typed(required=False)


@dataclass(frozen=True)
class Part:
    """A part of a list: its rows, and the cursor of the next part; empty after the last."""

    rows: Sequence[Any]
    cursor: str


def checked(form: FilterForm) -> dict[str, Any]:
    """The values of a form; BadRequestError with its sentences if something is wrong."""
    chosen = form.validate()
    refuse(form.notices)
    return chosen


def refuse(sentences: Sequence[str]) -> None:
    """Raise BadRequestError if there is any sentence."""
    if sentences:
        raise BadRequestError(" ".join(sentences))


def part_of(rows: Sequence[T], chosen: Mapping[str, Any], key: Callable[[T], int]) -> Part:
    """The part of a list that `limit` and `cursor` ask for. A cursor names the last row seen by its
    key and its place, so that the next part begins after that row wherever it is by now.
    """
    start, limit = 0, chosen["limit"] or LIMIT
    if chosen.get("cursor"):
        last, place = _read(chosen["cursor"])
        if place < len(rows) and key(rows[place]) == last:
            start = place + 1
        else:
            found = (at for at, row in enumerate(rows) if key(row) == last)
            start = next(found, place) + 1
    shown = rows[start : start + limit]
    end = start + len(shown) - 1
    more = shown and end + 1 < len(rows)
    return Part(shown, _cursor(key(rows[end]), end) if more else "")


def _cursor(key: int, place: int) -> str:
    return base64.urlsafe_b64encode(json.dumps([key, place]).encode()).decode().rstrip("=")


def _read(cursor: str) -> tuple[int, int]:
    try:
        text = base64.urlsafe_b64decode(cursor.encode() + b"==")
        key, place = json.loads(text)
        if type(key) is int and type(place) is int and place >= 0:
            return key, place
    except (binascii.Error, ValueError, TypeError, RecursionError):
        pass
    raise BadRequestError("This “cursor” is none of ours: start without one.")


def only_fields(item: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """An item with the wanted keys; BadRequestError for a key that it does not have."""
    wanted = [name.strip() for name in (chosen["fields"] or "").split(",") if name.strip()]
    unknown = [name for name in wanted if name not in item]
    if unknown:
        has = ", ".join(item)
        raise BadRequestError(f"“{unknown[0][:40]}” is no field here; there are: {has}.")
    return {name: item[name] for name in wanted} if wanted else dict(item)


def parameters_of(form: type[forms.Form]) -> list[dict[str, Any]]:
    """The parameters that a form reads, as OpenAPI describes them."""
    return [
        {"name": name, "in": "query", **_described(field)}
        for name, field in form.base_fields.items()
    ]


def _described(field: forms.Field) -> dict[str, Any]:
    match field:
        case ChoicesField():
            item: dict[str, Any] = {"type": "string"}
            if field.options:
                item["enum"] = [key for key, _ in field.options]
            return {"schema": {"type": "array", "items": item}, "explode": True}
        case forms.ChoiceField():
            return {
                "schema": {
                    "type": "string",
                    "enum": [key for key, _ in cast(Sequence[tuple[str, str]], field.choices)],
                }
            }
        case forms.IntegerField():
            return {"schema": {"type": "integer", "minimum": 1, "maximum": field.max_value}}
        case forms.DateTimeField():
            return {"schema": {"type": "string", "format": "date-time"}}
    schema = {"type": "string", "maxLength": getattr(field, "max_length", None) or 200}
    return {"schema": schema}
