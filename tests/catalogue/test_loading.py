"""A load is all or nothing, safe to repeat, and changes what the document says and no more."""

import re
from datetime import UTC, datetime

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
from tests.catalogue import big
from tests.catalogue.documents import FORMAT, as_file, document, load, rows, tool
from tools.models import Category, EntryPrice, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_a_load_into_an_empty_site_creates_what_the_document_says():
    report = load(as_file(document()))
    assert report.counts["tools"] == RowCounts(created=2)
    assert report.counts["takes"] == RowCounts(created=2)
    alpha = Tool.objects.get(slug="alpha")
    assert alpha.name == "Alpha – “α” & (12B) 🚀"
    assert alpha.entry == EntryPrice.FREEMIUM
    assert alpha.published_at == datetime(2026, 5, 1, 9, tzinfo=UTC)
    take = Take.objects.get(tool=alpha, reviewer__slug="skeptic")
    assert (take.score, take.verdict, take.body) == (72, "skip", "No.")
    assert take.published_at == datetime(2026, 5, 2, 8, 0, 0, 250, tzinfo=UTC)
    comparison = Comparison.objects.get()
    assert [each.slug for each in comparison.tools] == ["beta", "alpha"]
    assert Reviewer.objects.get(slug="skeptic").dislikes == ["demos", "naïve claims"]
    beta = Tool.objects.get(slug="beta")
    assert (beta.published_at, beta.entry, beta.tagline) == (None, "free", ""), "defaults"
    builder = Reviewer.objects.get(slug="builder")
    assert (builder.published_at, builder.likes) == (ALWAYS, [])
    assert Take.objects.get(reviewer=builder).published_at is None


def test_a_second_run_and_missing_keys_change_nothing():
    load(as_file(document()))
    before = rows()
    report = load(as_file(document()))
    assert not report.changed_anything
    assert report.counts["tools"] == RowCounts(left_alone=2)
    assert report.counts["comparisons"] == RowCounts(left_alone=1)
    take = {"reviewer": "skeptic", "score": 72, "verdict": "skip"}
    bare = {
        "format": FORMAT,
        "categories": [{"slug": "chat", "name": "Chat"}],
        "reviewers": [{"slug": "skeptic", "name": "Skeptic"}],
        "tools": [tool(slug="alpha", name="Alpha – “α” & (12B) 🚀", takes=[take])],
        "comparisons": [{"tools": ["beta", "alpha"]}],
    }
    assert not load(as_file(bare)).changed_anything
    assert rows() == before


def test_only_what_differs_is_written():
    load(as_file(document()))
    given = document()
    given["tools"][0] |= {"tagline": "Last of all", "published": None}
    given["tools"][0]["takes"][0]["score"] = 0
    given["categories"][0]["description"] = ""
    given["reviewers"][0]["likes"] = []
    with CaptureQueriesContext(connection) as queries:
        report = load(as_file(given))
    assert report.counts["categories"] == RowCounts(changed=1)
    assert report.counts["reviewers"] == RowCounts(changed=1, left_alone=1)
    assert report.counts["tools"] == RowCounts(changed=1, left_alone=1)
    assert report.counts["takes"] == RowCounts(changed=1, left_alone=1)
    assert report.counts["comparisons"] == RowCounts(left_alone=1)
    alpha = Tool.objects.get(slug="alpha")
    assert (alpha.tagline, alpha.published_at) == ("Last of all", None)
    assert Take.objects.get(reviewer__slug="skeptic").score == 0
    updates = [query["sql"] for query in queries if query["sql"].startswith("UPDATE")]
    written = {name for update in updates for name in re.findall(r'"(\w+)" = \(?CASE', update)}
    assert sorted(written) == [
        "checked_at", "description", "likes", "preview_key", "published_at", "score", "tagline",
        "withdrawn_at",
    ]  # fmt: skip


