"""Correcting the public reason of a changed score or verdict."""

import pytest
from django.utils import timezone

from reviews.models import Take, TakeChange
from tests import factories as make

pytestmark = pytest.mark.django_db
LIST = "/admin/reviews/takechange/"


def test_publishers_correct_a_reason_on_record_while_its_take_is_there(publisher, writer):
    take = make.take(score=64)
    change = TakeChange.objects.create(
        tool=take.tool,
        reviewer=take.reviewer,
        score_before=78,
        score_after=64,
        verdict_before="ship",
        verdict_after="ship",
        reason="x" * 200,
        at=timezone.now(),
    )
    url, versions = f"{LIST}{change.pk}/change/", Take.history.count()
    heading = f"<h2>{take.reviewer.name} on {take.tool.name}</h2>"
    assert heading in publisher.get(url).content.decode()
    assert [writer.get(path).status_code for path in (LIST, url)] == [403, 403]
    assert publisher.get(f"{LIST}add/").status_code == 403
    assert publisher.post(f"{LIST}{change.pk}/delete/", {"post": "yes"}).status_code == 403
    for reason in ("", "...", "x" * 201):
        response = publisher.post(url, {"reason": reason})
        assert set(response.context["adminform"].form.errors) == {"reason"}, reason
    assert publisher.post(url, {"reason": change.reason}).status_code == 302
    assert Take.history.count() == versions, "nothing changed"
    sent = {"reason": "y" * 200, "score_after": "1"}
    assert publisher.post(url, sent).status_code == 302
    change.refresh_from_db()
    assert (change.reason, change.score_after) == ("y" * 200, 64)
    version = Take.history.first()
    assert "x" * 200 in version.history_change_reason
    assert "y" * 200 in version.history_change_reason
    assert version.history_user.username == "paula"
    take.remove(timezone.now())
    assert publisher.post(url, {"reason": "New"}).status_code == 403
    assert publisher.get(url).status_code == 200
