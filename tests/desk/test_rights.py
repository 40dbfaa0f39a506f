"""Writers cannot exceed their permissions by submitting forged form data."""

from datetime import timedelta
from decimal import Decimal

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
from tools.models import Fact

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


def send(client, url, **changes):
    """Send the form of a page with its shown values and these changes."""
    return client.post(url, on_the_page(client.get(url)) | changes)


def page_of(row):
    """The address of a row's form."""
    return f"/admin/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/change/"


LATER = timezone.now() + timedelta(hours=1)


def test_what_a_publisher_has_scheduled_is_not_changed_or_deleted(writer):
    for row in (
        make.tool(published_at=LATER, tagline="x"),
        make.take(on=make.tool(published_at=None), published_at=LATER),
        make.comparison(published_at=LATER),
    ):
        assert writer.get(page_of(row)).status_code == 200
        assert writer.post(page_of(row), {"tagline": "Unseen"}).status_code == 403
        deletion = page_of(row).replace("change", "delete")
        assert writer.post(deletion, {"post": "yes"}).status_code == 403
        assert row.history.count() == 1


def test_forged_fields_of_a_withdrawn_tool_change_no_public_or_scheduled_take_and_no_redirect(
    writer,
):
    tool = make.tool(tagline="x", slug="old-name")
    takes = [
        make.take(on=tool, score=80, body="As published.", published_at=moment)
        for moment in (make.PUBLISHED, LATER)
    ]
    tool.rename("new-name")
    tool.withdraw(timezone.now())
    page = writer.get(page_of(tool))
    assert "As published." in page.content.decode()
    starts = [f"{take_name(take.reviewer_id)}-" for take in takes]
    sent = [name for name in on_the_page(page) if name.startswith(tuple(starts))]
    assert sent == [f"{start}key" for start in starts]
    forged = {"score": "3", "verdict": "skip", "body": "Defaced."}
    fields = {f"{start}{name}": value for start in starts for name, value in forged.items()}
    response = writer.post(page_of(tool), on_the_page(page) | fields | {"ended": ["old-name"]})
    assert response.status_code == 302
    for take in takes:
        take.refresh_from_db()
        assert (take.score, take.body) == (80, "As published.")
    assert tool.former_slugs.count() == 1
    changed = {f"{starts[0]}body": "Written again."}
    assert send(desk_of("Publishers"), page_of(tool), **changed).status_code == 302
    takes[0].refresh_from_db()
    assert takes[0].body == "Written again."


def test_a_writer_corrects_the_text_of_a_withdrawn_take_and_never_the_public_record(writer):
    take = make.take(on=make.tool(tagline="x"), score=80)
    first = take.history.first()
    take.score = 60
    take.save()
    take.withdraw(timezone.now())
    response = send(writer, page_of(take), score="5", verdict="skip", reason="Visit us")
    assert "ask a publisher" in errors(response)["score"][0]
    url = f"/admin/reviews/take/{take.pk}/history/{first.history_id}/"
    seen = writer.get(url).context["history_id"]
    response = writer.post(f"{url}restore/", {"history_id": seen, "reason": "Visit us"})
    assert "ask a publisher" in response.content.decode()
    assert send(writer, page_of(take), body="Mended.").status_code == 302
    take.refresh_from_db()
    assert (take.score, take.body, TakeChange.objects.count()) == (60, "Mended.", 0)


def test_a_comparison_is_not_featured(writer):
    row = make.comparison(published_at=None)
    assert send(writer, page_of(row), featured="on").status_code == 302
    assert not Comparison.objects.get().featured


@pytest.mark.parametrize(
    ("rights", "status"), [(("view_tool",), 303), (("view_category",), 403), ((), 403)]
)
def test_only_those_who_may_see_a_draft_get_a_link_to_its_preview(db, rights, status):
    tool = make.tool(published_at=None)
    response = desk_of(rights=rights).get(f"/admin/tools/tool/{tool.pk}/preview/")
    assert response.status_code == status


@pytest.mark.parametrize("missing", ["change_fact", "change_plan"])
def test_imported_facts_are_confirmed_only_by_those_who_may_change_facts_and_prices(db, missing):
    rights = {"view_tool", "change_tool", "change_fact", "change_plan"}
    fact = make.fact(Decimal(1), on=make.tool(published_at=None), to=make.attribute())
    Fact.objects.update(unconfirmed=True)
    sent = {"action": "confirm_imported", "_selected_action": [fact.tool_id]}
    for name, unconfirmed in ((missing, True), ("", False)):
        client = desk_of(rights=tuple(rights - {name}))
        client.post("/admin/tools/tool/", sent)
        assert Fact.objects.get().unconfirmed is unconfirmed


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
