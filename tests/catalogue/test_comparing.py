"""A comparison only reads, and finds exactly what the load then does."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from comparisons.models import Comparison
from shipskip.catalogue.applying import apply
from shipskip.catalogue.changes import Changes
from shipskip.catalogue.files import TAKES
from shipskip.editing.bulk_saves import Save
from tests import factories as make
from tests.catalogue.documents import FACTS, PLANS, as_file, document, load, rows, tool, with_facts
from tests.reviews.voters import cast, tally
from tests.shared_database import at_once

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def changed_document() -> dict:
    """The usual document with every kind of row changed, and a new one of each."""
    given = document()
    given["categories"] += [{"slug": "art", "name": "Art"}]
    given["reviewers"][0]["likes"] = []
    given["reviewers"] += [{"slug": "novice", "name": "Novice"}]
    take = {"score": 5, "verdict": "skip", "published": None}
    given["tools"][0]["takes"][0] |= take
    given["tools"][0]["takes"] += [take | {"reviewer": "novice"}]
    given["tools"] += [tool(slug="delta", category="art", takes=[take | {"reviewer": "novice"}])]
    given["comparisons"][0] |= {"tools": ["alpha", "beta"], "summary": "Closer."}
    given["comparisons"] += [{"tools": ["delta", "alpha"], "featured": True}]
    return given


def compared_and_applied(given: dict) -> Changes:
    """The changes of a document. Finding them writes nothing; once they are applied, there are no
    more.
    """
    before = rows()
    with CaptureQueriesContext(connection) as queries:
        changes = load(as_file(given), Save(now=NOW), dry_run=True)
    verbs = {query["sql"].split()[0] for query in queries.captured_queries}
    assert verbs.isdisjoint({"INSERT", "UPDATE", "DELETE"})
    assert not any("FOR NO KEY UPDATE" in query["sql"] for query in queries.captured_queries)
    assert rows() == before
    apply(changes)
    assert not load(as_file(given), dry_run=True).changed_anything
    return changes


@pytest.mark.django_db
def test_it_reports_what_the_load_then_does():
    counts = compared_and_applied(document()).counts
    assert (counts["takes"].created, counts["comparisons"].created) == (2, 1)
    counts = compared_and_applied(changed_document()).counts
    assert (counts["takes"].created, counts["takes"].changed) == (2, 1)
    assert counts["comparisons"].created == 1
    compared_and_applied(with_facts())
    given = with_facts(facts=FACTS[2:], plans=PLANS[:1], former_slugs=["second"], entry="free")
    given["tools"][0]["facts"][0] |= {"value": True}
    counts = compared_and_applied(given).counts
    assert (counts["facts"].removed, counts["facts"].changed) == (2, 1)
    assert counts["plans"].removed == 2


@pytest.mark.django_db
def test_it_removes_facts_of_a_moved_tool_by_the_categories_that_the_file_gives():
    load(as_file(with_facts()))
    given = with_facts(category="art")
    given["categories"].append({"slug": "art", "name": "Art"})
    given["attributes"][0]["categories"] = ["art"]
    given["attributes"][1]["categories"] = ["chat"]
    del given["tools"][0]["facts"]
    changes = compared_and_applied(given)
    assert changes.counts["facts"].removed == 1
    (removed,) = changes.removed.entries
    assert str(removed) == "facts: price-of-gb of alpha (value: “1.92” → none)"


@pytest.mark.parametrize("positions", [(None, None), (None, 1), (1, 2)])
@pytest.mark.django_db
def test_it_reports_places_among_the_featured_when_pairs_are_swapped(positions):
    given = document(tools=[tool(slug=slug) for slug in "abcd"], comparisons=[])
    pairs = [{"tools": ["b", "c"], "featured": True}, {"tools": ["a", "d"], "featured": True}]
    load(as_file(given | {"comparisons": pairs}), Save(now=NOW))
    for place, row in zip(positions, Comparison.objects.order_by("pk"), strict=True):
        Comparison.objects.filter(pk=row.pk).update(position=place)
    swapped = [{"tools": ["d", "a"], "featured": True}, {"tools": ["b", "c"], "featured": True}]
    compared_and_applied(given | {"comparisons": swapped})
    dropped = [{"tools": ["b", "c"], "featured": False}, {"tools": ["c", "d"], "featured": True}]
    compared_and_applied(given | {"comparisons": dropped + swapped[:1]})


def test_a_vote_does_not_wait_for_a_dry_run(database):
    votes: list[object] = []
    voted = make.tool()

    def vote(stage: str, *_: int) -> None:
        if stage == "Comparing tools" and not votes:
            votes.extend(at_once(lambda: cast(voted, "ship")))

    load(as_file(document()), dry_run=True, progress=vote)
    assert (len(votes), tally(voted)) == (1, (1, 0))


@pytest.mark.parametrize("dry_run", [True, False])
def test_no_vote_waits_while_a_csv_file_is_read(database, dry_run):
    votes: list[object] = []
    take = make.take(on=make.tool())

    def vote(*_: object) -> None:
        if not votes:
            votes.extend(at_once(lambda: cast(take.tool, "ship")))

    text = f"tool,reviewer,score,verdict,body,published\n{take.tool.slug},{take.reviewer.slug},"
    content = f"{text}{take.score},{take.verdict},Other.,2026-05-01T09:00:00Z\n"
    report = load(as_file(content), dry_run=dry_run, progress=vote, kind=TAKES)
    assert report.counts["takes"].changed == 1
    assert tally(take.tool) == (1, 0)
