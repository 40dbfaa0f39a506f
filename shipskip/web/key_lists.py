"""A model field for an ordered list of rows, stored as their primary keys."""

from typing import Any

from django.apps import apps
from django.db import models


class KeyListField(models.JSONField):
    """The primary keys of rows of another model, in order.

    `of` names that model (`tools.Tool`), `rows` the attribute of the instance with the rows
    themselves. The list stands in the row, so its history and edit conflicts include it.
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
