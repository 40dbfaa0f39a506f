"""What a load writes besides the rows: their histories, withdrawals, the public record."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from comparisons.models import Comparison
from reviews.models import Reviewer, Take, TakeChange
from shipskip.catalogue.files import CATALOGUE
from shipskip.editing.bulk_saves import Save
from tests import factories as make
from tests.catalogue.documents import (
    as_file,
    document,
    dumped,
    load,
    report,
    tool,
)
from tools.models import Category, FormerSlug, Tool

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
PUBLIC, LATER = "2026-05-01T09:00:00Z", "2030-01-01T00:00:00Z"
MODELS: list[Any] = [Category, Reviewer, Tool, Take, Comparison]


def versions(model) -> list[tuple]:
    rows = model.history.order_by("history_id")
    return list(rows.values_list("history_type", "history_change_reason", "history_user"))


def alpha(**keys) -> dict:
    """A document of the tool alpha alone, with the skeptic's take changed by these keys."""
    given = document(categories=[], reviewers=[], comparisons=[])
    given["tools"] = given["tools"][:1]
    given["tools"][0]["takes"] = [given["tools"][0]["takes"][0] | keys]
    return given


def public_record() -> list[tuple]:
    fields = ["score_before", "verdict_before", "score_after", "verdict_after", "reason", "at"]
    return list(TakeChange.objects.order_by("pk").values_list(*fields))


@pytest.mark.both_databases
def test_every_new_or_changed_row_gets_a_version_and_no_other_row():
    user = User.objects.create_user("eva")
    load(as_file(document()), Save(now=NOW, user=user))
    for model in MODELS:
        expected = ("+", "Loaded from a catalogue document", user.pk)
        assert versions(model) == [expected] * model.objects.count()
    assert {row.history_date for row in Tool.history.all()} == {NOW}
    given = document()
    given["tools"][0]["tagline"] = "Last of all"
    given["comparisons"][0]["tools"].reverse()
    load(as_file(given), Save(now=NOW + DAY))
    found = {model.__name__: "".join(row[0] for row in versions(model)) for model in MODELS}
    assert found == {
        "Category": "+", "Reviewer": "++", "Tool": "++~", "Take": "++", "Comparison": "+~"
    }  # fmt: skip
    last = Tool.history.latest()
    assert (last.tagline, last.maker, last.slug) == ("Last of all", "Acme", "alpha")
    keys = [item["tool"] for item in Comparison.history.latest().tool_list]
    tools = Tool.objects.in_bulk(keys)
    assert [tools[key].slug for key in keys] == ["alpha", "beta"]
    # Neither the same again nor a dry run writes a version or the record.
    before = [versions(model) for model in MODELS]
    load(as_file(given))
    assert load(as_file(alpha(score=10)), dry_run=True).on_record.total == 1
    assert [versions(model) for model in MODELS] == before
    assert public_record() == []


@pytest.mark.both_databases
@pytest.mark.parametrize("published", [None, LATER])
def test_a_load_that_withdraws_a_public_row_stores_when(published):
    given = document()
    listed = [given["tools"][0], given["tools"][0]["takes"][0], given["comparisons"][0]]
    given["tools"][1]["published"] = LATER
    load(as_file(given), Save(now=NOW))
    for row in [*listed, given["tools"][1]]:
        row["published"] = published
    changes = load(as_file(given), Save(now=NOW + DAY))
    stored = Tool.objects.get(slug="alpha"), Take.objects.get(score=72), Comparison.objects.get()
    for row in stored:
        assert row.withdrawn_at == row.history.latest().withdrawn_at == NOW + DAY
    assert [each.withdrawn for each in changes.changed.entries if each.withdrawn] == [True] * 3
    assert Tool.objects.get(slug="beta").withdrawn_at is None, "it was never public"


@pytest.mark.both_databases
def test_a_public_score_that_changes_goes_on_the_record_and_other_changes_do_not():
    load(as_file(document()), Save(now=NOW))
    assert set(Take.objects.values_list("checked_at", flat=True)) == {None}
    for changes in ({"body": "Other."}, {"published": "2026-05-03T00:00:00Z"}):
        loaded = load(as_file(alpha(**changes)), Save(now=NOW))
        assert loaded.counts["takes"].changed == 1
        assert (public_record(), loaded.on_record.total) == ([], 0)
    checks = dict(Take.objects.values_list("score", "checked_at"))
    assert checks == {72: NOW, 100: None}, "a changed take counts as checked"
    load(as_file(alpha(score=20, verdict="ship")), Save(now=NOW), reason="Pricing tripled")
    load(as_file(alpha(score=21, verdict="ship")), Save(now=NOW))
    # What was withdrawn is on the record too.
    load(as_file(alpha(score=21, verdict="skip", published=None)), Save(now=NOW))
    load(as_file(alpha(score=23, verdict="skip", published=None)), Save(now=NOW))
    assert public_record() == [
        (72, "skip", 20, "ship", "Pricing tripled", NOW),
        (20, "ship", 21, "ship", CATALOGUE.reason, NOW),
        (21, "ship", 21, "skip", CATALOGUE.reason, NOW),
        (21, "skip", 23, "skip", CATALOGUE.reason, NOW),
    ]
    assert "Pricing tripled" in Take.history.filter(score=20).latest().history_change_reason