def test_progress_is_reported_stage_by_stage_with_how_much_there_is():
    steps: list[tuple[str, int, int]] = []
    file = as_file(document())
    load(file, progress=lambda *step: steps.append(step))
    size = len(file.getvalue())
    assert steps[:2] == [("Reading", 0, size), ("Reading", size, size)]
    compared = {"categories": 1, "reviewers": 2, "tools": 2, "comparisons": 1}
    done = [(f"Comparing {name}", number, number) for name, number in compared.items()]
    written = compared | {"takes": 2}
    order = ["categories", "reviewers", "tools", "takes", "comparisons"]
    done += [(f"Writing {name}", written[name], written[name]) for name in order]
    assert steps[2:] == done


def test_a_load_changes_no_votes_and_no_rows_that_it_does_not_name():
    load(as_file(document()))
    now = datetime(2026, 6, 1, tzinfo=UTC)
    for each in Tool.objects.all():
        Vote.objects.create(tool=each, choice="ship", cast_at=now, changed_at=now)
    before = list(Vote.objects.order_by("pk").values())
    given = document(tools=[tool(takes=[]), tool(slug="alpha", name="Another")], comparisons=[])
    assert load(as_file(given)).counts["tools"] == RowCounts(created=1, changed=1)
    assert list(Vote.objects.order_by("pk").values()) == before
    assert (Tool.objects.count(), Take.objects.count(), Comparison.objects.count()) == (3, 2, 1)


def test_the_other_order_of_two_tools_is_a_change_of_the_same_comparison():
    load(as_file(document()))
    first = Comparison.objects.get()
    report = load(as_file(document(comparisons=[{"tools": ["alpha", "beta"]}])))
    assert report.counts["comparisons"] == RowCounts(changed=1)
    reloaded = Comparison.objects.get()
    assert reloaded.pk == first.pk
    assert [each.slug for each in reloaded.tools] == ["alpha", "beta"]
    assert reloaded.summary == "Close."


def test_the_sections_may_stand_in_any_order():
    given = document()
    backwards = {key: given[key] for key in reversed(given)}
    assert load(as_file(backwards)).counts["takes"] == RowCounts(created=2)


def test_references_may_lead_to_what_the_site_has():
    load(as_file(document(comparisons=[])))
    take = {"reviewer": "builder", "score": 5, "verdict": "ship"}
    report = load(
        as_file(
            {
                "format": FORMAT,
                "tools": [tool(takes=[take])],
                "comparisons": [{"tools": ["gamma", "alpha"]}],
            }
        )
    )
    assert (report.counts["takes"], report.counts["comparisons"]) == (
        RowCounts(created=1),
        RowCounts(created=1),
    )


def test_a_category_may_be_a_draft_or_public_from_a_time_on():
    given = document()
    given["categories"][0]["published"] = None
    given["reviewers"][0]["published"] = "2027-01-01T00:00:00Z"
    load(as_file(given))
    assert Category.objects.get().published_at is None
    load(as_file(document()))
    assert Category.objects.get().published_at is None
    assert Reviewer.objects.get(slug="skeptic").published_at == datetime(2027, 1, 1, tzinfo=UTC)


def test_a_fault_in_the_last_entry_prevents_the_whole_load():
    given = document()
    given["comparisons"].append({"tools": ["alpha", "alpha"]})
    with pytest.raises(InvalidFileError) as refused:
        load(as_file(given))
    assert [fault.place for fault in refused.value.faults] == ["comparisons[1].tools[1]"]
    assert not any(rows().values())


def test_a_dry_run_reports_what_it_would_do_and_writes_nothing():
    load(as_file(document(comparisons=[])))
    before = rows()
    given = document(tools=[tool(), tool(slug="alpha", name="Renamed")], comparisons=[])
    report = load(as_file(given), dry_run=True)
    assert report.counts["tools"] == RowCounts(created=1, changed=1)
    assert rows() == before


