"""A load is all or nothing, safe to repeat, and changes what the document says and no more. A
comparison only reads, and finds exactly what the load then does.
"""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Reviewer, Take, Vote
from shipskip.catalogue.applying import apply
from shipskip.catalogue.changes import Changes, RowCounts
from shipskip.catalogue.faults import InvalidFileError, SiteChangedError
from shipskip.catalogue.files import TAKES
from shipskip.editing.bulk_saves import Save
from shipskip.web.publishing import ALWAYS
from tests import factories as make
from tests.catalogue.documents import (
    FACTS,
    FORMAT,
    PLANS,
    as_file,
    document,
    empty_the_site,
    large,
    load,
    queries,
    report,
    rows,
    tool,
    with_facts,
)
from tests.reviews.voters import cast, tally
from tests.shared_database import at_once
from tools.models import Category, EntryPrice, Tool

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.mark.both_databases
def test_a_load_creates_what_the_document_says_and_a_second_one_changes_nothing(snapshot):
    given = document()
    backwards = {key: given[key] for key in reversed(given)}
    assert report(load(as_file(backwards))) == snapshot(name="created")
    alpha = Tool.objects.get(slug="alpha")
    assert alpha.name == "Alpha – “α” & (12B) 🚀"
    assert alpha.entry == EntryPrice.FREEMIUM
    assert alpha.published_at == datetime(2026, 5, 1, 9, tzinfo=UTC)
    take = Take.objects.get(tool=alpha, reviewer__slug="skeptic")
    assert (take.score, take.verdict, take.body) == (72, "skip", "No.")
    assert take.published_at == datetime(2026, 5, 2, 8, 0, 0, 250, tzinfo=UTC)
    assert [each.slug for each in Comparison.objects.get().tools] == ["beta", "alpha"]
    assert Reviewer.objects.get(slug="skeptic").dislikes == ["demos", "naïve claims"]
    beta = Tool.objects.get(slug="beta")
    assert (beta.published_at, beta.entry, beta.tagline) == (None, "free", ""), "defaults"
    builder = Reviewer.objects.get(slug="builder")
    assert (builder.published_at, builder.likes) == (ALWAYS, [])
    assert Take.objects.get(reviewer=builder).published_at is None
    before = rows()
    assert report(load(as_file(given))) == snapshot(name="again")
    bare: dict[str, Any] = {
        "format": FORMAT,
        "categories": [{"slug": "chat", "name": "Chat"}],
        "reviewers": [{"slug": "skeptic", "name": "Skeptic"}],
        "tools": [tool(slug="alpha", name=alpha.name, takes=[{"reviewer": "skeptic"}])],
        "comparisons": [{"tools": ["beta", "alpha"]}],
    }
    bare["tools"][0]["takes"][0] |= {"score": 72, "verdict": "skip"}
    assert not load(as_file(bare)).changed_anything, "missing keys change nothing"
    assert rows() == before


@pytest.mark.both_databases
def test_only_what_differs_is_written_and_votes_and_other_rows_stay(snapshot):
    load(as_file(document()))
    now = datetime(2026, 6, 1, tzinfo=UTC)
    for each in Tool.objects.all():
        Vote.objects.create(tool=each, choice="ship", cast_at=now, changed_at=now)
    votes = list(Vote.objects.order_by("pk").values())
    given = document()
    given["tools"][0] |= {"tagline": "Last of all", "published": None}
    given["tools"][0]["takes"][0]["score"] = 0
    given["categories"][0]["description"] = ""
    given["reviewers"][0]["likes"] = []
    with CaptureQueriesContext(connection) as found:
        assert report(load(as_file(given))) == snapshot
    alpha = Tool.objects.get(slug="alpha")
    assert (alpha.tagline, alpha.published_at) == ("Last of all", None)
    assert Take.objects.get(reviewer__slug="skeptic").score == 0
    updates = [query["sql"] for query in found if query["sql"].startswith("UPDATE")]
    written = {name for update in updates for name in re.findall(r'"(\w+)" = \(?CASE', update)}
    assert sorted(written) == [
        "checked_at", "description", "likes", "preview_key", "published_at", "score", "tagline",
        "withdrawn_at",
    ]  # fmt: skip
    given = document(tools=[tool(takes=[]), tool(slug="alpha", name="Another")], comparisons=[])
    assert load(as_file(given)).counts["tools"] == RowCounts(created=1, changed=1)
    assert list(Vote.objects.order_by("pk").values()) == votes
    assert (Tool.objects.count(), Take.objects.count(), Comparison.objects.count()) == (3, 2, 1)


