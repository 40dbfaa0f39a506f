"""A model field for a list of rows of another model, by their primary keys."""

from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.core.validators import MaxLengthValidator
from django.db import models

from shipskip.web.text import validate_line

Items = list[Any]
"""The items of a list: primary keys, or objects with one."""


class KeyListField(models.JSONField):
    """The primary keys of rows of another model, in order.

    `of` names that model (`tools.Tool`), `rows` the attribute of the instance with the rows
    themselves. The list is a column of the row, so its history and edit conflicts include it.
    With `item`, the names of two keys, an item is an object with the primary key of a row and a
    line of at most `longest` characters on it: `{"tool": 3, "choose_if": "…"}`.
    """

    def __init__(
        self,
        *args: Any,
        of: str,
        rows: str,
        item: tuple[str, str] | None = None,
        longest: int = 0,
        **kwargs: Any,
    ) -> None:
        self.of, self.rows, self.item, self.longest = of, rows, item, longest
        super().__init__(*args, **({"default": list} | kwargs))

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        """What a migration needs to make the field again."""
        name, path, args, kwargs = super().deconstruct()
        own: dict[str, Any] = {"of": self.of, "rows": self.rows}
        if self.item:
            own |= {"item": self.item, "longest": self.longest}
        return name, path, list(args), dict(kwargs) | own

    @property
    def row_model(self) -> type[models.Model]:
        """The model of the rows."""
        return apps.get_model(self.of)

    def keys(self, items: Items) -> list[int]:
        """The primary keys in a list."""
        return [each[self.item[0]] for each in items] if self.item else list(items)

    def as_text(self, items: Items, name: Callable[[int], str]) -> str:
        """A line for each row: its name, and the text on it if there is one."""
        texts = [each[self.item[1]] if self.item else "" for each in items]
        rows = zip(self.keys(items), texts, strict=True)
        return "\n".join(f"{name(key)}: {text}" if text else name(key) for key, text in rows)

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        """Raise ValidationError for a text that is too long, or that no page can show."""
        super().validate(value, model_instance)
        for text in [each[self.item[1]] for each in value] if self.item else ():
            validate_line(text)
            MaxLengthValidator(self.longest)(text)
