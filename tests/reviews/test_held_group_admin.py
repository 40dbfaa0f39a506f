"""The screen of held groups: what was held of a network, and releasing or voiding it."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client

from reviews import held_groups
from reviews.models import HeldGroup, Vote
from tests import factories
from tests.markup import Document, read
from tests.reviews.voters import NOON, assert_in_agreement, cast, rows, tally
from tools.models import Tool

pytestmark = pytest.mark.django_db

LIST = "/admin/reviews/heldgroup/"


@pytest.fixture
def tool(settings) -> Tool:
    settings.VOTES_PER_NETWORK_PER_DAY = 2
    return factories.tool(slug="cursor", name="Cursor")


@pytest.fixture
def group(tool: Tool) -> HeldGroup:
    """Two votes count; two ship and a skip are held, and a change and a take-back later."""
    first, second, changed = uuid4(), uuid4(), uuid4()
    for visitor_id in (first, second):
        cast(tool, "ship", by=visitor_id)
    for visitor_id, choice in ((uuid4(), "ship"), (changed, "skip"), (uuid4(), "ship")):
        cast(tool, choice, by=visitor_id)
    cast(tool, "ship", by=changed, now=NOON + timedelta(hours=2))
    cast(tool, "", by=first, now=NOON + timedelta(hours=2))
    return HeldGroup.objects.get()


def cells(page: Document) -> list[str]:
    return [cell.text for cell in page.elements if cell.name in ("th", "td") and cell.text]


def decide(client: Client, group: HeldGroup, decision: str, reason: str, opened: str = "held"):
    sent = {"decision": decision, "reason": reason, "opened": opened}
    return client.post(f"{LIST}{group.pk}/change/", sent, follow=True)


def test_the_list_shows_tool_day_numbers_and_state(editor_client: Client, group: HeldGroup):
    texts = cells(read(editor_client.get(LIST)))
    row = texts.index("Cursor")
    assert texts[row + 1 : row + 7] == ["20 Nov 2026", "4", "3", "0", "2", "Held"]


def test_a_group_shows_ship_and_skip_over_time_and_no_network(
    editor_client: Client, group: HeldGroup
):
    response = editor_client.get(f"{LIST}{group.pk}/change/")
    texts = cells(read(response))
    first, second = "20 Nov 2026 12:00", "20 Nov 2026 14:00"
    assert texts[texts.index(first) :] == [first, "2", "1", "0", second, "1", "0", "1"]
    html = response.content.decode()
    assert str(group.network) not in html
    assert not [vote for vote in Vote.objects.all() if str(vote.visitor) in html]


@pytest.mark.parametrize(
    ("decision", "counts", "message"),
    [("counted", (4, 0), "4 votes are now counted."), ("void", (2, 0), "4 votes are now void.")],
)
def test_a_decision_is_about_the_whole_group_and_is_shown_stored_and_logged(
    editor_client: Client,
    tool: Tool,
    group: HeldGroup,
    decision: str,
    counts: tuple[int, int],
    message: str,
):
    """Released, three ships and a withdrawal count; voided, the two earlier votes stay."""
    response = decide(editor_client, group, decision, "we know them")
    assert message in [str(each) for each in response.context["messages"]]
    assert tally(tool) == counts
    group.refresh_from_db()
    assert (group.state, group.reason, group.network) == (decision, "we know them", None)
    assert set(Vote.objects.exclude(reason="").values_list("reason", flat=True)) == {"we know them"}
    assert LogEntry.objects.get().object_id == str(group.pk)
    assert_in_agreement(tool)
    cast(tool, "ship")
    assert HeldGroup.objects.held().count() == 1  # a new group: the old one is decided


def test_a_decision_can_be_reversed(editor_client: Client, tool: Tool, group: HeldGroup):
    decide(editor_client, group, "void", "a script")
    decide(editor_client, group, "counted", "an office after all", opened="void")
    assert tally(tool) == (4, 0)
    assert_in_agreement(tool)


def test_a_vote_that_was_decided_on_its_own_is_not_changed(
    editor_client: Client, tool: Tool, group: HeldGroup
):
    one = Vote.objects.filter(state="held", choice="ship").latest("pk")
    held_groups.decide([one.pk], "void", "this one", NOON)
    decide(editor_client, group, "counted", "the others")
    one.refresh_from_db()
    assert (one.state, tally(tool)) == ("void", (3, 0))
    assert_in_agreement(tool)


@pytest.mark.parametrize(
    ("reason", "opened", "complaint"),
    [
        ("", "held", "Enter the reason for the decision."),
        ("…", "held", "Give a reason in words"),
        ("fine", "void", "Another editor has decided meanwhile: open the group again."),
    ],
)
def test_a_decision_without_a_reason_or_on_an_old_page_changes_nothing(
    editor_client: Client, group: HeldGroup, reason: str, opened: str, complaint: str
):
    response = decide(editor_client, group, "counted", reason, opened)
    assert complaint in read(response).text
    group.refresh_from_db()
    assert (group.state, Vote.objects.filter(state="held").count()) == ("held", 4)


def test_groups_of_a_list_are_decided_together_even_of_a_deleted_tool(
    editor_client: Client, tool: Tool, group: HeldGroup
):
    other = factories.tool()
    for _ in range(3):
        cast(other, "skip", network="198.51.100.0/24")
    tool.remove(NOON)
    sent = {
        "action": "release",
        "reason": "known to us",
        "_selected_action": [str(each.pk) for each in HeldGroup.objects.all()],
    }
    response = editor_client.post(LIST, sent, follow=True)
    assert "5 votes are now counted." in read(response).text
    assert (tally(tool), tally(other)) == ((4, 0), (0, 3))
    sent["reason"] = ""
    assert "enter a reason" in read(editor_client.post(LIST, sent, follow=True)).text


def test_more_groups_than_can_be_decided_at_once_are_refused(editor_client: Client, tool: Tool):
    HeldGroup.objects.bulk_create(
        HeldGroup(tool=tool, day=NOON.date(), last_act_at=NOON) for _ in range(201)
    )
    sent = {
        "action": "void",
        "reason": "all",
        "select_across": "1",
        "_selected_action": [str(HeldGroup.objects.latest("pk").pk)],
    }
    response = editor_client.post(LIST, sent, follow=True)
    assert "Nothing was changed: select at most 200 rows at once." in read(response).text
    assert HeldGroup.objects.held().count() == 201


def test_a_void_vote_stays_void_when_its_visitor_changes_it(tool: Tool, group: HeldGroup):
    visitor = Vote.objects.filter(state="held", choice="ship").latest("pk").visitor
    held_groups.decide_group(group, "void", "a script", NOON)
    assert cast(tool, "skip", by=visitor, now=NOON + timedelta(days=3)).choice == "skip"
    assert rows(tool)[-1] == ("skip", "void")
    assert tally(tool) == (2, 0)
    assert_in_agreement(tool)


def test_an_editor_who_may_only_view_votes_sees_groups_and_decides_nothing(group: HeldGroup):
    assert Client().get(LIST).status_code == 302
    user = User.objects.create_user("looker", is_staff=True)
    looker = Client()
    looker.force_login(user)
    assert looker.get(LIST).status_code == 403
    user.user_permissions.add(Permission.objects.get(codename="view_vote"))
    page = read(looker.get(f"{LIST}{group.pk}/change/"))
    assert page.all("input", name="decision") == []
    assert decide(looker, group, "counted", "not mine to say").status_code == 403
    for run_action in ("add/", f"{group.pk}/delete/"):
        assert looker.get(f"{LIST}{run_action}").status_code == 403
    group.refresh_from_db()
    assert group.state == "held"
