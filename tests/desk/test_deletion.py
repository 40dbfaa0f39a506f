"""Withdrawing and deleting at the desk: confirmed, reported, and undone."""

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Take, TakeChange, Vote
from shipskip.editing.actions import MAX_SELECTED
from tests import factories as make
from tests.desk.test_history import entries, messages_of
from tools.models import Bookmark, FormerSlug, Tool

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)


def path(row, act=""):
    options = row._meta
    place = f"/admin/{options.app_label}/{options.model_name}/"
    return f"{place}{row.pk}/{act}/" if act else place


def votes_on(tool, number=1):
    now = timezone.now()
    Vote.objects.bulk_create(
        Vote(tool=tool, visitor=uuid4(), choice="ship", cast_at=now, changed_at=now)
        for _ in range(number)
    )


def run_action(client, rows, name, **sent):
    """Run a list action on these rows."""
    data = {"action": name, ACTION_CHECKBOX_NAME: [row.pk for row in rows]} | sent
    return client.post(path(rows[0]), data, follow=True)


def rich_tool(**fields):
    """A public tool with votes, takes, a bookmark and a comparison."""
    tool = make.tool(**fields)
    votes_on(tool, 3)
    make.panel(on=tool, ship=2)
    make.take(on=tool, published_at=None)
    Bookmark.objects.create(visitor=uuid4(), tool=tool, saved_at=timezone.now())
    make.comparison(tools=[tool, make.tool(slug="other")])
    return tool


def delete(client, row, **sent):
    return client.post(path(row, "delete"), {"post": "yes"} | sent, follow=True)


# --- Asking ---------------------------------------------------------------------------------


def test_the_question_offers_to_withdraw_first_and_tells_what_goes(publisher):
    tool = rich_tool(name="Ollama")
    html = publisher.get(path(tool, "delete")).content.decode()
    with_it = "3 votes, 2 public takes, 1 draft take, 1 bookmark and 1 comparison"
    assert f"together with <b>{with_it}</b>" in html
    assert "Yes, delete it with its 3 votes and 2 public takes" in html
    assert "bring it back from “Deleted tools” with everything listed here" in html
    assert 0 < html.index("Withdraw instead?") < html.index('id="deletion"')


@pytest.mark.parametrize(
    ("published_at", "words"),
    [
        (make.PUBLISHED, b"Readers stop seeing it at once."),
        (timezone.now() + timedelta(days=900), b"It is removed from the schedule."),
    ],
    ids=["public", "scheduled"],
)
def test_what_has_a_moment_can_be_withdrawn_instead(publisher, published_at, words):
    assert words in publisher.get(path(make.tool(published_at=published_at), "delete")).content


def test_a_draft_is_not_offered_a_withdrawal(publisher):
    page = publisher.get(path(make.tool(published_at=None), "delete"))
    assert b"Withdraw instead" not in page.content


def test_a_tool_that_nobody_voted_on_needs_no_second_confirmation(publisher):
    tool = make.tool()
    make.take(on=tool, published_at=None)
    assert b'name="sure"' not in publisher.get(path(tool, "delete")).content
    delete(publisher, tool)
    assert not Tool.objects.exists()


@pytest.mark.parametrize("what", ["vote", "take"])
def test_votes_and_public_takes_need_a_second_confirmation(publisher, what):
    tool = make.tool()
    votes_on(tool) if what == "vote" else make.take(on=tool)
    response = delete(publisher, tool)
    assert "Nothing was deleted: tick the box" in response.content.decode()
    assert Tool.objects.exists()
    assert tool.history.count() == 1
    delete(publisher, tool, sure="yes")
    assert not Tool.objects.exists()


def test_asking_deletes_nothing(publisher):
    tool = rich_tool()
    for url in (path(tool, "delete"), path(tool, "bring-back"), "/admin/tools/tool/deleted/"):
        publisher.get(url)
    assert publisher.get(path(tool, "withdraw")).status_code == 405
    tool.refresh_from_db()
    assert tool.published_at == make.PUBLISHED


