"""Correcting the public reason of a changed score or verdict."""

import pytest
from django.utils import timezone

from reviews.models import Take, TakeChange
from tests import factories as make

pytestmark = pytest.mark.django_db
LIST = "/admin/reviews/takechange/"


@pytest.fixture
def change():
    """An entry on the public record."""
    take = make.take(score=64)
    return TakeChange.objects.create(
        tool=take.tool,
        reviewer=take.reviewer,
        score_before=78,
        score_after=64,
        verdict_before="ship",
        verdict_after="ship",
        reason="x" * 200,
        at=timezone.now(),
    )


def test_a_correction_is_recorded_in_full_with_its_editor_and_only_if_it_changes(publisher, change):
    url, versions = f"{LIST}{change.pk}/change/", Take.history.count()
    heading = f"<h2>{change.reviewer.name} on {change.tool.name}</h2>"
    assert heading in publisher.get(url).content.decode()
    for reason in ("", "...", "x" * 201):
        response = publisher.post(url, {"reason": reason})
        assert set(response.context["adminform"].form.errors) == {"reason"}, reason
    assert publisher.post(url, {"reason": change.reason}).status_code == 302
    assert Take.history.count() == versions
    sent = {"reason": "y" * 200, "score_after": "1"}
    assert publisher.post(url, sent).status_code == 302
    change.refresh_from_db()
    assert (change.reason, change.score_after) == ("y" * 200, 64)
    version = Take.history.first()
    assert "x" * 200 in version.history_change_reason
    assert "y" * 200 in version.history_change_reason
    assert version.history_user.username == "paula"


def test_only_publishers_correct_reasons_and_nobody_deletes_or_adds_one(publisher, writer, change):
    for path in (LIST, f"{LIST}{change.pk}/change/"):
        assert writer.get(path).status_code == 403
    assert publisher.get(f"{LIST}add/").status_code == 403
    assert publisher.post(f"{LIST}{change.pk}/delete/", {"post": "yes"}).status_code == 403


def test_the_reason_of_a_deleted_take_stays_until_it_is_brought_back(publisher, change):
    Take.objects.get().remove(timezone.now())
    assert publisher.post(f"{LIST}{change.pk}/change/", {"reason": "New"}).status_code == 403
    assert publisher.get(f"{LIST}{change.pk}/change/").status_code == 200
