"""The admin of votes: listed, released and voided with a reason, never cast or changed."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from reviews.models import Vote, VoteEvent
from tests import factories
from tests.markup import Document, read
from tests.reviews.voters import assert_in_agreement, cast, events, row_counts, tally
from tools.models import Tool

pytestmark = pytest.mark.django_db

LIST = "/admin/reviews/vote/"


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


def test_votes_are_found_by_tool_and_by_state(editor_client: Client, tool: Tool, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 1
    cast(factories.tool(slug="other", name="Other"), "skip")
    for _ in range(2):
        cast(tool, "ship")
    assert len(listed(editor_client, "?q=Curs")) == 2
    assert len(listed(editor_client, "?q=other")) == 1
    assert len(listed(editor_client, "?q=held")) == 1
    assert len(listed(editor_client, "?q=cursor+counted")) == 1
    assert len(listed(editor_client, "?state__exact=held")) == 1
    assert len(listed(editor_client, "?choice__exact=skip")) == 1
    assert len(listed(editor_client, f"?tool__id__exact={tool.pk}")) == 2
    assert listed(editor_client, "?q=nothing") == []


def test_nobody_can_add_a_vote_here(editor_client: Client, tool: Tool):
    before = row_counts()
    sent = {"tool": tool.pk, "choice": "ship", "state": "counted"}
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
    assert "release" in choices
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
        and one.attributes.get("name") in {*before, "tool", "_save", "_continue"}
    ]
    assert fields == []
    sent = {"choice": "skip", "state": "void", "reason": "x", "tool": factories.tool().pk}
    editor_client.post(f"{LIST}{vote.pk}/change/", sent)
    assert Vote.objects.values().get() == before


def test_no_visitor_and_no_network_is_shown(editor_client: Client, tool: Tool):
    cast(tool, "ship")
    vote = Vote.objects.get()
    for url in (LIST, f"{LIST}{vote.pk}/change/"):
        html = editor_client.get(url).content.decode()
        assert str(vote.visitor) not in html
        assert vote.network not in html


@pytest.mark.parametrize(
    ("action", "state", "counts", "message"),
    [
        ("void", "void", (1, 0), "2 votes are now void."),
        ("release", "counted", (3, 0), "0 votes are now counted."),
    ],
)
def test_an_action_with_a_reason_is_done_shown_and_stored(
    editor_client: Client, tool: Tool, action: str, state: str, counts: Any, message: str
):
    for _ in range(3):
        cast(tool, "ship")
    chosen = list(Vote.objects.order_by("pk")[:2])
    response = run_action(editor_client, action, chosen, "  they came from a script  ")
    assert messages(response) == [message]
    assert tally(tool) == counts
    states = Vote.objects.filter(pk__in=[vote.pk for vote in chosen])
    assert {vote.state for vote in states} == {state}
    if state == "void":
        assert {vote.reason for vote in states} == {"they came from a script"}
        assert events(tool)[3:] == [("ship", "ship", "void")] * 2
        assert VoteEvent.objects.latest("pk").reason == "they came from a script"
    assert_in_agreement(tool)


def test_a_held_vote_is_released_and_counts_at_once(editor_client: Client, tool: Tool, settings):
    settings.VOTES_PER_NETWORK_PER_DAY = 0
    cast(tool, "skip")
    run_action(editor_client, "release", [Vote.objects.get()], "known to us")
    vote = Vote.objects.get()
    assert (vote.state, vote.reason, tally(tool)) == ("counted", "known to us", (0, 1))


@pytest.mark.parametrize("action", ["release", "void"])
@pytest.mark.parametrize("reason", ["", "   "])
def test_an_action_without_a_reason_is_refused(
    editor_client: Client, tool: Tool, action: str, reason: str
):
    cast(tool, "ship")
    Vote.objects.update(state="held")
    before = (list(Vote.objects.values()), VoteEvent.objects.count())
    response = run_action(editor_client, action, [Vote.objects.get()], reason)
    assert messages(response) == ["Nothing was changed: enter a reason beside the action."]
    assert (list(Vote.objects.values()), VoteEvent.objects.count()) == before


def test_a_reason_that_is_too_long_for_its_field_is_no_fault(editor_client: Client, tool: Tool):
    cast(tool, "ship")
    run_action(editor_client, "void", [Vote.objects.get()], "x" * 5_000)
    assert len(Vote.objects.get().reason) <= 200


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
    assert not Vote.objects.exclude(state="counted").exists()


def test_the_desk_needs_an_account_and_is_read_only_for_users_with_view_permissions(tool: Tool):
    cast(tool, "ship")
    assert Client().get(LIST).status_code == 302
    looker = Client()
    user = User.objects.create_user("looker", is_staff=True)
    from django.contrib.auth.models import Permission

    user.user_permissions.add(Permission.objects.get(codename="view_vote"))
    looker.force_login(user)
    assert looker.get(LIST).status_code == 200
    run_action(looker, "void", [Vote.objects.get()], "not mine to say")
    assert Vote.objects.get().state == "counted"


def chart(client: Client, tool: Tool) -> Document:
    return read(client.get(f"/admin/tools/tool/{tool.pk}/change/"))


def test_the_tools_page_draws_its_votes_a_day_by_state(
    editor_client: Client, tool: Tool, settings, clock
):
    settings.VOTES_PER_NETWORK_PER_DAY = 3
    now = timezone.now()
    clock(now)  # midnight does not come between the votes and the page
    today, yesterday = now.date(), (now - timedelta(days=1)).date()
    for _ in range(4):
        cast(tool, "ship", now=now)
    cast(tool, "skip", now=now - timedelta(days=1))
    cast(tool, "skip", now=now - timedelta(days=70))
    cast(factories.tool(), "ship", now=now)
    page = chart(editor_client, tool)
    svg = page.one("svg", role="img")
    label = "Votes a day, last 60 days: 5 in all, 4 on the busiest day"
    assert svg.attributes["aria-label"] == label
    heights = [rect.attributes["height"] for rect in page.all("rect") if rect.within("svg") is svg]
    assert len(heights) == 60 * 3
    assert heights[-3:] == ["60.0", "20.0", "0.0"]
    assert heights[-6:-3] == ["20.0", "0.0", "0.0"]
    numbers = [cell.text for cell in page.elements if cell.name in ("th", "td")]
    first, second = (f"{day.day} {day:%b %Y}" for day in (yesterday, today))
    assert numbers[numbers.index(first) :][:8] == [
        *(first, "1", "0", "0"),
        *(second, "3", "1", "0"),
    ]
    assert f"{LIST}?tool__id__exact={tool.pk}" in page.links


def test_a_tool_without_votes_has_no_chart_but_a_sentence(editor_client: Client, tool: Tool):
    cast(tool, "ship", now=timezone.now() - timedelta(days=61))
    page = chart(editor_client, tool)
    assert page.all("svg", role="img") == []
    assert "No votes in these days." in page.text
    assert "Votes a day" not in read(editor_client.get("/admin/tools/tool/add/")).text
