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


def test_a_reviewer_has_one_take_on_a_tool_and_a_slug_is_of_one_reviewer():
    take = make.take(on=make.tool(name="X"), by=make.reviewer(slug="builder", name="Builder"))
    assert (str(take.reviewer), str(take)) == ("Builder", "Builder on X")
    with pytest.raises(IntegrityError), transaction.atomic():
        make.take(on=take.tool, by=take.reviewer)
    with pytest.raises(IntegrityError), transaction.atomic():
        make.reviewer(slug="builder")
    make.take(on=take.tool)
    make.take(by=take.reviewer)
    assert Take.objects.count() == 3


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
    refused: list[dict[str, Any]] = [{"score": score} for score in (-1, 101)]
    refused += [{"verdict": verdict} for verdict in ("", "both", "SHIP")]
    for values in refused:
        with pytest.raises(IntegrityError), transaction.atomic():
            Take.objects.filter(pk=take.pk).update(**values)


def test_a_reviewer_with_takes_is_not_deleted_but_a_tool_takes_its_takes_with_it():
    take = make.take()
    with pytest.raises(ProtectedError):
        take.reviewer.delete()
    take.tool.delete()
    assert not Take.objects.exists()


def test_the_likes_of_a_reviewer_are_a_list_of_short_phrases():
    reviewer = make.reviewer(likes=["a" * 120] * 12, dislikes=["a" * 120] * 12)
    reviewer.full_clean()
    for phrases in ("fast", {"a": 1}, [1], [""], ["a" * 121], ["a"] * 13, [None], [["a"]]):
        reviewer.likes = reviewer.dislikes = phrases  # type: ignore[assignment]
        with pytest.raises(ValidationError) as refusal:
            reviewer.full_clean()
        assert set(refusal.value.message_dict) == {"likes", "dislikes"}, phrases


def test_a_take_is_public_from_its_time_on_and_waits_for_its_reviewer_and_its_tool():
    now = timezone.now()
    make.take(published_at=now)
    make.take(published_at=None)
    assert not Take.objects.published(now - MINUTE)
    assert Take.objects.published(now).count() == 1
    make.take(by=make.reviewer(published_at=now + MINUTE))
    assert Take.objects.published(now).count() == 1
    assert Take.objects.published(now + MINUTE).count() == 2
    make.take(on=make.tool(published_at=now + MINUTE))
    make.take(on=make.tool(in_category=make.category(published_at=None)))
    assert Take.objects.published(now).count() == 3
    assert Take.objects.published(now).on_public_tools(now).count() == 1


def test_the_panel_is_ordered_by_position_then_slug():
    make.reviewer(slug="z", position=1)
    make.reviewer(slug="b", position=2)
    make.reviewer(slug="a", position=2)
    assert [row.slug for row in Reviewer.objects.all()] == ["z", "a", "b"]
