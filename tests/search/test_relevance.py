"""Searches find what readers look for: the mean reciprocal rank does not fall below a limit,
and questions as people type them get the right first answer.

Half of the questions were written by somebody who had not seen the code. In
`samples/questions.json` `first` is the address of the right first answer, or a list of several;
null where the page has to say that the name is not here. An address without a query string is that
of any filtered list at its path. The other samples have a query a line: its kind, its text and the
slugs or names of which one is wanted.
"""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from shipskip.search.documents import Texts, indexed
from shipskip.search.models import SearchDocument, SearchKind, SearchWord
from shipskip.search.searching import Scope, search
from shipskip.web.publishing import ALWAYS
from tests import factories as make
from tests.markup import read as read_page
from tests.search.answers import first_answer
from tests.source_files import ROOT
from tools.models import Tool

pytestmark = pytest.mark.django_db

SAMPLES = Path(__file__).parent / "samples"
RIGHT = 45
QUESTIONS = json.loads((SAMPLES / "questions.json").read_text())
FACTS = {
    ("Self-hosted", ""): ["aider", "continue", "ollama"],
    ("Runs on a phone", ""): ["smollm3", "llama-4-compact-12b"],
    ("Opens pull requests", ""): ["cursor-background-agents", "github-copilot"],
    ("Hybrid search", ""): ["qdrant", "pinecone"],
    ("Formats read", "GGUF"): ["llama-cpp", "smollm3"],
    ("Editors", "JetBrains"): ["continue", "github-copilot"],
    ("GPU back ends", "Vulkan"): ["llama-cpp"],
}
"""Tools of the sample with facts that some of the queries ask for: a choice, else yes."""


def read(name: str) -> list[tuple[str, str, list[str]]]:
    """The queries of a file: kind, query and what is wanted."""
    rows = [line.split("\t") for line in (SAMPLES / name).read_text().splitlines()]
    return [(kind, query, wanted.split(",")) for kind, query, wanted in rows]


def find(queries: str, names: dict[int, str], limit: float = 0.93) -> None:
    """Run the queries of a file; `names` are those of the tools by their primary keys."""
    scope, ranks, lines = Scope(timezone.now()), [], []
    for kind, query, wanted in read(queries):
        found = [names[key] for key in search(query, scope).keys(SearchKind.TOOL)]
        place = min((at for at, name in enumerate(found, 1) if name in wanted), default=0)
        ranks.append(1 / place if place else 0)
        if place != 1:
            lines.append(f"{kind} {query!r}: {place or 'not found'}")
    mean = sum(ranks) / len(ranks)
    print(f"{queries}: {mean:.3f}", *lines, sep="\n")
    assert mean >= limit


@pytest.fixture
def tools() -> dict[str, Tool]:
    """The tools of the sample by their slugs."""
    call_command("load_catalogue", str(ROOT / "fixtures" / "catalogue.json"))
    return {tool.slug: tool for tool in Tool.objects.all()}


def test_questions_to_the_sample_get_the_right_first_answer(client: Client, tools):
    """Fifty questions, then the words of readers."""
    wrong = []
    for row in QUESTIONS:
        page = read_page(client.get("/search/", {"q": row["question"]}))
        answer, first = first_answer(page), row["first"]
        right = first if isinstance(first, list) else [first]
        said = {answer, urlsplit(answer).path, None if "is not here." in page.text else ""}
        if said.isdisjoint(right):
            wrong.append(f"{row['question']!r}: {answer}, not {first}")
    assert len(QUESTIONS) == 50
    assert len(QUESTIONS) - len(wrong) >= RIGHT, wrong
    find("reader_queries.tsv", {tool.pk: slug for slug, tool in tools.items()})


@pytest.mark.both_databases
def test_queries_to_the_sample_find_what_they_look_for(tools):
    """A third of 100 queries have typos."""
    for (name, choice), slugs in FACTS.items():
        kind = {"kind": "choice", "choices": [choice]} if choice else {"kind": "yes-no"}
        asked = make.attribute(name=name, **kind)
        for slug in slugs:
            make.fact(choice or True, on=tools[slug], to=asked)
    find("queries.tsv", {tool.pk: slug for slug, tool in tools.items()})


def test_names_of_packages_are_found_among_thousands():
    """Names of real packages, of which nothing else is known."""
    wanted = {name for _, _, names in read("package_queries.tsv") for name in names}
    all_names = (SAMPLES / "package_names.txt").read_text().split()
    names = dict(enumerate(sorted(wanted.union(all_names[::9])), 1))
    documents = [
        indexed(SearchKind.TOOL, key, Texts([name]), public_at=ALWAYS)
        for key, name in names.items()
    ]
    SearchDocument.objects.bulk_create([each.document for each in documents], batch_size=1_000)
    known = sorted({word for each in documents for word in each.words})
    SearchWord.objects.bulk_create([SearchWord(word=word) for word in known], batch_size=2_000)
    find("package_queries.tsv", names, limit=0.98)
