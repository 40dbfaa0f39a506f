"""The admin of votes: listed, released and voided with a reason, never cast or changed."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from reviews import voiding
from reviews.models import Voiding, Vote, VoteEvent
from reviews.vote_admin import UNDO
from tests import factories
from tests.markup import Document, read
from tests.reviews.voters import (
    NOON,
    assert_in_agreement,
    cast,
    in_place,
    row_counts,
    rows,
    set_visitor_cookie,
    tally,
    void,
)
from tools.models import Tool

pytestmark = pytest.mark.django_db

LIST, VOIDINGS = "/admin/reviews/vote/", "/admin/reviews/voiding/"
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def tool() -> Tool:
    return factories.tool(slug="cursor", name="Cursor")


def listed(client: Client, query: str = "") -> list[list[str]]:
    """The rows of the list: each as the texts of its cells, from the tool on."""
    page = read(client.get(LIST + query))
    body = [row for row in page.all("tr") if row.within("tbody") and row.within("form")]
    return [
        [cell.text for cell in page.elements if cell.inside[-1] is row and cell.text]
        for row in body
    ]


def run_action(
    client: Client, action: str, votes: list[Vote], reason: str, *, select_all: bool = False
):
    """Choose an action for votes, as the form of the list sends it."""
    sent: dict[str, Any] = {
        "action": action,
        "reason": reason,
        "_selected_action": [vote.pk for vote in votes],
        "select_across": "1" if select_all else "0",
    }
    return client.post(LIST, sent, follow=True)


def messages(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


def test_votes_are_listed_newest_first_with_their_state_and_reason(
    editor_client: Client, tool: Tool
):
    for choice in ("ship", "skip"):
        cast(tool, choice)
    rows = listed(editor_client)
    assert len(rows) == 2
    assert [row[1:3] for row in rows] == [["Skip", "Counted"], ["Ship", "Counted"]]


def test_votes_are_found_by_tool_and_by_state(editor_client: Client, tool: Tool):
    cast(factories.tool(slug="other", name="Other"), "skip")
    for _ in range(2):
        cast(tool, "ship")
    void(Vote.objects.filter(pk=Vote.objects.latest("pk").pk))
    assert len(listed(editor_client, "?q=Curs")) == 2
    assert len(listed(editor_client, "?q=other")) == 1
    assert len(listed(editor_client, "?state=void")) == 1
    assert len(listed(editor_client, "?state=counted")) == 2
    assert len(listed(editor_client, "?choice__exact=skip")) == 1
    assert len(listed(editor_client, f"?tool__id__exact={tool.pk}")) == 2
    assert listed(editor_client, "?q=nothing") == []


def test_nobody_can_add_a_vote_here(editor_client: Client, tool: Tool):
    before = row_counts()
    sent = {"tool": tool.pk, "choice": "ship"}
    assert editor_client.get(f"{LIST}add/").status_code == 403
    assert editor_client.post(f"{LIST}add/", sent).status_code == 403
    assert row_counts()["reviews_vote"] == before["reviews_vote"]
    assert "/admin/reviews/vote/add/" not in read(editor_client.get(LIST)).links


def test_nobody_can_delete_a_vote_here(editor_client: Client, tool: Tool):
    cast(tool, "ship")
    vote = Vote.objects.get()
    assert editor_client.get(f"{LIST}{vote.pk}/delete/").status_code == 403
    assert editor_client.post(f"{LIST}{vote.pk}/delete/", {"post": "yes"}).status_code == 403
    run_action(editor_client, "delete_selected", [vote], "why not")
    assert Vote.objects.count() == 1
    choices = [o.attributes["value"] for o in read(editor_client.get(LIST)).all("option")]
    assert "void" in choices
    assert "delete_selected" not in choices


def test_nobody_can_edit_a_vote_here(editor_client: Client, tool: Tool):
    cast(tool, "ship")
    vote = Vote.objects.get()
    before = Vote.objects.values().get()
    page = read(editor_client.get(f"{LIST}{vote.pk}/change/"))
    fields = [
        one
        for one in page.elements
        if one.name in ("input", "select", "textarea")
        and one.attributes.get("name") in {*before, "tool", "voiding", "_save", "_continue"}
    ]
    assert fields == []
    sent = {"choice": "skip", "voiding": "1", "tool": factories.tool().pk}
    editor_client.post(f"{LIST}{vote.pk}/change/", sent)
    assert Vote.objects.values().get() == before


def test_no_visitor_and_no_network_is_shown(editor_client: Client, tool: Tool):
    cast(tool, "ship")
    vote = Vote.objects.get()
    for url in (LIST, f"{LIST}{vote.pk}/change/"):
        html = editor_client.get(url).content.decode()
        assert str(vote.visitor) not in html
        assert VoteEvent.objects.get().network not in html


def test_the_chosen_votes_are_void_for_a_reason_and_counted_again_within_a_day(
    editor_client: Client, tool: Tool, clock
):
    clock(NOON)
    for _ in range(3):
        cast(tool, "ship")
    chosen = list(Vote.objects.order_by("pk")[:2])
    response = run_action(editor_client, "void", chosen, "  they came from a script  ")
    assert messages(response) == [f"2 votes are now void. {UNDO}"]
    assert (tally(tool), [state for _, state in rows(tool)]) == (
        (1, 0),
        ["void", "void", "counted"],
    )
    act = Voiding.objects.get()
    assert (act.tool, act.reason, act.votes) == (tool, "they came from a script", 2)
    assert act.by == User.objects.get(pk=editor_client.session["_auth_user_id"])
    assert_in_agreement(tool)
    assert messages(undo(editor_client, act)) == ["2 votes are counted again."]
    assert tally(tool) == (3, 0)
    assert_in_agreement(tool)


def test_votes_on_several_tools_are_void_in_one_entry_for_each(editor_client: Client, tool: Tool):
    cast(tool, "ship")
    cast(factories.tool(), "skip")
    run_action(editor_client, "void", list(Vote.objects.all()), "a script")
    assert Voiding.objects.values("tool").distinct().count() == 2
    assert not Vote.objects.counted().exists()


def undo(client: Client, act: Voiding):
    sent = {"action": "undo", "_selected_action": [act.pk]}
    return client.post(VOIDINGS, sent, follow=True)


def between(client: Client, tool: Tool, since: datetime, until: datetime, reason: str = "a script"):
    """Void the votes on a tool between two moments, as the form sends it."""
    sent: dict[str, Any] = {"tool": tool.pk, "reason": reason}
    for name, moment in (("since", since), ("until", until)):
        sent[name] = f"{moment:%Y-%m-%d %H:%M}"
    return client.post(f"{VOIDINGS}add/", sent, follow=True)


def test_votes_on_a_tool_between_two_moments_are_void_and_readers_see_why(
    editor_client: Client, tool: Tool, clock
):
    clock(NOON)
    other, changed = factories.tool(), uuid4()
    cast(tool, "skip", by=changed, now=NOON - 3 * HOUR)
    for minutes in (-61, -60, -30, -1, 0):
        cast(tool, "ship", now=NOON + minutes * MINUTE)
    cast(other, "ship", now=NOON - 30 * MINUTE)
    cast(tool, "ship", by=changed, now=NOON - 10 * MINUTE)
    response = between(editor_client, tool, NOON - HOUR, NOON, "One person, forty browsers.")
    assert messages(response)[0] == f"4 votes are now void. {UNDO}"
    assert (tally(tool), tally(other)) == ((2, 0), (1, 0))
    said = "4 community votes made void, cast from 20 November 2026 11:00 to 20 November 2026 12:00"
    for page in ("", "changes/"):
        text = read(Client().get(f"/tools/cursor/{page}")).text
        assert f"{said} UTC, 20 November 2026, One person, forty browsers." in text
    undo(editor_client, Voiding.objects.get())
    assert tally(tool) == (6, 0)
    text = read(Client().get("/tools/cursor/")).text
    assert "forty browsers.; undone on 20 November 2026" in text


def test_the_moments_are_typed_as_on_other_screens(editor_client: Client, tool: Tool):
    page = read(editor_client.get(f"{VOIDINGS}add/"))
    for name, label in (("since", "From:"), ("until", "Before:")):
        assert page.one("label", **{"for": f"id_{name}"}).text == label
        assert page.one("input", id=f"id_{name}").attributes["placeholder"] == "2026-05-03 14:00"
    cast(tool, "ship")
    sent = {"tool": tool.pk, "reason": "a script", "since": "20.11.2026", "until": "21 Nov 2026"}
    editor_client.post(f"{VOIDINGS}add/", sent)
    assert rows(tool) == [("ship", "void")]


def test_nothing_is_undone_after_a_day(editor_client: Client, tool: Tool, clock):
    cast(tool, "ship")
    act = void(Vote.objects.all())
    clock(NOON + timedelta(days=1))
    assert messages(undo(editor_client, act)) == [
        "0 votes are counted again.",
        "1 of the chosen entries are older than a day and stay void.",
    ]
    assert voiding.undo(act, NOON + timedelta(days=1)) == 0
    assert rows(tool) == [("ship", "void")]


@pytest.mark.parametrize(
    ("since", "until", "reason", "fault"),
    [
        (NOON, NOON + timedelta(days=1), "", "This field is required."),
        (NOON, NOON + timedelta(days=1), "\u200b", "no letter or digit"),
        (NOON + MINUTE, NOON + HOUR, "a script", "No vote that counts lies between these moments."),
        (NOON + HOUR, NOON, "a script", "No vote that counts lies between these moments."),
    ],
)
def test_a_period_needs_votes_and_a_reason(
    editor_client: Client, tool: Tool, since: datetime, until: datetime, reason: str, fault: str
):
    cast(tool, "ship")
    assert fault in between(editor_client, tool, since, until, reason).content.decode()
    assert (rows(tool), Voiding.objects.count()) == ([("ship", "counted")], 0)


def test_the_voter_of_a_void_vote_reads_why_and_cannot_change_it(tool: Tool):
    client = Client()
    visitor_id = set_visitor_cookie(client, uuid4())
    cast(tool, "ship", by=visitor_id)
    void(Vote.objects.all(), reason="One person, forty browsers.")
    said = (
        "An editor made your vote on this tool void on 20 November 2026: One person, forty"
        " browsers. It does not count."
    )
    marks = read(client.get(f"/me/marks/?tools={tool.slug}"))
    assert said in marks.text
    assert marks.all("button", name="choice", aria_pressed="true") == []
    assert "void" in read(client.get("/me/")).text
    for choice in ("ship", "skip", "none"):
        response = client.post(in_place(tool), {"choice": choice})
        assert (response.status_code, response.content.decode()) == (
            409,
            f"Nothing was changed. {said}",
        )
    assert rows(tool) == [("ship", "void")]


@pytest.mark.parametrize("reason", ["", "   "])
def test_an_action_without_a_reason_is_refused(editor_client: Client, tool: Tool, reason: str):
    cast(tool, "ship")
    before = (list(Vote.objects.values()), VoteEvent.objects.count())
    response = run_action(editor_client, "void", [Vote.objects.get()], reason)
    assert messages(response) == ["Nothing was changed: enter a reason beside the action."]
    assert (list(Vote.objects.values()), VoteEvent.objects.count()) == before


def test_a_reason_that_is_too_long_for_its_field_is_no_fault(editor_client: Client, tool: Tool):
    cast(tool, "ship")
    run_action(editor_client, "void", [Vote.objects.get()], "x" * 5_000)
    assert (rows(tool), Voiding.objects.count()) == ([("ship", "counted")], 0)


def test_all_votes_that_a_search_finds_can_be_voided_together(editor_client: Client, tool: Tool):
    other = factories.tool(slug="other", name="Other")
    for one in (tool, tool, tool, other):
        cast(one, "ship")
    sent = {
        "action": "void",
        "reason": "all of them",
        "_selected_action": [Vote.objects.filter(tool=tool).latest("pk").pk],
        "select_across": "1",
    }
    editor_client.post(f"{LIST}?q=cursor", sent)
    assert (tally(tool), tally(other)) == ((0, 0), (1, 0))


def test_more_votes_than_can_be_decided_at_once_are_refused_with_a_sentence(
    editor_client: Client, tool: Tool
):
    now = timezone.now()
    Vote.objects.bulk_create(
        Vote(tool=tool, choice="ship", cast_at=now, changed_at=now) for _ in range(201)
    )
    response = run_action(
        editor_client, "void", [Vote.objects.latest("pk")], "all", select_all=True
    )
    assert messages(response) == ["Nothing was changed: select at most 200 rows at once."]
    assert Vote.objects.counted().count() == 201


def test_the_desk_needs_an_account_and_is_read_only_for_users_with_view_permissions(tool: Tool):
    cast(tool, "ship")
    assert Client().get(LIST).status_code == 302
    looker = Client()
    user = User.objects.create_user("looker", is_staff=True)
    from django.contrib.auth.models import Permission

    user.user_permissions.add(Permission.objects.get(codename="view_vote"))
    looker.force_login(user)
    assert looker.get(LIST).status_code == looker.get(VOIDINGS).status_code == 200
    assert between(looker, tool, NOON, NOON + HOUR).status_code == 403
    run_action(looker, "void", [Vote.objects.get()], "not mine to say")
    assert rows(tool) == [("ship", "counted")]


def chart(client: Client, tool: Tool) -> Document:
    return read(client.get(f"/admin/tools/tool/{tool.pk}/change/"))


def test_the_tools_page_draws_its_votes_a_day_by_state(editor_client: Client, tool: Tool, clock):
    now = timezone.now()
    clock(now)  # midnight does not come between the votes and the page
    today, yesterday = now.date(), (now - timedelta(days=1)).date()
    for _ in range(4):
        cast(tool, "ship", now=now)
    void(Vote.objects.filter(pk=Vote.objects.latest("pk").pk))
    cast(tool, "skip", now=now - timedelta(days=1))
    cast(tool, "skip", now=now - timedelta(days=70))
    cast(factories.tool(), "ship", now=now)
    page = chart(editor_client, tool)
    svg = page.one("svg", role="img")
    label = "Votes a day, last 60 days: 5 in all, 4 on the busiest day"
    assert svg.attributes["aria-label"] == label
    heights = [rect.attributes["height"] for rect in page.all("rect") if rect.within("svg") is svg]
    assert len(heights) == 60 * 2
    assert heights[-2:] == ["60.0", "20.0"]
    assert heights[-4:-2] == ["20.0", "0.0"]
    numbers = [cell.text for cell in page.elements if cell.name in ("th", "td")]
    first, second = (f"{day.day} {day:%b %Y}" for day in (yesterday, today))
    assert numbers[numbers.index(first) :][:6] == [
        *(first, "1", "0"),
        *(second, "3", "1"),
    ]
    assert f"{LIST}?tool__id__exact={tool.pk}" in page.links


def test_a_tool_without_votes_has_no_chart_but_a_sentence(editor_client: Client, tool: Tool):
    cast(tool, "ship", now=timezone.now() - timedelta(days=61))
    page = chart(editor_client, tool)
    assert page.all("svg", role="img") == []
    assert "No votes in these days." in page.text
    assert "Votes a day" not in read(editor_client.get("/admin/tools/tool/add/")).text
