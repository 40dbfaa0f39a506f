"""Deleted rows at the desk: listed, and brought back."""

from datetime import timedelta

import pytest
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Take, TakeChange
from tests import factories as make
from tests.desk.deleting import delete, path, rich_tool, run_action
from tests.desk.histories import NOON, entries, messages_of
from tools.models import Family, FormerSlug, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


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
    actions = [entry.action for entry in entries(publisher, tool) if not entry.subject]
    assert actions == ["Changed", "Brought back", "Deleted", "Created"]


def test_bringing_a_row_back_twice_changes_nothing(publisher):
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


def test_a_slug_in_use_is_explained_and_a_free_one_offered(publisher, client):
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


@pytest.mark.parametrize("kind", [make.category, make.reviewer])
def test_the_slug_of_a_deleted_row_is_free_and_asked_for_again_when_it_comes_back(publisher, kind):
    row = kind(slug="same", name="First")
    delete(publisher, row)
    other = kind(slug="same", name="Second")
    assert type(row).objects.get() == other
    assert 'value="same-2"' in publisher.post(path(row, "bring-back")).content.decode()
    response = publisher.post(path(row, "bring-back"), {"slug": "same-2"}, follow=True)
    assert messages_of(response) == ["“First” is back. It is withdrawn."]
    row.refresh_from_db()
    assert (row.slug, row.published_at, row.deleted_at) == ("same-2", None, None)


def test_a_deleted_comparison_comes_back_with_its_texts_and_is_not_public(publisher, client):
    row = make.comparison(summary="Kept.", featured=True)
    url = row.get_absolute_url()
    assert b"Kept." in client.get(url).content
    delete(publisher, row)
    assert b"Kept." not in client.get(url).content
    response = publisher.post(path(row, "bring-back"), follow=True)
    assert "is back. It is withdrawn." in messages_of(response)[0]
    assert b"Kept." not in client.get(url).content
    run_action(publisher, [row], "publish_now")
    assert b"Kept." in client.get(url).content
    assert Comparison.objects.featured().get().tools == row.tools


def test_a_deleted_take_is_in_no_verdict_and_counts_again_once_it_is_published(publisher, client):
    tool = make.tool(slug="alpha", tagline="A line")
    make.take(on=tool, score=50, verdict="skip")
    take = make.take(on=tool, score=91, verdict="ship", body="Counts.")
    before = client.get("/tools/alpha/").content
    delete(publisher, take)
    assert b"Counts." not in client.get("/tools/alpha/").content
    publisher.post(path(take, "bring-back"))
    run_action(publisher, [take], "publish_now")
    assert client.get("/tools/alpha/").content == before


def test_an_earlier_slug_that_another_tool_has_taken_stays_with_that_tool(publisher, client):
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
    actions = [entry.action for entry in entries(publisher, back)]
    assert actions == ["Brought back", "Deleted", "Created"]
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
    make.comparison(tools=pair.tools[::-1])
    pair.pk = pk
    response = publisher.post(path(pair, "bring-back"))
    assert "There is a comparison of these tools already" in response.content.decode()


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


def test_a_take_deleted_twice_is_listed_once(publisher):
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
        response = publisher.post(f"{old.url}restore/", {"history_id": "x"})
        assert "bring it back first" in response.content.decode()
        assert b"Bring back</button>" not in writer.get(path(row, "history")).content


def test_writers_can_view_deleted_rows_but_not_bring_them_back(publisher, writer):
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


@pytest.mark.parametrize(
    ("kind", "new"), [("attribute", make.attribute), ("family", Family.objects.create)]
)
def test_an_attribute_or_a_family_comes_back_from_its_history(publisher, kind, new):
    row = new(name="Weights", slug="weights")
    there = f"/admin/tools/{kind}/"
    assert "can be undone" in publisher.get(f"{there}{row.pk}/delete/").content.decode()
    publisher.post(f"{there}{row.pk}/delete/", {"post": "yes"})
    assert not type(row).objects.filter(pk=row.pk).exists()
    assert "Weights" in publisher.get(f"{there}deleted/").content.decode()
    response = publisher.post(f"{there}{row.pk}/bring-back/", follow=True)
    assert messages_of(response) == ["“Weights” is back."]
    assert type(row).objects.get(pk=row.pk).slug == "weights"


def test_an_earlier_version_of_an_attribute_can_be_restored(publisher):
    row = make.attribute(name="Weights")
    first = row.history.latest()
    row.name = "Size"
    row.save()
    there = f"/admin/tools/attribute/{row.pk}/history/{first.history_id}/"
    sent = {"history_id": row.history.latest().history_id}
    assert publisher.get(there).context["history_id"] == str(sent["history_id"])
    publisher.post(f"{there}restore/", sent)
    row.refresh_from_db()
    assert row.name == "Weights"
