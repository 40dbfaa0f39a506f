"""How many of the public rows use the words of a query."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from shipskip.search.candidates import counts, dialect
from shipskip.search.models import SearchKind
from shipskip.search.queries import Query, Reach, Unit, Usage, unit_condition

MAX_COUNTED = 500
"""A word of more tools is as frequent as one of this many: counting takes time."""


def with_usages(query: Query, kinds: Sequence[str], now: datetime | None) -> Query:
    """The same query with the usage of each of its words; two statements at most."""
    tools = counts([_tools_with(unit) for unit in query.units], now, MAX_COUNTED)
    rare = [unit for unit, number in zip(query.units, tools, strict=True) if not number]
    elsewhere = iter(counts([_rows_with(unit, kinds) for unit in rare], now, 1))
    usages = [Usage(number, bool(number or next(elsewhere))) for number in tools]
    return replace(query, usages=tuple(usages))


def _tools_with(unit: Unit) -> str:
    """The condition on tools with an alternative of a unit that is no prefix, or with any."""
    whole = tuple(terms for terms in unit if not any(term.is_prefix for term in terms))
    return _rows_with(whole or unit, [SearchKind.TOOL])


def _rows_with(unit: Unit, kinds: Sequence[str]) -> str:
    syntax = dialect()
    of_kinds = syntax.any(syntax.term(f"d{kind}") for kind in kinds)
    return syntax.every([unit_condition(unit, Reach.EVERYTHING, syntax), of_kinds])