@pytest.mark.parametrize(
    ("tool_published", "take_published"),
    [(PUBLIC, LATER), (None, PUBLIC), (LATER, PUBLIC)],
    ids=["scheduled", "on a draft", "on a scheduled tool"],
)
def test_a_score_that_readers_could_not_see_is_not_recorded(tool_published, take_published):
    given = document()
    given["tools"][0]["published"] = tool_published
    given["tools"][0]["takes"][0]["published"] = take_published
    load(as_file(given), Save(now=NOW))
    load(as_file(alpha(score=1)), Save(now=NOW))
    assert Tool.objects.get(slug="alpha").state(NOW) == "public"
    assert Take.objects.filter(score=1).exists()
    assert public_record() == []


@pytest.mark.parametrize("published", [PUBLIC, None, LATER])
@pytest.mark.parametrize("score", [72, 10], ids=["unchanged", "changed"])
def test_a_deleted_public_take_is_recorded_when_it_comes_back_changed_or_changes_later(
    score, published
):
    load(as_file(document()), Save(now=NOW - 2 * DAY))
    for take in Take.objects.all():
        take.remove(NOW - DAY)
    given = alpha(published=published, score=score)
    given["tools"][0]["takes"].append({"reviewer": "builder", "score": 1, "verdict": "skip"})
    changes = load(as_file(given), Save(now=NOW), reason="Tested again")
    assert (changes.counts["takes"].created, changes.on_record.total) == (2, score == 10)
    back = Take.objects.get(score=score)
    assert back.withdrawn_at == back.history.latest("history_id").withdrawn_at == NOW - DAY
    assert Take.objects.get(score=1).withdrawn_at is None, "it was never public"
    load(as_file(alpha(score=10)), Save(now=NOW), reason="Tested again")
    assert public_record() == [(72, "skip", 10, "skip", "Tested again", NOW)]


@pytest.mark.both_databases
def test_slugs_of_a_tool_that_was_deleted_as_a_draft_are_free_for_new_ones():
    hidden = document()
    for each in [*hidden["tools"], *hidden["comparisons"]]:
        for row in [each, *each.get("takes", [])]:
            row["published"] = None
    load(as_file(hidden))
    old = Tool.objects.get(slug="alpha")
    old.rename("omega")
    FormerSlug.objects.create(slug="alpha", tool=old)
    old.remove(NOW)
    counts = load(as_file(hidden)).counts
    created = [counts[kind].created for kind in ("tools", "takes", "comparisons")]
    assert created == [1, 2, 1]
    assert FormerSlug.objects.filter(slug="alpha", tool=old).exists()
    assert Tool.everything.get(pk=old.pk).deleted_at
    assert load(as_file(document(tools=[tool(slug="omega")]))).counts["tools"].created == 1
    assert Tool.everything.filter(slug="omega").count() == 2
    assert Take.objects.filter(tool=old).count() == 2


def test_a_dump_contains_no_deleted_rows_and_no_comparisons_of_deleted_tools():
    load(as_file(document()))
    chat, alpha = Category.objects.get(), Tool.objects.get(slug="alpha")
    third = make.tool(slug="third", in_category=chat)
    text = dumped()
    category, take = make.category(), make.take(on=third, by=make.reviewer())
    pair = make.comparison(tools=[third, alpha])
    deleted = make.tool(slug="gone", in_category=chat)
    make.take(on=deleted, by=Reviewer.objects.first())
    make.comparison(tools=(deleted, alpha))
    make.comparison(tools=(Tool.objects.get(slug="beta"), deleted), featured=True)
    for row in (category, take, take.reviewer, pair, deleted):
        row.remove(NOW)
    assert dumped() == text


def test_changes_are_listed_in_words_of_long_texts_what_differs(snapshot):
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
    assert report(load(as_file(given), Save(now=NOW), dry_run=True)) == snapshot
