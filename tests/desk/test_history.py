"""The history of a row at the desk: who, when and what differs."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from shipskip.editing.history_entries import PAGE_SIZE
from tests import factories as make
from tests.desk.histories import NOON, change, changes_of, entries, path
from tests.markup import one_line

pytestmark = pytest.mark.django_db


def test_a_history_shows_who_changed_what_and_when(publisher, clock):
    clock(NOON)
    tool = make.tool(name="Ollama", pricing="Free")
    clock(NOON + timedelta(days=1, minutes=12))
    change(tool, by="paula", pricing="$20/mo", reason="Seen on their page")
    newest, first = entries(publisher, tool)
    assert (newest.action, newest.who, newest.when) == ("Changed", "paula", "4 May 2026 12:12 UTC")
    assert changes_of(newest) == ["Pricing: Free → $20/mo"]
    assert (first.action, first.changes) == ("Created", [])
    html = one_line(publisher.get(path(tool)).content)
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


def test_references_are_shown_by_name(publisher):
    tool = make.tool(in_category=make.category(name="Databases"))
    change(tool, category=make.category(name="Search"))
    assert changes_of(entries(publisher, tool)[0]) == ["Category: Databases → Search"]


def test_choices_booleans_and_lists_are_shown_in_words(publisher):
    tool, pair = make.tool(entry="free"), make.comparison()
    reviewer = make.reviewer(likes=["small tools"])
    change(tool, entry="freemium")
    change(pair, featured=True)
    change(reviewer, likes=["small tools", "honest docs"])
    assert changes_of(entries(publisher, tool)[0]) == ["Entry price: Free → Freemium"]
    assert changes_of(entries(publisher, pair)[0]) == ["Featured: No → Yes"]
    likes = entries(publisher, reviewer)[0].changes[0]
    assert [(p.kind, p.text) for p in likes.pieces][-1] == ("added", "honest docs")


def test_publication_times_are_shown_as_states(publisher, clock):
    clock(NOON)
    tool = make.tool(published_at=None)
    tool.publish(NOON)
    tool.withdraw(NOON + timedelta(hours=1))
    change(tool, published_at=NOON + timedelta(days=9))
    assert [changes_of(entry) for entry in entries(publisher, tool)] == [
        ["State: Withdrawn → Public from 12 May 2026 12:00 UTC"],
        ["State: Public from 3 May 2026 12:00 UTC → Withdrawn"],
        ["State: Draft → Public from 3 May 2026 12:00 UTC"],
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
    change(tool, maker="Acme")
    clock(NOON + timedelta(hours=3))
    take.remove(timezone.now())
    found = [(e.subject, e.action, changes_of(e)) for e in entries(publisher, tool)][:3]
    assert found == [
        ("Skeptic’s take", "Deleted", ["State: Public from 1 May 2026 09:00 UTC → Deleted"]),
        ("", "Changed", ["Maker:  → Acme"]),
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
def test_writers_can_read_histories_and_visitors_without_an_account_cannot(writer, client, end):
    tool = make.tool()
    url = path(tool, end.format(version=tool.history.first().history_id))
    assert writer.get(url).status_code == 200
    assert client.get(url).status_code == 302
    client.force_login(User.objects.create_user("nobody", is_staff=True))
    assert client.get(url).status_code == 403


def test_an_unknown_row_or_version_is_not_found(publisher):
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


def test_what_an_editor_saves_on_a_screen_is_in_the_history_under_their_name(publisher):
    category = make.category(name="Before")
    data = {"name": "After", "slug": category.slug, "published_at": "2026-05-01T09:00:00"}
    response = publisher.post(f"/admin/tools/category/{category.pk}/change/", data)
    assert response.status_code == 302
    newest = entries(publisher, category)[0]
    assert newest.who == "paula"
    assert "Name: Before → After" in changes_of(newest)


def test_a_deleted_reviewer_of_an_old_version_is_no_error(publisher):
    take = make.take(by=make.reviewer(name="Gone"))
    tool = take.tool
    take.remove(timezone.now())
    take.reviewer.remove(timezone.now())
    entry = entries(publisher, tool)[0]
    assert (entry.subject, entry.action) == ("Gone’s take", "Deleted")
    assert publisher.get(entry.url).status_code == 200
    assert publisher.get(f"/admin/reviews/take/{entry.version.id}/history/").status_code == 200
