"""Restoring an earlier version of a row: what it changes, refuses and records."""

from datetime import timedelta
from itertools import product

import pytest
from django.utils import timezone

from reviews.models import Take, TakeChange
from tests import factories as make
from tests.desk.acts import NOON, change, changes_of, entries, restore
from tests.desk.forms import messages_of, page_of
from tools.models import FormerSlug

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def dear_tool(clock):
    """A tool that became dear, with the version in which it was free."""
    clock(NOON)
    tool = make.tool(slug="early", pricing="Free", tagline="A line")
    version = tool.history.first()
    clock(NOON + timedelta(days=1))
    change(tool, pricing="$20/mo")
    return tool, version


def test_a_version_is_restored_once_and_the_restoring_is_on_record(publisher, dear_tool):
    tool, old = dear_tool
    change(tool, description="Bad.", published_at=None)
    page = publisher.get(page_of(tool, f"history/{old.history_id}"))
    assert [(c.label, c.before, c.after) for c in page.context["changes"]] == [
        ("Description", "Bad.", ""),
        ("Pricing", "$20/mo", "Free"),
    ]
    assert b"Restore this version" in page.content
    response = restore(publisher, tool, old)
    tool.refresh_from_db()
    assert (tool.pricing, tool.description, tool.published_at) == ("Free", "", None)
    assert "has its values of 3 May 2026 12:00 UTC again" in messages_of(response)[0]
    newest = entries(publisher, tool)[0]
    assert (newest.who, changes_of(newest)) == ("paula", ["Pricing: $20/mo → Free"])
    assert newest.version.history_change_reason == "Restored the version of 3 May 2026 12:00 UTC"
    assert "already has its values" in messages_of(restore(publisher, tool, old))[0]
    assert tool.history.count() == 4
    now = publisher.get(page_of(tool, f"history/{tool.history.first().history_id}"))
    assert b"nothing to restore" in now.content
    assert b"Restore this version" not in now.content


def test_a_restore_never_publishes_and_never_withdraws(publisher):
    now = timezone.now()
    moments = (None, now - timedelta(days=9), now + timedelta(days=9))
    for was, is_now in product(moments, moments):
        pair = make.comparison(summary="Before.", published_at=was)
        old = pair.history.first()
        seen = change(pair, summary="After.", published_at=is_now)
        url = page_of(pair, f"history/{old.history_id}/restore")
        assert publisher.post(url, {"history_id": seen.history_id}).status_code == 303
        pair.refresh_from_db()
        assert (pair.summary, pair.published_at) == ("Before.", is_now), was
        assert pair.withdrawn_at is None, was


def test_a_restore_is_refused_after_a_colleague_s_save(publisher, dear_tool):
    tool, old = dear_tool
    page = publisher.get(page_of(tool, f"history/{old.history_id}"))
    change(tool, maker="Acme")
    url = page_of(tool, f"history/{old.history_id}/restore")
    response = publisher.post(url, {"history_id": page.context["history_id"]})
    assert "Another editor saved this while you were reading" in response.content.decode()
    tool.refresh_from_db()
    assert (tool.pricing, tool.maker) == ("$20/mo", "Acme")
    assert {c.label for c in response.context["changes"]} == {"Pricing", "Maker"}
    second = publisher.post(url, {"history_id": response.context["history_id"]})
    assert second.status_code == 303
    tool.refresh_from_db()
    assert (tool.pricing, tool.maker) == ("Free", "")


def of_a_bad_address(tool):
    old = change(tool, website="not an address")
    change(tool, website="https://example.com")
    return tool, old


def of_a_deleted_category(tool):
    old, deleted_category = tool.history.last(), tool.category
    change(tool, category=make.category())
    deleted_category.remove(timezone.now())
    return tool, old


def without_a_tagline(tool):
    make.take(on=tool)
    old = change(tool, tagline="")
    change(tool, tagline="Another line")
    return tool, old


def of_a_pair_that_exists_by_now(tool):
    other = make.tool()
    pair = make.comparison(tools=[tool, other])
    old = pair.history.first()
    change(pair, tools=[tool, make.tool()])
    make.comparison(tools=[other, tool])
    return pair, old


