"""Searches find what readers look for: the mean reciprocal rank does not fall below a limit,
and questions as people type them get the right first answer.

Half of the questions were written by somebody who had not seen the code. In
`samples/questions.json` `first` is the address of the right first answer, or a list of several;
null where the page has to say that the name is not here. An address without a query string is that
of any filtered list at its path.
"""

import json
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.test import Client

from tests.markup import Document
from tests.markup import read as read_page
from tests.search.relevance import (
    SAMPLES,
    Judged,
    add_facts,
    first_answer,
    index_names,
    judge,
    mean_reciprocal_rank,
    package_names,
    read,
)
from tests.source_files import ROOT
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HELD_TO = 0.93
RIGHT = 45
QUESTIONS = json.loads((SAMPLES / "questions.json").read_text())


def report(judged: list[Judged]) -> str:
    """The mean by kind, and the worst."""
    kinds = sorted({row.kind for row in judged})
    means = [(kind, [row for row in judged if row.kind == kind]) for kind in kinds]
    lines = [f"{kind}: {mean_reciprocal_rank(rows):.3f} of {len(rows)}" for kind, rows in means]
    worst = sorted(judged, key=lambda row: row.reciprocal)[:10]
    lines += [f"{row.kind} {row.query!r}: {row.place or 'not found'}" for row in worst]
    return "\n".join(lines)


def find(queries: str, names: dict[int, str]) -> None:
    """Judge the queries of a file, which has to reach the limit."""
    judged = judge(read(queries), names)
    print(report(judged))
    assert mean_reciprocal_rank(judged) >= HELD_TO, report(judged)


def is_right(page: Document, wanted: str | list[str] | None) -> bool:
    """Whether the page answers as wanted."""
    if wanted is None:
        return "is not here." in page.text
    answer = first_answer(page)
    return bool(
        {answer, urlsplit(answer).path} & ({wanted} if isinstance(wanted, str) else {*wanted})
    )


def test_queries_and_questions_to_the_sample_find_what_they_look_for(client: Client):
    """Fifty questions and the words of readers, then 100 queries, a third of them with typos."""
    call_command("load_catalogue", str(ROOT / "fixtures" / "catalogue.json"))
    wrong = []
    for row in QUESTIONS:
        page = read_page(client.get("/search/", {"q": row["question"]}))
        if not is_right(page, row["first"]):
            wrong.append(f"{row['question']!r}: {first_answer(page)}, not {row['first']}")
    print(f"{len(QUESTIONS) - len(wrong)} of {len(QUESTIONS)} right", *wrong, sep="\n")
    assert len(QUESTIONS) == 50
    assert len(QUESTIONS) - len(wrong) >= RIGHT, wrong
    names = dict(Tool.objects.values_list("pk", "slug"))
    find("reader_queries.tsv", names)
    add_facts()
    find("queries.tsv", names)


def test_names_of_packages_are_found_among_thousands():
    find("package_queries.tsv", index_names(package_names()))


def test_a_third_of_the_queries_have_typing_errors():
    queries = [*read("queries.tsv"), *read("package_queries.tsv")]
    assert len(queries) >= 200
    assert 3 * sum(kind == "typo" for kind, _, _ in queries) >= len(queries)
