"""Withdrawing and publishing at the desk, one row or many."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.models import Take
from shipskip.editing import deletion, deletion_counts
from shipskip.newsletter.issues import composing
from tests import factories as make
from tests.desk.acts import entries, rich_tool, run_action, send
from tests.desk.forms import list_of, messages_of, page_of, post
from tests.markup import one_line, read
from tools.models import Tool

pytestmark = pytest.mark.django_db


def test_a_withdrawal_is_confirmed_hides_the_row_at_once_and_is_called_so(
    publisher, client, snapshot
):
    tool = rich_tool(slug="ollama", name="Ollama")
    assert read(publisher.get(page_of(tool, "withdraw"))).visible_text == snapshot
    urls = ("/tools/ollama/", "/compare/ollama-vs-other/")
    assert [client.get(url).status_code for url in urls] == [200, 200]
    response = send(publisher, page_of(tool, "withdraw"), {})
    lost = "readers no longer see its page and 1 comparison; nothing was deleted."
    assert messages_of(response)[0].endswith(lost)
    assert [client.get(url).status_code for url in urls] == [404, 404]
    assert Take.objects.on([tool]).published(timezone.now()).count() == 2
    assert "Withdrawn since" in publisher.get(list_of(tool)).content.decode()
    newest = entries(publisher, tool)[0]
    assert (newest.who, newest.changes[0].after) == ("paula", "Withdrawn")
    again = send(publisher, page_of(tool, "withdraw"), {})
    assert "neither public nor scheduled" in messages_of(again)[0]
    assert tool.history.count() == 2
    assert publisher.post("/admin/tools/tool/999999/withdraw/").status_code == 404


KINDS: dict[str, Callable[[], Any]] = {
    "take": make.take,
    "take that nobody sees": lambda: make.take(on=make.tool(published_at=None)),
    "reviewer": lambda: make.take().reviewer,
    "category": lambda: make.comparison().tools[0].category,
    "comparison": make.comparison,
    "scheduled": lambda: make.comparison(published_at=timezone.now() + timedelta(days=1)),
}


def test_withdrawing_says_what_readers_no_longer_see(publisher, snapshot):
    for name, kind in KINDS.items():
        row = kind()
        publisher.cookies.pop("messages", None)  # of the row before
        asked = read(publisher.get(page_of(row, "withdraw"))).visible_text
        response = send(publisher, page_of(row, "withdraw"), {})
        assert [*asked.split("\n")[1:-2], *messages_of(response)] == snapshot(name=name)
        row.refresh_from_db()
        assert row.state(timezone.now()) == ("draft" if name == "scheduled" else "withdrawn")


def test_the_confirmation_page_names_some_rows_and_counts_the_others(publisher, monkeypatch):
    monkeypatch.setattr(deletion_counts, "MAX_NAMES", 2)
    category = make.category()
    for _ in range(4):
        make.tool(in_category=category)
    page = one_line(publisher.get(page_of(category, "withdraw")).content)
    assert "4 tools: " in page
    assert "<bdi>2 more</bdi>" in page


@pytest.mark.parametrize(
    "row_of", [make.take, lambda: make.take().tool, make.category, make.reviewer, make.comparison]
)
def test_publishing_again_keeps_the_first_date_and_is_no_news(db, row_of):
    row = row_of()
    first = row.published_at
    row.withdraw(timezone.now())
    row.publish(timezone.now())
    row.refresh_from_db()
    assert (row.published_at, row.state(timezone.now())) == (first, "public")
    with pytest.raises(composing.NoIssueError, match="No new and no changed verdicts"):
        composing.compose(timezone.now())
    type(row).objects.update(published_at=timezone.now())  # scheduled, and its moment has come
    with pytest.raises(composing.NoIssueError, match="No new and no changed verdicts"):
        composing.compose(timezone.now())


def test_list_and_form_publish_takes_again_with_their_own_dates(publisher):
    dates = [make.PUBLISHED + timedelta(days=day) for day in range(3)]
    takes = [make.take(published_at=date) for date in dates]
    run_action(publisher, takes, "withdraw_chosen", post="yes")
    run_action(publisher, takes[:2], "publish_now")
    post(publisher, takes[2], _publish="x")
    assert [take.published_at for take in Take.objects.order_by("pk")] == dates


# --- Many rows -------------------------------------------------------------------------------


def ready_draft(**fields):
    """A draft of a tool that is ready: it has a tagline and a public take."""
    return make.take(on=make.tool(tagline="One line", published_at=None, **fields)).tool


def test_a_tool_that_is_not_ready_is_not_published_and_a_draft_is_not_withdrawn(publisher):
    bare = ready_draft(name="Bare")
    Tool.objects.update(tagline="")
    lonely = make.tool(name="Lonely", tagline="x", published_at=None)
    ready, public = ready_draft(name="Ready"), make.tool(name="Public")
    messages = messages_of(run_action(publisher, [ready, bare, lonely, public], "publish_now"))
    assert messages[0].startswith("“Ready” is public: <a href")
    assert messages[1] == "1 tool was public already."
    assert [word for word in ("Bare", "tagline", "Lonely") if word not in str(messages[2:])] == []
    assert set(Tool.objects.published(timezone.now())) == {ready, public}
    chosen = run_action(publisher, [ready, bare, public], "withdraw_chosen", post="yes")
    withdrawn, left = messages_of(chosen)
    assert withdrawn.startswith("2 tools are withdrawn: ")
    assert left == "1 tool is neither public nor scheduled."
    assert set(Tool.objects.withdrawn()) == {ready, public}
    messages = messages_of(
        run_action(publisher, [ready_draft(name=f"T{at}") for at in range(7)], "publish_now")
    )
    assert messages[0].startswith("7 tools are public: ")
    assert messages[0].endswith(">T4</a> and 2 more")


def test_an_action_refuses_no_rows_and_more_than_its_limit(publisher, monkeypatch):
    monkeypatch.setattr(deletion, "MAX_SELECTED", 2)
    tools = [make.tool() for _ in range(3)]
    response = publisher.post(list_of(tools[0]), {"action": "publish_now"}, follow=True)
    assert messages_of(response)[0].endswith("tick the rows that the action is for.")
    for name in ("publish_now", "withdraw_chosen", "delete_selected"):
        response = run_action(publisher, tools, name, post="yes")
        assert messages_of(response) == ["Nothing was changed: select at most 2 rows at once."]
    assert Tool.objects.published(timezone.now()).count() == 3


DRAFTS: dict[str, Callable[[], Any]] = {
    "tools": ready_draft,
    "tools that are not ready": lambda: make.tool(tagline="One line", published_at=None),
    "takes": lambda: make.take(published_at=None),
    "comparisons": lambda: make.comparison(published_at=None),
    "reviewers": lambda: make.reviewer(published_at=None),
    "categories": lambda: make.category(published_at=None),
}


def queries_of(client, rows, action, **sent):
    """Run an action on these rows: its page, and the number of its queries."""
    sent |= {"action": action, "_selected_action": [row.pk for row in rows]}
    with CaptureQueriesContext(connection) as queries:
        page = client.post(list_of(rows[0]), sent).content.decode()
    return page, len(queries)


@pytest.mark.parametrize("case", DRAFTS)
def test_publishing_and_withdrawing_four_rows_runs_as_many_queries_as_two(publisher, case):
    few, many = ([DRAFTS[case]() for _ in range(number)] for number in (2, 4))
    rows = type(few[0])._default_manager
    run_action(publisher, [DRAFTS[case]()], "publish_now")  # loads what is loaded once
    counts = [queries_of(publisher, each, "publish_now")[1] for each in (few, many)]
    assert counts[0] == counts[1]
    if "not ready" in case:
        assert not rows.published(timezone.now()).exists()
        return
    assert rows.published(timezone.now()).filter(pk__in=[row.pk for row in many]).count() == 4
    queries_of(publisher, few, "withdraw_chosen")  # makes the session
    (page, of_few), (_, of_many) = (
        queries_of(publisher, each, "withdraw_chosen") for each in (few, many)
    )
    assert of_few == of_many
    assert all(row.get_absolute_url() in page for row in few)
    assert not rows.withdrawn().exists()
    counts = [queries_of(publisher, each, "withdraw_chosen", post="yes")[1] for each in (few, many)]
    assert counts[0] == counts[1]
    assert rows.withdrawn().count() == 6
    for row in many:
        withdrawn, published, written = row.history.all()
        assert (withdrawn.published_at, published.published_at is None) == (None, False)
        assert withdrawn.withdrawn_at
        assert {withdrawn.history_user.username, published.history_user.username} == {"paula"}
        assert (withdrawn.history_type, published.history_type) == ("~", "~")
        assert written.published_at is None
