"""Deleting at the desk: confirmed, reported, who may; deleted rows are listed and brought back."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Take, TakeChange
from tests import factories as make
from tests.desk.acts import NOON, bring_back, delete, entries, rich_tool, run_action, votes_on
from tests.desk.forms import list_of, messages_of, page_of
from tests.markup import one_line, read
from tools.models import Attribute, Category, Family, FormerSlug, Tool

pytestmark = pytest.mark.django_db

LISTS = [f"/admin/{each}/deleted/" for each in ("tools/tool", "reviews/take")]
SOON = NOON + timedelta(days=9999)


def test_the_confirmation_page_offers_to_withdraw_first_lists_what_is_deleted_and_changes_nothing(
    snapshot, publisher
):
    tool = rich_tool(name="Ollama")
    assert read(publisher.get(page_of(tool, "delete"))).visible_text == snapshot
    for name in ("bring-back", "withdraw"):
        publisher.get(page_of(tool, name))
    tool.refresh_from_db()
    assert (tool.published_at, tool.history.count()) == (make.PUBLISHED, 1)
    for moment, sentence in ((SOON, "It is removed from the schedule."), (None, "")):
        page = read(publisher.get(page_of(make.tool(published_at=moment), "delete")))
        assert sentence in page.text
        assert ("Withdraw instead" in page.text) == bool(sentence)


def test_votes_and_public_takes_need_a_second_confirmation(publisher):
    for needs_tick, depend in (
        (True, votes_on),
        (True, lambda tool: make.take(on=tool)),
        (False, lambda tool: make.take(on=tool, published_at=None)),
    ):
        tool = make.tool()
        depend(tool)
        response = delete(publisher, tool)
        assert ("Nothing was deleted: tick the box" in response.content.decode()) == needs_tick
        assert bool(read(response).all("input", name="sure")) == needs_tick
        assert Tool.objects.filter(pk=tool.pk).exists() == needs_tick


def test_votes_are_counted_and_never_loaded(publisher, django_assert_max_num_queries):
    tool = make.tool()
    votes_on(tool, 20)
    with django_assert_max_num_queries(15) as shown:
        page = publisher.get(page_of(tool, "delete"))
    assert "20 votes" in page.content.decode()
    with django_assert_max_num_queries(25) as deleted:
        publisher.post(page_of(tool, "delete"), {"post": "yes", "sure": "yes"})
    assert not Tool.objects.exists()
    for queries in (shown, deleted):
        reads = [query["sql"] for query in queries if 'FROM "reviews_vote"' in query["sql"]]
        assert reads
        assert all("COUNT(" in sql for sql in reads)


def test_a_row_in_use_says_by_what_and_can_be_deleted_when_it_is_not(
    publisher, django_assert_max_num_queries
):
    category = make.category()
    tools = [make.tool(in_category=category) for _ in range(3)]
    for name in ("Open weights", "Context window"):
        make.attribute(name=name, asked_in=[category])
    attributes = "2 attributes: “Open weights” and “Context window”"
    with django_assert_max_num_queries(15):
        page = publisher.get(page_of(category, "delete"))
    assert f"in use by 3 tools and {attributes}." in one_line(page.content)
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
    tool = make.tool()
    for row in (tool, make.comparison(), make.take()):
        for name in ("delete", "withdraw", "bring-back"):
            assert writer.post(page_of(row, name), sent).status_code == 403
        assert writer.get(page_of(row, "withdraw")).status_code == 403
        for name in ("publish_now", "withdraw_chosen", "delete_selected"):
            run_action(writer, [row], name, **sent)
        row.refresh_from_db()
        assert (row.published_at, row.deleted_at) == (make.PUBLISHED, None)
    for name in ("delete", "withdraw", "bring-back"):
        assert strict.post(page_of(tool, name), sent).status_code == 403
        assert client.post(page_of(tool, name), sent)["Location"].startswith("/admin/login/")


def test_an_editor_who_may_delete_but_not_publish_cannot_delete_public_rows(writer):
    right = Permission.objects.get(codename="delete_comparison")
    User.objects.get(username="wanda").user_permissions.add(right)
    public, draft = make.comparison(), make.comparison(published_at=None)
    response = run_action(writer, [public, draft], "delete_selected", post="yes")
    assert "You may not delete" in response.content.decode()
    assert Comparison.objects.count() == 2
    run_action(writer, [draft], "delete_selected", post="yes")
    assert list(Comparison.objects.all()) == [public]


# --- Deleted rows ----------------------------------------------------------------------------


def test_a_deleted_row_is_listed_once_with_who_and_when(publisher, writer, clock):
    assert "Nothing is deleted." in read(publisher.get(LISTS[0])).text
    tool, take = make.tool(name="Ollama"), make.take()
    clock(NOON)
    delete(publisher, tool)
    take.remove(NOON)
    take.bring_back()
    take.remove(NOON)
    (shown,) = read(publisher.get(LISTS[0])).all("tbody")
    assert shown.text.startswith(f"Ollama ({tool.slug}) paula 3 May 2026 12:00 UTC History")
    assert "Deleted tools" in publisher.get(list_of(tool)).content.decode()
    assert len(publisher.get(LISTS[1]).context["page"].rows) == 1
    page = read(writer.get(LISTS[0]))
    assert "Ollama" in page.text
    assert not [each for each in page.all("button") if each.within("table")]


@pytest.mark.both_databases
def test_undoing_a_deletion_brings_votes_takes_and_comparisons_back(publisher, client):
    tool = rich_tool(slug="ollama", tagline="A line")
    urls = ["/tools/ollama/", "/compare/ollama-vs-other/"]
    before = read(client.get(urls[1])).visible_text
    take = tool.takes.first()
    values = {"score_before": 1, "score_after": 2, "verdict_before": "skip", "reason": "x"}
    changes = {"tool": tool, "reviewer": take.reviewer, "verdict_after": "ship", "at": NOON}
    TakeChange.objects.create(**values, **changes)
    delete(publisher, tool, sure="yes")
    assert [client.get(url).status_code for url in urls] == [404, 404]
    assert publisher.get(LISTS[1]).context["page"].rows == [], "its takes are not listed"
    assert (Take.objects.count(), Comparison.objects.count()) == (3, 1)
    assert messages_of(bring_back(publisher, tool))[0].endswith(
        "is back, with 3 votes, 2 public takes, 1 draft take, 1 bookmark and 1 comparison. "
        "It is withdrawn."
    )
    assert client.get(urls[0]).status_code == 404
    run_action(publisher, [tool], "publish_now")
    assert read(client.get(urls[1])).visible_text == before
    tool.refresh_from_db()
    assert [tool.votes.count(), tool.takes.count(), tool.bookmarks.count()] == [3, 3, 1]
    assert tool.take_changes.count() == 1
    actions = [entry.action for entry in entries(publisher, tool) if not entry.subject]
    assert actions == ["Changed", "Brought back", "Deleted", "Created"]
    assert messages_of(bring_back(publisher, tool))[-1] == "It is not deleted."
    assert tool.history.count() == 4
    assert publisher.post("/admin/tools/tool/999999/bring-back/").status_code == 404


@pytest.mark.parametrize("kind", [make.tool, make.reviewer])
def test_a_slug_in_use_is_explained_and_a_free_one_offered(publisher, kind):
    row = kind(slug="same", name="First")
    row.remove(NOON)
    other = kind(slug="same", name="Second")
    kind(slug="same-2")
    page = bring_back(publisher, row).content.decode()
    assert "is in use by another row" in page
    assert 'value="same-3"' in page
    assert "is not an address" in bring_back(publisher, row, slug="Not One").content.decode()
    assert not type(row).objects.filter(name="First").exists()
    response = bring_back(publisher, row, slug="same-3")
    assert messages_of(response)[-1].endswith("is back. It is withdrawn.")
    row.refresh_from_db()
    assert (row.slug, row.published_at, row.deleted_at) == ("same-3", None, None)
    other.refresh_from_db()
    assert other.slug == "same"


def test_an_earlier_slug_that_another_tool_has_taken_stays_with_that_tool(publisher, client):
    tool = make.tool(slug="early")
    tool.rename("late")
    delete(publisher, tool)
    other = make.tool(slug="early")
    bring_back(publisher, tool)
    other.full_clean()
    assert not FormerSlug.objects.filter(slug="early").exists()
    assert client.get("/tools/early/").status_code == 200


def test_a_take_comes_back_as_it_was_and_is_not_public(publisher):
    for moment, state in ((make.PUBLISHED, "withdrawn"), (None, "a draft"), (SOON, "a draft")):
        take = make.take(score=77, body="Kept.", published_at=moment)
        delete(publisher, take)
        assert not Take.objects.filter(pk=take.pk).exists()
        assert f"It is {state}." in messages_of(bring_back(publisher, take))[-1]
        take.refresh_from_db()
        assert (take.score, take.body, take.published_at) == (77, "Kept.", None)
        assert take.history.first().history_user.username == "paula"


@pytest.mark.both_databases
def test_what_misses_a_row_or_has_a_double_does_not_come_back(publisher):
    again, of_no_reviewer, of_no_tool = (make.take() for _ in range(3))
    pair, of_no_category = make.comparison(), make.tool()
    rows: list[Any] = [again, of_no_reviewer, of_no_tool, pair, of_no_category]
    for row in rows:
        row.remove(NOON)
    make.take(on=again.tool, by=again.reviewer)
    make.comparison(tools=pair.tools[::-1])
    for lost in (of_no_reviewer.reviewer, of_no_tool.tool, of_no_category.category):
        lost.remove(NOON)
    reasons = [
        "This reviewer has a take on this tool already.",
        "Its reviewer is deleted: bring that back first.",
        "Its tool is deleted: bring that back first.",
        "There is a comparison of these tools already",
        "Its category is deleted: bring that back first.",
    ]
    for row, reason in zip(rows, reasons, strict=True):
        versions = row.history.count()
        assert reason in bring_back(publisher, row).content.decode()
        assert not type(row).objects.filter(pk=row.pk).exists(), reason
        assert row.history.count() == versions
    bring_back(publisher, row.category)
    bring_back(publisher, row)
    assert Tool.objects.get(pk=row.pk).category == row.category


@pytest.mark.parametrize("new", [make.tool, make.attribute])
def test_the_history_of_a_deleted_row_offers_to_bring_it_back(publisher, writer, new):
    row = new()
    assert "can be undone" in publisher.get(page_of(row, "delete")).content.decode()
    delete(publisher, row)
    assert not type(row).objects.filter(pk=row.pk).exists()
    assert str(row) in read(publisher.get(f"{list_of(row)}deleted/")).text
    page = publisher.get(page_of(row, "history"))
    assert page.context["page"].rows[0].action == "Deleted"
    old = page.context["page"].rows[-1]
    version = publisher.get(old.url).content
    assert b"Bring back</button>" in page.content
    assert b"Bring back</button>" in version
    assert b"Restore this version" not in version
    response = publisher.post(f"{old.url}restore/", {"history_id": "x"})
    assert "bring it back first" in response.content.decode()
    assert b"Bring back</button>" not in writer.get(page_of(row, "history")).content
    assert "is back." in messages_of(bring_back(publisher, row))[-1]
    assert type(row).objects.filter(pk=row.pk).exists()