@contextmanager
def rows_read():
    """Count the rows that the database returns."""
    found = []

    def counting(execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        cursor = context["cursor"]
        for name in ("fetchmany", "fetchall", "fetchone"):
            fetch = getattr(cursor.cursor, name)

            def fetched(*args, fetch=fetch):
                rows = fetch(*args)
                found.append(len(rows) if isinstance(rows, list) else 1)
                return rows

            try:
                setattr(cursor.cursor, name, fetched)
            except AttributeError:
                pytest.fail("rows cannot be counted on this database")
        return result

    with connection.execute_wrapper(counting):
        yield found


def test_a_tool_with_a_crowd_of_votes_is_deleted_without_loading_one(
    publisher, django_assert_max_num_queries
):
    tool = make.tool()
    votes_on(tool, 30_000)
    with rows_read() as read, django_assert_max_num_queries(15):
        page = publisher.get(path(tool, "delete"))
    assert "30,000 votes" in page.content.decode()
    assert 0 < sum(read) < 100
    with rows_read() as read, django_assert_max_num_queries(25):
        publisher.post(path(tool, "delete"), {"post": "yes", "sure": "yes"})
    assert not Tool.objects.exists()
    assert 0 < sum(read) < 100


def test_a_category_with_tools_says_what_is_in_its_way(publisher, django_assert_max_num_queries):
    category = make.category()
    for _ in range(30):
        make.tool(in_category=category)
    with django_assert_max_num_queries(15):
        page = publisher.get(path(category, "delete"))
    assert b"Not possible yet: it is in use by 30 tools." in page.content
    assert b">Delete</button>" not in page.content
    delete(publisher, category)
    category.refresh_from_db()


def test_a_deleted_tool_still_needs_its_category(publisher):
    tool = make.tool()
    tool.remove(timezone.now())
    page = delete(publisher, tool.category)
    assert b"it is in use by 1 tool (1 of them deleted)." in page.content
    tool.category.refresh_from_db()


# --- Who may --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["delete", "withdraw", "bring-back"])
def test_a_writer_deletes_withdraws_and_brings_back_nothing(writer, name):
    for row in (make.tool(), make.comparison(), make.take()):
        assert writer.post(path(row, name), {"post": "yes", "sure": "yes"}).status_code == 403
        row.refresh_from_db()
        assert row.published_at


@pytest.mark.parametrize("name", ["publish_now", "withdraw_chosen", "delete_selected"])
def test_a_writer_has_none_of_the_acts_on_a_list(writer, name):
    tool = make.tool()
    run_action(writer, [tool], name, post="yes", sure="yes")
    tool.refresh_from_db()
    assert tool.published_at == make.PUBLISHED
    assert tool.deleted_at is None


@pytest.mark.parametrize("name", ["delete", "withdraw", "bring-back"])
def test_a_stranger_is_sent_to_the_login_by_every_act(client, name):
    tool = make.tool()
    response = client.post(path(tool, name), {"post": "yes"})
    assert response["Location"].startswith("/admin/login/")


def test_no_act_is_done_without_the_token_of_a_form(db):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.create_superuser("root"))
    tool = make.tool()
    for name in ("delete", "withdraw"):
        assert strict.post(path(tool, name), {"post": "yes"}).status_code == 403
    tool.remove(timezone.now())
    assert strict.post(path(tool, "bring-back")).status_code == 403
    assert not Tool.objects.exists()


def test_who_may_delete_but_not_publish_leaves_public_rows_alone(writer):
    wanda = User.objects.get(username="wanda")
    wanda.user_permissions.add(
        *wanda.user_permissions.model.objects.filter(codename="delete_comparison")
    )
    public, draft = make.comparison(), make.comparison(published_at=None)
    response = run_action(writer, [public, draft], "delete_selected", post="yes")
    assert "You may not delete" in response.content.decode()
    assert Comparison.objects.count() == 2
    run_action(writer, [draft], "delete_selected", post="yes")
    assert list(Comparison.objects.all()) == [public]


# --- Withdrawing and publishing ---------------------------------------------------------------


