"""Form fields for an ordered list of rows, rearranged by buttons, and a text beside each row."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.renderers import BaseRenderer
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import SafeString, mark_safe

from shipskip.editing.foreign_key_fields import (
    BY_NAME_SUFFIX,
    ChoiceByName,
    ChoiceByNameField,
    is_key,
)
from shipskip.web.key_lists import by_name
from shipskip.web.list_order import place_after, rearranged

ACT_SUFFIX = "-act"
"""Suffix of the name of the buttons that rearrange."""
TEXT_SUFFIX = "-text"
"""Suffix of the name of the text beside a row."""
Places = list[tuple[str, str]]
"""The key, or typed name, of the row in each place, and the text beside it."""


class RowListInput(forms.Widget):
    """A choice for each row, with buttons to move, remove and add one, and beside it the field
    `text` if there is one.
    """

    text: forms.CharField | None = None
    texts: Sequence[str] = ()
    """The text beside each row that is shown."""
    act = ""
    """The pressed button, if the form is shown again because of one."""
    wants_focus = False
    """Whether the first empty choice has the focus when the page opens."""

    def __init__(self, choice: ChoiceByName, least: int, most: int, noun: str) -> None:
        super().__init__()
        self.choice, self.least, self.most, self.noun = choice, least, most, noun

    @property
    def media(self) -> forms.Media:
        """What the choices need."""
        return self.choice.media

    def id_for_label(self, id_: str) -> str:
        """The label belongs to the first choice."""
        return f"{id_}-0"

    def value_from_datadict(
        self, data: Mapping[str, Any], files: "MultiValueDict[str, Any]", name: str
    ) -> list[str]:
        """The keys, or typed names, of all places, rearranged by the pressed button."""
        return [row for row, _ in self.places(data, files, name)]

    def places(
        self, data: Mapping[str, Any], files: "MultiValueDict[str, Any]", name: str
    ) -> Places:
        """All places, rearranged by the pressed button; a text moves with its row. One place more
        than the form has is read, so that an extra row is refused and not silently dropped.
        """
        found = [
            (
                self.choice.value_from_datadict(data, files, f"{name}-{at}") or "",
                str(data.get(f"{name}-{at}{TEXT_SUFFIX}", "")).strip(),
            )
            for at in range(self.most + 1)
        ]
        while found and not any(found[-1]):
            found.pop()
        act = str(data.get(f"{name}{ACT_SUFFIX}", ""))
        if act == "add":  # an existing empty place is used for the next row
            found = [place for place in found if any(place)]
        return rearranged(found, act, ("", ""))

    def value_omitted_from_data(
        self, data: Mapping[str, Any], files: "MultiValueDict[str, Any]", name: str
    ) -> bool:
        """Whether the form was sent without this field."""
        return not any(key.startswith(f"{name}-") for key in data)

    def render(
        self,
        name: str,
        value: object,
        attrs: dict[str, Any] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        """The choices with their buttons."""
        values = [str(each) for each in value] if isinstance(value, list) else []
        values += [""] * (self.least - len(values))
        moved = place_after(self.act)
        seeks = self.wants_focus or (self.act and moved is None)
        focus = values.index("") if seeks and "" in values else -1
        rows = []
        for at, each in enumerate(values[: self.most]):
            own: dict[str, Any] = {"id": f"id_{name}-{at}", "aria-label": f"{self.noun} {at + 1}"}
            if at == focus:
                own["autofocus"] = True
            choice = self.choice.render(f"{name}-{at}", each, own, renderer)
            rows.append((choice, self._text(name, at, renderer)))
        context = {
            "name": f"{name}{ACT_SUFFIX}",
            "rows": rows,
            "text_label": self.text.label if self.text else "",
            "noun": self.noun,
            "moved": moved,
            "by": self.act.partition("-")[0],
            "full": len(rows) >= self.most,
        }
        return mark_safe(render_to_string("admin/_row_list.html", context))  # noqa: S308 - escaped

    def _text(self, name: str, at: int, renderer: BaseRenderer | None) -> str:
        """The field for the text of a place; none if the rows have no texts."""
        if self.text is None:
            return ""
        text = self.texts[at] if at < len(self.texts) else ""
        attrs = {"aria-label": f"{self.text.label}, {self.noun.lower()} {at + 1}"}
        field: SafeString = self.text.widget.render(
            f"{name}-{at}{TEXT_SUFFIX}", text, attrs, renderer
        )
        return field

    def fill_in(self, data: QueryDict, name: str, places: Places) -> None:
        """Put these rows and texts into submitted data, instead of what is there."""
        for at in range(self.most):
            for suffix in ("", BY_NAME_SUFFIX, TEXT_SUFFIX):
                data.pop(f"{name}-{at}{suffix}", None)
        data.pop(f"{name}{ACT_SUFFIX}", None)  # the places are rearranged already
        for at, (row, text) in enumerate(places):
            data[f"{name}-{at}"], data[f"{name}-{at}{TEXT_SUFFIX}"] = row, text


class RowListField(forms.Field):
    """The primary keys of rows, in order; a row may be given by its name or slug too."""

    widget: RowListInput

    def __init__(
        self, choice: ChoiceByNameField, *, least: int, most: int, noun: str, **kwargs: Any
    ):
        choice.required = False
        self.choice = choice
        super().__init__(widget=RowListInput(choice.widget, least, most, noun), **kwargs)

    def clean(self, value: Any) -> list[int]:
        """The keys of the chosen rows; raises ValidationError for each that does not exist."""
        given = [str(each) for each in value or () if each]
        rows = self.choice.queryset
        keys = [int(each) for each in given if is_key(each)]
        known: Collection[int] = rows.in_bulk(keys) if rows is not None and keys else ()
        found: list[int] = []
        faults: list[ValidationError] = []
        for each in given:
            try:
                row = None if is_key(each) and int(each) in known else self.choice.clean(each)
                found.append(row.pk if row else int(each))
            except ValidationError as error:
                faults.append(error)
        if faults:
            raise ValidationError(faults)
        if not found and self.required:
            raise ValidationError(self.error_messages["required"], code="required")
        return found

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether other rows are given, or in another order."""
        return [str(key) for key in initial or ()] != [str(each) for each in data or () if each]

    def fill_in(self, data: QueryDict, name: str, keys: Sequence[object]) -> None:
        """Put these rows into submitted data; a text stays beside its row."""
        texts = dict(self.widget.places(data, MultiValueDict(), name))
        rows = [str(key) for key in keys]
        self.widget.fill_in(data, name, [(row, texts.get(row, "")) for row in rows])

    def names(self, keys: Sequence[int]) -> str:
        """The names of the rows with these keys, a line each."""
        found = self.choice.queryset.in_bulk(keys) if self.choice.queryset is not None else {}
        return "\n".join(str(found[key]) for key in keys if key in found)


