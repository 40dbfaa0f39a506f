"""A draft of a take may lack score and verdict; nothing else may, and nothing counts it."""

import pytest
from django.db import IntegrityError, transaction

from reviews.models import Take
from tests import factories as make
from tests.desk.forms import (
    errors,
    messages_of,
    page_of,
    post,
    take_fields,
    take_name,
    written_take,
)

pytestmark = pytest.mark.django_db


def unfinished(**fields):
    """A draft with a text alone."""
    return make.take(score=None, verdict="", published_at=None, **fields)


@pytest.mark.both_databases
@pytest.mark.parametrize("lacking", [{"score": None}, {"verdict": ""}], ids=["score", "verdict"])
def test_no_database_holds_a_public_or_withdrawn_take_without_score_or_verdict(lacking):
    take = make.take()
    for moments in ({}, {"published_at": None, "withdrawn_at": make.PUBLISHED}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Take.objects.filter(pk=take.pk).update(**lacking, **moments)


def test_a_take_needs_score_and_verdict_for_every_publication_and_cannot_lose_them_afterwards(
    publisher,
):
    take = unfinished()
    assert "saved as a draft" in " ".join(messages_of(post(publisher, take, body="Half")))
    for act in ({"_publish": "x"}, {"_schedule": "x", "published_at": "2040-05-03 14:00"}):
        found = errors(post(publisher, take, score="70", **act))
        assert set(found) == {"verdict"}
        assert "Choose a verdict: a take needs one to be published." in found["verdict"][0]
    finished = {"score": "70", "verdict": "ship", "published_at": "2040-05-03 14:00"}
    assert "is scheduled" in " ".join(messages_of(post(publisher, take, **finished, _schedule="x")))
    assert "needs one to be published" in errors(post(publisher, take, score=""))["score"][0]
    Take.objects.filter(pk=take.pk).update(published_at=make.PUBLISHED)
    assert "readers see this take" in errors(post(publisher, take, score=""))["score"][0]
    Take.objects.get(pk=take.pk).withdraw(make.PUBLISHED)
    Take.objects.filter(pk=take.pk).update(withdrawn_at=make.PUBLISHED)
    assert "never public" in errors(post(publisher, take, score=""))["score"][0]


def test_a_tool_is_not_published_with_an_unfinished_draft_of_a_take(publisher):
    tool = make.tool(tagline="One line", published_at=None)
    ready, draft = make.take(on=tool, published_at=None), unfinished(on=tool)
    found = errors(post(publisher, tool, _publish="x"))
    name = take_name(draft.reviewer_id)
    assert set(found) == {f"{name}-score", f"{name}-verdict"}
    assert "tick “Hold this take back”" in found[f"{name}-score"][0]
    response = post(publisher, tool, _publish="x", **{f"{name}-held": "on"})
    assert messages_of(response)[0].startswith(f"“{tool.name}” is public")
    for take in (ready, draft):
        take.refresh_from_db()
    assert [bool(take.published_at) for take in (ready, draft)] == [True, False]
    other = make.reviewer()
    sent = take_fields(other, **written_take(other, score="", verdict=""))
    assert set(errors(post(publisher, tool, **sent))) == {
        f"{take_name(other)}-score",
        f"{take_name(other)}-verdict",
    }


def test_lists_coverage_history_and_preview_show_an_unfinished_take_and_no_figure_counts_it(
    publisher,
):
    tool = make.tool(tagline="One line")
    make.take(on=tool, score=60)
    draft = unfinished(on=tool, body="Half a thought")
    draft.body = "Half of a thought"
    draft.save()
    sent = {"action": "publish_now", "_selected_action": [draft.pk]}
    response = publisher.post("/admin/reviews/take/", sent, follow=True)
    assert f"Not published: {draft} has no score and no verdict." in messages_of(response)
    assert "unfinished" in publisher.get("/admin/coverage/").content.decode()
    assert publisher.get(page_of(draft, "history")).status_code == 200
    page = publisher.get(page_of(tool, "preview"), follow=True).content.decode()
    assert "Half of a thought" in page
    assert "no score yet · no verdict yet" in page
    assert "1 of 1 ship" in page
