"""What a load writes besides the rows: their histories, withdrawals, the public record."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Reviewer, Take, TakeChange
from shipskip.catalogue.change_log import REASON, LoadContext
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.faults import InvalidFileError
from shipskip.catalogue.loading import load
from shipskip.catalogue.merging import Merger
from tests import factories as make
from tests.catalogue.documents import FORMAT, as_file, document, tool
from tools.models import Category, FormerSlug, Tool

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
MODELS: list[Any] = [Category, Reviewer, Tool, Take, Comparison]


def versions(model) -> list[tuple]:
    rows = model.history.order_by("history_id")
    return list(rows.values_list("history_type", "history_change_reason", "history_user"))


def alpha(**keys) -> dict:
    """A document of the tool alpha alone, with the skeptic's take changed by these keys."""
    given = document(categories=[], reviewers=[], comparisons=[])
    given["tools"] = given["tools"][:1]
    given["tools"][0]["takes"] = given["tools"][0]["takes"][:1]
    given["tools"][0]["takes"][0] |= keys
    return given


def public_record() -> list[tuple]:
    rows = TakeChange.objects.order_by("pk")
    return list(
        rows.values_list(
            "score_before", "verdict_before", "score_after", "verdict_after", "reason", "at"
        )
    )


def test_every_new_row_gets_its_first_version():
    user = User.objects.create_user("eva")
    load(as_file(document()), LoadContext(now=NOW, user=user))
    for model in MODELS:
        expected = ("+", "Loaded from a catalogue document", user.pk)
        assert versions(model) == [expected] * model.objects.count()
    assert {row.history_date for row in Tool.history.all()} == {NOW}


def test_every_changed_row_gets_a_version_and_no_other_row():
    load(as_file(document()), LoadContext(now=NOW - timedelta(days=1)))
    given = document()
    given["tools"][0]["tagline"] = "Last of all"
    given["comparisons"][0]["tools"].reverse()
    load(as_file(given), LoadContext(now=NOW))
    assert [version[0] for version in versions(Tool)] == ["+", "+", "~"]
    assert [version[0] for version in versions(Comparison)] == ["+", "~"]
    assert [version[0] for version in versions(Take)] == ["+", "+"]
    last = Tool.history.latest()
    assert (last.tagline, last.maker, last.slug) == ("Last of all", "Acme", "alpha")
    swapped = Comparison.history.latest()
    tools = Tool.objects.in_bulk(swapped.tool_ids)
    assert [tools[key].slug for key in swapped.tool_ids] == ["alpha", "beta"]


def test_a_load_that_changes_nothing_writes_no_history():
    load(as_file(document()))
    before = [versions(model) for model in MODELS]
    load(as_file(document()))
    assert [versions(model) for model in MODELS] == before


def test_a_dry_run_writes_neither_history_nor_record():
    load(as_file(document()))
    before = [versions(model) for model in MODELS]
    report = load(as_file(alpha(score=10)), dry_run=True)
    assert report.change_log.on_record.total == 1
    assert [versions(model) for model in MODELS] == before
    assert public_record() == []


@pytest.mark.parametrize("published", [None, "2030-01-01T00:00:00Z"])
def test_a_load_that_withdraws_a_public_row_stores_when(published):
    load(as_file(document()), LoadContext(now=NOW))
    given = document()
    given["tools"][0]["published"] = published
    given["tools"][0]["takes"][0]["published"] = published
    given["comparisons"][0]["published"] = published
    later = NOW + timedelta(days=1)
    report = load(as_file(given), LoadContext(now=later))
    for row in (
        Tool.objects.get(slug="alpha"),
        Take.objects.get(score=72),
        Comparison.objects.get(),
    ):
        assert row.withdrawn_at == later
        assert row.history.latest().withdrawn_at == later
    assert all(each.withdrawn for each in report.change_log.changed.entries)
    assert report.change_log.changed.total == 3


def test_unscheduling_a_row_that_was_never_public_is_no_withdrawal():
    given = document()
    given["tools"][0]["published"] = "2030-01-01T00:00:00Z"
    load(as_file(given), LoadContext(now=NOW))
    given["tools"][0]["published"] = None
    load(as_file(given), LoadContext(now=NOW))
    assert Tool.objects.get(slug="alpha").withdrawn_at is None


