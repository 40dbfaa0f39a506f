"""Withdrawing and publishing at the desk, one row or many."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Take
from shipskip.editing.deletion import MAX_SELECTED
from shipskip.editing.deletion_counts import MAX_NAMES
from shipskip.newsletter.issues import composing
from tests import factories as make
from tests.desk.acts import entries, rich_tool, run_action
from tests.desk.forms import messages_of, on_the_page, page_of
from tests.markup import one_line, read
from tools.models import Tool

pytestmark = pytest.mark.django_db


def test_withdrawing_a_tool_is_confirmed_first(publisher, snapshot):
    tool = rich_tool(slug="ollama", name="Ollama")
    assert read(publisher.get(page_of(tool, "withdraw"))).visible_text == snapshot
    tool.refresh_from_db()
    assert tool.state(timezone.now()) == "public"


def test_a_withdrawn_tool_is_hidden_from_readers_at_once_and_called_withdrawn(publisher, client):
    tool = rich_tool(slug="ollama")
    urls = ("/tools/ollama/", "/compare/ollama-vs-other/")
    assert [client.get(url).status_code for url in urls] == [200, 200]
    response = publisher.post(page_of(tool, "withdraw"), follow=True)
    lost = "readers no longer see its page and 1 comparison; nothing was deleted."
    assert messages_of(response)[0].endswith(lost)
    assert [client.get(url).status_code for url in urls] == [404, 404]
    assert Take.objects.on([tool]).published(timezone.now()).count() == 2
    assert "Withdrawn since" in publisher.get("/admin/tools/tool/").content.decode()
    newest = entries(publisher, tool)[0]
    assert (newest.who, newest.changes[0].after) == ("paula", "Withdrawn")
    again = publisher.post(page_of(tool, "withdraw"), follow=True)
    assert "neither public nor scheduled" in messages_of(again)[0]
    assert tool.history.count() == 2


def test_only_publishers_withdraw_and_only_what_there_is(publisher, writer):
    tool = make.tool()
    assert writer.get(page_of(tool, "withdraw")).status_code == 403
    assert writer.post(page_of(tool, "withdraw")).status_code == 403
    assert publisher.post("/admin/tools/tool/999999/withdraw/").status_code == 404
    assert Tool.objects.published(timezone.now()).exists()


@pytest.mark.parametrize(
    ("kind", "asked", "lost"),
    [
        (
            lambda: make.take(on=make.tool(slug="alpha", name="Alpha")),
            "the take on the page of Alpha",
            "readers no longer see the take on the page of Alpha;",
        ),
        (
            lambda: make.take(on=make.tool(published_at=None)),
            "Readers do not see it now",
            "readers did not see it",
        ),
        (
            lambda: make.take().reviewer,
            "its page",
            "readers no longer see its page and 1 take;",
        ),
        (
            lambda: make.comparison().tools[0].category,
            "its page",
            "readers no longer see its page, 1 tool and 1 comparison;",
        ),
        (
            make.comparison,
            "readers can still compare the tools at /compare/",
            "readers no longer see its summary, order and place in the lists;",
        ),
        (
            lambda: make.comparison(published_at=timezone.now() + timedelta(days=1)),
            "Nothing is deleted",
            "removed from the schedule",
        ),
    ],
    ids=["take", "unseen take", "reviewer", "category", "comparison", "scheduled comparison"],
)
def test_withdrawing_says_what_readers_no_longer_see(publisher, kind, asked, lost):
    row = kind()
    assert asked in publisher.get(page_of(row, "withdraw")).content.decode()
    response = publisher.post(page_of(row, "withdraw"), follow=True)
    assert lost in messages_of(response)[0]
    row.refresh_from_db()
    assert row.state(timezone.now()) == ("draft" if "schedule" in lost else "withdrawn")


def test_the_confirmation_page_names_twenty_rows_and_counts_the_others(publisher):
    category = make.category()
    for _ in range(MAX_NAMES + 2):
        make.tool(in_category=category)
    page = one_line(publisher.get(page_of(category, "withdraw")).content)
    assert "22 tools: " in page
    assert "<bdi>2 more</bdi>" in page


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


@pytest.mark.parametrize(
    "row_of", [make.take, lambda: make.take().tool, make.category, make.reviewer, make.comparison]
)
def test_publishing_again_keeps_the_first_date_and_is_no_news(publisher, row_of):
    row = row_of()
    first = row.published_at
    Tool.objects.update(tagline="One line")
    for by in ("list", "form"):
        publisher.post(page_of(row, "withdraw"))
        if by == "list":
            run_action(publisher, [row], "publish_now")
        else:
            page = publisher.get(page_of(row, "change"))
            publisher.post(page_of(row, "change"), on_the_page(page) | {"_publish": "x"})
        row.refresh_from_db()
        assert (row.published_at, row.state(timezone.now())) == (first, "public"), by
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