class RowTextsInput(forms.HiddenInput):
    """A widget without output: the list of the rows, called `rows_name`, shows the texts."""

    def __init__(self, rows: RowListInput, rows_name: str) -> None:
        super().__init__()
        self.rows, self.rows_name = rows, rows_name

    def value_from_datadict(
        self, data: Mapping[str, Any], files: "MultiValueDict[str, Any]", name: str
    ) -> Places:
        """The row and the text of all places, rearranged by the pressed button."""
        return self.rows.places(data, files, self.rows_name)

    def value_omitted_from_data(
        self, data: Mapping[str, Any], files: "MultiValueDict[str, Any]", name: str
    ) -> bool:
        """Whether the form was sent without the list."""
        return self.rows.value_omitted_from_data(data, files, self.rows_name)

    def render(
        self,
        name: str,
        value: object,
        attrs: dict[str, Any] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        """Nothing."""
        return SafeString()


class RowTextsField(forms.Field):
    """A text beside each row of a list, by primary key: `{"3": "…"}`, without empty ones."""

    widget: RowTextsInput

    def __init__(self, rows: RowListField, rows_name: str, text: forms.CharField, **kwargs: Any):
        self.rows, self.text = rows, text
        super().__init__(widget=RowTextsInput(rows.widget, rows_name), **kwargs)

    def prepare_value(self, value: Any) -> Any:
        """Stored texts as places."""
        return list(value.items()) if isinstance(value, dict) else value or []

    def clean(self, value: Any) -> dict[str, str]:
        """The texts; raises ValidationError for one that is invalid or has no row. The field of the
        list reports rows that do not exist.
        """
        found: dict[str, str] = {}
        for row, typed in value or ():
            text = self.text.clean(typed)
            if text and not row:
                raise ValidationError(f"Choose what “{text}” is about, or delete this text.")
            key = self.key(row) if text else ""
            if key:
                found[key] = text
        return found

    def key(self, row: str) -> str:
        """The primary key of a row that is given by key or name; empty if there is none."""
        if is_key(row):
            return str(int(row))
        try:
            return str(self.rows.choice.clean(row).pk)
        except ValidationError:
            return ""

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether the texts differ."""
        try:
            return self.clean(data) != (initial or {})
        except ValidationError:
            return True

    def fill_in(self, data: QueryDict, name: str, places: Places) -> None:
        """Put the texts of these places beside the submitted rows."""
        texts = dict(places)
        submitted = self.widget.value_from_datadict(data, MultiValueDict(), name)
        rows = [(row, texts.get(self.key(row), "")) for row, _ in submitted]
        self.rows.widget.fill_in(data, self.widget.rows_name, rows)

    def names(self, texts: Mapping[str, str]) -> str:
        """The names of the rows with their texts, a line each."""
        rows = self.rows.choice.queryset
        found = rows.in_bulk(map(int, texts)) if rows is not None else {}
        return by_name((found.get(int(key), "—"), text) for key, text in texts.items())