@pytest.mark.parametrize(
    ("change_rules", "fault"),
    [
        (of_a_bad_address, "Website: Begin the address with https:// or http://."),
        (of_a_deleted_category, "Its category is deleted: bring that back first."),
        (without_a_tagline, "has no tagline"),
        (of_a_pair_that_exists_by_now, "There is a comparison of these tools already"),
    ],
)
def test_a_version_that_breaks_a_present_rule_is_refused_with_the_reason(
    publisher, dear_tool, change_rules, fault
):
    row, old = change_rules(dear_tool[0])
    now = row.history.first()
    (message,) = messages_of(restore(publisher, row, old))
    assert fault in message
    assert row.history.first() == now
    if change_rules is without_a_tagline:
        row.withdraw(timezone.now())
        restore(publisher, row, old)
        row.refresh_from_db()
        assert row.tagline == ""


@pytest.mark.parametrize("is_free", [True, False], ids=["free", "another tool's"])
def test_a_restored_slug_is_a_renaming_unless_another_tool_has_it(
    publisher, client, dear_tool, is_free
):
    tool, old = dear_tool
    tool.rename("late")
    if not is_free:
        FormerSlug.objects.all().delete()
        make.tool(slug="early")
    messages = messages_of(restore(publisher, tool, old))
    tool.refresh_from_db()
    assert (tool.slug, tool.pricing) == ("early" if is_free else "late", "Free")
    if is_free:
        assert client.get("/tools/early/").status_code == 200
        assert client.get("/tools/late/")["Location"] == "/tools/early/"
        assert tool.history.count() == 4
        changes = changes_of(entries(publisher, tool)[0])
        assert changes == ["Address: late → early", "Pricing: $20/mo → Free"]
    else:
        assert "The address stays “late”" in messages[1]


def test_a_writer_restores_only_what_is_not_public(writer):
    for published_at, status in ((None, 303), (make.PUBLISHED, 403)):
        pair = make.comparison(summary="Before.", published_at=published_at)
        old = pair.history.first()
        change(pair, summary="After.")
        url = page_of(pair, f"history/{old.history_id}")
        page = writer.get(url)
        assert (b"Restore this version" in page.content) == (status == 303)
        sent = {"history_id": page.context["history_id"]}
        assert writer.post(f"{url}restore/", sent).status_code == status
        pair.refresh_from_db()
        assert pair.summary == ("Before." if status == 303 else "After.")


def test_a_restored_score_that_was_public_needs_a_reason_for_the_public_record(publisher, clock):
    take = make.take(score=78, verdict="ship", body="Good.")
    old, reviewer = take.history.first(), take.reviewer
    Take.history.filter(pk=old.pk).update(reviewer=make.reviewer())
    change(take, score=64, verdict="skip", body="Bad.")
    url = page_of(take, f"history/{old.history_id}")
    page = publisher.get(url)
    assert b"Reason for the change" in page.content
    for reason in ("", "x" * 201, "one\ntwo", "\u200b", "…"):
        sent = {"history_id": page.context["history_id"], "reason": reason}
        assert messages_of(publisher.post(f"{url}restore/", sent)), reason
    take.refresh_from_db()
    assert take.score == 64
    assert not TakeChange.objects.exists()
    clock(NOON)
    restore(publisher, take, old, reason="The fix held")
    take.refresh_from_db()
    assert (take.score, take.verdict, take.body, take.checked_at) == (78, "ship", "Good.", NOON)
    assert take.reviewer == reviewer, "a take stays with its reviewer"
    entry = TakeChange.objects.get()
    assert (entry.score_before, entry.score_after, entry.reason) == (64, 78, "The fix held")
    assert (entry.verdict_before, entry.verdict_after, entry.at) == ("skip", "ship", NOON)


def test_a_restored_text_and_a_score_that_was_never_public_need_no_reason(publisher):
    draft_tool = make.tool(published_at=None)
    for take, values in (
        (make.take(body="Good."), {"body": "Godo."}),
        (make.take(score=78, published_at=None), {"score": 64}),
        (make.take(score=78, on=draft_tool), {"score": 64}),
    ):
        was = {name: getattr(take, name) for name in values}
        old = take.history.first()
        change(take, **values)
        page = publisher.get(page_of(take, f"history/{old.history_id}"))
        assert b"Reason for the change" not in page.content
        restore(publisher, take, old)
        take.refresh_from_db()
        assert {name: getattr(take, name) for name in values} == was
    assert not TakeChange.objects.exists()
