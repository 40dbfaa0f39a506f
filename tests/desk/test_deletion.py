"""Deleting at the desk: confirmed, reported, and who may."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Take
from tests import factories as make
from tests.desk.acts import delete, rich_tool, run_action, votes_on
from tests.desk.forms import messages_of, page_of
from tests.markup import one_line, read
from tools.models import Attribute, Category, Family, Tool

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_the_confirmation_page_offers_to_withdraw_first_lists_what_is_deleted_and_changes_nothing(
    snapshot, publisher
):
    tool = rich_tool(name="Ollama")
    assert read(publisher.get(page_of(tool, "delete"))).visible_text == snapshot
    for name in ("bring-back", "withdraw"):
        publisher.get(page_of(tool, name))
    tool.refresh_from_db()
    assert (tool.published_at, tool.history.count()) == (make.PUBLISHED, 1)


@pytest.mark.parametrize(
    ("published_at", "sentence"),
    [
        (make.PUBLISHED, "Readers stop seeing it at once."),
        (timezone.now() + timedelta(days=900), "It is removed from the schedule."),
        (None, ""),
    ],
    ids=["public", "scheduled", "draft"],
)
def test_only_a_public_or_scheduled_row_can_be_withdrawn_instead(publisher, published_at, sentence):
    page = read(publisher.get(page_of(make.tool(published_at=published_at), "delete")))
    assert sentence in page.text
    assert ("Withdraw instead" in page.text) == bool(sentence)


@pytest.mark.parametrize("what", ["vote", "public take", "draft take"])
def test_votes_and_public_takes_need_a_second_confirmation(publisher, what):
    tool = make.tool()
    if what == "vote":
        votes_on(tool)
    else:
        make.take(on=tool, published_at=make.PUBLISHED if "public" in what else None)
    needs_tick = what != "draft take"
    assert (b'name="sure"' in publisher.get(page_of(tool, "delete")).content) == needs_tick
    response = delete(publisher, tool)
    assert ("Nothing was deleted: tick the box" in response.content.decode()) == needs_tick
    assert Tool.objects.exists() == needs_tick
    assert tool.history.count() == (1 if needs_tick else 2)
    delete(publisher, tool, sure="yes")
    assert not Tool.objects.exists()


@pytest.mark.both_databases
def test_a_tool_with_many_votes_is_deleted_without_loading_one(
    publisher, django_assert_max_num_queries
):
    tool = make.tool()
    votes_on(tool, 1_000)
    with django_assert_max_num_queries(15) as shown:
        page = publisher.get(page_of(tool, "delete"))
    assert "1,000 votes" in page.content.decode()
    with django_assert_max_num_queries(25) as deleted:
        publisher.post(page_of(tool, "delete"), {"post": "yes", "sure": "yes"})
    assert not Tool.objects.exists()
    for queries in (shown, deleted):
        reads = [query["sql"] for query in queries if 'FROM "reviews_vote"' in query["sql"]]
        assert reads
        assert all("COUNT(" in sql for sql in reads), "votes are counted, not read"


def test_a_row_in_use_says_by_what_and_can_be_deleted_when_it_is_not(
    publisher, django_assert_max_num_queries
):
    category = make.category()
    tools = [make.tool(in_category=category) for _ in range(30)]
    for name in ("Open weights", "Context window"):
        make.attribute(name=name, asked_in=[category])
    attributes = "2 attributes: “Open weights” and “Context window”"
    with django_assert_max_num_queries(15):
        page = publisher.get(page_of(category, "delete"))
    assert f"in use by 30 tools and {attributes}." in one_line(page.content)
    assert b">Delete</button>" not in page.content
    for tool in tools:
        tool.remove(timezone.now())
    assert f"in use by {attributes}." in one_line(delete(publisher, category).content)
    assert Category.objects.get() == category
    Attribute.objects.all().delete()
    delete(publisher, category)
    assert not Category.objects.exists()
    answered, family = make.attribute(), Family.objects.create(slug="x", name="X")
    for row in (answered, family):
        assert publisher.get(page_of(row, "delete")).status_code == 200
    make.fact(None, on=make.tool(family=family), to=answered)
    for row in (answered, family):
        assert publisher.post(page_of(row, "delete"), {"post": "yes"}).status_code == 403
        row.refresh_from_db()


@pytest.mark.both_databases
def test_deleting_many_needs_one_confirmation_that_lists_what_is_deleted(
    publisher, django_assert_max_num_queries
):
    tools = [rich_tool(slug="one"), make.tool(name="Second")]
    with django_assert_max_num_queries(25):
        page = run_action(publisher, tools, "delete_selected")
    text = read(page).text
    assert "3 votes, 2 public takes, 1 draft take, 1 bookmark and 1 comparison" in text
    assert "Second" in text
    assert "Withdraw them instead?" in text
    refused = run_action(publisher, tools, "delete_selected", post="yes")
    assert "Nothing was deleted" in refused.content.decode()
    assert Tool.objects.count() == 3
    done = run_action(publisher, tools, "delete_selected", post="yes", sure="yes")
    assert "2 tools deleted" in messages_of(done)[0]
    assert [tool.slug for tool in Tool.objects.all()] == ["other"]
    takes = [make.take(), make.take()]
    run_action(publisher, takes, "delete_selected", post="yes")
    assert not Take.objects.filter(pk__in=[take.pk for take in takes]).exists()
    assert {row.history.first().history_user.username for row in (*tools, *takes)} == {"paula"}


def test_nothing_is_deleted_withdrawn_or_brought_back_without_the_right_or_the_token(
    writer, client
):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.create_superuser("root"))
    sent = {"post": "yes", "sure": "yes"}
    for row in (make.tool(), make.comparison(), make.take()):
        for name in ("delete", "withdraw", "bring-back"):
            for refused in (writer, strict):
                assert refused.post(page_of(row, name), sent).status_code == 403
            assert client.post(page_of(row, name), sent)["Location"].startswith("/admin/login/")
        for name in ("publish_now", "withdraw_chosen", "delete_selected"):
            run_action(writer, [row], name, **sent)
        row.refresh_from_db()
        assert (row.published_at, row.deleted_at) == (make.PUBLISHED, None)


def test_an_editor_who_may_delete_but_not_publish_cannot_delete_public_rows(writer):
    right = Permission.objects.get(codename="delete_comparison")
    User.objects.get(username="wanda").user_permissions.add(right)
    public, draft = make.comparison(), make.comparison(published_at=None)
    response = run_action(writer, [public, draft], "delete_selected", post="yes")
    assert "You may not delete" in response.content.decode()
    assert Comparison.objects.count() == 2
    run_action(writer, [draft], "delete_selected", post="yes")
    assert list(Comparison.objects.all()) == [public]