def test_a_changed_take_counts_as_checked_and_an_unchanged_one_does_not():
    load(as_file(document()), LoadContext(now=NOW))
    assert set(Take.objects.values_list("checked_at", flat=True)) == {None}
    load(as_file(alpha(body="Still no.")), LoadContext(now=NOW))
    assert Take.objects.get(score=72).checked_at == NOW
    assert Take.objects.get(score=100).checked_at is None


def test_a_public_score_that_changes_goes_on_the_record_with_its_reason():
    load(as_file(document()), LoadContext(now=NOW))
    load(as_file(alpha(score=20, verdict="ship")), LoadContext(now=NOW, reason="Pricing tripled"))
    assert public_record() == [(72, "skip", 20, "ship", "Pricing tripled", NOW)]
    load(as_file(alpha(score=21, verdict="ship")), LoadContext(now=NOW))
    assert public_record()[1] == (20, "ship", 21, "ship", REASON, NOW)
    assert "Pricing tripled" in Take.history.filter(score=20).latest().history_change_reason


@pytest.mark.parametrize("changes", [{"body": "Other."}, {"published": "2026-05-03T00:00:00Z"}])
def test_other_changes_of_a_public_take_need_no_record(changes):
    load(as_file(document()), LoadContext(now=NOW))
    report = load(as_file(alpha(**changes)), LoadContext(now=NOW))
    assert report.takes.changed == 1
    assert (public_record(), report.change_log.on_record.total) == ([], 0)


def test_a_score_that_was_never_public_is_not_recorded():
    given = document()
    given["tools"][0]["takes"][0]["published"] = None
    load(as_file(given), LoadContext(now=NOW))
    load(as_file(alpha(score=1)), LoadContext(now=NOW))
    assert public_record() == []


@pytest.mark.parametrize("published", [None, "2030-01-01T00:00:00Z"])
def test_a_score_on_a_tool_that_the_same_load_publishes_is_no_record(published):
    given = document()
    given["tools"][0]["published"] = published
    load(as_file(given), LoadContext(now=NOW))
    load(as_file(alpha(score=1)), LoadContext(now=NOW))
    assert Tool.objects.get(slug="alpha").state(NOW) == "public"
    assert public_record() == []


def test_a_score_that_was_withdrawn_is_still_on_the_record():
    load(as_file(document()), LoadContext(now=NOW))
    load(as_file(alpha(score=1, published=None)), LoadContext(now=NOW))
    load(as_file(alpha(score=2, published=None)), LoadContext(now=NOW))
    assert [row[:3:2] for row in public_record()] == [(72, 1), (1, 2)]


def test_a_public_take_that_was_deleted_and_comes_back_changed_is_on_the_record():
    load(as_file(document()), LoadContext(now=NOW))
    take = Take.objects.get(score=72)
    take._history_date = NOW  # type: ignore[attr-defined]
    take.delete()
    report = load(as_file(alpha(score=20)), LoadContext(now=NOW, reason="Tested again"))
    assert (report.takes.created, report.change_log.on_record.total) == (1, 1)
    assert "score: 72 → 20" in str(report.change_log.on_record.entries[0])
    assert public_record() == [(72, "skip", 20, "skip", "Tested again", NOW)]


@pytest.mark.parametrize("published", [None, "2030-01-01T00:00:00Z"])
def test_a_take_that_is_restored_unchanged_is_recorded_when_it_is_changed_later(published):
    load(as_file(document()), LoadContext(now=NOW - timedelta(days=2)))
    take = Take.objects.get(score=72)
    take._history_date = NOW - timedelta(days=1)  # type: ignore[attr-defined]
    take.delete()
    load(as_file(alpha(published=published)), LoadContext(now=NOW))
    back = Take.objects.get(score=72)
    assert (back.withdrawn_at, public_record()) == (NOW - timedelta(days=1), [])
    assert Take.history.latest("history_id").withdrawn_at == back.withdrawn_at
    load(as_file(alpha(score=10)), LoadContext(now=NOW, reason="Tested again"))
    assert public_record() == [(72, "skip", 10, "skip", "Tested again", NOW)]


