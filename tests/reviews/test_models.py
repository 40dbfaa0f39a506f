"""Which reviewers and takes the database refuses, and when they are public."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from reviews.models import Reviewer, Take
from tests import factories as make

pytestmark = pytest.mark.django_db
both_databases = pytest.mark.both_databases
MINUTE = timedelta(minutes=1)


@both_databases
def test_a_reviewer_has_one_take_on_a_tool_and_their_own_slug_and_stays_while_there_are_takes():
    take = make.take(on=make.tool(name="X"), by=make.reviewer(slug="builder", name="Builder"))
    assert (str(take.reviewer), str(take)) == ("Builder", "Builder on X")
    with pytest.raises(IntegrityError), transaction.atomic():
        make.take(on=take.tool, by=take.reviewer)
    with pytest.raises(IntegrityError), transaction.atomic():
        make.reviewer(slug="builder")
    make.take(on=take.tool)
    make.take(by=take.reviewer)
    assert Take.objects.count() == 3
    with pytest.raises(ProtectedError):
        take.reviewer.delete()


@both_databases
def test_scores_reach_from_0_to_100_and_a_verdict_is_ship_or_skip():
    take = make.take()
    for score in (0, 100):
        Take.objects.filter(pk=take.pk).update(score=score)
        Take.objects.get().full_clean()
    for score in (-1, 101):
        take.score = score
        with pytest.raises(ValidationError) as refusal:
            take.full_clean(exclude=["tool", "reviewer"], validate_constraints=False)
        assert list(refusal.value.message_dict) == ["score"]
    for column, value in (("score", -1), ("score", 101), ("verdict", ""), ("verdict", "SHIP")):
        with pytest.raises(IntegrityError), transaction.atomic():
            Take.objects.filter(pk=take.pk).update(**{column: value})


def test_the_likes_of_a_reviewer_are_a_list_of_short_phrases():
    reviewer = make.reviewer(likes=["a" * 120] * 12, dislikes=["a" * 120] * 12)
    reviewer.full_clean()
    for phrases in ("fast", {"a": 1}, [1], [""], ["a" * 121], ["a"] * 13, [None], [["a"]]):
        reviewer.likes = reviewer.dislikes = phrases  # type: ignore[assignment]
        with pytest.raises(ValidationError) as refusal:
            reviewer.full_clean()
        assert set(refusal.value.message_dict) == {"likes", "dislikes"}, phrases


@both_databases
def test_a_take_is_public_from_its_time_on_and_waits_for_its_reviewer_and_its_tool():
    now = timezone.now()
    make.take(published_at=now)
    make.take(published_at=None)
    make.take(by=make.reviewer(published_at=now + MINUTE))
    public = [Take.objects.published(now + minutes * MINUTE).count() for minutes in (-1, 0, 1)]
    assert public == [0, 1, 2]
    make.take(on=make.tool(published_at=now + MINUTE))
    make.take(on=make.tool(in_category=make.category(published_at=None)))
    assert Take.objects.published(now).count() == 3
    assert Take.objects.published(now).on_public_tools(now).count() == 1


def test_the_panel_is_ordered_by_position_then_slug():
    make.reviewer(slug="z", position=1)
    make.reviewer(slug="b", position=2)
    make.reviewer(slug="a", position=2)
    assert [row.slug for row in Reviewer.objects.all()] == ["z", "a", "b"]
