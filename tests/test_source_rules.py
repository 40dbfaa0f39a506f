"""Conventions of the Python files: names and signals."""

import re
from pathlib import Path

from tests.source_files import ROOT, every, place, sources

IMPORT = re.compile(r"^ *((?:from|import) .*)", re.M)


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
