"""Restoring an earlier version of a row: what it changes, refuses and records."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Take, TakeChange
from tests import factories as make
from tests.desk.histories import NOON, change, changes_of, entries, messages_of, path, restore
from tools.models import FormerSlug

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_a_version_is_restored_and_the_restoring_is_on_record(publisher, clock):
    clock(NOON)
    tool = make.tool(pricing="Free", description="Good.")
    old = tool.history.first()
    clock(NOON + timedelta(days=1))
    change(tool, pricing="$20/mo", description="Bad.")
    response = restore(publisher, tool, old)
    tool.refresh_from_db()
    assert (tool.pricing, tool.description) == ("Free", "Good.")
    assert "has its values of 3 May 2026 12:00 UTC again" in messages_of(response)[0]
    newest = entries(publisher, tool)[0]
    assert (newest.who, changes_of(newest)) == ("paula", ["Pricing: $20/mo → Free"])
    assert newest.version.history_change_reason == "Restored the version of 3 May 2026 12:00 UTC"
    assert tool.history.count() == 3


def test_the_page_of_a_version_shows_what_restoring_it_would_change(publisher):
    tool = make.tool(pricing="Free", published_at=None)
    old = tool.history.first()
    change(tool, pricing="$20/mo", published_at=make.PUBLISHED)
    page = publisher.get(path(tool, f"{old.history_id}/"))
    assert [(c.label, c.before, c.after) for c in page.context["changes"]] == [
        ("Pricing", "$20/mo", "Free")
    ]
    assert b"Restore this version" in page.content
    now = publisher.get(path(tool, f"{tool.history.first().history_id}/"))
    assert b"nothing to restore" in now.content
    assert b"Restore this version" not in now.content


def test_restoring_twice_changes_nothing_more(publisher):
    tool = make.tool(pricing="Free")
    old = tool.history.first()
    change(tool, pricing="$20/mo")
    restore(publisher, tool, old)
    response = restore(publisher, tool, old)
    assert "already has its values" in messages_of(response)[0]
    assert tool.history.count() == 3


@pytest.mark.parametrize("was", [None, "past", "future"])
@pytest.mark.parametrize("is_now", [None, "past", "future"])
def test_a_restore_never_publishes_and_never_withdraws(publisher, was, is_now):
    now = timezone.now()
    moments = {None: None, "past": now - timedelta(days=9), "future": now + timedelta(days=9)}
    pair = make.comparison(summary="Before.", published_at=moments[was])
    old = pair.history.first()
    change(pair, summary="After.", published_at=moments[is_now])
    restore(publisher, pair, old)
    pair.refresh_from_db()
    assert (pair.summary, pair.published_at) == ("Before.", moments[is_now])
    assert pair.withdrawn_at is None


def test_a_restore_is_refused_after_a_colleague_s_save(publisher):
    tool = make.tool(pricing="Free")
    old = tool.history.first()
    change(tool, pricing="$20/mo")
    page = publisher.get(path(tool, f"{old.history_id}/"))
    change(tool, maker="Acme")
    url = path(tool, f"{old.history_id}/restore/")
    response = publisher.post(url, {"history_id": page.context["history_id"]})
    assert "Another editor saved this while you were reading" in response.content.decode()
    tool.refresh_from_db()
    assert (tool.pricing, tool.maker) == ("$20/mo", "Acme")
    assert {c.label for c in response.context["changes"]} == {"Pricing", "Maker"}
    second = publisher.post(url, {"history_id": response.context["history_id"]})
    assert second.status_code == 303
    tool.refresh_from_db()
    assert (tool.pricing, tool.maker) == ("Free", "")


def test_a_version_that_breaks_a_present_rule_is_refused_with_the_reasons(publisher):
    tool = make.tool(website="not an address", name="Old")
    old = tool.history.first()
    change(tool, website="https://example.com", name="New")
    response = restore(publisher, tool, old)
    assert messages_of(response) == ["Website: Begin the address with https:// or http://."]
    tool.refresh_from_db()
    assert tool.name == "New"
    assert tool.history.count() == 2


def test_a_pair_that_exists_by_now_is_not_restored(publisher):
    one, two, three = make.tool(), make.tool(), make.tool()
    pair = make.comparison(tools=[one, two])
    old = pair.history.first()
    change(pair, tools=[one, three])
    make.comparison(tools=[two, one])
    response = restore(publisher, pair, old)
    assert "There is a comparison of these tools already" in messages_of(response)[0]


def test_a_restore_cannot_empty_what_a_public_tool_must_have(publisher):
    tool = make.tool(tagline="")
    make.take(on=tool)
    old = tool.history.first()
    change(tool, tagline="A line")
    response = restore(publisher, tool, old)
    assert "has no tagline" in messages_of(response)[0]
    tool.withdraw(timezone.now())
    restore(publisher, tool, old)
    tool.refresh_from_db()
    assert tool.tagline == ""


def test_a_restored_slug_is_a_renaming_and_the_later_one_redirects(publisher, client):
    tool = make.tool(slug="early", pricing="Free")
    old = tool.history.first()
    tool.rename("late")
    change(tool, pricing="$20/mo")
    restore(publisher, tool, old)
    tool.refresh_from_db()
    assert (tool.slug, tool.pricing) == ("early", "Free")
    assert client.get("/tools/early/").status_code == 200
    assert client.get("/tools/late/")["Location"] == "/tools/early/"
    assert tool.history.count() == 4
    assert changes_of(entries(publisher, tool)[0]) == [
        "Address: late → early",
        "Pricing: $20/mo → Free",
    ]


def test_a_slug_that_another_tool_has_by_now_is_not_restored_and_all_else_is(publisher):
    tool = make.tool(slug="early", pricing="Free")
    old = tool.history.first()
    tool.rename("late")
    FormerSlug.objects.all().delete()
    change(tool, pricing="$20/mo")
    make.tool(slug="early")
    response = restore(publisher, tool, old)
    tool.refresh_from_db()
    assert (tool.slug, tool.pricing) == ("late", "Free")
    assert "The address stays “late”" in messages_of(response)[1]


def test_a_version_of_a_deleted_category_is_refused_until_that_is_back(publisher):
    deleted_category = make.category()
    tool = make.tool(in_category=deleted_category, pricing="Free")
    old = tool.history.first()
    change(tool, category=make.category(), pricing="$20/mo")
    deleted_category.remove(timezone.now())
    response = restore(publisher, tool, old)
    assert messages_of(response) == ["Its category is deleted: bring that back first."]
    tool.refresh_from_db()
    assert tool.pricing == "$20/mo"


@pytest.mark.parametrize(
    ("published_at", "status"), [(None, 303), (make.PUBLISHED, 403)], ids=["draft", "public"]
)
def test_a_writer_restores_only_what_is_not_public(writer, published_at, status):
    pair = make.comparison(summary="Before.", published_at=published_at)
    old = pair.history.first()
    change(pair, summary="After.")
    url = path(pair, f"{old.history_id}/")
    page = writer.get(url)
    assert (b"Restore this version" in page.content) == (status == 303)
    assert (
        writer.post(f"{url}restore/", {"history_id": page.context["history_id"]}).status_code
        == status
    )
    pair.refresh_from_db()
    assert pair.summary == ("Before." if status == 303 else "After.")


def seen_take():
    """A public take that was 78, ship and is now 64, skip; with its first version."""
    take = make.take(score=78, verdict="ship", body="Good.")
    old = take.history.first()
    change(take, score=64, verdict="skip", body="Bad.")
    return take, old


def test_a_restored_score_that_was_public_needs_a_reason(publisher):
    take, old = seen_take()
    page = publisher.get(path(take, f"{old.history_id}/"))
    assert b"Reason for the change" in page.content
    response = restore(publisher, take, old)
    assert "Give the reason in one line" in messages_of(response)[0]
    take.refresh_from_db()
    assert take.score == 64
    assert not TakeChange.objects.exists()


def test_a_restored_score_is_on_the_public_record(publisher, clock):
    take, old = seen_take()
    clock(NOON)
    restore(publisher, take, old, reason="The fix held")
    take.refresh_from_db()
    assert (take.score, take.verdict, take.body, take.checked_at) == (78, "ship", "Good.", NOON)
    entry = TakeChange.objects.get()
    assert (entry.score_before, entry.score_after, entry.reason) == (64, 78, "The fix held")
    assert (entry.verdict_before, entry.verdict_after, entry.at) == ("skip", "ship", NOON)


@pytest.mark.parametrize("reason", ["x" * 201, "one\ntwo", "\u200b", "…"])
def test_a_reason_of_a_restore_is_one_short_line(publisher, reason):
    take, old = seen_take()
    response = restore(publisher, take, old, reason=reason)
    assert messages_of(response)
    assert not TakeChange.objects.exists()
    take.refresh_from_db()
    assert take.score == 64


def test_a_restored_text_needs_no_reason(publisher):
    take = make.take(body="Good.")
    old = take.history.first()
    change(take, body="Godo.")
    page = publisher.get(path(take, f"{old.history_id}/"))
    assert b"Reason for the change" not in page.content
    restore(publisher, take, old)
    take.refresh_from_db()
    assert take.body == "Good."
    assert not TakeChange.objects.exists()


@pytest.mark.parametrize("hidden", ["take", "tool"])
def test_a_score_and_verdict_that_were_never_public_need_no_reason(publisher, hidden):
    tool = make.tool(published_at=None if hidden == "tool" else make.PUBLISHED)
    take = make.take(on=tool, score=78, published_at=None if hidden == "take" else make.PUBLISHED)
    old = take.history.first()
    change(take, score=64)
    restore(publisher, take, old)
    take.refresh_from_db()
    assert take.score == 78
    assert not TakeChange.objects.exists()


def test_a_restored_take_stays_with_its_reviewer(publisher):
    take = make.take(body="Good.")
    old = take.history.first()
    other = make.reviewer()
    Take.history.filter(pk=old.pk).update(reviewer=other)
    change(take, body="Bad.")
    restore(publisher, take, old)
    take.refresh_from_db()
    assert take.body == "Good."
    assert take.reviewer != other
