"""The grid of a category: a row for each tool, a column for each attribute, a text in each cell.

No requests and no queries here.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.functional import cached_property

from shipskip.editing.edit_conflicts import Versions, is_same
from shipskip.editing.fields import QuoteInput
from shipskip.web.text import validate_line, validate_web_address
from tools.fact_values import (
    NO_ADDRESS,
    NO_SOURCE_READ,
    NOT_APPLICABLE_CELL,
    NOT_STATED_CELL,
    AttributeKind,
    FactAnswer,
    answer_as_text,
    parse_answer,
)
from tools.fact_writing import FactEdit, FactKey, answer_fields
from tools.models import Attribute, Fact, Tool
from tools.models.sources import LONGEST_QUOTE, validate_past_day, validate_without_tracking

MAX_TOOLS = 25
MAX_CELLS = 230
"""Maximum cells of a page: each has a text, a version and two checkboxes, and Django accepts 1,000
fields."""


def page_size(attributes: Sequence[Attribute]) -> int:
    """How many tools a page of the grid shows."""
    return min(MAX_TOOLS, max(1, MAX_CELLS // max(1, len(attributes))))


class GridForm(forms.Form):
    """The tools of the page, and a source for all changes.

    The texts, versions and checkboxes of the cells are read by their names, not as form fields.
    """

    tools = forms.CharField(widget=forms.HiddenInput, required=False)
    source = forms.CharField(
        required=False,
        max_length=500,
        label="Source of what you save now",
        help_text="One address for every changed or ticked cell; empty keeps their sources.",
        validators=[validate_web_address, validate_without_tracking],
        widget=forms.URLInput({"placeholder": "https://…", "class": "vLargeTextField"}),
    )
    quote = forms.CharField(
        required=False,
        max_length=LONGEST_QUOTE,
        label="Its words",
        help_text="Empty: the words of a new answer or another source are not recorded.",
        validators=[validate_line],
        widget=QuoteInput,
    )
    checked_on = forms.DateField(
        required=False,
        label="Checked on",
        validators=[validate_past_day],
        widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"),
    )

    def clean(self) -> dict[str, Any]:
        """Refuse words without an address."""
        cleaned = super().clean() or {}
        if cleaned.get("quote") and cleaned.get("source") == "":
            self.add_error("source", NO_ADDRESS)
        return cleaned

    @property
    def tool_keys(self) -> list[int]:
        """The primary keys of the page's tools."""
        found = re.findall(r"[0-9]{1,18}", str(self.data.get("tools", ""))[:5_000])
        return [int(key) for key in found[:MAX_TOOLS]]


@dataclass
class GridCell:
    """One tool's answer to one attribute, as stored and as shown."""

    tool: Tool
    attribute: Attribute
    fact: Fact | None
    text: str
    """The text in the input."""
    history_id: str
    """The key of the newest version of the fact when the page was opened; empty without a fact."""
    is_old: bool = False
    fault: str = ""
    theirs: str | None = None
    """The value that another editor saved meanwhile, if both changed the cell."""
    is_ticked: bool = False
    """Whether its own checkbox is ticked."""
    is_still_true: bool = False
    """Whether its checkbox, or that of its row or column, is ticked."""
    note_only_explains: bool = False
    """Whether the checkbox beside its note is ticked: the note does not limit the answer."""

    @property
    def name(self) -> str:
        """The tool and the attribute, as in the names of the inputs."""
        return f"{self.tool.pk}-{self.attribute.pk}"

    @property
    def stored(self) -> str:
        """The stored answer as text."""
        return answer_as_text(self.fact.answer if self.fact else None)


@dataclass
class GridRow:
    """A tool and its cells."""

    tool: Tool
    state: str
    may_edit: bool
    cells: list[GridCell]
    is_ticked: bool = False


@dataclass(frozen=True)
class GridColumn:
    """An attribute, and the suggestions in its cells."""

    attribute: Attribute
    is_ticked: bool = False

    @property
    def suggestions(self) -> list[str]:
        """Suggestions for autocompletion; none for a text, which may start like one of them."""
        row = self.attribute
        if row.kind == AttributeKind.TEXT:
            return []
        own = ["yes", "no"] if row.kind == AttributeKind.YES_NO else row.choices
        return [*own, NOT_STATED_CELL, NOT_APPLICABLE_CELL]


