"""Model fields for rows of another model, by their primary keys: a list, and texts on them."""

from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.core.validators import MaxLengthValidator
from django.db import models

from shipskip.web.text import validate_line


class KeyListField(models.JSONField):
    """The primary keys of rows of another model, in order.

    `of` names that model (`tools.Tool`), `rows` the attribute of the instance with the rows
    themselves. The list is a column of the row, so its history and edit conflicts include it.
    """

    def __init__(self, *args: Any, of: str, rows: str, **kwargs: Any) -> None:
        self.of, self.rows = of, rows
        super().__init__(*args, **({"default": list} | kwargs))

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        """What a migration needs to make the field again."""
        name, path, args, kwargs = super().deconstruct()
        return name, path, list(args), dict(kwargs) | {"of": self.of, "rows": self.rows}

    @property
    def row_model(self) -> type[models.Model]:
        """The model of the rows."""
        return apps.get_model(self.of)


class KeyTextsField(models.JSONField):
    """A line of text on some rows of another model, by their primary keys: `{"3": "…"}`.

    `of` names that model; each text has at most `longest` characters and is not empty.
    """

    def __init__(self, *args: Any, of: str, longest: int, **kwargs: Any) -> None:
        self.of, self.longest = of, longest
        defaults: dict[str, Any] = {"default": dict, "blank": True}
        super().__init__(*args, **(defaults | kwargs))

    def deconstruct(self) -> tuple[str, str, list[Any], dict[str, Any]]:
        """What a migration needs to make the field again."""
        name, path, args, kwargs = super().deconstruct()
        return name, path, list(args), dict(kwargs) | {"of": self.of, "longest": self.longest}

    def validate(self, value: Any, model_instance: models.Model | None) -> None:
        """Raise ValidationError for a text that is too long, or that no page can show."""
        super().validate(value, model_instance)
        for text in value.values():
            validate_line(text)
            MaxLengthValidator(self.longest)(text)

    @property
    def row_model(self) -> type[models.Model]:
        """The model of the rows."""
        return apps.get_model(self.of)


def by_name(texts: Iterable[tuple[object, str]]) -> str:
    """A line for each row and the text on it, sorted, so that only a changed text differs."""
    return "\n".join(sorted(f"{row}: {text}" for row, text in texts))
