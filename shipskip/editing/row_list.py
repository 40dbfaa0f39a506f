"""A form field for an ordered list of rows: a choice for each, and buttons that rearrange them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.renderers import BaseRenderer
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import SafeString, mark_safe

from shipskip.editing.choices import BY_NAME, ChoiceByName, ChoiceByNameField, is_key
from shipskip.web.list_order import place_after, rearranged

ACT = "-act"
"""Suffix of the name of the buttons that rearrange."""


class RowListInput(forms.Widget):
    """A choice for each row, with buttons to move, remove and add one."""

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
        places = [f"{name}-{at}" for at in range(self.most)]
        found = [self.choice.value_from_datadict(data, files, place) or "" for place in places]
        while found and not found[-1]:
            found.pop()
        act = str(data.get(f"{name}{ACT}", ""))
        if act == "add":  # what is empty already is where the next one goes
            found = [value for value in found if value]
        return rearranged(found, act)

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
            rows.append(self.choice.render(f"{name}-{at}", each, own, renderer))
        context = {
            "name": f"{name}{ACT}",
            "rows": rows,
            "noun": self.noun,
            "moved": moved,
            "by": self.act.partition("-")[0],
            "full": len(rows) >= self.most,
        }
        return mark_safe(render_to_string("admin/_row_list.html", context))  # noqa: S308 - escaped

    def fill_in(self, data: QueryDict, name: str, keys: Sequence[object]) -> None:
        """Put these keys into submitted data, instead of what is there."""
        for at in range(self.most):
            data.pop(f"{name}-{at}", None)
            data.pop(f"{name}-{at}{BY_NAME}", None)
        for at, key in enumerate(keys):
            data[f"{name}-{at}"] = str(key)


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
        """The keys of the chosen rows; raises ValidationError for each that is not there."""
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
            except ValidationError as fault:
                faults.append(fault)
        if faults:
            raise ValidationError(faults)
        if not found and self.required:
            raise ValidationError(self.error_messages["required"], code="required")
        return found

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether other rows are given, or in another order."""
        return [str(key) for key in initial or ()] != [str(each) for each in data or () if each]

    def names(self, keys: Sequence[int]) -> str:
        """The names of the rows with these keys, a line each."""
        found = self.choice.queryset.in_bulk(keys) if self.choice.queryset is not None else {}
        return "\n".join(str(found[key]) for key in keys if key in found)
