"""Conventions of the Python files: names, signals and writers."""

import re
from pathlib import Path

from tests.source_files import ROOT, every, place, sources

IMPORT = re.compile(r"^ *((?:from|import) .*)", re.M)
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


@every(sources())
def test_a_module_is_named_for_its_subject(path: Path):
    vague = {"utils", "util", "helpers", "helper", "services", "service"}
    vague |= {"signals", "common", "misc"}
    assert not vague & {part.removesuffix(".py") for part in path.relative_to(ROOT).parts}


@every(sources())
def test_nothing_connects_to_a_signal(path: Path):
    imports = IMPORT.findall(path.read_text())
    found = [row for row in imports if re.search(r"\bsignals\b|\bdispatch\b", row)]
    if place(path) == "shipskip/newsletter/apps.py":
        assert found == ["from anymail.signals import tracking"]  # all that this library offers
    else:
        assert found == []


def test_facts_plans_and_takes_are_written_by_one_function_each():
    found = {place(path) for path in sources() if WRITES.search(path.read_text())}
    assert found - WRITERS == set(ALLOWED)
