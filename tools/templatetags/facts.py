"""Template tags of facts and prices: answers with the numbers of their sources."""

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from shipskip.web.fragments import fragment
from tools import source_names
from tools.fact_rows import AnswerCell, ShownAnswer, SourceGroup, TableRow

register = template.Library()
A = TypeVar("A")

SHOWN = 3
"""How many answers of one cell a phone shows without opening the rest."""

_REST = '<details class="other-values"><summary>{} more</summary> {}</details>'
_REFERENCE = ' <a class="source-number" href="#source-{0}" aria-label="Source {0}">[{0}]</a>'
_LACKING = (
    ' <a class="source-number" href="#source-{0}" aria-label="Source {0} {1}">[{0} <b>{1}</b>]</a>'
)
_UNASKED = '<i aria-hidden="true">—</i><span class="visually-hidden">{}</span>'

_ROW_CLASSES = {
    (True, True): SafeString(""),
    (True, False): SafeString(' class="decision__same"'),
    (False, True): SafeString(' class="decision__more"'),
    (False, False): SafeString(' class="decision__more decision__same"'),
}
"""By whether a row is in the short table, and whether the tools differ in it."""


@register.filter
def beside(names: Sequence[str], cells: Sequence[A]) -> list[tuple[str, A]]:
    """Each cell of a row after the name of its tool, which is empty if cells do not repeat it."""
    return list(zip(names or [""] * len(cells), cells, strict=True))


@register.filter
def source_name(url: str) -> str:
    """The name of a source: `README.md in cline/cline at v3.1`."""
    return source_names.source_name(url)


@register.simple_tag
def cell(answers: AnswerCell, better: str = "better") -> SafeString:
    """The answers of a tool in one row, one below the other; a phone shows only the first and opens
    the rest on demand. `better` is the word beside the best number. Several are paragraphs, because
    clippers delete a list in a cell.
    """
    if len(answers) == 1:
        return _answer(answers[0], better)
    shown = answers[:SHOWN] if len(answers) > SHOWN + 1 else answers
    if rest := answers[len(shown) :]:
        more = format_html(_REST, len(rest), _paragraphs(rest, better))
        return format_html("{} {}", _paragraphs(shown, better), more)
    return _paragraphs(shown, better)


def _paragraphs(answers: AnswerCell, better: str) -> SafeString:
    return format_html_join(" ", "<p>{}</p>", ((_answer(each, better),) for each in answers))


def cells(row: Sequence[AnswerCell], names: Sequence[str], better: str) -> SafeString:
    """The cells of a row of answers; the names of the tools, if given, are added for print."""
    if not names:
        return SafeString(" ".join([f"<td>{cell(each, better)}</td>" for each in row]))
    named = '<td><span class="many-tools__name"><bdi>{}</bdi></span> {}</td>'
    pairs = zip(names, row, strict=True)
    return format_html_join(" ", named, ((name, cell(each, better)) for name, each in pairs))


def _answer(answer: ShownAnswer, better: str) -> SafeString:
    if not answer.is_asked:
        return _unasked(answer.words)
    return _answer_of(
        answer.words,
        answer.is_stated,
        better if answer.is_best else "",
        answer.source,
        answer.lacks,
        answer.note,
    )


@lru_cache(maxsize=1)
def _unasked(words: str) -> SafeString:
    """A dash, which a screen reader reads as these words."""
    return format_html(_UNASKED, words)


@lru_cache(maxsize=16_384)
def _answer_of(
    words: str,
    is_stated: bool,  # noqa: FBT001
    better: str,
    source: int,
    lacks: str,
    note: str,
) -> SafeString:
    parts = [format_html("<bdi>{}</bdi>" if is_stated else "<i>{}</i>", words)]
    if better:
        parts = [format_html('<b>{}</b> <small class="better">{}</small>', *parts, better)]
    if source:
        parts.append(format_html(_LACKING if lacks else _REFERENCE, source, lacks))
    if note:
        parts.append(format_html(" <small><bdi>{}</bdi></small>", note))
    return format_html_join("", "{}", ((part,) for part in parts))


@register.simple_tag
def row_classes(row: TableRow[object]) -> SafeString:
    """The classes of a row: one in which the tools do not differ is quieter, and a phone shows one
    that is not in the short table on demand.
    """
    return _ROW_CLASSES[row.is_short, row.differs]


@register.simple_tag
def row_label(row: TableRow[object]) -> SafeString:
    """The label of a row, with its help on demand."""
    return fragment("_row_label.html", label=row.label, help=row.help)


@register.simple_tag
def answer_row(row: TableRow[AnswerCell], names: Sequence[str], better: str) -> SafeString:
    """A row of answers: its label and its cells."""
    start = f'<tr{row_classes(row)}><th scope="row">{row_label(row)}</th> '
    return SafeString(f"{start}{cells(row.cells, names, better)}</tr>")


@register.simple_tag
def source_group(group: SourceGroup, *, with_tool: bool = True) -> SafeString:
    """The sources of one day, with the name of their tool if the table has several."""
    return fragment(
        "_source_group.html",
        tool=group.tool if with_tool else "",
        checked_on=group.checked_on,
        age=group.age,
        is_imported=group.is_imported,
        sources=tuple(
            (source.number, source.address, tuple(source.quotes)) for source in group.sources
        ),
    )
