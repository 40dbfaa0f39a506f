"""A load is all or nothing, safe to repeat, and changes what the document says and no more."""

import json
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
from shipskip.catalogue.changes import RowCounts
from shipskip.catalogue.faults import InvalidFileError, SiteChangedError
from shipskip.web.publishing import ALWAYS
from tests import factories as make
from tests.catalogue.documents import (
    FORMAT,
    as_file,
    document,
    dumped,
    large,
    load,
    report,
    rows,
    tool,
)
from tools.models import Category, EntryPrice, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


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
    with CaptureQueriesContext(connection) as queries:
        assert report(load(as_file(given))) == snapshot
    alpha = Tool.objects.get(slug="alpha")
    assert (alpha.tagline, alpha.published_at) == ("Last of all", None)
    assert Take.objects.get(reviewer__slug="skeptic").score == 0
    updates = [query["sql"] for query in queries if query["sql"].startswith("UPDATE")]
    written = {name for update in updates for name in re.findall(r'"(\w+)" = \(?CASE', update)}
    assert sorted(written) == [
        "checked_at", "description", "likes", "preview_key", "published_at", "score", "tagline",
        "withdrawn_at",
    ]  # fmt: skip
    given = document(tools=[tool(takes=[]), tool(slug="alpha", name="Another")], comparisons=[])
    assert load(as_file(given)).counts["tools"] == RowCounts(created=1, changed=1)
    assert list(Vote.objects.order_by("pk").values()) == votes
    assert (Tool.objects.count(), Take.objects.count(), Comparison.objects.count()) == (3, 2, 1)


def test_a_draft_keeps_what_it_lacks_through_a_load_and_a_dump():
    def loaded(**keys) -> tuple:
        given = document(tools=[tool(takes=[{"reviewer": "builder"} | keys])], comparisons=[])
        load(as_file(given))
        take = Take.objects.get()
        return take.score, take.verdict, take.published_at

    assert loaded(body="Half a thought") == (None, "", None)
    text = dumped()
    (take,) = json.loads(text)["tools"][0]["takes"]
    assert (take["score"], take["verdict"]) == (None, None)
    assert not load(as_file(text)).changed_anything
    assert loaded(score=70) == (70, "", None)
    assert loaded(verdict="ship") == (70, "ship", None)
    assert loaded(score=None) == (None, "ship", None)


def test_progress_is_reported_stage_by_stage_with_how_much_there_is():
    steps: list[tuple[str, int, int]] = []
    file = as_file(document())
    load(file, progress=lambda *step: steps.append(step))
    size = len(file.getvalue())
    compared = {"categories": 1, "reviewers": 2, "tools": 2, "comparisons": 1}
    written = {"categories": 1, "reviewers": 2, "tools": 2, "takes": 2, "comparisons": 1}
    assert steps == [
        *(("Reading", 0, size), ("Reading", size, size)),
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


def test_a_category_may_be_a_draft_or_public_from_a_time_on():
    given = document()
    given["categories"][0]["published"] = None
    given["reviewers"][0]["published"] = "2027-01-01T00:00:00Z"
    for each in (given, document()):
        load(as_file(each))
        assert Category.objects.get().published_at is None
    assert Reviewer.objects.get(slug="skeptic").published_at == datetime(2027, 1, 1, tzinfo=UTC)


def test_a_fault_in_the_last_entry_prevents_the_whole_load():
    given = document()
    given["comparisons"].append({"tools": ["alpha", "alpha"]})
    with pytest.raises(InvalidFileError) as refused:
        load(as_file(given))
    assert [fault.place for fault in refused.value.faults] == ["comparisons[1].tools[1]"]
    assert not any(rows().values())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("meanwhile", ["a tagline", "a deletion", "the same slug"])
def test_a_change_of_the_site_ends_a_load_only_if_it_changes_the_load(meanwhile):
    load(as_file(document()))
    given = document(tools=[tool()], comparisons=[{"tools": ["gamma", "beta"]}])
    changes = load(as_file(given), dry_run=True)
    if meanwhile == "a tagline":
        Tool.objects.filter(slug="alpha").update(tagline="Meanwhile")
        apply(changes)
        assert Tool.objects.filter(slug="gamma").exists()
        assert Tool.objects.get(slug="alpha").tagline == "Meanwhile"
        return
    if meanwhile == "a deletion":
        Tool.objects.get(slug="beta").remove(timezone.now())
    else:
        make.tool(slug="gamma", in_category=Category.objects.get())
    before = rows()
    with pytest.raises((SiteChangedError, InvalidFileError)):
        apply(changes)
    assert rows() == before


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


def _queries(content: dict) -> int:
    with CaptureQueriesContext(connection) as queries:
        load(as_file(content))
    return len(queries)


def test_the_queries_of_a_batch_do_not_depend_on_its_size():
    few, many = large(10), large(60)
    created = _queries(few)
    Tool.objects.all().delete()
    assert _queries(many) <= created + 5
    assert _queries(few) == _queries(many)
    changed = _queries(large(10, maker="Other", pricing="$1"))
    load(as_file(many))
    # A long page of the history is written in two statements.
    assert _queries(large(60, maker="Other", pricing="$1")) <= changed + 1
    # Several batches are loaded whole.
    counts = load(as_file(large(502))).counts
    rows_of_each = [counts[kind].created for kind in ("tools", "takes", "comparisons")]
    assert rows_of_each == [442, 884, 442]
    assert not load(as_file(large(502))).changed_anything
