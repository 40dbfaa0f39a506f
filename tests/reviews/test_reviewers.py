"""The panel: every reviewer with their ship rate and mean score."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def panel_texts(client) -> list[str]:
    """The text for each reviewer after their portrait, a letter, in order."""
    page = read(client.get("/reviewers/"))
    rows = page.of_class("reviewers__row")
    return [row.text.partition(" ")[2] for row in rows]


def test_reviewers_are_listed_in_panel_order_with_their_record(client):
    make.reviewer(name="Second", position=2, motto="Prove it.")
    first = make.reviewer(name="First", position=1)
    for score, verdict in ((90, "ship"), (80, "ship"), (10, "skip")):
        make.take(by=first, score=score, verdict=verdict)
    assert panel_texts(client) == [
        "First ships 67% of 3 · mean score 60.0",
        "Second Prove it. No takes yet",
    ]


def test_an_empty_panel_is_stated(client):
    assert "No reviewers yet." in read(client.get("/reviewers/")).text


def test_a_reviewer_appears_at_their_publication_time(client, clock):
    now = timezone.now()
    make.reviewer(name="Soon", published_at=now)
    make.reviewer(name="Draft", published_at=None)
    clock(now - MINUTE)
    assert panel_texts(client) == []
    clock(now + MINUTE)
    assert panel_texts(client) == ["Soon No takes yet"]


def test_takes_that_readers_cannot_see_do_not_count(client):
    reviewer = make.reviewer(name="Builder")
    make.take(by=reviewer, published_at=None)
    make.take(by=reviewer, on=make.tool(published_at=None))
    make.take(by=reviewer, on=make.tool(in_category=make.category(published_at=None)))
    assert panel_texts(client) == ["Builder No takes yet"]