@dataclass
class Grid:
    """The grid at `now`: `facts` are those of these tools and attributes."""

    now: datetime
    tools: Sequence[Tool]
    attributes: Sequence[Attribute]
    facts: Mapping[FactKey, Fact]
    versions: Versions
    may_edit: Callable[[Tool], bool]
    state_of: Callable[[Tool], str]
    sent: QueryDict | None = None
    """The submitted form; cells that could not be saved show its texts."""
    edits: dict[FactKey, FactEdit] = field(default_factory=dict)
    """The edits to write; filled by `check`."""

    @cached_property
    def rows(self) -> list[GridRow]:
        """A row for each tool."""
        sent = self.sent if self.sent is not None else {}
        return [
            GridRow(
                tool,
                self.state_of(tool),
                self.may_edit(tool),
                [self._cell(tool, attribute) for attribute in self.attributes],
                is_ticked=f"row-{tool.pk}" in sent,
            )
            for tool in self.tools
        ]

    @property
    def is_public(self) -> bool:
        """Whether readers see what is saved: a tool that this editor may change is public."""
        return any(self.may_edit(tool) and tool.state(self.now) == "public" for tool in self.tools)

    @cached_property
    def columns(self) -> list[GridColumn]:
        """A column for each attribute."""
        sent = self.sent if self.sent is not None else {}
        return [GridColumn(row, is_ticked=f"column-{row.pk}" in sent) for row in self.attributes]

    @property
    def cells(self) -> list[GridCell]:
        """The cells that this editor may change."""
        return [cell for row in self.rows if row.may_edit for cell in row.cells]

    @property
    def marked(self) -> list[GridCell]:
        """The cells that could not be saved."""
        return [cell for cell in self.cells if cell.fault or cell.theirs is not None]

    @property
    def tool_keys(self) -> str:
        """The primary keys of the tools, for the next save."""
        return ",".join(str(tool.pk) for tool in self.tools)

    def _cell(self, tool: Tool, attribute: Attribute) -> GridCell:
        fact = self.facts.get((tool.pk, attribute.pk))
        if fact:
            fact.tool, fact.attribute = tool, attribute
        newest = self.versions.newest(fact.pk if fact else None)
        is_old = bool(fact and fact.is_old(self.now))
        cell = GridCell(tool, attribute, fact, "", newest, is_old)
        cell.text = cell.stored
        sent = self.sent if self.sent is not None else {}
        cell.note_only_explains = bool(fact and fact.note_only_explains)
        if f"cell-{cell.name}" in sent:
            cell.text = str(sent[f"cell-{cell.name}"])
            cell.history_id = str(sent.get(f"version-{cell.name}", ""))
            opened = self._opened_fact(cell)
            if opened and opened.note and fact and fact.note:
                cell.note_only_explains = f"explains-{cell.name}" in sent
        names = (f"true-{cell.name}", f"row-{tool.pk}", f"column-{attribute.pk}")
        cell.is_ticked = names[0] in sent
        cell.is_still_true = any(name in sent for name in names)
        return cell

    def check(self, form: GridForm) -> None:
        """Collect the edits to write, cell by cell; mark faults and edit conflicts."""
        given = form.cleaned_data
        how = {name: given[name] for name in ("source", "quote", "checked_on") if given[name]}
        for cell in self.cells:
            opened = self._opened_text(cell)
            key = cell.tool.pk, cell.attribute.pk
            if not is_same(cell.text, opened):
                self._change(cell, key, theirs=not is_same(cell.stored, opened), how=how)
            else:
                cell.text = cell.stored
            is_marked = cell.fault or cell.theirs is not None
            if cell.is_still_true and cell.fact and key not in self.edits and not is_marked:
                checked = {"checked_on": given["checked_on"] or timezone.localdate()}
                if how.get("source", cell.fact.source) != cell.fact.source:
                    checked["quote"] = given["quote"]
                self.edits[key] = FactEdit(key, how | checked)
            if cell.fact and not is_marked:
                self._change_note(cell, key)

    def _opened_fact(self, cell: GridCell) -> Fact | None:
        """The fact of a cell when the page was opened."""
        if cell.history_id == self.versions.newest(cell.fact.pk if cell.fact else None):
            return cell.fact
        opened: Fact | None = self.versions.opened(cell.history_id)
        return opened

    def _opened_text(self, cell: GridCell) -> str:
        """The text of a cell when the page was opened."""
        fact = self._opened_fact(cell)
        return answer_as_text(fact.answer if fact else None)

    def _change_note(self, cell: GridCell, key: FactKey) -> None:
        """Save whether the note only explains, if the editor changed it in a cell that stays."""
        opened = self._opened_fact(cell)
        if opened is None or cell.note_only_explains == opened.note_only_explains:
            return
        edit = self.edits.get(key, FactEdit(key, {}))
        if edit.fields is not None:
            own = {"note_only_explains": cell.note_only_explains}
            self.edits[key] = FactEdit(key, {**edit.fields, **own})

    def _change(self, cell: GridCell, key: FactKey, *, theirs: bool, how: dict[str, Any]) -> None:
        try:
            validate_line(cell.text)
            answer = parse_answer(cell.text, cell.attribute.kind, cell.attribute.choices)
        except ValidationError as error:
            cell.fault = " ".join(error.messages)
            return
        source = how.get("source") or (cell.fact.source if cell.fact else "")
        if answer == FactAnswer() and not source:
            cell.fault = NO_SOURCE_READ
            return
        text = answer_as_text(answer)
        if text == cell.stored:
            cell.text = text
        elif theirs:
            cell.theirs = cell.stored
        else:
            stated = answer_fields(answer, cell.attribute.kind) if answer else {}
            self.edits[key] = FactEdit(key, stated | {"quote": ""} | how if answer else None)
            cell.text = text
