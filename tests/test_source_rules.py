"""Which functions write the rows whose changes are on the public record."""

import re

from tests.source_files import place, sources

WRITES = re.compile(
    r"\b(?:Fact|Plan|Take|TakeChange|FactChange)\.objects\."
    r"(?:create|bulk_create|bulk_update|update_or_create|get_or_create)\("
    r"|bulk_(?:create|update)_with_history\("
)
WRITERS = {"tools/fact_writing.py", "reviews/take_writing.py", "shipskip/editing/bulk_saves.py"}
ALLOWED = {
    "tools/fact_changes.py": "the public record, written by the writers of facts and plans",
    "shipskip/web/publishing.py": "publishes and withdraws rows of every kind",
}


def test_facts_plans_and_takes_are_written_by_one_function_each():
    found = {place(path) for path in sources() if WRITES.search(path.read_text())}
    assert found - WRITERS == set(ALLOWED)
