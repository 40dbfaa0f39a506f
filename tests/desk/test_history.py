"""The history of a row at the desk: who, when and what differs; earlier versions restored."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from reviews.models import Take, TakeChange
from shipskip.editing.history_entries import PAGE_SIZE
from tests import factories as make
from tests.desk.acts import NOON, change, changes_of, entries, restore
from tests.desk.editor_clients import desk_of
from tests.desk.forms import messages_of, page_of
from tests.markup import one_line, read
from tools.models import FormerSlug

pytestmark = pytest.mark.django_db


def test_a_tool_s_history_with_its_takes(publisher, clock, snapshot):
    clock(NOON)
    category = make.category(name="Databases")
    tool = make.tool(name="Ollama", pricing="Free", published_at=None, in_category=category)
    clock(NOON + timedelta(seconds=1))
    take = make.take(on=tool, by=make.reviewer(name="Skeptic"), score=78)
    make.take(score=1)
    User.objects.filter(username="paula").update(first_name="Paula", last_name="Publisher")
    read_there = {"by": "paula", "reason": "Seen on their page"}
    acts = [
        lambda: change(tool, pricing="$10/mo", reason="Loaded from a catalogue document"),
        lambda: change(tool, pricing="$20/mo", entry="freemium", **read_there),
        lambda: change(tool, category=make.category(name="Search")),
        lambda: change(take, score=64, by="paula"),
        lambda: tool.publish(NOON),
        lambda: tool.withdraw(NOON + timedelta(hours=1)),
        lambda: change(tool, published_at=NOON + timedelta(days=9)),
        lambda: take.remove(timezone.now()),
    ]
    for minute, act in enumerate(acts, 1):
        clock(NOON + timedelta(days=1, minutes=minute))
        act()
    take.reviewer.remove(timezone.now())
    page = publisher.get(page_of(tool, "history"))
    assert read(page).visible_text == snapshot
    shown = one_line(page.content)
    assert "<del><bdi>Free</bdi></del> → <ins><bdi>Freemium</bdi></ins>" in shown
    listed = entries(publisher, tool)
    for entry in (listed[0], listed[-1]):
        page = publisher.get(entry.url)
        assert page.status_code == 200
        assert page.context["version"] == entry.version
    assert publisher.get(page_of(take, "history")).status_code == 200


def test_changes_and_versions_are_shown_in_words_and_escaped(publisher):
    pair, reviewer = make.comparison(), make.reviewer(likes=["small tools"])
    change(pair, featured=True)
    change(reviewer, likes=["small tools", "honest docs"])
    assert changes_of(entries(publisher, pair)[0]) == ["Featured: No → Yes"]
    likes = entries(publisher, reviewer)[0].changes[0]
    assert [(p.kind, p.text) for p in likes.pieces][-1] == ("added", "honest docs")
    take = make.take(body="It is <b>fast</b>\n& small.", score=78)
    change(take, body="It is <b>fast</b>\r\n& small.")
    change(take, body="It is <b>slow</b>\r\n& small.", score=64)
    html = publisher.get(page_of(take, "history")).content.decode()
    assert "It is &lt;b&gt;<del>fast</del><ins>slow</ins>&lt;/b&gt;" in html
    assert html.count("Saved without changes") == 1
    first = publisher.get(page_of(take, f"history/{take.history.last().history_id}"))
    assert dict(first.context["values"])["Score"] == "78"


@pytest.mark.both_databases
def test_a_long_history_has_pages_and_keeps_the_order_of_one_moment(publisher, clock):
    clock(NOON)
    tool = make.tool(pricing="0")
    for number in range(1, PAGE_SIZE + 5):
        change(tool, pricing=str(number))
    first, second = entries(publisher, tool), entries(publisher, tool, "?page=2")
    assert [len(first), len(second)] == [PAGE_SIZE, 5]
    assert [changes_of(entry) for entry in [*first, *second][:-1]] == [
        [f"Pricing: {number - 1} → {number}"] for number in range(PAGE_SIZE + 4, 0, -1)
    ]
    assert second[-1].action == "Created"
    beyond = publisher.get(page_of(tool, "history") + "?page=9")
    assert beyond.context["page"].number == 1
    assert "There is no page 9" in beyond.content.decode()


# --- Restoring versions ----------------------------------------------------------------------


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
    for was, is_now in ((None, NOON), (NOON, None), (NOON + timedelta(days=9999), NOON)):
        pair = make.comparison(summary="Before.", published_at=was)
        old = pair.history.first()
        change(pair, summary="After.", published_at=is_now)
        page = publisher.get(page_of(pair, f"history/{old.history_id}"))
        assert ("readers see the change at once" in read(page).text) == bool(is_now), was
        restore(publisher, pair, old)
        pair.refresh_from_db()
        assert (pair.summary, pair.published_at) == ("Before.", is_now), was
        assert pair.withdrawn_at is None, was


@pytest.mark.both_databases
def test_a_restore_is_refused_after_a_colleague_s_save(publisher, dear_tool):
    tool, old = dear_tool
    seen = {"history_id": tool.history.first().history_id}
    change(tool, maker="Acme")
    url = page_of(tool, f"history/{old.history_id}/restore")
    response = publisher.post(url, seen)
    assert "Another editor saved this while you were reading" in response.content.decode()
    tool.refresh_from_db()
    assert (tool.pricing, tool.maker) == ("$20/mo", "Acme")
    assert {c.label for c in response.context["changes"]} == {"Pricing", "Maker"}
    second = publisher.post(url, {"history_id": response.context["history_id"]})
    assert second.status_code == 303
    tool.refresh_from_db()
    assert (tool.pricing, tool.maker) == ("Free", "")


@pytest.mark.both_databases
def test_a_version_that_breaks_a_present_rule_is_refused_with_the_reason(publisher, dear_tool):
    tool, of_a_deleted_category = dear_tool
    old_category, other = tool.category, make.tool()
    change(tool, category=other.category)
    old_category.remove(NOON)
    of_a_bad_address = change(tool, website="not an address")
    without_a_tagline = change(tool, website="https://example.com", tagline="")
    change(tool, tagline="Another line")
    take = make.take(on=tool, score=None, verdict="", published_at=None)
    pair = make.comparison(tools=[tool, other])
    unfinished, double = take.history.get(), pair.history.get()
    change(take, score=70, verdict="ship", published_at=NOON)
    change(pair, tools=[tool, make.tool()])
    make.comparison(tools=[other, tool])
    for row, version, fault in (
        (tool, of_a_deleted_category, "Its category is deleted: bring that back first."),
        (tool, of_a_bad_address, "Website: Begin the address with https:// or http://."),
        (tool, without_a_tagline, "has no tagline"),
        (take, unfinished, "Only a draft can be without a score or a verdict."),
        (pair, double, "There is a comparison of these tools already"),
    ):
        now = row.history.first()
        (message,) = messages_of(restore(publisher, row, version, reason="Wrong after all"))
        assert fault in message
        assert row.history.first() == now
    tool.withdraw(timezone.now())
    restore(publisher, tool, without_a_tagline)
    tool.refresh_from_db()
    assert tool.tagline == ""


def test_a_restored_slug_is_a_renaming_unless_another_tool_has_it(publisher, client, dear_tool):
    tool, old = dear_tool
    tool.rename("late")
    restore(publisher, tool, old)
    tool.refresh_from_db()
    assert (tool.slug, tool.pricing) == ("early", "Free")
    assert client.get("/tools/early/").status_code == 200
    assert client.get("/tools/late/")["Location"] == "/tools/early/"
    assert tool.history.count() == 4
    changes = changes_of(entries(publisher, tool)[0])
    assert changes == ["Address: late → early", "Pricing: $20/mo → Free"]
    change(tool, slug="late", pricing="$20/mo")
    FormerSlug.objects.all().delete()
    make.tool(slug="early")
    messages = messages_of(restore(publisher, tool, old))
    tool.refresh_from_db()
    assert (tool.slug, tool.pricing) == ("late", "Free")
    assert "The address stays “late”" in messages[1]


def test_editors_alone_read_histories_and_a_writer_restores_only_what_is_not_public(
    publisher, writer, client
):
    foreign, browsers = make.tool().history.get().history_id, (publisher, writer, client, desk_of())
    for published_at in (None, make.PUBLISHED):
        pair = make.comparison(summary="Before.", published_at=published_at)
        old = pair.history.first()
        change(pair, summary="After.")
        version = page_of(pair, f"history/{old.history_id}")
        for url in (page_of(pair, "history"), version):
            assert [each.get(url).status_code for each in browsers] == [200, 200, 302, 403], url
            assert publisher.post(url).status_code == 405, url
        assert publisher.get(f"{version}restore/").status_code == 405
        page = writer.get(version)
        assert (b"Restore this version" in page.content) == (published_at is None)
        sent = {"history_id": page.context["history_id"]}
        status = writer.post(f"{version}restore/", sent).status_code
        pair.refresh_from_db()
        expected = (403, "After.", 2) if published_at else (303, "Before.", 3)
        assert (status, pair.summary, pair.history.count()) == expected
    for end in (0, foreign):
        assert publisher.get(page_of(pair, f"history/{end}")).status_code == 404, end
        assert publisher.post(page_of(pair, f"history/{end}/restore")).status_code == 404, end
    for key in ("999999", "none"):
        assert publisher.get(f"/admin/tools/tool/{key}/history/").status_code == 404, key


def test_a_restored_score_that_was_public_needs_a_reason_for_the_public_record(publisher, clock):
    take = make.take(score=78, verdict="ship", body="Good.")
    old, reviewer = take.history.first(), take.reviewer
    Take.history.filter(pk=old.pk).update(reviewer=make.reviewer())
    change(take, score=64, verdict="skip", body="Bad.")
    url = page_of(take, f"history/{old.history_id}")
    page = publisher.get(url)
    assert b"Reason for the change" in page.content
    for reason in ("", "one\ntwo"):
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
        (make.take(), {"body": "Godo."}),
        (make.take(published_at=None), {"score": 64}),
        (make.take(on=draft_tool), {"score": 64}),
    ):
        old = take.history.first()
        change(take, **values)
        page = publisher.get(page_of(take, f"history/{old.history_id}"))
        assert b"Reason for the change" not in page.content
        restore(publisher, take, old)
        take.refresh_from_db()
        assert (take.body, take.score) == ("It does what it says.", 80)
    assert not TakeChange.objects.exists()
