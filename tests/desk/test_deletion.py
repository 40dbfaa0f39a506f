"""Deleting at the desk: confirmed, reported, and who may."""

from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Take
from tests import factories as make
from tests.desk.deleting import delete, path, rich_tool, run_action, votes_on
from tests.desk.histories import messages_of
from tests.markup import one_line
from tools.models import Attribute, Category, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

# --- Confirmation page ----------------------------------------------------------------------


def test_the_confirmation_page_offers_to_withdraw_first_and_lists_what_is_deleted(publisher):
    tool = rich_tool(name="Ollama")
    html = one_line(publisher.get(path(tool, "delete")).content)
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
def test_a_public_or_scheduled_row_can_be_withdrawn_instead(publisher, published_at, words):
    assert words in publisher.get(path(make.tool(published_at=published_at), "delete")).content


def test_a_draft_is_not_offered_a_withdrawal(publisher):
    page = publisher.get(path(make.tool(published_at=None), "delete"))
    assert b"Withdraw instead" not in page.content


def test_a_tool_without_votes_needs_no_second_confirmation(publisher):
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


def test_the_confirmation_page_deletes_nothing(publisher):
    tool = rich_tool()
    pages = [path(tool, name) for name in ("delete", "bring-back", "withdraw")]
    for url in (*pages, "/admin/tools/tool/deleted/"):
        publisher.get(url)
    tool.refresh_from_db()
    assert tool.published_at == make.PUBLISHED


@contextmanager
def rows_read():
    """Count the rows that the database returns."""
    found = []

    def count_rows(execute, sql, params, many, context):
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

    with connection.execute_wrapper(count_rows):
        yield found


def test_a_tool_with_many_votes_is_deleted_without_loading_one(
    publisher, django_assert_max_num_queries
):
    tool = make.tool()
    votes_on(tool, 3_000)
    with rows_read() as read, django_assert_max_num_queries(15):
        page = publisher.get(path(tool, "delete"))
    assert "3,000 votes" in page.content.decode()
    assert 0 < sum(read) < 100
    with rows_read() as read, django_assert_max_num_queries(25):
        publisher.post(path(tool, "delete"), {"post": "yes", "sure": "yes"})
    assert not Tool.objects.exists()
    assert 0 < sum(read) < 100


def test_a_category_with_tools_says_why_it_cannot_be_deleted(
    publisher, django_assert_max_num_queries
):
    category = make.category()
    for _ in range(30):
        make.tool(in_category=category)
    with django_assert_max_num_queries(15):
        page = publisher.get(path(category, "delete"))
    assert "Not possible yet: it is in use by 30 tools." in one_line(page.content)
    assert b">Delete</button>" not in page.content
    delete(publisher, category)
    category.refresh_from_db()


def test_a_category_of_deleted_tools_can_be_deleted_and_comes_back_before_them(publisher):
    tool = make.tool()
    tool.remove(timezone.now())
    delete(publisher, tool.category)
    assert not Category.objects.exists()
    refused = publisher.post(path(tool, "bring-back"))
    assert "Its category is deleted: bring that back first." in refused.content.decode()
    for row in (tool.category, tool):
        publisher.post(path(row, "bring-back"))
    assert Tool.objects.get().category == Category.objects.get()


def test_a_category_that_attributes_name_says_which_before_it_can_be_deleted(publisher):
    category = make.category()
    for name in ("Open weights", "Context window"):
        make.attribute(name=name, asked_in=[category])
    page = delete(publisher, category)
    sentence = "in use by 2 attributes: “Open weights” and “Context window”."
    assert sentence in one_line(page.content)
    assert Category.objects.get() == category
    Attribute.objects.all().delete()
    delete(publisher, category)
    assert not Category.objects.exists()


# --- Permissions ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["delete", "withdraw", "bring-back"])
def test_a_writer_deletes_withdraws_and_brings_back_nothing(writer, name):
    for row in (make.tool(), make.comparison(), make.take()):
        assert writer.post(path(row, name), {"post": "yes", "sure": "yes"}).status_code == 403
        row.refresh_from_db()
        assert row.published_at


@pytest.mark.parametrize("name", ["publish_now", "withdraw_chosen", "delete_selected"])
def test_a_writer_has_none_of_the_list_actions(writer, name):
    tool = make.tool()
    run_action(writer, [tool], name, post="yes", sure="yes")
    tool.refresh_from_db()
    assert tool.published_at == make.PUBLISHED
    assert tool.deleted_at is None


@pytest.mark.parametrize("name", ["delete", "withdraw", "bring-back"])
def test_every_action_redirects_a_stranger_to_the_login(client, name):
    tool = make.tool()
    response = client.post(path(tool, name), {"post": "yes"})
    assert response["Location"].startswith("/admin/login/")


def test_no_action_works_without_the_csrf_token(db):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.create_superuser("root"))
    tool = make.tool()
    for name in ("delete", "withdraw"):
        assert strict.post(path(tool, name), {"post": "yes"}).status_code == 403
    tool.remove(timezone.now())
    assert strict.post(path(tool, "bring-back")).status_code == 403
    assert not Tool.objects.exists()


def test_an_editor_who_may_delete_but_not_publish_cannot_delete_public_rows(writer):
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


# --- Deleting many ------------------------------------------------------------------------------


def test_deleting_many_needs_one_confirmation_that_lists_what_is_deleted(
    publisher, django_assert_max_num_queries
):
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
    deleted_versions = Take.history.exclude(deleted_at=None)
    assert [version.history_user.username for version in deleted_versions] == ["paula", "paula"]
