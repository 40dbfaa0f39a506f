"""Write facts as a CSV file."""

from collections.abc import Generator

from shipskip.catalogue.csv_files.cells import BYTE_ORDER_MARK, csv_text, escape_formula
from shipskip.catalogue.facts_csv.row import FACTS, is_number
from shipskip.web.read_snapshot import read_snapshot
from tools.fact_values import as_text
from tools.models import Fact, Tool

BATCH = 100
"""Tools whose facts are read at once."""


def dump() -> Generator[str, None, None]:
    """All facts as pieces of one CSV text, by tool and attribute; without those of deleted tools.

    The text is one snapshot of the site; close the generator if you stop before its end.
    """
    with read_snapshot():
        yield BYTE_ORDER_MARK + csv_text([FACTS.known])
        # Sorted here, because each database sorts hyphens differently.
        tools = sorted(Tool.objects.order_by().values_list("slug", "pk"))
        for at in range(0, len(tools), BATCH):
            slugs = {pk: slug for slug, pk in tools[at : at + BATCH]}
            rows = Fact.objects.filter(tool__in=slugs).order_by().select_related("attribute")
            yield csv_text(sorted(_cells(fact, slugs[fact.tool_id]) for fact in rows))


def _cells(fact: Fact, tool: str) -> list[str]:
    """A fact as the cells of its row; numbers are not formulas, and slugs never start like one."""
    value = as_text(fact.value)
    return [
        *(tool, fact.attribute.slug),
        value if is_number(value) else escape_formula(value),
        "yes" if fact.applies else "no",
        escape_formula(fact.note),
        fact.source,
        fact.checked_on.isoformat() if fact.checked_on else "",
    ]
