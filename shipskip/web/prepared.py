"""Queries that are put into SQL once a process, and run with other values each time.

A page asks the same questions with every request. To build and compile a queryset costs five to
ten times as much of the processor as to run it and to make its rows.
"""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import wraps
from itertools import chain, count
from typing import Any, ParamSpec, TypeVar

from django.db import connections
from django.db.models import Field, Model, QuerySet, Value
from django.db.models.query import ModelIterable
from django.db.transaction import TransactionManagementError

P = ParamSpec("P")
M = TypeVar("M", bound=Model)


class _Slot(Value):
    """Stands in a queryset for the value of this number, and is its own parameter."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        return "%s", [self]


@dataclass(frozen=True)
class _Statement:
    """A queryset in SQL, with slots among its parameters."""

    compiler: Any
    sql: str
    parameters: Sequence[Any]

    def rows(self, values: Sequence[Any]) -> "QuerySet[Any]":
        """The queryset with these values in its slots; it need not be compiled to be read."""
        compiler, query = copy(self.compiler), copy(self.compiler.query)
        connection = connections[compiler.using]
        if query.select_for_update and connection.get_autocommit():
            raise TransactionManagementError("Rows are locked in a transaction only.")
        parameters = tuple(
            each.output_field.get_db_prep_value(values[each.value], connection)
            if isinstance(each, _Slot)
            else each
            for each in self.parameters
        )
        compiler.connection, compiler.as_sql = connection, lambda: (self.sql, parameters)
        query.get_compiler = lambda using: compiler
        return QuerySet(query.model, query, compiler.using)


def prepared(
    *fields: "Field[Any, Any]",
) -> Callable[[Callable[P, "QuerySet[M]"]], Callable[P, list[M]]]:
    """Turn a function that composes a queryset into one that answers with its rows; one query.

    `fields` say of which type each argument is, or each item of one that is a list; arguments are
    given by position. The function gets stand-ins for them: it may put them into filters (of a
    relation by its `__pk`), and must not look at them, nor at a clock or a setting. Raises
    ValueError for rows that prefetch others or are no models, and TransactionManagementError for
    those that lock outside a transaction.
    """

    def decorate(words: Callable[P, "QuerySet[M]"]) -> Callable[P, list[M]]:
        statements: dict[tuple[int, ...], _Statement] = {}

        @wraps(words)
        def ask(*args: P.args, **kwargs: P.kwargs) -> list[M]:
            shape = tuple(len(each) if isinstance(each, list) else -1 for each in args)
            if 0 in shape:  # which may need no query at all
                return list(words(*args, **kwargs))
            if shape not in statements:
                statements[shape] = _compiled(words(*_stand_ins(fields, shape), **kwargs))
            lists = (each if isinstance(each, list) else [each] for each in args)
            return list(statements[shape].rows([*chain(*lists)]))

        return ask

    return decorate


def _stand_ins(fields: Sequence["Field[Any, Any]"], shape: Sequence[int]) -> Iterator[Any]:
    """Slots for these arguments, numbered; the length of one that is no list is -1."""
    number = count()
    for field, length in zip(fields, shape, strict=True):
        slots = [_Slot(next(number), field) for _ in range(abs(length))]
        yield slots if length > 0 else slots[0]


def _compiled(rows: Any) -> _Statement:
    if rows._iterable_class is not ModelIterable or rows._prefetch_related_lookups:
        raise ValueError("Only rows of a model that prefetch nothing can be prepared.")
    compiler = rows.query.get_compiler(rows.db)
    return _Statement(compiler, *compiler.as_sql())