@pytest.mark.django_db(transaction=True)
def test_a_change_of_the_site_that_leaves_the_changes_as_they_were_does_not_end_the_load():
    load(as_file(document()))
    changes = load(as_file(document(tools=[tool()], comparisons=[])), dry_run=True)
    Tool.objects.filter(slug="alpha").update(tagline="Meanwhile")
    apply(changes)
    assert Tool.objects.filter(slug="gamma").exists()
    assert Tool.objects.get(slug="alpha").tagline == "Meanwhile"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("slug", ["beta", "gamma"])
def test_a_change_of_the_site_that_changes_the_load_ends_it_with_nothing_written(slug):
    load(as_file(document()))
    given = document(tools=[tool()], comparisons=[{"tools": ["gamma", "beta"]}])
    changes = load(as_file(given), dry_run=True)
    if slug == "beta":
        Tool.objects.get(slug="beta").remove(timezone.now())
    else:
        make.tool(slug="gamma", in_category=Category.objects.get())
    before = rows()
    with pytest.raises((SiteChangedError, InvalidFileError)):
        apply(changes)
    assert rows() == before


def test_two_loads_that_create_the_same_row_end_in_a_conflict(monkeypatch):
    def fail(*_, **__):
        raise IntegrityError("UNIQUE constraint failed: tools_tool.slug")

    monkeypatch.setattr("shipskip.catalogue.applying.insert_rows", fail)
    with pytest.raises(SiteChangedError, match="somebody else changed the site"):
        load(as_file(document()))
    assert not any(rows().values())


def test_an_error_in_the_middle_of_a_load_leaves_nothing(monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("shipskip.catalogue.applying.write_takes", fail)
    with pytest.raises(ZeroDivisionError):
        load(as_file(document()))
    assert not any(rows().values())


def _large(number: int, **keys) -> dict:
    return {
        "format": FORMAT,
        "categories": [{"slug": f"category-{at}", "name": "C"} for at in range(20)],
        "reviewers": big.reviewers(2),
        "tools": [each | keys for each in big.tools(number, 2, words=5)],
        "comparisons": [{"tools": [f"tool-{at}", f"tool-{at + 1}"]} for at in range(number - 1)],
    }


def _queries(content: dict) -> int:
    with CaptureQueriesContext(connection) as queries:
        load(as_file(content))
    return len(queries)


def test_the_queries_of_a_batch_do_not_depend_on_its_size():
    few, many = _large(10), _large(60)
    created = _queries(few)
    Tool.objects.all().delete()
    assert _queries(many) <= created + 5
    Tool.objects.all().delete()
    load(as_file(many))
    assert _queries(few) == _queries(many)
    changed = _queries(_large(10, maker="Other", pricing="$1"))
    load(as_file(many))
    # A long page of the history is written in two statements.
    assert _queries(_large(60, maker="Other", pricing="$1")) <= changed + 1


def test_a_document_of_several_batches_is_loaded_whole():
    report = load(as_file(_large(502)))
    assert report.counts["tools"] == RowCounts(created=502)
    assert report.counts["takes"] == RowCounts(created=1_004)
    assert report.counts["comparisons"] == RowCounts(created=501)
    assert not load(as_file(_large(502))).changed_anything


def test_a_load_changes_the_choose_if_of_a_comparison_and_says_so():
    given = document()
    load(as_file(given))
    row = Comparison.objects.get()
    assert row.choose_if == {}
    given["comparisons"][0]["choose_if"] = {"alpha": "you read diffs"}
    report = load(as_file(given))
    (change,) = report.changed.entries
    assert str(change) == "comparisons: beta vs alpha (choose_if: “” → “alpha: you read diffs”)"
    row.refresh_from_db()
    assert row.choose_if == {row.tool_ids[1]: "you read diffs"}
    del given["comparisons"][0]["choose_if"]  # a missing key leaves it alone
    assert not load(as_file(given)).changed_anything
