"""Which reviewers and takes the database refuses, and when they are public."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from reviews.models import Reviewer, Take
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
MINUTE = timedelta(minutes=1)


def test_a_second_take_of_a_reviewer_on_a_tool_is_refused():
    take = make.take()
    with pytest.raises(IntegrityError), transaction.atomic():
        make.take(on=take.tool, by=take.reviewer)


def test_a_reviewer_may_have_takes_on_many_tools_and_a_tool_of_many_reviewers():
    take = make.take()
    make.take(on=take.tool)
    make.take(by=take.reviewer)
    assert Take.objects.count() == 3


@pytest.mark.parametrize("score", [0, 100])
def test_scores_reach_from_0_to_100(score: int):
    make.take(score=score).full_clean()


@pytest.mark.parametrize("score", [-1, 101])
def test_a_score_beyond_0_and_100_is_refused(score: int):
    take = make.take()
    with pytest.raises(IntegrityError), transaction.atomic():
        Take.objects.filter(pk=take.pk).update(score=score)
    take.score = score
    with pytest.raises(ValidationError) as refusal:
        take.full_clean(exclude=["tool", "reviewer"], validate_constraints=False)
    assert list(refusal.value.message_dict) == ["score"]


@pytest.mark.parametrize("verdict", ["", "both", "SHIP"])
def test_an_unknown_verdict_is_refused(verdict: str):
    take = make.take()
    with pytest.raises(IntegrityError), transaction.atomic():
        Take.objects.filter(pk=take.pk).update(verdict=verdict)


def test_one_slug_is_one_reviewer():
    make.reviewer(slug="builder")
    with pytest.raises(IntegrityError), transaction.atomic():
        make.reviewer(slug="builder")


def test_a_reviewer_with_takes_is_not_deleted():
    take = make.take()
    with pytest.raises(ProtectedError):
        take.reviewer.delete()


def test_a_deleted_tool_takes_its_takes_with_it():
    take = make.take()
    take.tool.delete()
    assert not Take.objects.exists()


@pytest.mark.parametrize(
    "phrases", ["fast", {"a": 1}, [1], [""], ["a" * 121], ["a"] * 13, [None], [["a"]]]
)
def test_the_likes_of_a_reviewer_are_a_list_of_short_phrases(phrases: Any):
    reviewer = make.reviewer()
    for field in ("likes", "dislikes"):
        setattr(reviewer, field, phrases)
    with pytest.raises(ValidationError) as refusal:
        reviewer.full_clean()
    assert set(refusal.value.message_dict) == {"likes", "dislikes"}


def test_twelve_phrases_of_120_characters_are_accepted():
    reviewer = make.reviewer(likes=["a" * 120] * 12)
    reviewer.full_clean()


def test_a_take_is_public_from_its_publication_time_on():
    now = timezone.now()
    make.take(published_at=now)
    make.take(published_at=None)
    assert not Take.objects.published(now - MINUTE)
    assert Take.objects.published(now).count() == 1


def test_a_take_waits_for_its_reviewer_and_its_tool():
    now = timezone.now()
    make.take(by=make.reviewer(published_at=now + MINUTE))
    assert not Take.objects.published(now)
    assert Take.objects.published(now + MINUTE).count() == 1
    make.take(on=make.tool(published_at=now + MINUTE))
    make.take(on=make.tool(in_category=make.category(published_at=None)))
    assert Take.objects.published(now).count() == 2
    assert not Take.objects.published(now).on_public_tools(now)


def test_the_panel_is_ordered_by_position_then_slug():
    make.reviewer(slug="z", position=1)
    make.reviewer(slug="b", position=2)
    make.reviewer(slug="a", position=2)
    assert [row.slug for row in Reviewer.objects.all()] == ["z", "a", "b"]


def test_rows_have_names_for_editors():
    take = make.take(on=make.tool(name="X", tagline="Y"), by=make.reviewer(name="Builder"))
    assert (str(take.reviewer), str(take)) == ("Builder", "Builder on X")
