"""The mean reciprocal rank of readers' queries does not fall below a limit."""

from pathlib import Path

import pytest
from django.core.management import call_command

from tests.search.relevance import (
    Judged,
    add_facts,
    index_names,
    judge,
    mean_reciprocal_rank,
    package_names,
    read,
)
from tests.source_files import ROOT
from tools.models import Tool

pytestmark = pytest.mark.both_databases

HELD_TO = 0.93


def report(judged: list[Judged]) -> str:
    """The mean by kind, and the worst."""
    kinds = sorted({row.kind for row in judged})
    means = [(kind, [row for row in judged if row.kind == kind]) for kind in kinds]
    lines = [f"{kind}: {mean_reciprocal_rank(rows):.3f} of {len(rows)}" for kind, rows in means]
    worst = sorted(judged, key=lambda row: row.reciprocal)[:10]
    lines += [f"{row.kind} {row.query!r}: {row.place or 'not found'}" for row in worst]
    return "\n".join(lines)


@pytest.mark.django_db
def test_the_queries_find_what_they_look_for(capsys: pytest.CaptureFixture[str]):
    """100 queries to the sample, 100 to the names of 15,000 packages; a third with typos."""
    call_command("load_catalogue", str(Path(ROOT) / "fixtures" / "catalogue.json"))
    add_facts()
    names = dict(Tool.objects.values_list("pk", "slug"))
    judged = judge(read("queries.tsv"), names)
    print(report(judged))
    assert mean_reciprocal_rank(judged) >= HELD_TO, report(judged)


@pytest.mark.django_db
def test_readers_find_what_they_mean():
    """Words of readers, not of the catalogue: with the sample's own facts and synonyms."""
    call_command("load_catalogue", str(Path(ROOT) / "fixtures" / "catalogue.json"))
    judged = judge(read("reader_queries.tsv"), dict(Tool.objects.values_list("pk", "slug")))
    print(report(judged))
    assert mean_reciprocal_rank(judged) >= HELD_TO, report(judged)


@pytest.mark.django_db
def test_names_of_packages_are_found_among_thousands():
    names = index_names(package_names())
    judged = judge(read("package_queries.tsv"), names)
    print(report(judged))
    assert mean_reciprocal_rank(judged) >= HELD_TO, report(judged)


def test_a_third_of_the_queries_have_typing_errors():
    queries = [*read("queries.tsv"), *read("package_queries.tsv")]
    assert len(queries) >= 200
    assert 3 * sum(kind == "typo" for kind, _, _ in queries) >= len(queries)
