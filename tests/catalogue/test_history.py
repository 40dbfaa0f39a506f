"""What a load writes besides the rows: their histories, withdrawals, the public record."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Reviewer, Take, TakeChange
from shipskip.catalogue.applying import apply
from shipskip.catalogue.faults import InvalidFileError, SiteChangedError
from shipskip.catalogue.files import CATALOGUE
from shipskip.editing.bulk_saves import Save
from tests import factories as make
from tests.catalogue.documents import FORMAT, as_file, document, dumped, load, tool
from tools.models import Category, FormerSlug, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
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
    load(as_file(document()), Save(now=NOW, user=user))
    for model in MODELS:
        expected = ("+", "Loaded from a catalogue document", user.pk)
        assert versions(model) == [expected] * model.objects.count()
    assert {row.history_date for row in Tool.history.all()} == {NOW}


def test_every_changed_row_gets_a_version_and_no_other_row():
    load(as_file(document()), Save(now=NOW - timedelta(days=1)))
    given = document()
    given["tools"][0]["tagline"] = "Last of all"
    given["comparisons"][0]["tools"].reverse()
    load(as_file(given), Save(now=NOW))
    assert [version[0] for version in versions(Tool)] == ["+", "+", "~"]
    assert [version[0] for version in versions(Comparison)] == ["+", "~"]
    assert [version[0] for version in versions(Take)] == ["+", "+"]
    last = Tool.history.latest()
    assert (last.tagline, last.maker, last.slug) == ("Last of all", "Acme", "alpha")
    swapped = Comparison.history.latest()
    keys = [item["tool"] for item in swapped.tool_list]
    tools = Tool.objects.in_bulk(keys)
    assert [tools[key].slug for key in keys] == ["alpha", "beta"]


def test_a_load_that_changes_nothing_and_a_dry_run_write_neither_history_nor_record():
    load(as_file(document()))
    before = [versions(model) for model in MODELS]
    load(as_file(document()))
    report = load(as_file(alpha(score=10)), dry_run=True)
    assert report.on_record.total == 1
    assert [versions(model) for model in MODELS] == before
    assert public_record() == []


@pytest.mark.parametrize("published", [None, "2030-01-01T00:00:00Z"])
def test_a_load_that_withdraws_a_public_row_stores_when(published):
    load(as_file(document()), Save(now=NOW))
    given = document()
    given["tools"][0]["published"] = published
    given["tools"][0]["takes"][0]["published"] = published
    given["comparisons"][0]["published"] = published
    later = NOW + timedelta(days=1)
    report = load(as_file(given), Save(now=later))
    for row in (
        Tool.objects.get(slug="alpha"),
        Take.objects.get(score=72),
        Comparison.objects.get(),
    ):
        assert row.withdrawn_at == later
        assert row.history.latest().withdrawn_at == later
    assert all(each.withdrawn for each in report.changed.entries)
    assert report.changed.total == 3


def test_unscheduling_a_row_that_was_never_public_is_no_withdrawal():
    given = document()
    given["tools"][0]["published"] = "2030-01-01T00:00:00Z"
    load(as_file(given), Save(now=NOW))
    given["tools"][0]["published"] = None
    load(as_file(given), Save(now=NOW))
    assert Tool.objects.get(slug="alpha").withdrawn_at is None


def test_a_changed_take_counts_as_checked_and_an_unchanged_one_does_not():
    load(as_file(document()), Save(now=NOW))
    assert set(Take.objects.values_list("checked_at", flat=True)) == {None}
    load(as_file(alpha(body="Still no.")), Save(now=NOW))
    assert Take.objects.get(score=72).checked_at == NOW
    assert Take.objects.get(score=100).checked_at is None


def test_a_public_score_that_changes_goes_on_the_record_with_its_reason():
    load(as_file(document()), Save(now=NOW))
    load(as_file(alpha(score=20, verdict="ship")), Save(now=NOW), reason="Pricing tripled")
    assert public_record() == [(72, "skip", 20, "ship", "Pricing tripled", NOW)]
    load(as_file(alpha(score=21, verdict="ship")), Save(now=NOW))
    assert public_record()[1] == (20, "ship", 21, "ship", CATALOGUE.reason, NOW)
    assert "Pricing tripled" in Take.history.filter(score=20).latest().history_change_reason


def test_other_changes_of_a_public_take_need_no_record():
    load(as_file(document()), Save(now=NOW))
    for changes in ({"body": "Other."}, {"published": "2026-05-03T00:00:00Z"}):
        report = load(as_file(alpha(**changes)), Save(now=NOW))
        assert report.counts["takes"].changed == 1
        assert (public_record(), report.on_record.total) == ([], 0)


@pytest.mark.parametrize(
    ("tool_published", "take_published"),
    [("2026-05-01T09:00:00Z", None), (None, "now"), ("2030-01-01T00:00:00Z", "now")],
    ids=["a draft", "on a draft", "on a scheduled tool"],
)
def test_a_score_that_readers_could_not_see_is_not_recorded(tool_published, take_published):
    given = document()
    given["tools"][0]["published"] = tool_published
    if not take_published:
        given["tools"][0]["takes"][0]["published"] = None
    load(as_file(given), Save(now=NOW))
    load(as_file(alpha(score=1)), Save(now=NOW))
    assert Tool.objects.get(slug="alpha").state(NOW) == "public"
    assert Take.objects.filter(score=1).exists()
    assert public_record() == []


def test_a_score_that_was_withdrawn_is_still_on_the_record():
    load(as_file(document()), Save(now=NOW))
    load(as_file(alpha(score=1, published=None)), Save(now=NOW))
    load(as_file(alpha(score=2, published=None)), Save(now=NOW))
    assert [row[:3:2] for row in public_record()] == [(72, 1), (1, 2)]


def test_a_public_take_that_was_deleted_and_comes_back_changed_is_on_the_record():
    load(as_file(document()), Save(now=NOW))
    take = Take.objects.get(score=72)
    take.remove(NOW)
    report = load(as_file(alpha(score=20)), Save(now=NOW), reason="Tested again")
    assert (report.counts["takes"].created, report.on_record.total) == (1, 1)
    assert "score: 72 → 20" in str(report.on_record.entries[0])
    assert public_record() == [(72, "skip", 20, "skip", "Tested again", NOW)]


@pytest.mark.parametrize("published", [None, "2030-01-01T00:00:00Z"])
def test_a_take_that_is_restored_unchanged_is_recorded_when_it_is_changed_later(published):
    load(as_file(document()), Save(now=NOW - timedelta(days=2)))
    take = Take.objects.get(score=72)
    take.remove(NOW - timedelta(days=1))
    load(as_file(alpha(published=published)), Save(now=NOW))
    back = Take.objects.get(score=72)
    assert (back.withdrawn_at, public_record()) == (NOW - timedelta(days=1), [])
    assert Take.history.latest("history_id").withdrawn_at == back.withdrawn_at
    load(as_file(alpha(score=10)), Save(now=NOW), reason="Tested again")
    assert public_record() == [(72, "skip", 10, "skip", "Tested again", NOW)]


def test_a_take_that_is_restored_unchanged_or_was_never_public_is_not_recorded():
    load(as_file(document()), Save(now=NOW))
    for take in Take.objects.all():
        take.remove(NOW)
    given = alpha()
    given["tools"][0]["takes"].append({"reviewer": "builder", "score": 1, "verdict": "skip"})
    report = load(as_file(given), Save(now=NOW))
    assert (report.counts["takes"].created, public_record()) == (2, [])
    assert [take.withdrawn_at for take in Take.objects.order_by("score")] == [None, NOW]


def test_the_publication_minute_decides_whether_readers_could_see_a_take():
    public = datetime(2026, 5, 2, 8, 0, 0, 250, tzinfo=UTC)
    load(as_file(document()), Save(now=public))
    before = Save(now=public - timedelta(minutes=1))
    after = Save(now=public + timedelta(minutes=1))
    assert load(as_file(alpha(score=1)), before, dry_run=True).on_record.total == 0
    assert load(as_file(alpha(score=1)), after, dry_run=True).on_record.total == 1


def hidden(published: str | None = None) -> dict:
    """The usual document with its tools, takes and pair as drafts, or public from that moment."""
    given = document()
    for each in [*given["tools"], *given["comparisons"]]:
        for row in [each, *each.get("takes", [])]:
            row["published"] = published
    return given


def test_slugs_of_a_tool_that_was_deleted_as_a_draft_are_free_for_new_ones():
    load(as_file(hidden()))
    old = Tool.objects.get(slug="alpha")
    old.rename("omega")
    old.remove(timezone.now())
    report = load(as_file(hidden()))
    assert (
        report.counts["tools"].created,
        report.counts["takes"].created,
        report.counts["comparisons"].created,
    ) == (1, 2, 1)
    assert FormerSlug.objects.filter(slug="alpha", tool=old).exists()
    assert Tool.everything.get(pk=old.pk).deleted_at
    assert load(as_file(document(tools=[tool(slug="omega")]))).counts["tools"].created == 1
    assert Tool.everything.filter(slug="omega").count() == 2
    assert Take.objects.filter(tool=old).count() == 2


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
        f'tools[1].slug: "{slug}" was the slug of a public tool that was deleted '
        "on 2026-06-03; bring that tool back at the desk, or choose another slug"
    ]
    old.bring_back()
    assert (
        load(as_file({"format": FORMAT, "tools": [tool(slug="omega")]})).counts["tools"].changed
        == 1
    )


def test_a_dump_contains_no_deleted_rows_and_no_comparisons_of_deleted_tools():
    load(as_file(document()))
    third = make.tool(slug="third", in_category=Category.objects.get())
    text = dumped()
    category, take = make.category(), make.take(on=third, by=make.reviewer())
    pair = make.comparison(tools=[third, Tool.objects.get(slug="alpha")])
    for row in (category, take, take.reviewer, pair):
        row.remove(timezone.now())
    deleted = make.tool(slug="gone", in_category=Category.objects.get())
    make.take(on=deleted, by=Reviewer.objects.first())
    make.comparison(tools=(deleted, Tool.objects.get(slug="alpha")))
    make.comparison(tools=(Tool.objects.get(slug="beta"), deleted), featured=True)
    deleted.remove(timezone.now())
    assert dumped() == text


def test_two_runs_that_do_the_same_have_one_fingerprint_and_others_have_another():
    load(as_file(document(comparisons=[])), Save(now=NOW))

    def fingerprint(given: dict) -> str:
        return load(as_file(given), Save(now=NOW), dry_run=True).fingerprint

    first = fingerprint(document(tools=[tool(), *document()["tools"]]))
    assert fingerprint(document(tools=[tool(), *document()["tools"]])) == first
    assert fingerprint(document(tools=[tool(name="Delta"), *document()["tools"]])) != first
    assert fingerprint(document()) != first
    Comparison.objects.all().delete()
    Tool.objects.filter(slug="beta").update(published_at=NOW)
    changed = fingerprint(document(tools=[tool(slug="beta", name="B")], comparisons=[]))
    Tool.objects.filter(slug="beta").update(name="C")
    assert fingerprint(document(tools=[tool(slug="beta", name="B")], comparisons=[])) != changed


@pytest.mark.django_db(transaction=True)
def test_a_load_that_is_not_the_compared_one_writes_nothing():
    load(as_file(document()), Save(now=NOW))
    changes = load(as_file(alpha(score=1)), Save(now=NOW), dry_run=True)
    Take.objects.filter(score=72).update(score=73)
    with pytest.raises(SiteChangedError):
        apply(changes)
    assert Take.objects.filter(score=73).exists()
    assert public_record() == []
    changes = load(as_file(alpha(score=1)), Save(now=NOW), dry_run=True)
    assert "score: 73 → 1" in str(changes.on_record.entries[0])
    apply(changes)
    assert public_record()[0][:3:2] == (73, 1)


@pytest.mark.django_db(transaction=True)
def test_what_a_colleague_saves_after_the_comparison_is_not_overwritten():
    load(as_file(document()), Save(now=NOW))
    given = alpha(score=1)
    del given["tools"][0]["takes"][0]["body"]
    changes = load(as_file(given), Save(now=NOW), dry_run=True)
    Take.objects.filter(score=72).update(body="Corrected.")
    apply(changes)
    assert public_record()[0][:3:2] == (72, 1)
    assert Take.history.filter(score=1).get().body == "Corrected."
    assert Take.objects.get(score=1).body == "Corrected."


def test_what_changes_is_listed_in_words_and_of_long_texts_what_differs():
    load(as_file(document()), Save(now=NOW))
    make.category(slug="art")
    text = "It reads. " * 30
    Tool.objects.filter(slug="alpha").update(description=f"{text}Slowly.{text}")
    given = document()
    given["tools"][0] |= {"tagline": "Last", "category": "art"}
    given["tools"][0]["description"] = f"{text}Fast.{text}"
    given["tools"].append(tool(published="2026-05-01T09:00:00Z"))
    given["reviewers"][0]["likes"] = []
    given["comparisons"][0] |= {"tools": ["alpha", "beta"], "featured": False}
    changes = load(as_file(given), Save(now=NOW), dry_run=True)
    reviewers, alpha, comparison = map(str, changes.changed.entries)
    assert reviewers == "reviewers: skeptic (likes: “numbers” → “”)"
    assert alpha.startswith("tools: alpha (category: “chat” → “art”; tagline: “First of all” → “L")
    before, after = alpha.partition("description: ")[2].split(" → ")
    assert before.startswith("…It reads. It reads. It reads. It reads. Slowly.It reads.")
    assert after.startswith("…It reads. It reads. It reads. It reads. Fast.It reads.")
    assert comparison == (
        "comparisons: alpha vs beta (tools: “beta, alpha” → “alpha, beta”; featured: yes → no)"
    )
    assert [str(each) for each in changes.created.entries] == [
        "tools: gamma (published: 2026-05-01T09:00:00Z)"
    ]


def test_a_long_list_is_limited_and_the_rest_is_counted(monkeypatch):
    monkeypatch.setattr("shipskip.catalogue.changes.MAX_LISTED", 3)
    given = document(tools=[tool(slug=f"tool-{at}") for at in range(5)], comparisons=[])
    created = load(as_file(given), dry_run=True).created
    assert (len(created.entries), created.total, created.unlisted) == (3, 8, 5)
