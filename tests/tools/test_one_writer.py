"""Facts, plans and takes are written by one function each."""

import re

from tests.source_files import ROOT

WRITERS = {"tools/fact_writing.py", "reviews/take_writing.py", "shipskip/editing/bulk_saves.py"}
WRITES = re.compile(
    r"\b(?:Fact|Plan|Take|TakeChange|FactChange)\.objects\."
    r"(?:create|bulk_create|bulk_update|update_or_create|get_or_create)\("
    r"|bulk_(?:create|update)_with_history\("
)
ALLOWED = {
    "tools/fact_changes.py": "the public record, written by the writers of facts and plans",
    "shipskip/web/publishing.py": "publishes and withdraws rows of every kind",
}


def test_nothing_else_writes_them():
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("shipskip", "tools", "reviews", "comparisons")
        for path in (ROOT / folder).rglob("*.py")
        if "migrations" not in path.parts and WRITES.search(path.read_text())
    }
    assert found - WRITERS == set(ALLOWED)
