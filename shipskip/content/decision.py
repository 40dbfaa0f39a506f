"""The decision table of tools side by side: verdicts, prices and facts, in groups."""

from collections.abc import Sequence
from dataclasses import dataclass

from shipskip.content.fact_sheet import DEFAULT_GROUP, FactSheet, text_row
from shipskip.content.judged_tools import Column
from shipskip.content.records import FullTool
from tools.fact_rows import RowGroup, SourceGroup, TableRow, is_stated, numbered_sources


@dataclass(frozen=True)
class Decision:
    """The table, with its sources and lists.

    `sources` are those of its answers; `only` are the tools with features that no other one has;
    `total` is the number of rows, including those that are left out.
    """

    groups: Sequence[RowGroup] = ()
    total: int = 0
    sources: Sequence[SourceGroup] = ()
    only: Sequence[tuple[FullTool, list[str]]] = ()

    @property
    def is_short(self) -> bool:
        """Whether a phone leaves out some of its rows."""
        return not all(row.is_short for group in self.groups for row in group.rows)


def decision(
    columns: Sequence[Column], sheet: FactSheet, *, only_differing: bool = False
) -> Decision:
    """The table of these tools; in each group the rows in which they differ come first;
    `only_differing` removes the others.
    """
    tools = sheet.tools
    titles = [tool.title for tool in tools]
    answers = sheet.groups()
    texts = [tool.best_for or tool.tagline for tool in tools]
    best_for = text_row("Best for", texts, is_repeated=True)
    category = [tool.category for tool in tools]
    status = sheet.status()
    about = [
        *([status] if is_stated(status) else []),
        *([best_for] if is_stated(best_for) else []),
        *answers.pop(DEFAULT_GROUP, []),
    ]
    parts: list[tuple[str, Sequence[TableRow[object]]]] = [
        ("Verdicts", _verdicts(columns)),
        ("Prices", sheet.prices()),
        *answers.items(),
        (DEFAULT_GROUP, [*about, TableRow("Category", category, "category", is_repeated=True)]),
    ]
    groups = []
    for name, rows in parts:
        shown = [row for row in rows if row.differs or not only_differing]
        shown.sort(key=lambda row: not row.differs)
        if shown:
            groups.append(RowGroup(name, shown))
    total = sum(len(rows) for _, rows in parts)
    return Decision(groups, total, numbered_sources(groups, titles, sheet.now), sheet.only())


def _verdicts(columns: Sequence[Column]) -> list[TableRow[object]]:
    panels = [column.panel for column in columns]
    verdicts = [(panel.verdict, panel.ship, panel.skip) for panel in panels]
    return [
        TableRow("Panel verdict", verdicts, "verdict", is_essential=True),
        TableRow("Mean score", [panel.score for panel in panels], "score", is_repeated=True),
        TableRow("Community", [column.tally for column in columns], "tally", is_repeated=True),
    ]