def test_a_withdrawn_tool_is_gone_for_readers_at_once_and_called_withdrawn(publisher, client):
    tool = rich_tool(slug="ollama")
    assert client.get("/tools/ollama/").status_code == 200
    response = publisher.post(path(tool, "withdraw"), follow=True)
    assert "is withdrawn: readers no longer see it" in messages_of(response)[0]
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
    assert "off the schedule" in messages_of(response)[0]
    pair.refresh_from_db()
    assert pair.state(timezone.now()) == "draft"


@pytest.mark.parametrize("kind", [make.tool, make.take, make.comparison, make.category])
def test_every_list_withdraws_and_publishes_what_is_chosen(publisher, kind):
    rows = [kind(), kind(), kind(published_at=None)]
    response = run_action(publisher, rows, "withdraw_chosen")
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
    assert messages[:2] == ["1 tool published.", "1 tool: already public."]
    assert "Bare" in " ".join(messages[2:])
    assert "tagline" in " ".join(messages[2:])
    assert "Lonely" in " ".join(messages[2:])
    assert set(Tool.objects.published(timezone.now())) == {ready, public}


def test_an_act_takes_no_more_rows_than_an_editor_can_wait_for(publisher):
    category = make.category()
    tools = [make.tool(in_category=category) for _ in range(MAX_SELECTED + 1)]
    for name in ("publish_now", "withdraw_chosen", "delete_selected"):
        response = run_action(publisher, tools, name, post="yes")
        assert messages_of(response) == [
            f"Nothing was changed: select at most {MAX_SELECTED} rows at once."
        ]
    assert Tool.objects.published(timezone.now()).count() == MAX_SELECTED + 1


# --- Deleting many ------------------------------------------------------------------------------


def test_deleting_many_asks_once_and_tells_what_goes(publisher, django_assert_max_num_queries):
    tools = [rich_tool(slug="one"), make.tool(name="Second")]
    with django_assert_max_num_queries(25):
        page = run_action(publisher, tools, "delete_selected")
    html = page.content.decode()
    assert "3 votes, 2 public takes, 1 draft take, 1 bookmark and 1 comparison" in html
    assert "Second" in html
    assert "Withdraw them instead?" in html
    assert Tool.objects.count() == 3
    refused = run_action(publisher, tools, "delete_selected", post="yes")
    assert "Nothing was deleted" in refused.content.decode()
    assert Tool.objects.count() == 3
    done = run_action(publisher, tools, "delete_selected", post="yes", sure="yes")
    assert "2 tools deleted" in messages_of(done)[0]
    assert [tool.slug for tool in Tool.objects.all()] == ["other"]
    assert {row.history.first().history_user.username for row in tools} == {"paula"}


def test_many_takes_are_deleted_under_the_editor_s_name(publisher):
    takes = [make.take(), make.take()]
    run_action(publisher, takes, "delete_selected", post="yes")
    assert not Take.objects.exists()
    gone = Take.history.filter(history_type="-")
    assert [version.history_user.username for version in gone] == ["paula", "paula"]


# --- Undoing ------------------------------------------------------------------------------------


def test_a_deleted_tool_is_listed_with_who_and_when(publisher, clock):
    tool = make.tool(name="Ollama")
    clock(NOON)
    delete(publisher, tool)
    page = publisher.get("/admin/tools/tool/deleted/").content.decode()
    assert "Ollama" in page
    assert "paula" in page
    assert "3 May 2026 12:00" in page
    assert "Deleted tools" in publisher.get("/admin/tools/tool/").content.decode()


def test_the_lists_of_deleted_rows_take_as_many_queries_for_many(
    publisher, django_assert_num_queries, django_assert_max_num_queries
):
    for kind in (make.tool, make.take, make.comparison):
        row = kind()
        delete(publisher, row)
        url = f"{path(row)}deleted/"
        publisher.get(url)
        with django_assert_max_num_queries(12) as few:
            publisher.get(url)
            number = len(few)
        for _ in range(5):
            delete(publisher, kind())
        with django_assert_num_queries(number):
            page = publisher.get(url)
        assert len(page.context["page"].rows) == 6


