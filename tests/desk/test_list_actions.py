"""Publishing and withdrawing many rows: as many queries for three as for thirty."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests import factories as make
from tests.desk.forms import messages_of
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def draft_tool():
    """A draft that is ready: it has a tagline and a public take."""
    tool = make.tool(tagline="One line", published_at=None)
    make.take(on=tool)
    return tool


DRAFTS = {
    "tools": draft_tool,
    "takes": lambda: make.take(published_at=None),
    "comparisons": lambda: make.comparison(published_at=None),
    "reviewers": lambda: make.reviewer(published_at=None),
    "categories": lambda: make.category(published_at=None),
}


def send(client, rows, action, **sent):
    """Run an action on these rows; its response, and the number of its queries."""
    options = rows[0]._meta
    sent |= {"action": action, "_selected_action": [row.pk for row in rows]}
    with CaptureQueriesContext(connection) as queries:
        response = client.post(f"/admin/{options.app_label}/{options.model_name}/", sent)
    return response, len(queries)


@pytest.mark.parametrize("make_draft", DRAFTS.values(), ids=DRAFTS)
def test_publishing_and_withdrawing_thirty_rows_runs_as_many_queries_as_three(
    publisher, make_draft
):
    few, many = [make_draft() for _ in range(3)], [make_draft() for _ in range(30)]
    everything = type(few[0])._default_manager
    send(publisher, [make_draft()], "publish_now")  # loads what is loaded once
    counts = [send(publisher, rows, "publish_now")[1] for rows in (few, many)]
    assert counts[0] == counts[1]
    assert everything.published(timezone.now()).filter(pk__in=[r.pk for r in many]).count() == 30
    send(publisher, few, "withdraw_chosen")  # makes the session
    confirmations = [send(publisher, rows, "withdraw_chosen") for rows in (few, many)]
    assert confirmations[0][1] == confirmations[1][1]
    page = confirmations[0][0].content.decode()
    assert all(row.get_absolute_url() in page for row in few)
    assert not everything.withdrawn().exists()
    counts = [send(publisher, rows, "withdraw_chosen", post="yes")[1] for rows in (few, many)]
    assert counts[0] == counts[1]
    assert everything.withdrawn().count() == 33
    for row in many:
        withdrawn, published, written = row.history.all()
        assert (withdrawn.published_at, published.published_at is None) == (None, False)
        assert withdrawn.withdrawn_at
        assert {withdrawn.history_user.username, published.history_user.username} == {"paula"}
        assert (withdrawn.history_type, published.history_type) == ("~", "~")
        assert written.published_at is None


def test_withdrawing_leaves_drafts_alone_and_counts_them(publisher):
    rows = [make.category(), make.category(), make.category(published_at=None)]
    send(publisher, rows, "withdraw_chosen", post="yes")
    page = publisher.get("/admin/tools/category/")
    assert [message[:2] for message in messages_of(page)] == ["2 ", "1 "]
    for row in rows:
        row.refresh_from_db()
    assert [row.state(timezone.now()) for row in rows] == ["withdrawn", "withdrawn", "draft"]


def test_tools_that_are_not_ready_do_not_cost_queries_of_their_own(publisher):
    def bare(number):
        return [make.tool(tagline="One line", published_at=None) for _ in range(number)]

    few, many = bare(3), bare(30)
    send(publisher, bare(1), "publish_now")
    counts = [send(publisher, rows, "publish_now")[1] for rows in (few, many)]
    assert counts[0] == counts[1]
    assert not Tool.objects.published(timezone.now()).exists()
