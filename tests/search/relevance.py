"""Queries with what they should find, and how well the search does."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.utils import timezone

from shipskip.search.documents import Texts, indexed
from shipskip.search.models import SearchDocument, SearchKind, SearchWord
from shipskip.search.searching import Scope, search
from shipskip.web.publishing import ALWAYS
from tests.markup import Document
from tools.models import Attribute, Fact, Tool

SAMPLES = Path(__file__).parent / "samples"
FACTS = {
    "Self-hosted": ["aider", "continue", "ollama"],
    "Runs on a phone": ["smollm3", "llama-4-compact-12b"],
    "Opens pull requests": ["cursor-background-agents", "github-copilot"],
    "Hybrid search": ["qdrant", "pinecone"],
}
CHOICES = {
    "Formats read": {"GGUF": ["llama-cpp", "smollm3"]},
    "Editors": {"JetBrains": ["continue", "github-copilot"]},
    "GPU back ends": {"Vulkan": ["llama-cpp"]},
}


@dataclass(frozen=True)
class Judged:
    """A query, and the place from 1 of the best result that it should find; 0: not found."""

    kind: str
    query: str
    place: int

    @property
    def reciprocal(self) -> float:
        """One divided by the place; 0 where nothing was found."""
        return 1 / self.place if self.place else 0.0


def mean_reciprocal_rank(judged: Iterable[Judged]) -> float:
    """The mean of the reciprocal places."""
    rows = list(judged)
    return sum(row.reciprocal for row in rows) / len(rows)


def read(name: str) -> list[tuple[str, str, list[str]]]:
    """The queries of a file: kind, query and the slugs or names of which one is wanted."""
    lines = (SAMPLES / name).read_text().splitlines()
    rows = [line.split("\t") for line in lines]
    return [(kind, query, wanted.split(",")) for kind, query, wanted in rows]


def judge(queries: Iterable[tuple[str, str, list[str]]], names: dict[int, str]) -> list[Judged]:
    """Run the queries; `names` are those of the tools by their primary keys."""
    scope = Scope(timezone.now())
    judged = []
    for kind, query, wanted in queries:
        found = [names[key] for key in search(query, scope).keys(SearchKind.TOOL)]
        places = [at for at, name in enumerate(found, 1) if name in wanted]
        judged.append(Judged(kind, query, min(places, default=0)))
    return judged


def add_facts() -> None:
    """Give tools of the sample the facts that some of the queries ask for."""
    tools = Tool.objects.in_bulk(field_name="pk")
    by_slug = {tool.slug: tool for tool in tools.values()}
    for name, slugs in FACTS.items():
        yes = Attribute.objects.create(slug=_slug(name), name=name, kind="yes-no")
        for slug in slugs:
            Fact.objects.create(tool=by_slug[slug], attribute=yes, kind="yes-no", yes_no=True)
    for name, choices in CHOICES.items():
        row = Attribute.objects.create(
            slug=_slug(name), name=name, kind="choice", choices=list(choices)
        )
        for choice, slugs in choices.items():
            for slug in slugs:
                Fact.objects.create(tool=by_slug[slug], attribute=row, kind="choice", text=choice)


def _slug(name: str) -> str:
    return "asked-" + name.lower().replace(" ", "-")


def index_names(names: Iterable[str]) -> dict[int, str]:
    """An index of public tools of which only the names are known; these by made-up keys."""
    by_key = dict(enumerate(names, 1))
    documents = [
        indexed(SearchKind.TOOL, key, Texts([name]), public_at=ALWAYS)
        for key, name in by_key.items()
    ]
    SearchDocument.objects.bulk_create([each.document for each in documents], batch_size=1_000)
    known = sorted({word for each in documents for word in each.words})
    SearchWord.objects.bulk_create([SearchWord(word=word) for word in known], batch_size=2_000)
    return by_key


def package_names() -> list[str]:
    """15,000 names of real packages."""
    return (SAMPLES / "package_names.txt").read_text().split()


def first_answer(page: Document) -> str:
    """The address of the first link among offers and results; empty without one."""
    links = [link for link in page.all("a") if link.within("main") and link.within("section")]
    return links[0].attributes["href"] if links else ""
