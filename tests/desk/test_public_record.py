"""Changes of scores and verdicts that readers saw need a reason and go on the public record."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Take, TakeChange
from tests import factories as make
from tests.desk.forms import errors, on_the_page, page_of, tool_form, written_take

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

LONG = "word " * 60


@pytest.fixture
def public_take(db):
    return make.take(on=make.tool(tagline="A tool"), score=78, verdict="ship", body=LONG)


def test_a_changed_score_asks_for_a_reason_beside_it(publisher, public_take):
    tool, start = public_take.tool, f"takes-{public_take.reviewer_id}"
    sent = on_the_page(publisher.get(page_of(tool))) | {f"{start}-score": "64"}
    response = publisher.post(page_of(tool), sent)
    assert set(errors(response)) == {f"{start}-reason"}
    public_take.refresh_from_db()
    assert public_take.score == 78
    sent |= {f"{start}-verdict": "skip", f"{start}-reason": "pricing tripled"}
    assert publisher.post(page_of(tool), sent).status_code == 302
    entry = TakeChange.objects.get()
    assert (entry.score_before, entry.score_after) == (78, 64)
    assert (entry.verdict_before, entry.verdict_after) == ("ship", "skip")
    assert (entry.reason, entry.tool, entry.reviewer) == (
        "pricing tripled",
        tool,
        public_take.reviewer,
    )


def test_a_corrected_typing_error_needs_no_reason_and_adds_no_entry(publisher, public_take):
    tool, start = public_take.tool, f"takes-{public_take.reviewer_id}"
    sent = on_the_page(publisher.get(page_of(tool))) | {f"{start}-body": LONG + "corrected"}
    assert publisher.post(page_of(tool), sent).status_code == 302
    assert not TakeChange.objects.exists()


@pytest.mark.parametrize("reason", ["two\nlines", "x" * 201, "   "])
def test_a_reason_is_one_line_for_readers(publisher, public_take, reason):
    url = f"/admin/reviews/take/{public_take.pk}/change/"
    sent = on_the_page(publisher.get(url)) | {"score": "1", "reason": reason}
    assert set(errors(publisher.post(url, sent))) == {"reason"}


def test_a_draft_take_and_a_take_on_a_draft_tool_need_no_reason(publisher):
    for take in (
        make.take(published_at=None),
        make.take(on=make.tool(published_at=None)),
        make.take(published_at=timezone.now() + timedelta(minutes=1)),
    ):
        url = f"/admin/reviews/take/{take.pk}/change/"
        sent = on_the_page(publisher.get(url))
        assert "reason" not in sent
        assert publisher.post(url, sent | {"score": "1"}).status_code == 302
    assert not TakeChange.objects.exists()


def test_a_minute_after_its_publication_time_a_take_is_on_record(publisher, clock):
    now = timezone.now()
    take = make.take(published_at=now)
    url = f"/admin/reviews/take/{take.pk}/change/"
    clock(now - timedelta(minutes=1))
    assert "reason" not in on_the_page(publisher.get(url))
    clock(now + timedelta(minutes=1))
    assert "reason" in on_the_page(publisher.get(url))


def test_a_withdrawal_does_not_avoid_the_record(publisher, public_take):
    public_take.withdraw(timezone.now())
    url = f"/admin/reviews/take/{public_take.pk}/change/"
    sent = on_the_page(publisher.get(url)) | {"score": "1"}
    assert set(errors(publisher.post(url, sent))) == {"reason"}


def test_an_old_take_can_be_confirmed(publisher, settings):
    old = timezone.now() - timedelta(days=settings.STALE_AFTER_DAYS + 1)
    take = make.take(published_at=old)
    url = f"/admin/reviews/take/{take.pk}/change/"
    assert "Read again today" in publisher.get(url).content.decode()
    sent = on_the_page(publisher.get(url)) | {"still_true": "on"}
    assert publisher.post(url, sent).status_code == 302
    assert "Read again today" not in publisher.get(url).content.decode()


def test_a_deletion_does_not_avoid_the_record(publisher, public_take):
    tool, reviewer = public_take.tool, public_take.reviewer
    public_take.delete()
    sent = {"tool": tool.pk, "reviewer": reviewer.pk, "score": "1", "verdict": "skip", "body": "x"}
    response = publisher.post("/admin/reviews/take/add/", sent)
    assert "Bring it back" in errors(response)["__all__"][0]
    make.take(on=tool)
    row = written_take(reviewer, score="1")
    response = publisher.post(page_of(tool), tool_form(tool, takes=[row]))
    assert "Bring it back" in errors(response)[f"takes-{reviewer.pk}-__all__"][0]
    assert Take.objects.filter(reviewer=reviewer).count() == 0


def test_a_deleted_draft_may_be_written_again(publisher):
    take = make.take(published_at=None)
    take.delete()
    sent = {"tool": take.tool_id, "reviewer": take.reviewer_id, "score": "1", "verdict": "skip"}
    assert publisher.post("/admin/reviews/take/add/", sent).status_code == 302
