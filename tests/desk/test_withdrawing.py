"""Withdrawing and publishing at the desk, one row or many."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Take
from shipskip.editing.deletion import MAX_SELECTED
from shipskip.editing.deletion_counts import MAX_NAMES
from shipskip.newsletter.issues import composing
from tests import factories as make
from tests.desk.deleting import path, rich_tool, run_action
from tests.desk.forms import on_the_page
from tests.desk.histories import entries, messages_of
from tests.markup import one_line
from tools.models import Tool

pytestmark = pytest.mark.django_db


def test_a_withdrawn_tool_is_hidden_from_readers_at_once_and_called_withdrawn(publisher, client):
    tool = rich_tool(slug="ollama")
    assert client.get("/tools/ollama/").status_code == 200
    page = one_line(publisher.get(path(tool, "withdraw")).content)
    assert "its page: <bdi>/tools/ollama/</bdi>" in page
    assert "1 comparison: " in page
    response = publisher.post(path(tool, "withdraw"), follow=True)
    lost = "readers no longer see its page and 1 comparison; nothing was deleted."
    assert messages_of(response)[0].endswith(lost)
    assert client.get("/tools/ollama/").status_code == 404
    assert client.get("/compare/ollama-vs-other/").status_code == 404
    assert Take.objects.on([tool]).published(timezone.now()).count() == 2
    assert "Withdrawn since" in publisher.get("/admin/tools/tool/").content.decode()
    newest = entries(publisher, tool)[0]
    assert newest.who == "paula"
    assert newest.changes[0].after == "Withdrawn"


def test_withdrawing_again_changes_nothing_and_says_so(publisher):
    tool = make.tool(published_at=None)
    response = publisher.post(path(tool, "withdraw"), follow=True)
    assert "neither public nor scheduled" in messages_of(response)[0]
    assert tool.history.count() == 1
    assert publisher.post("/admin/tools/tool/999999/withdraw/").status_code == 404


def test_a_scheduled_row_is_taken_off_the_schedule(publisher):
    pair = make.comparison(published_at=timezone.now() + timedelta(days=1))
    response = publisher.post(path(pair, "withdraw"), follow=True)
    assert "removed from the schedule" in messages_of(response)[0]
    pair.refresh_from_db()
    assert pair.state(timezone.now()) == "draft"


@pytest.mark.parametrize(
    ("kind", "lost"),
    [
        (
            lambda: make.take(on=make.tool(slug="alpha", name="Alpha")),
            "the take on the page of Alpha",
        ),
        (lambda: make.take().reviewer, "its page and 1 take"),
        (lambda: make.comparison().tools[0].category, "its page, 1 tool and 1 comparison"),
        (make.comparison, "its summary, order and place in the lists"),
    ],
    ids=["take", "reviewer", "category", "comparison"],
)
def test_the_confirmation_page_names_what_readers_will_no_longer_see(publisher, kind, lost):
    row = kind()
    for words in lost.replace(" and ", ", ").split(", ")[:1]:
        assert words in publisher.get(path(row, "withdraw")).content.decode()
    row.refresh_from_db()
    assert row.state(timezone.now()) == "public"
    response = publisher.post(path(row, "withdraw"), follow=True)
    assert f"readers no longer see {lost};" in messages_of(response)[0]


def test_the_confirmation_page_of_a_comparison_says_that_its_tools_still_compare(publisher):
    pair = make.comparison()
    page = publisher.get(path(pair, "withdraw")).content.decode()
    assert f"readers can still compare the tools at {pair.get_absolute_url()}" in page


def test_the_confirmation_page_names_twenty_rows_and_counts_the_others(publisher):
    category = make.category()
    for _ in range(MAX_NAMES + 2):
        make.tool(in_category=category)
    page = one_line(publisher.get(path(category, "withdraw")).content)
    assert "22 tools: " in page
    assert "<bdi>2 more</bdi>" in page


def test_the_withdrawal_of_a_row_that_readers_did_not_see_says_so(publisher):
    take = make.take(on=make.tool(published_at=None))
    assert "Readers do not see it now" in publisher.get(path(take, "withdraw")).content.decode()
    response = publisher.post(path(take, "withdraw"), follow=True)
    assert "readers did not see it" in messages_of(response)[0]


def test_only_publishers_withdraw(writer):
    tool = make.tool()
    assert writer.get(path(tool, "withdraw")).status_code == 403
    assert writer.post(path(tool, "withdraw")).status_code == 403


@pytest.mark.parametrize("kind", [make.tool, make.take, make.comparison, make.category])
def test_every_list_withdraws_and_publishes_the_ticked_rows(publisher, kind):
    rows = [kind(), kind(), kind(published_at=None)]
    confirmation_page = run_action(publisher, rows, "withdraw_chosen").content.decode()
    assert all(row.get_absolute_url() in confirmation_page for row in rows[:2])
    assert type(rows[0]).objects.published(timezone.now()).filter(pk=rows[0].pk).exists()
    response = run_action(publisher, rows, "withdraw_chosen", post="yes")
    assert ["2 " in messages_of(response)[0], "1 " in messages_of(response)[1]] == [True, True]
    states = [type(row).objects.get(pk=row.pk).state(timezone.now()) for row in rows]
    assert states == ["withdrawn", "withdrawn", "draft"]
    if kind is make.tool:
        for row in rows:
            make.take(on=row)
            Tool.objects.filter(pk=row.pk).update(tagline="A line")
    response = run_action(publisher, rows, "publish_now")
    assert messages_of(response)[0].startswith("3 ")
    states = [type(row).objects.get(pk=row.pk).state(timezone.now()) for row in rows]
    assert states == ["public"] * 3
    assert {row.history.first().history_user.username for row in rows} == {"paula"}


def test_a_tool_that_is_not_ready_is_not_published_and_the_others_are(publisher):
    ready, bare, lonely, public = (
        make.tool(name="Ready", tagline="x", published_at=None),
        make.tool(name="Bare", tagline="", published_at=None),
        make.tool(name="Lonely", tagline="x", published_at=None),
        make.tool(name="Public"),
    )
    for tool in (ready, bare):
        make.take(on=tool)
    messages = messages_of(run_action(publisher, [ready, bare, lonely, public], "publish_now"))
    assert messages[0].startswith("“Ready” is public: <a href")
    assert messages[1] == "1 tool was public already."
    assert "Bare" in " ".join(messages[2:])
    assert "tagline" in " ".join(messages[2:])
    assert "Lonely" in " ".join(messages[2:])
    assert set(Tool.objects.published(timezone.now())) == {ready, public}


def test_an_action_refuses_more_rows_than_its_limit(publisher):
    category = make.category()
    tools = [make.tool(in_category=category) for _ in range(MAX_SELECTED + 1)]
    for name in ("publish_now", "withdraw_chosen", "delete_selected"):
        response = run_action(publisher, tools, name, post="yes")
        assert messages_of(response) == [
            f"Nothing was changed: select at most {MAX_SELECTED} rows at once."
        ]
    assert Tool.objects.published(timezone.now()).count() == MAX_SELECTED + 1


@pytest.mark.parametrize("by", ["list", "form"])
@pytest.mark.parametrize(
    "row_of", [make.take, lambda: make.take().tool, make.category, make.reviewer, make.comparison]
)
def test_publishing_again_keeps_the_first_date_and_is_no_news(publisher, row_of, by):
    row = row_of()
    first = row.published_at
    publisher.post(path(row, "withdraw"))
    Tool.objects.update(tagline="One line")
    if by == "list":
        run_action(publisher, [row], "publish_now")
    else:
        page = publisher.get(path(row, "change"))
        publisher.post(path(row, "change"), on_the_page(page) | {"_publish": "x"})
    row.refresh_from_db()
    assert row.published_at == first
    with pytest.raises(composing.NoIssueError, match="No new and no changed verdicts"):
        composing.compose(timezone.now())
    type(row).objects.update(published_at=timezone.now())  # scheduled, and its moment has come
    with pytest.raises(composing.NoIssueError, match="No new and no changed verdicts"):
        composing.compose(timezone.now())


def test_twenty_withdrawn_takes_are_published_again_with_their_own_dates(publisher):
    takes = [make.take(published_at=make.PUBLISHED + timedelta(days=day)) for day in range(20)]
    dates = [take.published_at for take in takes]
    run_action(publisher, takes, "withdraw_chosen", post="yes")
    run_action(publisher, takes, "publish_now")
    rows = Take.objects.order_by("pk")
    assert [take.published_at for take in rows] == dates