def test_a_take_that_is_restored_unchanged_or_was_never_public_is_not_recorded():
    load(as_file(document()), LoadContext(now=NOW))
    for take in Take.objects.all():
        take._history_date = NOW  # type: ignore[attr-defined]
        take.delete()
    given = alpha()
    given["tools"][0]["takes"].append({"reviewer": "builder", "score": 1, "verdict": "skip"})
    report = load(as_file(given), LoadContext(now=NOW))
    assert (report.takes.created, public_record()) == (2, [])
    assert [take.withdrawn_at for take in Take.objects.order_by("score")] == [None, NOW]


def test_the_publication_minute_decides_whether_readers_could_see_a_take():
    public = datetime(2026, 5, 2, 8, 0, 0, 250, tzinfo=UTC)
    load(as_file(document()), LoadContext(now=public))
    before = LoadContext(now=public - timedelta(minutes=1))
    after = LoadContext(now=public + timedelta(minutes=1))
    assert load(as_file(alpha(score=1)), before, dry_run=True).change_log.on_record.total == 0
    assert load(as_file(alpha(score=1)), after, dry_run=True).change_log.on_record.total == 1


def hidden(published: str | None = None) -> dict:
    """The usual document with its tools, takes and pair as drafts, or public from that moment."""
    given = document()
    for each in [*given["tools"], *given["comparisons"]]:
        for row in [each, *each.get("takes", [])]:
            row["published"] = published
    return given


def test_the_slug_of_a_tool_that_was_deleted_as_a_draft_is_free_for_a_new_one():
    load(as_file(hidden()))
    old = Tool.objects.get(slug="alpha")
    old.remove(timezone.now())
    report = load(as_file(hidden()))
    assert (report.tools.created, report.takes.created, report.comparisons.created) == (1, 2, 1)
    assert Tool.everything.filter(slug="alpha").count() == 2
    assert Tool.everything.get(pk=old.pk).deleted_at
    assert Take.objects.filter(tool=old).count() == 2


def test_an_earlier_slug_of_a_tool_that_was_deleted_as_a_draft_is_free_too():
    load(as_file(hidden()))
    old = Tool.objects.get(slug="alpha")
    old.rename("omega")
    old.remove(timezone.now())
    assert load(as_file({"format": FORMAT, "tools": [tool(slug="alpha")]})).tools.created == 1
    assert FormerSlug.objects.filter(slug="alpha", tool=old).exists()


@pytest.mark.parametrize("slug", ["alpha", "omega"])
def test_a_slug_under_which_readers_knew_a_deleted_tool_is_a_fault_with_its_place(slug):
    load(as_file(document()))
    old = Tool.objects.get(slug="alpha")
    old.rename("omega")
    old.remove(datetime(2026, 6, 3, tzinfo=UTC))
    given = {"format": FORMAT, "tools": [tool(slug="free"), tool(slug=slug)]}
    with pytest.raises(InvalidFileError) as refused:
        load(as_file(given))
    assert [str(fault) for fault in refused.value.faults] == [
        f'tools[1].slug: "{slug}" was the address of a public tool that was deleted '
        "on 2026-06-03; bring that tool back at the desk, or choose another slug"
    ]
    old.bring_back()
    assert load(as_file({"format": FORMAT, "tools": [tool(slug="omega")]})).tools.changed == 1


def test_a_dump_contains_neither_deleted_tools_nor_comparisons_with_one():
    load(as_file(document()))
    text = "".join(dump())
    deleted = make.tool(slug="gone", in_category=Category.objects.get())
    make.take(on=deleted, by=Reviewer.objects.first())
    make.comparison(tools=(deleted, Tool.objects.get(slug="alpha")))
    make.comparison(tools=(Tool.objects.get(slug="beta"), deleted), featured=True)
    deleted.remove(timezone.now())
    assert "".join(dump()) == text


