"""The history of a row at the desk: who, when, what differs, and restoring."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from reviews.models import Take, TakeChange
from shipskip.editing.history_entries import PAGE_SIZE
from tests import factories as make
from tools.models import FormerSlug, Tool

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)


def change(row, *, by=None, reason=None, **values):
    """Save a row with other values, as an editor would; returns the version."""
    for name, value in values.items():
        setattr(row, name, value)
    if by:
        row._history_user = User.objects.get(username=by)
    row._change_reason = reason
    row.save()
    return row.history.first()


def path(row, end=""):
    options = row._meta
    return f"/admin/{options.app_label}/{options.model_name}/{row.pk}/history/{end}"


def entries(client, row, query=""):
    return client.get(path(row) + query).context["page"].rows


def changes_of(entry):
    """The changes of an entry, one line each."""
    return [f"{c.label}: {c.before} → {c.after}" for c in entry.changes if not c.pieces]


def restore(client, row, version, **sent):
    """Open the page of a version, then press its button."""
    page = client.get(path(row, f"{version.history_id}/"))
    data = {"seen": page.context["seen"]} | sent
    return client.post(path(row, f"{version.history_id}/restore/"), data, follow=True)


def messages_of(response):
    """The messages and complaints of a page."""
    found = [str(message) for message in response.context["messages"]]
    return found + list(response.context.get("complaints", []))


def test_a_history_tells_who_changed_what_and_when(publisher, clock):
    clock(NOON)
    tool = make.tool(name="Ollama", pricing="Free")
    clock(NOON + timedelta(days=1, minutes=12))
    change(tool, by="paula", pricing="$20/mo", reason="Seen on their page")
    newest, first = entries(publisher, tool)
    assert (newest.action, newest.who, newest.when) == ("Changed", "paula", "4 May 2026 12:12")
    assert changes_of(newest) == ["Pricing: Free → $20/mo"]
    assert (first.action, first.changes) == ("Created", [])
    html = publisher.get(path(tool)).content.decode()
    assert "<del><bdi>Free</bdi></del> → <ins><bdi>$20/mo</bdi></ins>" in html
    assert "Seen on their page" in html


def test_an_unknown_author_is_called_so_or_the_catalogue(publisher):
    tool = make.tool()
    change(tool, pricing="1")
    change(tool, pricing="2", reason="Loaded from a catalogue document")
    change(tool, pricing="3", by="paula")
    User.objects.filter(username="paula").update(first_name="Paula", last_name="Publisher")
    whos = [entry.who for entry in entries(publisher, tool)]
    assert whos == ["Paula Publisher", "The catalogue", "Unknown user", "Unknown user"]


def test_what_a_row_refers_to_is_shown_by_name(publisher):
    tool = make.tool(in_category=make.category(name="Databases"))
    change(tool, category=make.category(name="Search"))
    assert changes_of(entries(publisher, tool)[0]) == ["Category: Databases → Search"]


def test_choices_yes_and_lists_are_shown_in_words(publisher):
    tool, pair = make.tool(entry="free"), make.comparison()
    reviewer = make.reviewer(likes=["small tools"])
    change(tool, entry="freemium")
    change(pair, featured=True)
    change(reviewer, likes=["small tools", "honest docs"])
    assert changes_of(entries(publisher, tool)[0]) == ["Entry price: Free → Freemium"]
    assert changes_of(entries(publisher, pair)[0]) == ["Featured: No → Yes"]
    likes = entries(publisher, reviewer)[0].changes[0]
    assert [(p.kind, p.text) for p in likes.pieces][-1] == ("added", "honest docs")


def test_moments_are_shown_as_states(publisher, clock):
    clock(NOON)
    tool = make.tool(published_at=None)
    tool.publish(NOON)
    tool.withdraw(NOON + timedelta(hours=1))
    change(tool, published_at=NOON + timedelta(days=9))
    assert [changes_of(entry) for entry in entries(publisher, tool)] == [
        ["State: Withdrawn → Public from 12 May 2026 12:00"],
        ["State: Public from 3 May 2026 12:00 → Withdrawn"],
        ["State: Draft → Public from 3 May 2026 12:00"],
        [],
    ]


def test_a_text_is_compared_word_by_word_and_escaped(publisher):
    take = make.take(body="It is <b>fast</b> & small.")
    change(take, body="It is <b>slow</b> & small.")
    html = publisher.get(path(take)).content.decode()
    assert "It is &lt;b&gt;<del>fast</del><ins>slow</ins>&lt;/b&gt; &amp; small." in html


def test_a_save_without_a_difference_says_so(publisher):
    take = make.take(body="one\ntwo")
    change(take, body="one\r\ntwo")
    assert b"Saved without changes" in publisher.get(path(take)).content


def test_a_tool_s_history_holds_its_takes(publisher, clock):
    clock(NOON)
    tool = make.tool()
    take = make.take(on=tool, by=make.reviewer(name="Skeptic"), score=78)
    make.take(score=1)
    clock(NOON + timedelta(hours=1))
    change(take, score=64, by="paula")
    clock(NOON + timedelta(hours=2))
    change(tool, license="MIT")
    clock(NOON + timedelta(hours=3))
    take.delete()
    found = [(e.subject, e.action, changes_of(e)) for e in entries(publisher, tool)][:3]
    assert found == [
        ("Skeptic’s take", "Deleted", []),
        ("", "Changed", ["Licence:  → MIT"]),
        ("Skeptic’s take", "Changed", ["Score: 78 → 64"]),
    ]


def test_each_entry_leads_to_its_version(publisher):
    tool = make.tool(pricing="Free")
    take = make.take(on=tool, score=78)
    change(take, score=64)
    for entry in entries(publisher, tool):
        page = publisher.get(entry.url)
        assert page.status_code == 200
        assert page.context["version"] == entry.version
    old = take.history.last()
    values = dict(publisher.get(path(take, f"{old.history_id}/")).context["values"])
    assert values["Score"] == "78"


def test_a_long_history_has_pages(publisher):
    tool = make.tool()
    for number in range(PAGE_SIZE + 4):
        change(tool, pricing=str(number))
    first, second = entries(publisher, tool), entries(publisher, tool, "?page=2")
    assert [len(first), len(second)] == [PAGE_SIZE, 5]
    assert changes_of(first[-1]) == ["Pricing: 3 → 4"]
    assert changes_of(second[0]) == ["Pricing: 2 → 3"]
    assert second[-1].action == "Created"
    beyond = publisher.get(path(tool) + "?page=9")
    assert beyond.context["page"].number == 1
    assert "There is no page 9" in beyond.content.decode()


def test_entries_of_one_moment_keep_their_order(publisher, clock):
    clock(NOON)
    tool = make.tool(pricing="0")
    for number in range(1, PAGE_SIZE + 4):
        change(tool, pricing=str(number))
    rows = [*entries(publisher, tool), *entries(publisher, tool, "?page=2")]
    assert [changes_of(row) for row in rows[:-1]] == [
        [f"Pricing: {number - 1} → {number}"] for number in range(PAGE_SIZE + 3, 0, -1)
    ]


def test_a_history_takes_as_many_queries_however_long_it_is(
    publisher, django_assert_max_num_queries, django_assert_num_queries
):
    short, long = make.tool(), make.tool()
    for tool, times in ((short, 1), (long, 9)):
        for number in range(times):
            take = make.take(on=tool)
            change(take, score=number, by="paula")
            change(tool, category=make.category(), by="paula")
    with django_assert_max_num_queries(16) as counted:
        publisher.get(path(short))
    with django_assert_num_queries(len(counted)):
        publisher.get(path(long))


@pytest.mark.parametrize("end", ["", "{version}/"])
def test_writers_read_histories_and_strangers_do_not(writer, client, end):
    tool = make.tool()
    url = path(tool, end.format(version=tool.history.first().history_id))
    assert writer.get(url).status_code == 200
    assert client.get(url).status_code == 302
    client.force_login(User.objects.create_user("nobody", is_staff=True))
    assert client.get(url).status_code == 403


def test_only_what_there_is_has_a_history(publisher):
    tool, other = make.tool(), make.tool()
    foreign = other.history.first().history_id
    for end in ("0/", f"{foreign}/"):
        assert publisher.get(path(tool, end)).status_code == 404
        assert publisher.post(path(tool, f"{end}restore/")).status_code == 404
    assert publisher.get("/admin/tools/tool/999999/history/").status_code == 404
    assert publisher.get("/admin/tools/tool/none/history/").status_code == 404


def test_reading_a_history_changes_nothing(publisher):
    tool = make.tool()
    version = tool.history.first()
    assert publisher.post(path(tool)).status_code == 405
    assert publisher.post(path(tool, f"{version.history_id}/")).status_code == 405
    assert publisher.get(path(tool, f"{version.history_id}/restore/")).status_code == 405
    assert tool.history.count() == 1


def test_a_version_is_restored_and_the_restoring_is_on_record(publisher, clock):
    clock(NOON)
    tool = make.tool(pricing="Free", description="Good.")
    old = tool.history.first()
    clock(NOON + timedelta(days=1))
    change(tool, pricing="$20/mo", description="Bad.")
    response = restore(publisher, tool, old)
    tool.refresh_from_db()
    assert (tool.pricing, tool.description) == ("Free", "Good.")
    assert "has its values of 3 May 2026 12:00 again" in messages_of(response)[0]
    newest = entries(publisher, tool)[0]
    assert (newest.who, changes_of(newest)) == ("paula", ["Pricing: $20/mo → Free"])
    assert newest.version.history_change_reason == "Restored the version of 3 May 2026 12:00"
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


def test_restoring_twice_is_no_fault_and_changes_nothing_more(publisher):
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


def test_a_restore_is_refused_when_a_colleague_saved_meanwhile(publisher):
    tool = make.tool(pricing="Free")
    old = tool.history.first()
    change(tool, pricing="$20/mo")
    page = publisher.get(path(tool, f"{old.history_id}/"))
    change(tool, license="MIT")
    url = path(tool, f"{old.history_id}/restore/")
    response = publisher.post(url, {"seen": page.context["seen"]})
    assert "Another editor saved this while you were reading" in response.content.decode()
    tool.refresh_from_db()
    assert (tool.pricing, tool.license) == ("$20/mo", "MIT")
    assert {c.label for c in response.context["changes"]} == {"Pricing", "Licence"}
    again = publisher.post(url, {"seen": response.context["seen"]})
    assert again.status_code == 303
    tool.refresh_from_db()
    assert (tool.pricing, tool.license) == ("Free", "")


def test_a_change_that_left_no_version_overtakes_a_restore_too(publisher):
    tool = make.tool(pricing="Free")
    old = tool.history.first()
    change(tool, pricing="$20/mo")
    page = publisher.get(path(tool, f"{old.history_id}/"))
    Tool.objects.update(license="MIT")
    response = publisher.post(
        path(tool, f"{old.history_id}/restore/"), {"seen": page.context["seen"]}
    )
    assert "Another editor saved this" in messages_of(response)[0]


def test_a_version_that_breaks_a_rule_of_today_is_refused_with_its_reasons(publisher):
    tool = make.tool(website="not an address", name="Old")
    old = tool.history.first()
    change(tool, website="https://example.com", name="New")
    response = restore(publisher, tool, old)
    assert messages_of(response) == ["Website: Enter a valid URL."]
    tool.refresh_from_db()
    assert tool.name == "New"
    assert tool.history.count() == 2


def test_a_pair_that_exists_by_now_is_not_restored(publisher):
    one, two, three = make.tool(), make.tool(), make.tool()
    pair = make.comparison(tools=[one, two])
    old = pair.history.first()
    change(pair, second=three)
    make.comparison(tools=[two, one])
    response = restore(publisher, pair, old)
    assert "There is a comparison of these two already" in messages_of(response)[0]


def test_a_public_tool_keeps_what_a_public_one_must_have(publisher):
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
        "Slug: late → early",
        "Pricing: $20/mo → Free",
    ]


def test_a_slug_that_leads_elsewhere_by_now_stays_and_all_else_is_restored(publisher):
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
    gone = make.category()
    tool = make.tool(in_category=gone, pricing="Free")
    old = tool.history.first()
    change(tool, category=make.category(), pricing="$20/mo")
    gone.delete()
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
    assert writer.post(f"{url}restore/", {"seen": page.context["seen"]}).status_code == status
    pair.refresh_from_db()
    assert pair.summary == ("Before." if status == 303 else "After.")


def seen_take():
    """A public take that said 78, ship and now says 64, skip; with its first version."""
    take = make.take(score=78, verdict="ship", body="Good.")
    old = take.history.first()
    change(take, score=64, verdict="skip", body="Bad.")
    return take, old


def test_a_restored_judgement_that_readers_saw_needs_a_reason(publisher):
    take, old = seen_take()
    page = publisher.get(path(take, f"{old.history_id}/"))
    assert b"Reason for the change" in page.content
    response = restore(publisher, take, old)
    assert "Give the reason in one line" in messages_of(response)[0]
    take.refresh_from_db()
    assert take.score == 64
    assert not TakeChange.objects.exists()


def test_a_restored_judgement_is_on_the_public_record(publisher, clock):
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
def test_a_judgement_that_nobody_saw_needs_no_reason(publisher, hidden):
    tool = make.tool(published_at=None if hidden == "tool" else make.PUBLISHED)
    take = make.take(on=tool, score=78, published_at=None if hidden == "take" else make.PUBLISHED)
    old = take.history.first()
    change(take, score=64)
    restore(publisher, take, old)
    take.refresh_from_db()
    assert take.score == 78
    assert not TakeChange.objects.exists()


def test_a_restored_take_stays_whose_it_is(publisher):
    take = make.take(body="Good.")
    old = take.history.first()
    other = make.reviewer()
    Take.history.filter(pk=old.pk).update(reviewer=other)
    change(take, body="Bad.")
    restore(publisher, take, old)
    take.refresh_from_db()
    assert take.body == "Good."
    assert take.reviewer != other


def test_what_an_editor_saves_on_a_screen_is_in_the_history_under_their_name(publisher):
    category = make.category(name="Before")
    data = {"name": "After", "slug": category.slug, "published_at": "2026-05-01T09:00:00"}
    response = publisher.post(f"/admin/tools/category/{category.pk}/change/", data)
    assert response.status_code == 302
    newest = entries(publisher, category)[0]
    assert newest.who == "paula"
    assert "Name: Before → After" in changes_of(newest)


def test_a_deleted_reviewer_of_an_old_version_is_no_fault(publisher):
    take = make.take(by=make.reviewer(name="Gone"))
    tool = take.tool
    take.delete()
    take.reviewer.delete()
    entry = entries(publisher, tool)[0]
    assert (entry.subject, entry.action) == ("a deleted reviewer’s take", "Deleted")
    assert publisher.get(entry.url).status_code == 200
    assert publisher.get(f"/admin/reviews/take/{entry.version.id}/history/").status_code == 200
