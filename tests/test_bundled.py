"""What is bundled is listed, with its version and a licence that lets us bundle it."""

import re

from tests import bundled

STRANGE = re.compile(r"\b(AGPL|GPL|proprietary|commercial|unnamed|SSPL|BUSL)", re.I)


def test_the_list_of_what_is_bundled_is_up_to_date():
    """Where it fails after `make lock`: `python -m tests.bundled`."""
    written = bundled.DOCUMENT.read_text()
    for name, version in bundled.locked():
        assert f"\n| {name} | {version} | " in written, name
    for row in bundled.vendored():
        assert row in written
    rows = [line for line in written.splitlines() if line.startswith("| ")]
    assert len(rows) == len(bundled.locked()) + len(bundled.vendored()) - 1 + 1


def test_every_licence_is_named_and_none_forbids_it():
    rows = bundled.DOCUMENT.read_text().splitlines()
    licences = [row.split(" | ")[2].strip(" |") for row in rows if row.count(" | ") == 2]
    assert len(licences) > 20
    assert [licence for licence in licences if STRANGE.search(licence)] == []
    assert all(licences)
