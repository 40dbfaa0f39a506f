"""The text that an editor types is stored for that editor alone, and only for forms of content."""

import pytest
from django.test import Client
from django.utils import timezone

from shipskip.desk import unsaved
from shipskip.editing.models import UnsavedText
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import on_the_page, page_of
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

STORE, DISCARD = "/admin/unsaved/", "/admin/unsaved/discard/"


def store(client: Client, path: str, **fields: str) -> int:
    return client.post(f"{STORE}?path={path}", fields).status_code


def test_a_text_is_stored_once_for_each_form_and_restored_without_being_saved(publisher):
    tool = make.tool(tagline="Before", published_at=None)
    path = page_of(tool)
    form = on_the_page(publisher.get(path))
    for words in ("Typed", "Typed “more” \0"):
        assert store(publisher, path, **form | {"tagline": words}) == 204
    assert "csrf" not in UnsavedText.objects.get().form
    page = publisher.get(path)
    assert "You left text here" in page.content.decode()
    assert on_the_page(page)["tagline"] == "Before"
    restored = on_the_page(publisher.get(f"{path}?restore=yes"))
    assert restored["tagline"].startswith("Typed “more”")
    tool.refresh_from_db()
    assert tool.tagline == "Before"
    assert publisher.post(path, restored | {"tagline": "Typed"}).status_code == 302
    assert Tool.objects.get().tagline == "Typed"
    assert not UnsavedText.objects.exists()


def test_a_refused_save_deletes_no_stored_text(publisher):
    tool = make.tool()
    form = on_the_page(publisher.get(page_of(tool)))
    store(publisher, page_of(tool), **form)
    ignored = publisher.post(page_of(tool), form | {"name": "", "_offered": "yes"})
    assert "You left text here" in ignored.content.decode()
    typed = publisher.post(page_of(tool), form | {"name": ""}).content.decode()
    assert "You left text here" not in typed
    assert "data-unsaved-bound" in typed
    assert UnsavedText.objects.count() == 1


def test_no_other_editor_sees_or_deletes_a_stored_text(publisher, writer, client):
    path = page_of(make.tool(published_at=None))
    store(publisher, path, tagline="Mine alone")
    for address in (path, f"{path}?restore=yes"):
        assert "Mine alone" not in writer.get(address).content.decode()
    writer.post(DISCARD, {"path": path})
    store(writer, path)
    assert client.post(f"{STORE}?path={path}", {"tagline": "x"}).status_code == 302
    assert UnsavedText.objects.get().editor.username == "paula"


def test_a_stored_text_is_deleted_on_request_and_when_it_is_empty(publisher):
    path = page_of(make.tool())
    store(publisher, path, tagline="Typed")
    assert publisher.post(DISCARD, {"path": path})["Location"] == path
    assert not UnsavedText.objects.exists()
    store(publisher, path, tagline="Typed")
    assert store(publisher, path, csrfmiddlewaretoken="x") == 204
    assert not UnsavedText.objects.exists()


def test_only_the_forms_of_content_are_stored_and_only_up_to_a_size(publisher, monkeypatch):
    others = ["", "/admin/", "/admin/password_change/", "/admin/login/", "//evil.example/", "x\0"]
    for path in [*others, "/admin/tools/tool/" + "1" * 200 + "/change/", "/compare/"]:
        assert store(publisher, path, tagline="Typed") == 400
        assert publisher.post(DISCARD, {"path": path}).status_code == 400
    monkeypatch.setattr(unsaved, "MAX_LENGTH", 100)
    assert store(publisher, page_of(make.tool()), tagline="x" * 100) == 413
    assert not UnsavedText.objects.exists()


def test_a_text_that_cannot_be_read_is_ignored(publisher):
    tool, editor = make.tool(), publisher.session["_auth_user_id"]
    text = {"editor_id": editor, "path": page_of(tool), "typed_at": timezone.now()}
    UnsavedText.objects.create(form="{", **text)
    assert publisher.get(f"{page_of(tool)}?restore=yes").status_code == 200


def test_a_writer_is_not_asked_where_they_may_only_read():
    public = make.take(on=make.tool(tagline="Public")).tool
    writer = desk_of("Writers")
    store(writer, page_of(public), tagline="Typed")
    assert "data-unsaved" not in writer.get(page_of(public)).content.decode()
