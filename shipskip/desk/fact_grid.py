"""The grid of a category: a row for each tool, a column for each attribute, a text in each cell.

No requests and no queries here.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone

from shipskip.editing.edit_conflicts import value_hash
from shipskip.web.text import validate_line, validate_web_address
from tools.fact_edits import FactEdit, FactKey
from tools.fact_values import (
    NOT_APPLICABLE_CELL,
    UNSAID_CELL,
    AttributeKind,
    answer_as_text,
    parse_answer,
)
from tools.models import Attribute, Fact, Tool
from tools.models.sources import validate_past_day

MAX_TOOLS = 25
MAX_CELLS = 450
"""Maximum cells of a page: each has a text and a checkbox, and Django accepts 1,000 fields."""
MAX_OPENED = 40_000
"""Maximum length of the hashes of a page, in characters."""


def page_size(attributes: Sequence[Attribute]) -> int:
    """How many tools a page of the grid shows."""
    return min(MAX_TOOLS, max(1, MAX_CELLS // max(1, len(attributes))))


class GridForm(forms.Form):
    """The tools of the page, hashes of the cells as they were opened, and a source for all changes.

    The texts and checkboxes of the cells are read by their names, not as form fields.
    """

    tools = forms.CharField(widget=forms.HiddenInput, required=False)
    opened = forms.CharField(widget=forms.HiddenInput, required=False, max_length=MAX_OPENED)
    source = forms.CharField(
        required=False,
        max_length=500,
        label="Source of what you save now",
        help_text="One address for every changed or ticked cell; empty keeps their sources.",
        validators=[validate_web_address],
        widget=forms.URLInput({"placeholder": "https://…", "class": "vLargeTextField"}),
    )
    checked_on = forms.DateField(
        required=False,
        label="Checked on",
        validators=[validate_past_day],
        widget=forms.DateInput({"type": "date"}, "%Y-%m-%d"),
    )

    @property
    def tool_keys(self) -> list[int]:
        """The primary keys of the page's tools."""
        found = re.findall(r"[0-9]{1,18}", str(self.data.get("tools", ""))[:5_000])
        return [int(key) for key in found[:MAX_TOOLS]]

    @property
    def opened_hashes(self) -> Mapping[str, str] | None:
        """The hashes of the cells as they were opened; None if they cannot be read."""
        try:
            sent = json.loads(str(self.data.get("opened", ""))[:MAX_OPENED])
        except (ValueError, RecursionError):
            return None
        return sent if isinstance(sent, dict) else None


@dataclass
class GridCell:
    """One tool's answer to one attribute, as stored and as shown."""

    tool: Tool
    attribute: Attribute
    fact: Fact | None
    text: str
    """The text in the input."""
    is_old: bool = False
    fault: str = ""
    theirs: str | None = None
    """The value that another editor saved meanwhile, if both changed the cell."""
    is_ticked: bool = False
    """Whether its own checkbox is ticked."""
    is_still_true: bool = False
    """Whether its checkbox, or that of its row or column, is ticked."""

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
        return [*own, UNSAID_CELL, NOT_APPLICABLE_CELL]


@dataclass
class Grid:
    """The grid at `now`: `facts` are those of these tools and attributes."""

    now: datetime
    tools: Sequence[Tool]
    attributes: Sequence[Attribute]
    facts: Mapping[FactKey, Fact]
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
    def opened(self) -> str:
        """The hashes of what is stored, for the next save."""
        hashes = {cell.name: value_hash(cell.stored) for cell in self.cells if cell.fact}
        return json.dumps(hashes, separators=(",", ":"))

    @property
    def tool_keys(self) -> str:
        """The primary keys of the tools, for the next save."""
        return ",".join(str(tool.pk) for tool in self.tools)

    def _cell(self, tool: Tool, attribute: Attribute) -> GridCell:
        fact = self.facts.get((tool.pk, attribute.pk))
        if fact:
            fact.tool, fact.attribute = tool, attribute
        cell = GridCell(tool, attribute, fact, "", is_old=bool(fact and fact.is_old(self.now)))
        sent = self.sent if self.sent is not None else {}
        cell.text = str(sent.get(f"cell-{cell.name}", cell.stored))
        names = (f"true-{cell.name}", f"row-{tool.pk}", f"column-{attribute.pk}")
        cell.is_ticked = names[0] in sent
        cell.is_still_true = any(name in sent for name in names)
        return cell

    def check(self, form: GridForm) -> None:
        """Collect the edits to write, cell by cell; mark faults and edit conflicts."""
        hashes, given = form.opened_hashes, form.cleaned_data
        how = {name: given[name] for name in ("source", "checked_on") if given[name]}
        for cell in self.cells:
            opened = value_hash(cell.stored) if hashes is None else hashes.get(cell.name, "")
            key = cell.tool.pk, cell.attribute.pk
            if value_hash(cell.text) != opened:
                self._change(cell, key, theirs=value_hash(cell.stored) != opened, how=how)
            else:
                cell.text = cell.stored
            is_marked = cell.fault or cell.theirs is not None
            if cell.is_still_true and cell.fact and key not in self.edits and not is_marked:
                checked = {"checked_on": given["checked_on"] or timezone.localdate()}
                self.edits[key] = FactEdit(cell.fact.answer, how | checked)

    def _change(self, cell: GridCell, key: FactKey, *, theirs: bool, how: dict[str, Any]) -> None:
        try:
            validate_line(cell.text)
            answer = parse_answer(cell.text, cell.attribute.kind, cell.attribute.choices)
        except ValidationError as error:
            cell.fault = " ".join(error.messages)
            return
        text = answer_as_text(answer)
        if text == cell.stored:
            cell.text = text
        elif theirs:
            cell.theirs = cell.stored
        else:
            self.edits[key] = FactEdit(answer, how)
            cell.text = text