def test_two_runs_that_do_the_same_have_one_fingerprint_and_others_have_another():
    load(as_file(document(comparisons=[])), LoadContext(now=NOW))

    def fingerprint(given: dict, **more) -> str:
        return load(
            as_file(given), LoadContext(now=NOW), dry_run=True, **more
        ).change_log.fingerprint

    first = fingerprint(document(tools=[tool(), *document()["tools"]]))
    assert fingerprint(document(tools=[tool(), *document()["tools"]])) == first
    assert fingerprint(document(tools=[tool(name="Delta"), *document()["tools"]])) != first
    assert fingerprint(document()) != first
    Comparison.objects.all().delete()
    Tool.objects.filter(slug="beta").update(published_at=NOW)
    changed = fingerprint(document(tools=[tool(slug="beta", name="B")], comparisons=[]))
    Tool.objects.filter(slug="beta").update(name="C")
    assert fingerprint(document(tools=[tool(slug="beta", name="B")], comparisons=[])) != changed


def test_a_load_that_is_not_the_expected_one_writes_nothing_and_says_what_it_would_do():
    load(as_file(document()), LoadContext(now=NOW))
    expected = load(
        as_file(alpha(score=1)), LoadContext(now=NOW), dry_run=True
    ).change_log.fingerprint
    Take.objects.filter(score=72).update(score=73)
    report = load(as_file(alpha(score=1)), LoadContext(now=NOW), expected_fingerprint=expected)
    assert not report.written
    assert Take.objects.filter(score=73).exists()
    assert public_record() == []
    assert "score: 73 → 1" in str(report.change_log.on_record.entries[0])
    second_report = load(
        as_file(alpha(score=1)),
        LoadContext(now=NOW),
        expected_fingerprint=report.change_log.fingerprint,
    )
    assert second_report.written
    assert public_record()[0][:3:2] == (73, 1)


def test_what_a_colleague_saves_during_the_load_is_compared_and_not_overwritten(monkeypatch):
    load(as_file(document()), LoadContext(now=NOW))
    lock_rows = Merger._lock_rows

    def change_rows(self, batch, pks):
        Take.objects.filter(pk__in=pks).update(score=73, body="Corrected.")
        return lock_rows(self, batch, pks)

    monkeypatch.setattr(Merger, "_lock_rows", change_rows)
    given = alpha(score=1)
    del given["tools"][0]["takes"][0]["body"]
    load(as_file(given), LoadContext(now=NOW))
    assert public_record()[0][:3:2] == (73, 1)
    assert Take.history.filter(score=1).get().body == "Corrected."
    assert Take.objects.get(score=1).body == "Corrected."


def test_what_changes_is_listed_in_words_and_long_texts_are_not():
    load(as_file(document()), LoadContext(now=NOW))
    make.category(slug="art")
    given = document()
    given["tools"][0] |= {"tagline": "Last", "category": "art", "description": "x" * 190}
    given["tools"].append(tool(published="2026-05-01T09:00:00Z"))
    given["reviewers"][0]["likes"] = []
    given["comparisons"][0] |= {"tools": ["alpha", "beta"], "featured": False}
    change_log = load(as_file(given), LoadContext(now=NOW), dry_run=True).change_log
    assert [str(each) for each in change_log.changed.entries] == [
        "reviewers: skeptic (likes: “numbers” → “”)",
        "tools: alpha (tagline: “First of all” → “Last”; description: text changed; "
        "category: “chat” → “art”)",
        "comparisons: alpha vs beta (featured: yes → no; tools: “beta, alpha” → “alpha, beta”)",
    ]
    assert [str(each) for each in change_log.created.entries] == [
        "tools: gamma (published: 2026-05-01T09:00:00Z)"
    ]


def test_a_long_list_is_limited_and_the_rest_is_counted(monkeypatch):
    monkeypatch.setattr("shipskip.catalogue.change_log.MAX_LISTED", 3)
    given = document(tools=[tool(slug=f"tool-{at}") for at in range(5)], comparisons=[])
    created = load(as_file(given), dry_run=True).change_log.created
    assert (len(created.entries), created.total, created.unlisted) == (3, 8, 5)
