"""Writers cannot exceed their permissions by submitting forged form data."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import TakeChange
from shipskip.roles import WRITERS
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import errors, on_the_page, take_name

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


def send(client, url, **changes):
    """Send the form of a page with its shown values and these changes."""
    return client.post(url, on_the_page(client.get(url)) | changes)


def tool_page(tool):
    return f"/admin/tools/tool/{tool.pk}/change/"


def take_page(take):
    return f"/admin/reviews/take/{take.pk}/change/"


LATER = timezone.now() + timedelta(hours=1)


@pytest.mark.parametrize(
    "row_of",
    [
        lambda: make.tool(published_at=LATER, tagline="x"),
        lambda: make.take(on=make.tool(published_at=None), published_at=LATER),
        lambda: make.comparison(published_at=LATER),
    ],
    ids=["tool", "take", "comparison"],
)
def test_what_a_publisher_has_scheduled_is_not_changed_or_deleted(writer, row_of):
    row = row_of()
    url = f"/admin/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/"
    assert writer.get(f"{url}change/").status_code == 200
    assert writer.post(f"{url}change/", {"tagline": "Unseen"}).status_code == 403
    assert writer.post(f"{url}delete/", {"post": "yes"}).status_code == 403
    assert row.history.count() == 1


def test_a_scheduled_take_is_read_only_on_its_draft_tool_too(writer):
    tool = make.tool(published_at=None, tagline="x")
    take = make.take(on=tool, published_at=LATER, body="Scheduled.")
    forged = {f"{take_name(take.reviewer_id)}-body": "Unseen."}
    assert send(writer, tool_page(tool), **forged).status_code == 302
    take.refresh_from_db()
    assert take.body == "Scheduled."


def test_nothing_is_written_on_the_public_record(writer):
    tool = make.tool(tagline="x")
    make.take(on=tool)
    take = make.take(on=tool, score=80)
    take.withdraw(timezone.now())
    response = send(writer, take_page(take), score="5", verdict="skip", reason="Visit us")
    assert "ask a publisher" in errors(response)["score"][0]
    assert not TakeChange.objects.exists()
    take.refresh_from_db()
    assert take.score == 80


def test_a_writer_may_correct_the_text_of_a_withdrawn_take(writer):
    take = make.take(on=make.tool(tagline="x"))
    take.withdraw(timezone.now())
    assert send(writer, take_page(take), body="Mended.").status_code == 302
    take.refresh_from_db()
    assert take.body == "Mended."


def test_a_score_that_readers_saw_is_not_restored(writer):
    take = make.take(on=make.tool(tagline="x"), score=80)
    first = take.history.first()
    take.score = 60
    take.save()
    take.withdraw(timezone.now())
    url = f"/admin/reviews/take/{take.pk}/history/{first.history_id}/"
    seen = writer.get(url).context["history_id"]
    response = writer.post(f"{url}restore/", {"history_id": seen, "reason": "Visit us"})
    assert "ask a publisher" in response.content.decode()
    take.refresh_from_db()
    assert (take.score, TakeChange.objects.count()) == (60, 0)


def test_a_public_take_on_a_withdrawn_tool_stays_as_it_is(writer):
    tool = make.tool(tagline="x")
    take = make.take(on=tool, score=80, body="As published.")
    tool.withdraw(timezone.now())
    page = writer.get(tool_page(tool))
    start = f"{take_name(take.reviewer_id)}-"
    sent = [name for name in on_the_page(page) if name.startswith(start)]
    assert sent == [f"{start}key"]
    assert "As published." in page.content.decode()
    forged = {f"{start}score": "3", f"{start}verdict": "skip", f"{start}body": "Defaced."}
    assert send(writer, tool_page(tool), **forged).status_code == 302
    take.refresh_from_db()
    assert (take.score, take.body) == (80, "As published.")


def test_a_publisher_changes_that_take_there():
    tool = make.tool(tagline="x")
    take = make.take(on=tool)
    tool.withdraw(timezone.now())
    changed = {f"{take_name(take.reviewer_id)}-body": "Written again."}
    assert send(desk_of("Publishers"), tool_page(tool), **changed).status_code == 302
    take.refresh_from_db()
    assert take.body == "Written again."


def test_a_comparison_is_not_featured(writer):
    row = make.comparison(published_at=None)
    url = f"/admin/comparisons/comparison/{row.pk}/change/"
    assert send(writer, url, featured="on").status_code == 302
    assert not Comparison.objects.get().featured


def test_a_redirect_is_not_ended(writer):
    tool = make.tool(tagline="x", published_at=None)
    tool.rename("new-name")
    ended = [row.slug for row in tool.former_slugs.all()]
    assert send(writer, tool_page(tool), ended=ended).status_code == 302
    assert tool.former_slugs.count() == 1


@pytest.mark.parametrize("address", ["/admin/exchange/", "/admin/tools/category/add/"])
def test_a_login_as_another_user_ends_at_the_desk_with_its_menu(address, db):
    User.objects.create_user("wanda", password="quite a long one", is_staff=True).groups.set(
        Group.objects.filter(name=WRITERS)
    )
    login = {"username": "wanda", "password": "quite a long one", "next": address}
    page = Client().post("/admin/login/", login, follow=True)
    assert page.status_code == 403
    text = page.content.decode()
    assert "You are logged in as <bdi>wanda</bdi>" in text
    assert 'href="/admin/tools/tool/"' in text