def test_undoing_a_deletion_brings_votes_takes_and_comparisons_back(publisher, client):
    tool = rich_tool(slug="ollama", tagline="A line")
    before = client.get("/compare/ollama-vs-other/").content
    TakeChange.objects.create(
        tool=tool,
        reviewer=tool.takes.first().reviewer,
        score_before=1,
        score_after=2,
        verdict_before="skip",
        verdict_after="ship",
        reason="x",
        at=NOON,
    )
    delete(publisher, tool, sure="yes")
    assert client.get("/tools/ollama/").status_code == 404
    assert client.get("/compare/ollama-vs-other/").status_code == 404
    response = publisher.post(path(tool, "bring-back"), follow=True)
    assert messages_of(response)[0].endswith(
        "is back, with 3 votes, 2 public takes, 1 draft take, 1 bookmark and 1 comparison. "
        "It is withdrawn."
    )
    assert client.get("/tools/ollama/").status_code == 404
    run_action(publisher, [tool], "publish_now")
    assert client.get("/compare/ollama-vs-other/").content == before
    tool.refresh_from_db()
    assert [tool.votes.count(), tool.takes.count(), tool.bookmarks.count()] == [3, 3, 1]
    assert tool.take_changes.count() == 1
    acts = [entry.action for entry in entries(publisher, tool) if not entry.subject]
    assert acts == ["Changed", "Brought back", "Deleted", "Created"]


def test_bringing_back_again_changes_nothing(publisher):
    tool = make.tool()
    delete(publisher, tool)
    publisher.post(path(tool, "bring-back"))
    versions = tool.history.count()
    response = publisher.post(path(tool, "bring-back"), follow=True)
    assert messages_of(response)[-1] == "It is not deleted."
    assert tool.history.count() == versions
    assert publisher.post("/admin/tools/tool/999999/bring-back/").status_code == 404


def test_a_draft_comes_back_as_a_draft(publisher):
    tool = make.tool(published_at=None)
    delete(publisher, tool)
    response = publisher.post(path(tool, "bring-back"), follow=True)
    assert messages_of(response)[0].endswith("It is a draft.")


def test_a_taken_address_is_explained_and_a_free_one_offered(publisher, client):
    tool = make.tool(slug="ollama", name="First")
    delete(publisher, tool)
    other = make.tool(slug="ollama", name="Second")
    make.tool(slug="ollama-2")
    response = publisher.post(path(tool, "bring-back"))
    html = response.content.decode()
    assert "is in use by another row" in html
    assert 'value="ollama-3"' in html
    assert not Tool.objects.filter(name="First").exists()
    refused = publisher.post(path(tool, "bring-back"), {"slug": "Not An Address"})
    assert "is not an address" in refused.content.decode()
    publisher.post(path(tool, "bring-back"), {"slug": "ollama-3"})
    tool.refresh_from_db()
    assert (tool.slug, tool.deleted_at) == ("ollama-3", None)
    other.refresh_from_db()
    assert other.slug == "ollama"


def test_an_earlier_address_that_another_tool_took_meanwhile_stays_that_tool_s(publisher, client):
    tool = make.tool(slug="early")
    tool.rename("late")
    delete(publisher, tool)
    other = make.tool(slug="early")
    publisher.post(path(tool, "bring-back"))
    other.full_clean()
    assert not FormerSlug.objects.filter(slug="early").exists()
    assert client.get("/tools/early/").status_code == 200


@pytest.mark.parametrize(
    ("published_at", "state"),
    [(make.PUBLISHED, "withdrawn"), (None, "draft"), (NOON + timedelta(days=9999), "draft")],
    ids=["public", "draft", "scheduled"],
)
def test_a_deleted_take_comes_back_and_is_not_public(publisher, published_at, state):
    take = make.take(score=77, body="Kept.", published_at=published_at)
    pk = take.pk
    delete(publisher, take)
    assert not Take.objects.exists()
    take.pk = pk
    response = publisher.post(path(take, "bring-back"), follow=True)
    back = Take.objects.get(pk=pk)
    assert (back.score, back.body, back.published_at) == (77, "Kept.", None)
    assert back.state(timezone.now()) == state
    assert "is back" in messages_of(response)[0]
    acts = [entry.action for entry in entries(publisher, back)]
    assert acts == ["Brought back", "Deleted", "Created"]
    assert back.history.first().history_user.username == "paula"


