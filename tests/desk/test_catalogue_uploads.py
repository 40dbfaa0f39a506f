"""Files uploaded to the catalogue screen: stored until confirmed, refused if bad or too large."""

import os
import stat
import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError

from shipskip.roles import PUBLISHERS
from tests.catalogue.documents import document, rows, tool
from tests.desk.editor_clients import desk_of
from tests.desk.uploading import URL, confirm, faults, send, text_of, waiting
from tests.markup import read
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("upload_folder")]

# --- Stored files ----------------------------------------------------------------------------


def test_the_stored_file_is_readable_by_its_owner_alone(publisher):
    send(publisher, URL, text_of())
    (path,) = waiting()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_bytes_that_were_replaced_are_not_loaded(publisher):
    shown = send(publisher, URL, text_of())
    waiting()[0].write_text(text_of(document(tools=[tool()], comparisons=[])))
    response = confirm(publisher, shown)
    assert response.status_code == 410
    assert "choose the file again" in response.content.decode()
    assert not any(rows().values())
    assert waiting() == []


def test_a_file_is_loaded_once_by_the_editor_who_sent_it(publisher):
    shown = send(publisher, URL, text_of())
    assert confirm(desk_of(PUBLISHERS, name="adam"), shown).status_code == 410
    assert not any(rows().values())
    assert confirm(publisher, shown).status_code == 302
    assert confirm(publisher, shown).status_code == 410
    assert Tool.history.count() == 2


def test_a_file_that_is_being_loaded_cannot_be_loaded_by_a_second_request(publisher):
    shown = send(publisher, URL, text_of())
    (path,) = waiting()
    path.rename(path.with_suffix(".claimed"))
    assert confirm(publisher, shown).status_code == 410
    assert not any(rows().values())


@pytest.mark.parametrize(("minutes", "status"), [(59, 302), (61, 410)])
def test_a_file_is_stored_for_an_hour(publisher, monkeypatch, minutes, status):
    shown = send(publisher, URL, text_of())
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + minutes * 60)
    assert confirm(publisher, shown).status_code == status


def test_files_of_others_are_deleted_after_an_hour(publisher):
    send(publisher, URL, text_of())
    (old,) = waiting()
    past = (datetime.now(UTC) - timedelta(minutes=61)).timestamp()
    os.utime(old, (past, past))
    send(publisher, URL, text_of())
    (new,) = waiting()
    assert new != old


def test_a_forged_confirmation_loads_nothing(publisher):
    for ticket in ("", "x", "../../etc/passwd", "e30:x:y"):
        assert publisher.post(f"{URL}load/", {"ticket": ticket}).status_code == 410, ticket
    after_login = publisher.get(f"{URL}load/")
    assert (after_login.status_code, after_login["Location"]) == (302, URL)


def test_a_database_error_leaves_the_file_stored(publisher, monkeypatch):
    def fail(*_, **__):
        raise OperationalError("database is locked")

    shown = send(publisher, URL, text_of())
    publisher.raise_request_exception = False
    with monkeypatch.context() as patch:
        patch.setattr("shipskip.catalogue.applying.insert_rows", fail)
        assert confirm(publisher, shown).status_code == 503
    assert confirm(publisher, shown).status_code == 302
    assert Tool.objects.count() == 2


# --- Bad files -------------------------------------------------------------------------------

BAD_FILES = [
    (b" \n ", "the file: is empty"),
    (text_of().encode()[:-9], "the file ends before the document does"),
    (text_of().encode().replace(b"First", b"F\xfcrst"), "is not UTF-8 (byte 0xfc)"),
    (b'{"format": "shipskip-catalogue/4"}', 'is not "shipskip-catalogue/1"'),
    (text_of(document(tools=[tool(naem="A")])), "tools[0].naem: is not a key of a tool"),
    (text_of(document(tools=[tool(), tool()])), "has the slug of tools[0] already"),
    (text_of(document(tools=[tool(name="<script>\u0000")])), "Remove the character U+0000"),
]
"""Files that cannot be loaded, and words of a fault; tests/catalogue has all faults."""


def test_a_bad_file_is_refused_with_its_fault_and_the_form_is_still_there(publisher):
    for content, fault in BAD_FILES:
        response = send(publisher, URL, content, "<b>.json")
        assert response.status_code == 422, fault
        assert any(fault in each for each in faults(response)), fault
        page = read(response)
        assert "<b>.json was not loaded" in page.text
        assert page.all("input", type="file")
        assert waiting() == []
    assert not any(rows().values())


def test_faults_name_their_entries_and_those_not_looked_at_are_counted(publisher):
    second = {"slug": "beta", "name": "Second one", "entry": "cheap"}
    given = document(tools=[tool(), second, *[{}] * 200], comparisons=[])
    response = send(publisher, URL, text_of(given))
    assert "tools[1].entry Second one" in read(response).text
    assert len(faults(response)) == 501
    assert "34 entries were not looked at" in faults(response)[-1]


def test_a_form_without_a_file_is_explained(publisher):
    for data in ({}, {"file": ""}, {"file": "catalogue.json"}):
        response = publisher.post(URL, data)
        assert response.status_code == 422
        assert "Choose a file first." in response.content.decode()


def test_for_a_file_of_more_than_five_megabytes_the_page_names_the_command(publisher):
    content = text_of()
    content += " " * (5 * 1024 * 1024 - len(content))
    assert send(publisher, URL, content).status_code == 200
    (path,) = waiting()
    path.unlink()
    response = send(publisher, URL, content + " ")
    assert response.status_code == 413
    page = response.content.decode()
    assert "python manage.py load_catalogue FILE.json --dry-run" in page
    assert 'type="file"' in page
    assert waiting() == []


class Endless:
    """The body of an upload; it records the largest read."""

    def __init__(self, size: int) -> None:
        self.left, self.largest = size, 0

    def readline(self, size: int = -1) -> bytes:
        return self.read(size)

    def read(self, size: int = -1) -> bytes:
        size = self.left if size < 0 else min(size, self.left)
        self.left -= size
        self.largest = max(self.largest, size)
        return b"x" * size


def test_twenty_megabytes_are_refused_without_being_held_in_memory_or_parsed(publisher):
    sent = Endless(20 * 1024 * 1024)
    response = publisher.generic(
        "POST",
        URL,
        content_type="multipart/form-data; boundary=x",
        **{"wsgi.input": sent, "CONTENT_LENGTH": str(sent.left)},
    )
    assert response.status_code == 413
    assert "load_catalogue FILE.json" in response.content.decode()
    assert sent.left == 0  # a browser shows no answer before it has sent all
    assert sent.largest <= 64 * 1024
