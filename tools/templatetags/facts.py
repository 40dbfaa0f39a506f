"""Template tags of facts and prices: answers with the numbers of their sources."""

from collections.abc import Sequence
from typing import TypeVar

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from tools.fact_rows import AnswerCell, ShownAnswer

register = template.Library()
A = TypeVar("A")
B = TypeVar("B")

SHOWN = 3
"""How many answers of one cell a phone shows without opening the rest."""

_REST = '<details class="more-values"><summary>{} more</summary>{}</details>'
_REFERENCE = '<a class="source-number" href="#source-{0}" aria-label="Source {0}">{0}</a>'


@register.filter
def beside(columns: Sequence[A], cells: Sequence[B]) -> list[tuple[A, B]]:
    """Each column of a table with its cell in one row."""
    return list(zip(columns, cells, strict=True))


@register.simple_tag
def cell(answers: AnswerCell, better: str = "better") -> SafeString:
    """The answers of a tool in one row, one below the other; a phone shows only the first and opens
    the rest on demand. `better` is the word beside the best number.
    """
    if len(answers) == 1:
        return _answer(answers[0], better)
    shown = answers[:SHOWN] if len(answers) > SHOWN + 1 else answers
    parts = [_list(shown, better)]
    if rest := answers[len(shown) :]:
        parts.append(format_html(_REST, len(rest), _list(rest, better)))
    return format_html_join("", "{}", ((part,) for part in parts))


def _list(answers: AnswerCell, better: str) -> SafeString:
    items = ((_answer(each, better),) for each in answers)
    return format_html(
        '<ul class="fact-values">{}</ul>', format_html_join("", "<li>{}</li>", items)
    )


@register.simple_tag
def cells(row: Sequence[AnswerCell], names: Sequence[str], better: str) -> SafeString:
    """The cells of a row of answers; the names of the tools, if given, are added for print."""
    if not names:
        return format_html_join("", "<td>{}</td>", ((cell(each, better),) for each in row))
    named = '<td><span class="many-tools__name"><bdi>{}</bdi></span>{}</td>'
    pairs = zip(names, row, strict=True)
    return format_html_join("", named, ((name, cell(each, better)) for name, each in pairs))


def _answer(answer: ShownAnswer, better: str) -> SafeString:
    parts = [format_html("<bdi>{}</bdi>", answer.words)]
    if not answer.is_stated:
        parts = [format_html("<i>{}</i>", answer.words)]
    if answer.is_best:
        parts = [format_html('<b>{}</b> <small class="better">{}</small>', *parts, better)]
    if answer.source:
        parts.append(format_html(_REFERENCE, answer.source))
    if answer.note:
        parts.append(format_html(" <small><bdi>{}</bdi></small>", answer.note))
    return format_html_join("", "{}", ((part,) for part in parts))
