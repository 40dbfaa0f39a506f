"""The admin of votes: listed and voided with a reason, never cast or changed."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from reviews import tallies
from reviews.models import Voiding, Vote, VoteEvent
from tests import factories
from tests.desk.acts import run_action
from tests.desk.editor_clients import desk_of
from tests.desk.forms import messages_of
from tests.markup import read
from tests.reviews.voters import (
    NOON,
    assert_in_agreement,
    cast,
    in_place,
    rows,
    set_visitor_cookie,
    tally,
    void,
)
from tools.models import Tool

pytestmark = pytest.mark.django_db

LIST, VOIDINGS = "/admin/reviews/vote/", "/admin/reviews/voiding/"
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="cursor", name="Cursor")


def listed(client: Client, query: str = "") -> list[list[str]]:
    """The rows of the list: each as the texts of its cells, from the tool on."""
    page = read(client.get(LIST + query))
    body = [row for row in page.all("tr") if row.within("tbody") and row.within("form")]
    return [[e.text for e in page.elements if e.inside[-1] is row and e.text] for row in body]


def between(client: Client, tool: Tool, since: object, until: object, reason: str = "a script"):
    """Void the votes on a tool between two moments, as the form sends it."""
    sent = {"tool": tool.pk, "reason": reason, "since": str(since)[:16], "until": str(until)[:16]}
    return client.post(f"{VOIDINGS}add/", sent, follow=True)


def test_votes_are_listed_newest_first_and_found_by_tool_and_by_state(
    editor_client: Client, tool: Tool
):
    cast(factories.tool(slug="other", name="Other"), "skip")
    for choice in ("ship", "skip", "ship"):
        cast(tool, choice)
    void(Vote.objects.filter(pk=Vote.objects.latest("pk").pk))
    for query, states in {
        "": ["Ship Void", "Skip Counted", "Ship Counted", "Skip Counted"],
        "q=other": ["Skip Counted"],
        "state=void": ["Ship Void"],
        "state=counted&q=Curs": ["Skip Counted", "Ship Counted"],
    }.items():
        rows = listed(editor_client, f"?{query}")
        assert [" ".join(row[1:3]) for row in rows] == states, query
    vote, event = Vote.objects.latest("pk"), VoteEvent.objects.latest("pk")
    for url in (LIST, f"{LIST}{vote.pk}/change/"):
        html = editor_client.get(url).content.decode()
        assert str(vote.visitor) not in html
        assert event.network not in html


def test_nobody_can_add_edit_or_delete_a_vote_here(editor_client: Client, tool: Tool):
    cast(tool, "ship")
    vote, before = Vote.objects.get(), Vote.objects.values().get()
    change, sent = f"{LIST}{vote.pk}/change/", {"tool": factories.tool().pk, "choice": "skip"}
    for url in (f"{LIST}add/", f"{LIST}{vote.pk}/delete/"):
        assert editor_client.post(url, sent | {"post": "yes"}).status_code == 403
    editor_client.post(change, sent | {"voiding": "1"})
    run_action(editor_client, [vote], "delete_selected", reason="why not")
    assert Vote.objects.values().get() == before
    options = read(editor_client.get(LIST)).all("option")
    assert [e.attributes["value"] for e in options if e.attributes["value"]] == ["void"]


def test_the_chosen_votes_are_void_for_a_reason_and_counted_again_within_a_day(
    editor_client: Client, tool: Tool, clock
):
    clock(NOON)
    for _ in range(3):
        cast(tool, "ship")
    chosen = Vote.objects.order_by("pk")[:2]
    response = run_action(editor_client, chosen, "void", reason="  they came from a script  ")
    assert "2 votes" in messages_of(response)[0]
    assert [state for _, state in rows(tool)] == ["void", "void", "counted"]
    act = Voiding.objects.get()
    assert (act.tool, act.reason, act.votes) == (tool, "they came from a script", 2)
    assert act.by == User.objects.get(pk=editor_client.session["_auth_user_id"])
    assert_in_agreement(tool)
    undone = run_action(editor_client, [act], "undo")
    assert messages_of(undone) == ["2 votes are counted again."]
    assert tally(tool) == (3, 0)
    assert_in_agreement(tool)
    late = void(Vote.objects.filter(pk=chosen[0].pk))
    clock(NOON + DAY)
    assert messages_of(run_action(editor_client, [late], "undo"))[0].startswith("0 votes")
    assert tally(tool) == (2, 0)


def test_votes_on_a_tool_between_two_moments_are_void_and_readers_see_why(
    editor_client: Client, tool: Tool, clock
):
    clock(NOON)
    other, changed = factories.tool(), uuid4()
    cast(tool, "skip", by=changed, now=NOON - 3 * HOUR)
    for minutes in (-61, -60, -1, 0):
        cast(tool, "ship", now=NOON + minutes * MINUTE)
    cast(other, "ship", now=NOON - 30 * MINUTE)
    cast(tool, "ship", by=changed, now=NOON - 10 * MINUTE)
    reason = "One person, forty browsers."
    response = between(editor_client, tool, "20.11.2026 11:00", "2026-11-20 12:00", reason)
    assert "3 votes" in messages_of(response)[0]
    assert (tally(tool), tally(other)) == ((2, 0), (1, 0))
    said = "3 community votes made void, cast from 20 November 2026 11:00 to 20 November 2026 12:00"
    for page in ("", "changes/"):
        text = read(Client().get(f"/tools/cursor/{page}")).text
        assert f"{said} UTC, 20 November 2026, {reason}" in text
    run_action(editor_client, [Voiding.objects.get()], "undo")
    assert tally(tool) == (5, 0)
    text = read(Client().get("/tools/cursor/")).text
    assert "forty browsers.; undone on 20 November 2026" in text


def test_nothing_is_voided_without_votes_and_a_reason_that_fits(editor_client: Client, tool: Tool):
    cast(tool, "ship")
    for since, until, reason, fault in (
        (NOON, NOON + DAY, "", "This field is required."),
        (NOON, NOON + DAY, "\u200b", "no letter or digit"),
        (NOON + MINUTE, NOON + HOUR, "a script", "No vote that counts"),
    ):
        assert fault in between(editor_client, tool, since, until, reason).content.decode()
    for reason in ("   ", "a\u202eb", "…"):
        response = run_action(editor_client, Vote.objects.all(), "void", reason=reason)
        assert "enter a reason" in messages_of(response)[0]
    assert (rows(tool), Voiding.objects.count()) == ([("ship", "counted")], 0)


def test_the_voter_of_a_void_vote_reads_why_and_cannot_change_it(tool: Tool):
    client = Client()
    cast(tool, "ship", by=set_visitor_cookie(client, uuid4()))
    void(Vote.objects.all(), reason="One person, forty browsers.")
    marks = read(client.get(f"/me/marks/?tools={tool.slug}"))
    said = "void on 20 November 2026: One person, forty browsers. It does not count."
    assert said in marks.text
    assert marks.all("button", name="choice", aria_pressed="true") == []
    assert "void" in read(client.get("/me/")).text
    for choice in ("ship", "none"):
        response = client.post(in_place(tool), {"choice": choice})
        assert response.status_code == 409
        assert said in response.content.decode()
    assert rows(tool) == [("ship", "void")]


def test_all_votes_that_a_search_finds_can_be_voided_together_up_to_200(
    editor_client: Client, tool: Tool
):
    other = factories.tool(slug="other", name="Other")
    for one in (tool, tool, tool, other):
        cast(one, "ship")
    key = Vote.objects.filter(tool=tool).latest("pk").pk
    sent = {"action": "void", "_selected_action": key, "reason": "all", "select_across": "1"}
    editor_client.post(f"{LIST}?q=cursor", sent)
    assert (tally(tool), tally(other)) == ((0, 0), (1, 0))
    moments = {"cast_at": NOON, "changed_at": NOON}
    Vote.objects.bulk_create(Vote(tool=other, choice="ship", **moments) for _ in range(196))
    tallies.recount(other.pk)
    cast(tool, "ship")
    last = [Vote.objects.latest("pk")]
    said = messages_of(run_action(editor_client, last, "void", reason="all", select_across="1"))
    assert "at most 200" in said[-1]
    assert Vote.objects.counted().count() == 198
    Vote.objects.exclude(voiding=None)[0].delete()
    run_action(editor_client, last, "void", reason="all", select_across="1")
    tools = Voiding.objects.order_by("pk").values_list("tool", flat=True)
    assert (tools[0], set(tools[1:])) == (tool.pk, {tool.pk, other.pk}), "an entry for each"
    assert not Vote.objects.counted().exists()


def test_the_desk_needs_an_account_and_is_read_only_for_users_with_view_permissions(tool: Tool):
    cast(tool, "ship")
    assert Client().get(LIST).status_code == 302
    looker = desk_of(rights=("view_vote",))
    assert looker.get(LIST).status_code == looker.get(VOIDINGS).status_code == 200
    assert between(looker, tool, NOON, NOON + HOUR).status_code == 403
    run_action(looker, [Vote.objects.get()], "void", reason="not mine to say")
    assert rows(tool) == [("ship", "counted")]


def test_the_tools_page_draws_its_votes_a_day_by_state(editor_client: Client, tool: Tool, clock):
    clock(NOON)
    change = f"/admin/tools/tool/{tool.pk}/change/"
    cast(tool, "skip", now=NOON - 61 * DAY)
    assert "No votes in these days." in read(editor_client.get(change)).text
    for _ in range(4):
        cast(tool, "ship")
    void(Vote.objects.filter(pk=Vote.objects.latest("pk").pk))
    cast(tool, "skip", now=NOON - DAY)
    cast(factories.tool(), "ship")
    page = read(editor_client.get(change))
    svg = page.one("svg", role="img")
    label = "Votes a day, last 60 days: 5 in all, 4 on the busiest day"
    assert svg.attributes["aria-label"] == label
    heights = [rect.attributes["height"] for rect in page.all("rect") if rect.within("svg") is svg]
    assert len(heights) == 60 * 2
    assert heights[-4:] == ["20.0", "0.0", "60.0", "20.0"]
    assert "19 Nov 2026 | 1 | 0\n20 Nov 2026 | 3 | 1\n" in page.visible_text
    assert f"{LIST}?tool__id__exact={tool.pk}" in page.links