def test_progress_is_reported_stage_by_stage_with_how_much_there_is():
    steps: list[tuple[str, int, int]] = []
    file = as_file(document())
    load(file, progress=lambda *step: steps.append(step))
    size = len(file.getvalue())
    compared = {"categories": 1, "reviewers": 2, "tools": 2, "comparisons": 1}
    written = {"categories": 1, "reviewers": 2, "tools": 2, "takes": 2, "comparisons": 1}
    assert steps == [
        ("Reading", 0, size),
        ("Reading", size, size),
        *((f"Comparing {name}", number, number) for name, number in compared.items()),
        *((f"Writing {name}", number, number) for name, number in written.items()),
    ]


def test_a_comparison_keeps_its_row_with_another_order_and_other_reasons(snapshot):
    load(as_file(document()))
    first = Comparison.objects.get()
    given = document(comparisons=[{"tools": ["alpha", "beta"]}])
    assert load(as_file(given)).counts["comparisons"] == RowCounts(changed=1)
    row = Comparison.objects.get()
    assert (row.pk, row.summary, row.choose_if) == (first.pk, "Close.", {})
    assert [each.slug for each in row.tools] == ["alpha", "beta"]
    given["comparisons"][0]["choose_if"] = {"alpha": "you read diffs"}
    assert report(load(as_file(given))) == snapshot
    row.refresh_from_db()
    assert row.choose_if == {row.tool_ids[0]: "you read diffs"}
    del given["comparisons"][0]["choose_if"]  # a missing key leaves it alone
    assert not load(as_file(given)).changed_anything


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("meanwhile", ["a text", "a score", "a deletion", "the same slug"])
def test_a_change_of_the_site_ends_a_load_only_if_it_changes_the_load(meanwhile):
    load(as_file(document()))
    given = document(comparisons=[{"tools": ["gamma", "beta"]}])
    del given["tools"][0]["takes"][0]["body"]
    given["tools"][0]["takes"][0]["score"] = 1
    given["tools"].append(tool())
    changes = load(as_file(given), dry_run=True)
    take = Take.objects.filter(score=72)
    if meanwhile == "a text":
        take.update(body="Meanwhile")
        apply(changes)
        assert Tool.objects.filter(slug="gamma").exists()
        changed = Take.objects.get(score=1)
        assert changed.body == changed.history.latest("history_id").body == "Meanwhile"
        return
    if meanwhile == "a score":
        take.update(score=73)
    elif meanwhile == "a deletion":
        Tool.objects.get(slug="beta").remove(timezone.now())
    else:
        make.tool(slug="gamma", in_category=Category.objects.get())
    before = rows()
    with pytest.raises((SiteChangedError, InvalidFileError)):
        apply(changes)
    assert rows() == before


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("function", "error", "raised"),
    [
        ("insert_rows", IntegrityError("UNIQUE constraint failed"), SiteChangedError),
        ("write_takes", ZeroDivisionError(), ZeroDivisionError),
    ],
    ids=["two loads that create the same row", "an error in the middle"],
)
def test_a_load_that_fails_while_it_writes_leaves_nothing(monkeypatch, function, error, raised):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(f"shipskip.catalogue.applying.{function}", fail)
    with pytest.raises(raised, match=r"somebody else changed the site|^$"):
        load(as_file(document()))
    assert not any(rows().values())


