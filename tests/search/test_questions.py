"""Fifty questions as people type them, and what a search should answer first.

Half of them were written by somebody who had not seen the code. In `samples/questions.json` `first`
is the address of the right first answer, or a list of several; null where the page has to say that
the name is not here. An address without a query string is that of any filtered list at its path.
"""

import json
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.test import Client

from tests.markup import Document, read
from tests.search.relevance import SAMPLES
from tests.source_files import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
RIGHT = 45
QUESTIONS = json.loads((SAMPLES / "questions.json").read_text())
NOT_HERE = "is not here."


def first_answer(page: Document) -> str:
    """The address of the first link among offers and results; empty without one."""
    links = [link for link in page.all("a") if link.within("main") and link.within("section")]
    return links[0].attributes["href"] if links else ""


def is_right(page: Document, wanted: str | list[str] | None) -> bool:
    """Whether the page answers as wanted."""
    if wanted is None:
        return NOT_HERE in page.text
    answer = first_answer(page)
    return bool(
        {answer, urlsplit(answer).path} & ({wanted} if isinstance(wanted, str) else {*wanted})
    )


def test_questions_get_the_right_first_answer(client: Client, capsys: pytest.CaptureFixture[str]):
    call_command("load_catalogue", str(ROOT / "fixtures" / "catalogue.json"))
    wrong = []
    for row in QUESTIONS:
        page = read(client.get("/search/", {"q": row["question"]}))
        if not is_right(page, row["first"]):
            wrong.append(f"{row['question']!r}: {first_answer(page)}, not {row['first']}")
    print(f"{len(QUESTIONS) - len(wrong)} of {len(QUESTIONS)} right", *wrong, sep="\n")
    assert len(QUESTIONS) == 50
    assert len(QUESTIONS) - len(wrong) >= RIGHT, wrong