def test_a_take_does_not_come_back_beside_a_new_one_of_its_reviewer(publisher):
    take = make.take()
    pk = take.pk
    delete(publisher, take)
    make.take(on=take.tool, by=take.reviewer, body="New.")
    take.pk = pk
    response = publisher.post(path(take, "bring-back"))
    assert "This reviewer has a take on this tool already." in response.content.decode()
    assert Take.objects.get().body == "New."


def test_a_comparison_does_not_come_back_beside_a_new_one_of_its_tools(publisher):
    pair = make.comparison()
    pk = pair.pk
    delete(publisher, pair)
    make.comparison(tools=[pair.second, pair.first])
    pair.pk = pk
    response = publisher.post(path(pair, "bring-back"))
    assert "There is a comparison of these two already" in response.content.decode()


def test_a_take_does_not_come_back_without_its_reviewer(publisher):
    take = make.take(by=make.reviewer(name="Gone"))
    pk, reviewer = take.pk, take.reviewer
    delete(publisher, take)
    reviewer_pk = reviewer.pk
    delete(publisher, reviewer)
    take.pk, reviewer.pk = pk, reviewer_pk
    response = publisher.post(path(take, "bring-back"))
    assert "Its reviewer is deleted: bring that back first." in response.content.decode()
    publisher.post(path(reviewer, "bring-back"))
    publisher.post(path(take, "bring-back"))
    assert Take.objects.get().reviewer.name == "Gone"


def test_a_take_does_not_come_back_to_a_deleted_tool(publisher):
    take = make.take()
    pk, tool = take.pk, take.tool
    delete(publisher, take)
    tool.remove(timezone.now())
    take.pk = pk
    response = publisher.post(path(take, "bring-back"))
    assert "Its tool is deleted: bring that back first." in response.content.decode()
    assert not Take.objects.exists()


def test_what_was_deleted_twice_is_listed_once(publisher):
    take = make.take(body="First.")
    pk = take.pk
    delete(publisher, take)
    take.pk = pk
    publisher.post(path(take, "bring-back"))
    delete(publisher, take)
    rows = publisher.get("/admin/reviews/take/deleted/").context["page"].rows
    assert len(rows) == 1


def test_the_history_of_a_deleted_row_offers_to_bring_it_back(publisher, writer):
    tool, take = make.tool(name="Kept"), make.take()
    pk = take.pk
    delete(publisher, tool)
    delete(publisher, take)
    take.pk = pk
    for row in (tool, take):
        page = publisher.get(path(row, "history"))
        assert b"Bring back</button>" in page.content
        assert page.context["page"].rows[0].action == "Deleted"
        old = page.context["page"].rows[-1]
        assert b"Bring back</button>" in publisher.get(old.url).content
        assert b"Restore this version" not in publisher.get(old.url).content
        response = publisher.post(f"{old.url}restore/", {"seen": "x"})
        assert "bring it back first" in response.content.decode()
        assert b"Bring back</button>" not in writer.get(path(row, "history")).content


def test_writers_read_what_was_deleted_and_cannot_undo_it(publisher, writer):
    tool = make.tool(name="Ollama")
    delete(publisher, tool)
    page = writer.get("/admin/tools/tool/deleted/")
    assert b"Ollama" in page.content
    assert b"<button" not in page.content.split(b'id="content-main"')[1]


def test_an_empty_list_of_deleted_rows_says_so(publisher):
    for place in ("tools/category", "tools/tool", "reviews/reviewer", "reviews/take"):
        assert b"Nothing is deleted." in publisher.get(f"/admin/{place}/deleted/").content


def test_a_deleted_tool_s_takes_and_pairs_are_not_deleted_rows(publisher):
    tool = rich_tool()
    delete(publisher, tool, sure="yes")
    assert publisher.get("/admin/reviews/take/deleted/").context["page"].rows == []
    assert Take.objects.on([tool]).count() == 3
    assert Comparison.objects.count() == 1