def test_the_queries_of_a_batch_do_not_depend_on_its_size():
    def loading(content: dict) -> int:
        return queries(load, as_file(content))

    def given(number: int, amount: int, **keys: Any) -> dict:
        """So many tools, each with so many answers and prices of this amount."""
        asked = [{"slug": f"a-{at}", "name": "A", "kind": "number"} for at in range(number)]
        facts = [{"attribute": row["slug"], "value": amount} for row in asked]
        plans = [PLANS[0] | {"name": f"Plan {at}", "amount": str(amount)} for at in range(number)]
        return large(number, facts=facts, plans=plans, **keys) | {"attributes": asked}

    created = loading(given(3, 5))
    empty_the_site()
    assert loading(given(6, 5)) == created
    changed = loading(given(3, 6, maker="Other"))
    assert loading(given(6, 7, maker="Another")) == changed
    removed: dict[str, Any] = {"facts": [], "plans": []}
    assert loading(large(3, **removed)) == loading(large(6, **removed))


@pytest.mark.both_databases
def test_several_batches_are_loaded_whole(monkeypatch):
    for module in ("comparing", "applying"):
        monkeypatch.setattr(f"shipskip.catalogue.{module}.BATCH", 4)
    counts = load(as_file(large(9))).counts
    rows_of_each = [counts[kind].created for kind in ("tools", "takes", "comparisons")]
    assert rows_of_each == [9, 18, 8]
    assert not load(as_file(large(9))).changed_anything


def compared_and_applied(given: dict) -> Changes:
    """The changes of a document. Finding them writes nothing; once they are applied, there are no
    more.
    """
    before = rows()
    with CaptureQueriesContext(connection) as found:
        changes = load(as_file(given), Save(now=NOW), dry_run=True)
    verbs = {query["sql"].split()[0] for query in found.captured_queries}
    assert verbs.isdisjoint({"INSERT", "UPDATE", "DELETE"})
    assert not any("FOR NO KEY UPDATE" in query["sql"] for query in found.captured_queries)
    assert rows() == before
    apply(changes)
    assert not load(as_file(given), dry_run=True).changed_anything
    return changes


@pytest.mark.both_databases
def test_it_reports_what_the_load_then_does():
    compared_and_applied(with_facts())
    given = with_facts(facts=FACTS[2:], plans=PLANS[:1], former_slugs=["second"], entry="free")
    given["tools"][0]["facts"][0] |= {"value": True}
    take = {"reviewer": "skeptic", "score": 5, "verdict": "skip", "published": None}
    given["tools"][0]["takes"][0] |= take
    given["tools"].append(tool(slug="delta", takes=[take]))
    given["comparisons"][0] |= {"tools": ["alpha", "beta"], "summary": "Closer."}
    given["comparisons"].append({"tools": ["delta", "alpha"], "featured": True})
    counts = compared_and_applied(given).counts
    assert (counts["facts"].removed, counts["facts"].changed) == (2, 1)
    assert counts["plans"].removed == 2
    for kind in ("takes", "comparisons"):
        assert (counts[kind].created, counts[kind].changed) == (1, 1), kind


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


@pytest.mark.both_databases
def test_a_vote_does_not_wait_for_a_dry_run(database):
    votes: list[object] = []
    voted = make.tool()

    def vote(stage: str, *_: int) -> None:
        if stage == "Comparing tools" and not votes:
            votes.extend(at_once(lambda: cast(voted, "ship")))

    load(as_file(document()), dry_run=True, progress=vote)
    assert (len(votes), tally(voted)) == (1, (1, 0))


@pytest.mark.both_databases
def test_no_vote_waits_while_a_csv_file_is_read(database):
    votes: list[object] = []
    take = make.take(on=make.tool())

    def vote(*_: object) -> None:
        if not votes:
            votes.extend(at_once(lambda: cast(take.tool, "ship")))

    text = f"tool,reviewer,score,verdict,body,published\n{take.tool.slug},{take.reviewer.slug},"
    content = f"{text}{take.score},{take.verdict},Other.,2026-05-01T09:00:00Z\n"
    report = load(as_file(content), progress=vote, kind=TAKES)
    assert report.counts["takes"].changed == 1
    assert tally(take.tool) == (1, 0)
