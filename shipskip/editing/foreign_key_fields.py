"""Foreign-key fields: autocomplete, or a text field for the name without JavaScript."""

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

BY_NAME_SUFFIX = "-by-name"
"""Suffix of the name of the text field."""


def is_key(value: object) -> bool:
    """Whether a value can be a primary key."""
    text = str(value)
    return text.isascii() and text.isdigit() and len(text) < 19


class ChoiceByName(AutocompleteSelect):
    """Django's autocomplete widget, with a text field for the name without JavaScript."""

    def format_value(self, value: object) -> list[str]:
        """The key of the selected row; empty for a value that is not a key."""
        return [key for key in super().format_value(value) if is_key(key)]

    def value_from_datadict(
        self, data: Mapping[str, object], files: "MultiValueDict[str, Any]", name: str
    ) -> str | None:
        """The typed name, else the selected row."""
        written = str(data.get(f"{name}{BY_NAME_SUFFIX}", "")).strip()
        return written or super().value_from_datadict(data, files, name)

    def render(
        self,
        name: str,
        value: object,
        attrs: dict[str, object] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        """The select and, in `noscript`, the text field, which keeps an invalid name."""
        chosen = super().render(name, value, attrs, renderer)
        written = "" if value is None or is_key(value) else str(value)
        own = self.attrs | (attrs or {})
        label = f"{own.get('aria-label', name.capitalize())} by name or address"
        return format_html(
            '{}<noscript><input type="text" name="{}{}" value="{}" maxlength="300" '
            'class="vTextField" aria-label="{}" placeholder="{}"></noscript>',
            chosen,
            name,
            BY_NAME_SUFFIX,
            written,
            label,
            label,
        )


class ChoiceByNameField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """A row by its key, slug or unique name."""

    known: Mapping[int, Model] = {}
    """Rows that are loaded already, by key."""

    def to_python(self, value: object) -> Model | None:
        """The row; raises ValidationError that says what to enter."""
        rows = self.queryset
        if is_key(value) and int(str(value)) in self.known:
            return self.known[int(str(value))]
        if (
            rows is None
            or value in self.empty_values
            or not isinstance(value, str)
            or is_key(value)
        ):
            return self._by_key(value)
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

    def _by_key(self, value: object) -> Model | None:
        """The row with this key; raises ValidationError that says so if it was deleted."""
        try:
            chosen: Model | None = super().to_python(value)
        except ValidationError:
            opts = self.queryset.model._meta  # type: ignore[union-attr]  # a form has its rows
            raise ValidationError(
                f"This {opts.verbose_name} was deleted: choose another, or bring it back from "
                f"“Deleted {opts.verbose_name_plural}”.",
                code="invalid_choice",
            ) from None
        return chosen
