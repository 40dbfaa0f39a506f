"""The choice of one row among many: a search while one types; without scripts, its name."""

from typing import Any

from django import forms
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError
from django.utils.html import format_html

BY_NAME = "-by-name"
"""What the field for a name adds to the name of the choice."""


def is_key(value: Any) -> bool:
    """Whether a value can be the primary key of a row."""
    text = str(value)
    return text.isascii() and text.isdigit() and len(text) < 19


class ChoiceByName(AutocompleteSelect):
    """Django's choice with a search, and a field for the name where there are no scripts."""

    def optgroups(self, name: str, value: Any, attr: Any = None) -> Any:
        """The chosen row; what is no key chooses none."""
        return super().optgroups(name, [row for row in value if is_key(row)], attr)

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """The name that was written, or the row that was chosen."""
        written = str(data.get(f"{name}{BY_NAME}", "")).strip()
        return written or super().value_from_datadict(data, files, name)

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> Any:
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

    def to_python(self, value: Any) -> Any:
        """The row; raises ValidationError with what would do."""
        if value in self.empty_values or not isinstance(value, str) or is_key(value):
            return super().to_python(value)
        text = value.strip()[:300].replace("\0", "")
        rows: Any = self.queryset
        found = list(rows.filter(slug=text.lower())[:1] or rows.filter(name__iexact=text)[:9])
        if len(found) == 1:
            return found[0]
        if not found:
            raise ValidationError(f"Nothing is called “{text}”: write its exact name or address.")
        addresses = ", ".join(row.slug for row in found[:8])
        raise ValidationError(
            f"Several are called “{text}”: write an address, such as {addresses}."
        )
