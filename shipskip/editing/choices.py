"""The choice of one row among many: a search while one types; without scripts, its name."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.forms.renderers import BaseRenderer
from django.utils.datastructures import MultiValueDict
from django.utils.html import format_html
from django.utils.safestring import SafeString

BY_NAME = "-by-name"
"""What the field for a name adds to the name of the choice."""


def is_key(value: object) -> bool:
    """Whether a value can be the primary key of a row."""
    text = str(value)
    return text.isascii() and text.isdigit() and len(text) < 19


class ChoiceByName(AutocompleteSelect):
    """Django's choice with a search, and a field for the name where there are no scripts."""

    def format_value(self, value: object) -> list[str]:
        """The key of the chosen row; what is no key chooses none."""
        return [key for key in super().format_value(value) if is_key(key)]

    def value_from_datadict(
        self, data: Mapping[str, object], files: "MultiValueDict[str, Any]", name: str
    ) -> str | None:
        """The name that was written, or the row that was chosen."""
        written = str(data.get(f"{name}{BY_NAME}", "")).strip()
        return written or super().value_from_datadict(data, files, name)

    def render(
        self,
        name: str,
        value: object,
        attrs: dict[str, object] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        """The choice, and within `noscript` the field for a name; a refused one stays in it."""
        chosen = super().render(name, value, attrs, renderer)
        written = "" if value is None or is_key(value) else str(value)
        label = f"{name.capitalize()} by name or address"
        return format_html(
            '{}<noscript><input type="text" name="{}{}" value="{}" maxlength="300" '
            'class="vTextField" aria-label="{}" placeholder="{}"></noscript>',
            chosen,
            name,
            BY_NAME,
            written,
            label,
            label,
        )


class ChoiceByNameField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """A row by its key, its address, or its name where no other bears it."""

    def to_python(self, value: object) -> Model | None:
        """The row; raises ValidationError with what would do."""
        rows = self.queryset
        if (
            rows is None
            or value in self.empty_values
            or not isinstance(value, str)
            or is_key(value)
        ):
            chosen: Model | None = super().to_python(value)
            return chosen
        text = value.strip()[:300].replace("\0", "")
        found = list(rows.filter(slug=text.lower())[:1] or rows.filter(name__iexact=text)[:9])
        if len(found) == 1:
            only: Model = found[0]
            return only
        if not found:
            raise ValidationError(f"No row is named “{text}”: enter its exact name or address.")
        addresses = ", ".join(row.slug for row in found[:8])
        raise ValidationError(
            f"Several rows are named “{text}”: enter an address, such as {addresses}."
        )
