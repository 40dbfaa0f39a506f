"""Links to a tool's preview: how the desk creates and ends them."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone
from zeal import zeal_ignore

from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.markup import read
from tests.tools.preview_links import assert_has_ended, link

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture
def writer(db):
    return desk_of("Writers")


@pytest.fixture
def publisher(db):
    return desk_of("Publishers")


def test_the_desk_creates_a_new_link(writer, client):
    tool = make.tool(name="Alpha", published_at=None)
    response = writer.get(f"/admin/tools/tool/{tool.pk}/preview/")
    assert response.status_code == 303
    assert response["Location"].startswith("/preview/tools/")
    assert read(client.get(response["Location"])).heading == "Alpha"


def test_a_link_is_for_editors_and_each_address_accepts_only_its_method(writer, publisher, client):
    tool = make.tool(published_at=None)
    key = tool.preview_key
    preview = f"/admin/tools/tool/{tool.pk}/preview/"
    end = f"/admin/tools/tool/{tool.pk}/withdraw-previews/"
    preview_link = link(tool)
    response = client.get(preview)
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")
    staff = desk_of("Nobody")
    assert staff.get(preview).status_code == 403
    assert staff.post(end).status_code == 403
    assert writer.post(end).status_code == 403
    assert publisher.post(preview).status_code == 405
    assert publisher.get(end).status_code == 405
    tool.refresh_from_db()
    assert tool.preview_key == key
    assert client.get(preview_link).status_code == 200
    public = make.tool()
    assert writer.get(f"/admin/tools/tool/{public.pk}/preview/").status_code == 303
    for pk in ("999", "junk", "_00"):
        unknown = publisher.get(f"/admin/tools/tool/{pk}/preview/")
        assert unknown.status_code in (302, 404), pk


def test_a_publisher_ends_every_link_made_before(publisher, client):
    tool = make.tool(name="Secret", published_at=None)
    other = make.tool(name="Other", published_at=None)
    preview_link, others = link(tool), link(other)
    versions = tool.history.count()
    response = publisher.post(f"/admin/tools/tool/{tool.pk}/withdraw-previews/", follow=True)
    assert response.redirect_chain == [(f"/admin/tools/tool/{tool.pk}/change/", 303)]
    assert "have stopped working" in response.content.decode()
    assert_has_ended(client.get(preview_link))
    tool.refresh_from_db()
    assert tool.history.count() == versions
    assert client.get(link(tool)).status_code == 200
    assert client.get(others).status_code == 200


WITHDRAWALS = {
    "from the page that asks": ("{pk}/withdraw/", {}),
    "from the list": ("", {"action": "withdraw_chosen", "_selected_action": "{pk}", "post": "yes"}),
}


@pytest.mark.parametrize(("path", "sent"), WITHDRAWALS.values(), ids=WITHDRAWALS)
def test_withdrawing_ends_the_links_unless_the_editor_ticks_that_they_stay(
    publisher, client, path, sent
):
    for ticked in (True, False):
        tool = make.tool(name="Secret")
        preview_link = link(tool)
        form = {name: value.format(pk=tool.pk) for name, value in sent.items()}
        form |= {"_keep_previews": "on"} if ticked else {}
        publisher.post(f"/admin/tools/tool/{path.format(pk=tool.pk)}", form)
        tool.refresh_from_db()
        assert tool.state(timezone.now()) != "public"
        assert client.get(preview_link).status_code == (200 if ticked else 410)
        assert client.get(link(tool)).status_code == 200


def test_the_tick_stands_wherever_an_editor_withdraws(publisher):
    tool = make.tool()
    with zeal_ignore():
        chosen = {"action": "withdraw_chosen", "_selected_action": tool.pk}
        for response in (
            publisher.get(f"/admin/tools/tool/{tool.pk}/withdraw/"),
            publisher.post("/admin/tools/tool/", chosen),
        ):
            ticks = [each for each in read(response).all("input") if is_tick(each)]
            assert len(ticks) == 1


def is_tick(element) -> bool:
    return bool(element.attributes.get("name") == "_keep_previews")


def test_a_scheduled_tool_that_is_taken_off_the_schedule_keeps_its_links(publisher, client):
    tool = make.tool(published_at=timezone.now() + MINUTE)
    publisher.post(f"/admin/tools/tool/{tool.pk}/withdraw/")
    assert client.get(link(tool)).status_code == 200


def test_the_form_holds_a_link_to_copy(writer, client):
    tool = make.tool(name="Alpha", published_at=None)
    with zeal_ignore():
        page = read(writer.get(f"/admin/tools/tool/{tool.pk}/change/"))
    field = page.by_id("preview-link")
    assert "readonly" in field.attributes
    assert field.within("form") is None
    address = field.attributes["value"]
    assert address.startswith(f"{settings.SITE_URL}/preview/tools/")
    assert read(client.get(address.removeprefix(settings.SITE_URL))).heading == "Alpha"
    assert f"/admin/tools/tool/{tool.pk}/preview/" in page.links
    assert "Withdraw all preview links" not in page.text


def test_the_form_lets_a_publisher_end_all_links_of_a_saved_tool(publisher):
    tool = make.tool(published_at=None)
    with zeal_ignore():
        page = read(publisher.get(f"/admin/tools/tool/{tool.pk}/change/"))
        new = publisher.get("/admin/tools/tool/add/").content.decode()
    form = page.one("form", action=f"/admin/tools/tool/{tool.pk}/withdraw-previews/")
    assert form.within("form") is None
    assert "Withdraw all preview links" in form.text
    assert "preview-link" not in new
