"""What goes with rows that are deleted: counted by kind, never loaded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db import models


@dataclass(frozen=True)
class Loss:
    """So many rows of a kind that go with what is deleted; `weighty` ones must be confirmed."""

    count: int
    one: str
    many: str
    weighty: bool = False
    deleted: int = 0
    """How many of them are deleted themselves, and can still be brought back."""

    def __str__(self) -> str:
        told = f"{self.count:,} {self.one if self.count == 1 else self.many}"
        return f"{told} ({self.deleted:,} of them deleted)" if self.deleted else told


def dependents(rows: Sequence[models.Model], rule: object) -> Iterator[Loss]:
    """What refers to these rows of one model under a rule of deletion (`models.CASCADE`), counted;
    two queries a relation.
    """
    if not rows:
        return
    for relation in rows[0]._meta.get_fields(include_hidden=True):
        if isinstance(relation, models.ForeignObjectRel) and relation.on_delete is rule:
            model, options = relation.related_model, relation.related_model._meta
            found = model._base_manager.filter(**{f"{relation.field.name}__in": rows})
            if count := found.count():
                there = model._default_manager.filter(pk__in=found.values("pk")).count()
                names = str(options.verbose_name), str(options.verbose_name_plural)
                yield Loss(count, *names, deleted=count - there)


def in_words(parts: list[str]) -> str:
    """A list as in `2 votes, 1 take and 3 bookmarks`."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
