"""The history of a row at the desk: who, when and what differs."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from shipskip.editing.history_entries import PAGE_SIZE
from tests import factories as make
from tests.desk.acts import NOON, change, changes_of, entries
from tests.desk.forms import page_of, post
from tests.markup import one_line, read

pytestmark = pytest.mark.django_db


def test_a_tool_s_history_with_its_takes(publisher, clock, snapshot):
    clock(NOON)
    category = make.category(name="Databases")
    tool = make.tool(name="Ollama", pricing="Free", published_at=None, in_category=category)
    take = make.take(on=tool, by=make.reviewer(name="Skeptic"), score=78)
    make.take(score=1)
    moments = (NOON + timedelta(days=1, minutes=minutes) for minutes in range(1, 10))
    clock(next(moments))
    change(tool, pricing="$10/mo", reason="Loaded from a catalogue document")
    clock(next(moments))
    change(tool, pricing="$20/mo", entry="freemium", by="paula", reason="Seen on their page")
    User.objects.filter(username="paula").update(first_name="Paula", last_name="Publisher")
    clock(next(moments))
    change(tool, category=make.category(name="Search"))
    clock(next(moments))
    change(take, score=64, by="paula")
    clock(next(moments))
    tool.publish(NOON)
    clock(next(moments))
    tool.withdraw(NOON + timedelta(hours=1))
    clock(next(moments))
    change(tool, published_at=NOON + timedelta(days=9))
    clock(next(moments))
    take.remove(timezone.now())
    take.reviewer.remove(timezone.now())
    page = publisher.get(page_of(tool, "history"))
    assert read(page).visible_text == snapshot
    shown = one_line(page.content)
    assert "<del><bdi>Free</bdi></del> → <ins><bdi>Freemium</bdi></ins>" in shown
    for entry in entries(publisher, tool):
        page = publisher.get(entry.url)
        assert page.status_code == 200
        assert page.context["version"] == entry.version
    assert publisher.get(f"/admin/reviews/take/{take.pk}/history/").status_code == 200


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


def test_editors_alone_read_histories_and_reading_changes_nothing(publisher, writer, client):
    tool = make.tool()
    foreign = make.tool().history.first().history_id
    page, version = (
        page_of(tool, "history"),
        page_of(tool, f"history/{tool.history.first().history_id}"),
    )
    stranger = type(client)()
    stranger.force_login(User.objects.create_user("nobody", is_staff=True))
    for url in (page, version):
        answers = [each.get(url).status_code for each in (publisher, writer, client, stranger)]
        assert answers == [200, 200, 302, 403], url
        assert publisher.post(url).status_code == 405, url
    assert publisher.get(f"{version}restore/").status_code == 405
    assert tool.history.count() == 1
    for end in (0, foreign):
        assert publisher.get(page_of(tool, f"history/{end}")).status_code == 404, end
        assert publisher.post(page_of(tool, f"history/{end}/restore")).status_code == 404, end
    for key in ("999999", "none"):
        assert publisher.get(f"/admin/tools/tool/{key}/history/").status_code == 404, key


def test_what_an_editor_saves_on_a_screen_is_in_the_history_under_their_name(publisher):
    category = make.category(name="Before")
    assert post(publisher, category, name="After").status_code == 302
    newest = entries(publisher, category)[0]
    assert newest.who == "paula"
    assert "Name: Before → After" in changes_of(newest)
