"""A list of objects in a JSON column as a form field: one of Django's formsets.

The fields of the formset's form have the names of the objects' keys.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.formsets import (
    DELETION_FIELD_NAME,
    INITIAL_FORM_COUNT,
    ORDERING_FIELD_NAME,
    TOTAL_FORM_COUNT,
    BaseFormSet,
)
from django.forms.renderers import BaseRenderer
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import SafeString, mark_safe

Items = list[dict[str, Any]]

if TYPE_CHECKING:
    Forms = BaseFormSet[forms.Form]
else:
    Forms = BaseFormSet  # it takes no type parameters at run time


class FormList(Forms):
    """A form for each object; an empty one is none."""

    noun = "Row"
    min_shown = 2
    """How many forms are shown unfolded at least."""
    max_num: int

    def items(self) -> Items:
        """The objects in their order; raises ValidationError for one that is incomplete."""
        raise NotImplementedError

    def add_fields(self, form: forms.Form, index: int | None) -> None:
        """Label the fields of each form for screen readers."""
        super().add_fields(form, index)
        row = self.noun.lower() if index is None else f"{self.noun.lower()} {index + 1}"
        form.fields[ORDERING_FIELD_NAME].label = "Place"
        form.fields[DELETION_FIELD_NAME].label = "Remove"
        for field in form.fields.values():
            label = row.capitalize() if field.label == self.noun else f"{field.label}, {row}"
            field.widget.attrs["aria-label"] = label

    @property
    def shown(self) -> list[forms.Form]:
        """The forms up to the last one with a value."""
        return self.forms[: self._shown]

    @property
    def folded(self) -> list[forms.Form]:
        """The others, for more objects."""
        return self.forms[self._shown :]

    @property
    def _shown(self) -> int:
        filled = [at for at, form in enumerate(self.forms, 1) if not is_empty(form)]
        return max([self.min_shown, *filled])


def is_empty(form: forms.Form) -> bool:
    """Whether a form of a list shows no value."""
    return not any(form[name].value() for name in form.base_fields)


class FormListInput(forms.Widget):
    """The forms of a list; those that are not needed yet are folded."""

    wants_focus = False
    """Whether the first empty form has the focus when the page opens."""

    def __init__(self, formset: type[FormList]) -> None:
        super().__init__()
        self.formset = formset

    @property
    def media(self) -> forms.Media:
        return self.formset().media

    def id_for_label(self, id_: str) -> str:
        """The label belongs to the first field of the first form."""
        return f"{id_}-0-{next(iter(self.formset.form.base_fields))}"

    def value_from_datadict(
        self, data: Mapping[str, Any], files: "MultiValueDict[str, Any]", name: str
    ) -> FormList:
        return self.formset(data, prefix=name)

    def value_omitted_from_data(
        self, data: Mapping[str, Any], files: "MultiValueDict[str, Any]", name: str
    ) -> bool:
        return f"{name}-{TOTAL_FORM_COUNT}" not in data

    def render(
        self,
        name: str,
        value: Any,
        attrs: dict[str, Any] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        if not isinstance(value, FormList):
            value = self.formset(initial=value or [], prefix=name)
        empty = [form for form in value.shown if is_empty(form)]
        if self.wants_focus and empty:
            next(iter(empty[0].fields.values())).widget.attrs["autofocus"] = True
        html = render_to_string("admin/_form_list.html", {"formset": value})
        return mark_safe(html)  # noqa: S308 - escaped


class FormListField(forms.Field):
    """The objects of a formset; `as_text` gives them a line each."""

    widget: FormListInput

    def __init__(
        self, formset: type[FormList], as_text: Callable[[Items], str], **kwargs: Any
    ) -> None:
        self.as_text = as_text
        super().__init__(widget=FormListInput(formset), **kwargs)

    def clean(self, value: Any) -> Items:
        """The objects; raises ValidationError with the errors of all forms."""
        if not isinstance(value, FormList):
            return list(value or [])
        if not value.is_valid():
            errors = [fault for form in value.forms for fault in form.errors.values()]
            faults = [text for texts in errors for text in texts]
            raise ValidationError([*faults, *value.non_form_errors()])
        found = value.items()
        if not found and self.required:
            raise ValidationError(self.error_messages["required"], code="required")
        return found

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether other objects are given, or in another order."""
        try:
            return self.clean(data) != (initial or [])
        except ValidationError:
            return True

    def typed(self, value: Any) -> str:
        """What was typed into forms with errors, a line for each form."""
        if not isinstance(value, FormList):
            return ""
        rows = [[form[name].value() for name in form.base_fields] for form in value.forms]
        return "\n".join(" ".join(str(each) for each in row if each) for row in rows if any(row))

    def fill_in(self, data: QueryDict, name: str, items: Sequence[Mapping[str, Any]]) -> None:
        """Put these objects into submitted data, instead of what is there."""
        for key in [key for key in data if key.startswith(f"{name}-")]:
            del data[key]
        data[f"{name}-{TOTAL_FORM_COUNT}"] = str(self.widget.formset.max_num)
        data[f"{name}-{INITIAL_FORM_COUNT}"] = "0"
        for at, item in enumerate(items):
            for key, value in {**item, ORDERING_FIELD_NAME: at + 1}.items():
                data[f"{name}-{at}-{key}"] = str(value)
