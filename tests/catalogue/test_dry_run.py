"""A dry run only reads, and reports exactly what the load then does."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from comparisons.models import Comparison
from shipskip.catalogue import takes_csv
from shipskip.catalogue.change_log import LoadContext
from shipskip.catalogue.loading import load
from tests import factories as make
from tests.catalogue.documents import FACTS, PLANS, as_file, document, rows, tool, with_facts
from tests.reviews.test_voting_concurrency import at_once
from tests.reviews.voters import cast, tally

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


def dry_run_and_load(given: dict) -> tuple:
    """The reports of a dry run, which must change nothing, and of the load after it."""
    load_context, before = LoadContext(now=NOW), rows()
    with CaptureQueriesContext(connection) as queries:
        dry = load(as_file(given), load_context, dry_run=True)
    verbs = {query["sql"].split()[0] for query in queries.captured_queries}
    assert verbs.isdisjoint({"INSERT", "UPDATE", "DELETE"})
    assert not any("FOR NO KEY UPDATE" in query["sql"] for query in queries.captured_queries)
    assert not dry.written
    assert rows() == before
    return dry, load(as_file(given), load_context, expected_fingerprint=dry.change_log.fingerprint)


@pytest.mark.django_db
def test_it_reports_for_an_empty_site_what_the_load_does():
    dry, done = dry_run_and_load(document())
    assert done.written
    assert (dry.counts(), dry.takes.created) == (done.counts(), 2)


@pytest.mark.django_db
def test_it_reports_facts_plans_and_earlier_slugs_as_the_load_does():
    dry, done = dry_run_and_load(with_facts())
    assert (done.written, dry.counts()) == (True, done.counts())
    given = with_facts(facts=FACTS[2:], plans=PLANS[:1], former_slugs=["second"], entry="free")
    given["tools"][0]["facts"][0] |= {"value": True}
    dry, done = dry_run_and_load(given)
    assert (done.written, dry.counts()) == (True, done.counts())
    assert (done.facts.removed, done.facts.changed, done.plans.removed) == (2, 1, 2)


@pytest.mark.django_db
def test_it_removes_facts_of_a_moved_tool_by_the_categories_that_the_file_gives():
    load(as_file(with_facts()))
    given = with_facts(category="art")
    given["categories"].append({"slug": "art", "name": "Art"})
    given["attributes"][0]["categories"] = ["art"]
    given["attributes"][1]["categories"] = ["chat"]
    del given["tools"][0]["facts"]
    dry, done = dry_run_and_load(given)
    assert (done.written, dry.facts.removed, done.facts.removed) == (True, 1, 1)


@pytest.mark.django_db
def test_it_reports_changed_and_new_rows_that_belong_together():
    load(as_file(document()), LoadContext(now=NOW))
    dry, done = dry_run_and_load(changed_document())
    assert done.written
    assert dry.counts() == done.counts()
    assert (dry.takes.created, dry.takes.changed, dry.comparisons.created) == (2, 1, 1)


@pytest.mark.parametrize("positions", [(None, None), (None, 1), (1, 2)])
@pytest.mark.django_db
def test_it_reports_places_among_the_featured_when_pairs_are_swapped(positions):
    given = document(tools=[tool(slug=slug) for slug in "abcd"], comparisons=[])
    pairs = [{"tools": ["b", "c"], "featured": True}, {"tools": ["a", "d"], "featured": True}]
    load(as_file(given | {"comparisons": pairs}), LoadContext(now=NOW))
    for place, row in zip(positions, Comparison.objects.order_by("pk"), strict=True):
        Comparison.objects.filter(pk=row.pk).update(position=place)
    swapped = [{"tools": ["d", "a"], "featured": True}, {"tools": ["b", "c"], "featured": True}]
    dry, done = dry_run_and_load(given | {"comparisons": swapped})
    assert done.written
    assert dry.counts() == done.counts()
    dropped = [{"tools": ["b", "c"], "featured": False}, {"tools": ["c", "d"], "featured": True}]
    _, done = dry_run_and_load(given | {"comparisons": dropped + swapped[:1]})
    assert done.written


def test_a_vote_does_not_wait_for_a_dry_run(database):
    votes: list[object] = []
    voted = make.tool()

    def vote(stage: str, *_: int) -> None:
        if stage == "Writing tools" and not votes:
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
    report = takes_csv.load(as_file(content), dry_run=dry_run, progress=vote)
    assert (report.takes.changed, report.written) == (1, not dry_run)
    assert tally(take.tool) == (1, 0)
