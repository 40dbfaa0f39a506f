"""The browser's copy of unsaved text: restored without being saved, and deleted after a save."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import on_the_page, opened, page_of
from tools.models import Fact, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

COPY = "0123456789abcdef" * 2


def deleted_copies(response) -> list[str]:
    """The copies that the browser deletes after this response."""
    return [name.removeprefix("saved.") for name in response.cookies if name.startswith("saved.")]


@pytest.fixture
def tool():
    return make.take(on=make.tool(tagline="Before", published_at=None)).tool


def test_a_restored_text_is_shown_and_not_saved(publisher, tool):
    form = opened(publisher, tool) | {"tagline": "Typed “more” \0"}
    restored = publisher.post(page_of(tool), form | {"_restore": "yes", "_copy": COPY})
    assert "Your text is back in the form, and not saved yet" in restored.content.decode()
    assert on_the_page(restored)["tagline"].startswith("Typed “more”")
    assert "data-unsaved-bound" in restored.content.decode()
    assert deleted_copies(restored) == []
    tool.refresh_from_db()
    assert tool.tagline == "Before"
    saved = publisher.post(page_of(tool), on_the_page(restored) | {"tagline": "Typed"})
    assert (saved.status_code, Tool.objects.get().tagline) == (302, "Typed")


def test_a_restored_text_shows_what_a_colleague_saved_meanwhile(publisher, tool):
    form = opened(publisher, tool) | {"tagline": "Hers"}
    tool.tagline = "His"
    tool.save()
    restored = publisher.post(page_of(tool), form | {"_restore": "yes"})
    rows = restored.context["adminform"].form.conflict.rows
    assert rows == [("Tagline", "His", "Hers")]


def test_a_restored_grid_is_shown_and_not_saved(publisher):
    tool = make.tool(in_category=make.category(slug="agents"))
    attribute = make.attribute(asked_in=[tool.category])
    path, cell = "/admin/facts/agents/", f"cell-{tool.pk}-{attribute.pk}"
    form = on_the_page(publisher.get(path)) | {cell: "5"}
    restored = publisher.post(path, form | {"_restore": "yes"})
    assert "Your text is back in the form" in restored.content.decode()
    assert not Fact.objects.exists()
    saved = publisher.post(path, on_the_page(restored) | {"_copy": COPY})
    assert (saved.status_code, deleted_copies(saved)) == (303, [COPY])
    assert Fact.objects.exists()


def test_only_a_save_deletes_the_copy(publisher, tool):
    form = opened(publisher, tool) | {"tagline": "Typed", "_copy": COPY}
    for changes in ({"name": ""}, {"_preview": "yes"}):
        assert deleted_copies(publisher.post(page_of(tool), form | changes)) == [], changes
    response = publisher.post(page_of(tool), form)
    assert deleted_copies(response) == [COPY]
    cookie = response.cookies[f"saved.{COPY}"]
    assert (cookie["path"], cookie["samesite"], cookie["httponly"]) == ("/admin/", "Lax", "")
    form = opened(publisher, tool)
    for name, deleted in ((COPY, [COPY]), ("../" + COPY, []), ("", [])):
        response = publisher.post(page_of(tool), form | {"_copy": name, "_continue": "yes"})
        assert response.status_code == 302
        assert deleted_copies(response) == deleted, name


def test_a_browser_of_a_shared_computer_is_told_to_store_no_copy(tool):
    User.objects.create_superuser("ana", password="a-long-good-one")
    sent = {"username": "ana", "password": "a-long-good-one", "next": "/admin/"}
    for choice in ({}, {"shared": "on"}):
        client = Client()
        client.post("/admin/login/", sent | choice)
        page = client.get(page_of(tool)).content.decode()
        assert ("data-unsaved-shared" in page) == bool(choice)


def test_a_writer_is_not_asked_where_they_may_only_read():
    public = make.take(on=make.tool(tagline="Public")).tool
    assert "data-unsaved" not in desk_of("Writers").get(page_of(public)).content.decode()
