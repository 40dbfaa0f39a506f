"""The catalogue document up and down at the desk: shown first, loaded when confirmed."""

import json
import os
import stat
import time
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reviews.models import Take, TakeChange
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.loading import load
from shipskip.roles import PUBLISHERS, WRITERS
from tests import factories as make
from tests.catalogue.documents import FORMAT, as_file, document, rows, tool
from tests.desk.desks import desk_of
from tests.desk.loading import confirm, faults, listed, send, waiting
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("upload_folder")]
URL = "/admin/catalogue/"
SEEN = "Scores and verdicts that readers could see"


def text_of(given: dict | None = None) -> str:
    return json.dumps(given or document())


def with_score(score: int) -> dict:
    given = document()
    given["tools"][0]["takes"][0]["score"] = score
    return given


def body(response) -> bytes:
    return b"".join(response.streaming_content)


# --- Who may ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [URL, f"{URL}download/", f"{URL}load/"])
def test_a_stranger_is_sent_to_the_login(client, path):
    for response in (client.get(path), client.post(path)):
        assert response.status_code == 302
        assert response["Location"].startswith("/admin/login/")


@pytest.mark.parametrize(
    ("method", "path"),
    [("get", URL), ("post", URL), ("get", f"{URL}download/"), ("post", f"{URL}load/")],
)
def test_a_writer_is_shown_that_it_is_for_others(method, path):
    response = getattr(desk_of(WRITERS), method)(path)
    assert response.status_code == 403
    assert "This was not allowed" in response.content.decode()


def test_an_editor_who_may_not_publish_comparisons_is_no_publisher():
    client = desk_of(PUBLISHERS)
    user = User.objects.get()
    rights = user.groups.get().permissions.exclude(codename="publish_comparison")
    user.user_permissions.set(rights)
    user.groups.clear()
    assert client.get(URL).status_code == 403


@pytest.mark.parametrize("path", [URL, f"{URL}load/"])
def test_a_form_from_another_site_is_refused(path):
    client = desk_of(PUBLISHERS, enforce_csrf_checks=True)
    assert send(client, path, text_of()).status_code == 403
    assert waiting() == []


def test_a_form_of_our_own_page_is_taken():
    client = desk_of(PUBLISHERS, enforce_csrf_checks=True)
    client.get(URL)
    token = client.cookies["csrftoken"].value
    assert send(client, URL, text_of(), csrfmiddlewaretoken=token).status_code == 200


# --- Out -------------------------------------------------------------------------------------


def test_the_download_is_the_dump_under_a_dated_name(publisher, clock):
    load(as_file(document()))
    clock(datetime(2026, 6, 1, 12, tzinfo=UTC))
    response = publisher.get(f"{URL}download/")
    assert response["Content-Disposition"] == 'attachment; filename="catalogue-2026-06-01.json"'
    assert response["Content-Type"] == "application/json"
    assert "no-store" in response["Cache-Control"]
    content = body(response)
    assert content.decode() == "".join(dump())
    assert response["Content-Length"] == str(len(content))


def test_what_is_downloaded_and_sent_again_changes_nothing_and_is_told_so(publisher):
    load(as_file(document()))
    response = send(publisher, URL, body(publisher.get(f"{URL}download/")), "mine.json")
    assert response.status_code == 200
    assert "mine.json would change nothing" in response.content.decode()
    assert waiting() == []


# --- In --------------------------------------------------------------------------------------


def test_a_file_is_shown_first_and_writes_nothing(publisher):
    load(as_file(document()))
    before = rows()
    given = with_score(40)
    given["tools"][0]["tagline"] = "Last of all"
    given["tools"].append(tool())
    response = send(publisher, URL, text_of(given), "new.json")
    assert response.status_code == 200
    assert listed(response) == {
        SEEN: ["takes: skeptic on alpha (score: 72 → 40)"],
        "Changed": ["tools: alpha (tagline: “First of all” → “Last of all”)"],
        "New": ["tools: gamma"],
    }
    page = response.content.decode()
    assert "What new.json would change" in page
    assert "score: 72 → 40" in page
    assert "Nothing has been changed yet" in page
    assert rows() == before
    assert len(waiting()) == 1


def test_a_confirmed_file_is_loaded_with_its_editor_and_reason(publisher):
    load(as_file(document()))
    shown = send(publisher, URL, text_of(with_score(40)), "new.json")
    response = confirm(publisher, shown, reason="Pricing tripled")
    assert (response.status_code, response["Location"]) == (302, URL)
    page = publisher.get(URL).content.decode()
    assert "Loaded new.json: takes changed: 1." in page
    take = Take.objects.get(reviewer__slug="skeptic")
    assert take.score == 40
    assert take.history.latest("history_id").history_user == User.objects.get()
    change = TakeChange.objects.get()
    assert (change.score_before, change.score_after, change.reason) == (72, 40, "Pricing tripled")
    assert waiting() == []


def test_a_file_without_public_changes_asks_for_no_reason(publisher):
    shown = send(publisher, URL, text_of())
    assert shown.context["form"] is None
    assert confirm(publisher, shown).status_code == 302
    assert Tool.objects.count() == 2


@pytest.mark.parametrize("reason", ["", "   ", "\u200b", "\u3164", "x" * 201, "two\nlines"])
def test_a_public_change_needs_a_reason_of_one_line(publisher, reason):
    load(as_file(document()))
    shown = send(publisher, URL, text_of(with_score(40)))
    again = confirm(publisher, shown, reason=reason)
    assert again.status_code == 422
    assert set(again.context["form"].errors) == {"reason"}
    assert listed(again)[SEEN]
    assert not TakeChange.objects.exists()
    assert confirm(publisher, again, reason="Pricing tripled").status_code == 302
    assert TakeChange.objects.get().reason == "Pricing tripled"


def test_a_site_that_changed_meanwhile_is_shown_anew_and_nothing_is_loaded(publisher):
    load(as_file(document()))
    given = with_score(40)
    shown = send(publisher, URL, text_of(given))
    Take.objects.filter(score=72).update(score=73)
    again = confirm(publisher, shown, reason="Pricing tripled")
    assert again.status_code == 409
    assert "The site changed after you saw the changes" in again.content.decode()
    assert listed(again)[SEEN] == ["takes: skeptic on alpha (score: 73 → 40)"]
    assert Take.objects.filter(score=73).exists()
    assert confirm(publisher, again, reason="Pricing tripled").status_code == 302
    assert TakeChange.objects.get().score_before == 73


def test_a_score_that_became_public_meanwhile_asks_for_its_reason(publisher):
    given = document()
    given["tools"][0]["published"] = None
    load(as_file(given))
    given["tools"][0]["takes"][0]["score"] = 40
    shown = send(publisher, URL, text_of(given))
    assert shown.context["form"] is None
    alpha = Tool.objects.get(slug="alpha")
    alpha.publish(datetime(2026, 6, 1, tzinfo=UTC))
    alpha.withdraw(datetime(2026, 7, 1, tzinfo=UTC))
    again = confirm(publisher, shown)
    assert again.status_code == 409
    assert again.context["form"] is not None
    assert not TakeChange.objects.exists()


def test_a_site_that_says_it_all_meanwhile_is_told_so(publisher):
    shown = send(publisher, URL, text_of(), "mine.json")
    load(as_file(document()))
    response = confirm(publisher, shown)
    assert "mine.json would change nothing" in response.content.decode()
    assert waiting() == []


def test_a_file_whose_category_is_gone_meanwhile_is_refused_with_its_faults(publisher):
    make.category(slug="chat")
    shown = send(publisher, URL, text_of({"format": FORMAT, "tools": [tool()]}))
    make.category(slug="art").__class__.objects.filter(slug="chat").delete()
    response = confirm(publisher, shown)
    assert response.status_code == 422
    assert faults(response)[0].startswith('tools[0].category: "chat" is no category')
    assert waiting() == []


# --- The file that waits ---------------------------------------------------------------------


def test_the_file_waits_where_nobody_else_reads_it(publisher):
    send(publisher, URL, text_of())
    (path,) = waiting()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_bytes_that_were_swapped_are_not_loaded(publisher):
    shown = send(publisher, URL, text_of())
    waiting()[0].write_text(text_of(document(tools=[tool()], comparisons=[])))
    response = confirm(publisher, shown)
    assert response.status_code == 410
    assert "choose the file again" in response.content.decode()
    assert not any(rows().values())
    assert waiting() == []


def test_another_editor_cannot_load_my_file(publisher):
    shown = send(publisher, URL, text_of())
    other = desk_of(PUBLISHERS, name="adam")
    assert confirm(other, shown).status_code == 410
    assert not any(rows().values())
    assert confirm(publisher, shown).status_code == 302


def test_a_file_is_loaded_once(publisher):
    shown = send(publisher, URL, text_of())
    assert confirm(publisher, shown).status_code == 302
    assert confirm(publisher, shown).status_code == 410
    assert Tool.history.count() == 2


def test_a_file_that_is_being_loaded_is_not_there_for_a_second_request(publisher):
    shown = send(publisher, URL, text_of())
    (path,) = waiting()
    path.rename(path.with_suffix(".claimed"))
    assert confirm(publisher, shown).status_code == 410
    assert not any(rows().values())


@pytest.mark.parametrize(("minutes", "status"), [(59, 302), (61, 410)])
def test_a_file_waits_for_an_hour(publisher, monkeypatch, minutes, status):
    shown = send(publisher, URL, text_of())
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + minutes * 60)
    assert confirm(publisher, shown).status_code == status


def test_what_others_left_an_hour_ago_is_swept_away(publisher):
    send(publisher, URL, text_of())
    (old,) = waiting()
    past = (datetime.now(UTC) - timedelta(minutes=61)).timestamp()
    os.utime(old, (past, past))
    send(publisher, URL, text_of())
    assert old not in waiting()
    assert len(waiting()) == 1


@pytest.mark.parametrize("ticket", ["", "x", "../../etc/passwd", "e30:x:y"])
def test_a_ticket_that_was_made_up_loads_nothing(publisher, ticket):
    response = publisher.post(f"{URL}load/", {"ticket": ticket})
    assert response.status_code == 410


def test_a_database_that_fails_leaves_the_file_waiting(publisher, monkeypatch):
    def fail(*_, **__):
        raise OperationalError("database is locked")

    shown = send(publisher, URL, text_of())
    publisher.raise_request_exception = False
    with monkeypatch.context() as patch:
        patch.setattr("shipskip.catalogue.loading.write", fail)
        assert confirm(publisher, shown).status_code == 503
    assert confirm(publisher, shown).status_code == 302
    assert Tool.objects.count() == 2


def test_a_login_that_leads_back_to_the_act_leads_to_the_screen(publisher):
    response = publisher.get(f"{URL}load/")
    assert (response.status_code, response["Location"]) == (302, URL)


# --- Bad files -------------------------------------------------------------------------------

BAD_FILES = {
    "empty": (b"", "the document: is empty"),
    "blank": (b" \n ", "the document: is empty"),
    "not JSON": (b"tool,reviewer\n", "is not JSON"),
    "cut off": (text_of().encode()[:-9], "the file ends before the document does"),
    "not UTF-8": (text_of().encode().replace(b"First", b"F\xfcrst"), "is not UTF-8 (byte 0xfc)"),
    "UTF-16": (text_of().encode("utf-16"), "is not UTF-8 (byte 0xff)"),
    "a list": (b"[]", "is a list"),
    "another format": (b'{"format": "shipskip-catalogue/2"}', 'is not "shipskip-catalogue/1"'),
    "no format": (b'{"tools": []}', "format: is missing"),
    "unknown keys": (
        text_of(document(tools=[tool(naem="A", name=...)])).encode(),
        "tools[0].naem: is not a key of a tool",
    ),
    "doubled": (
        text_of(document(tools=[tool(), tool()], comparisons=[])).encode(),
        "is taken by tools[0]",
    ),
    "a script for a name": (
        text_of(document(tools=[tool(name="<script>\u0000")])).encode(),
        "contains U+0000",
    ),
}


@pytest.mark.parametrize(("content", "fault"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_bad_file_is_refused_with_its_fault_and_the_form_is_still_there(
    publisher, content, fault
):
    response = send(publisher, URL, content, "bad.json")
    assert response.status_code == 422
    assert any(fault in each for each in faults(response))
    page = response.content.decode()
    assert "bad.json was not loaded" in page
    assert 'type="file"' in page
    assert not any(rows().values())
    assert waiting() == []


def test_every_fault_of_a_file_is_counted_and_some_hundred_are_listed(publisher):
    given = document(tools=[{}] * 200, comparisons=[])
    response = send(publisher, URL, text_of(given))
    assert len(faults(response)) == 500
    assert "600 faults" in response.content.decode()
    assert "and 100 more" in response.content.decode()


@pytest.mark.parametrize("data", [{}, {"file": ""}, {"file": "catalogue.json"}])
def test_no_file_chosen_is_a_sentence(publisher, data):
    response = publisher.post(URL, data)
    assert response.status_code == 422
    assert "Choose a file first." in response.content.decode()


def test_a_file_of_more_than_five_megabytes_is_pointed_to_the_command(publisher):
    response = send(publisher, URL, text_of() + " " * (5 * 1024 * 1024))
    assert response.status_code == 413
    page = response.content.decode()
    assert "python manage.py load_catalogue FILE --dry-run" in page
    assert 'type="file"' in page
    assert waiting() == []


def test_a_file_of_just_five_megabytes_is_taken(publisher):
    tools = [tool(slug=f"tool-{at}", description="x" * 20_000) for at in range(258)]
    content = text_of(document(tools=tools, comparisons=[]))
    content += " " * (5 * 1024 * 1024 - len(content))
    response = send(publisher, URL, content)
    assert response.status_code == 200
    assert response.context["counts"]["tools"].created == 258


class Endless:
    """What a browser sends of 20 MB; it counts what is read at once."""

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
    assert "load_catalogue FILE" in response.content.decode()
    assert sent.left == 0  # a browser shows no answer before it has sent all
    assert sent.largest <= 64 * 1024


# --- The page --------------------------------------------------------------------------------


def test_the_list_is_cut_and_what_matters_most_stands_first(publisher, monkeypatch):
    load(as_file(document()))
    monkeypatch.setattr("shipskip.catalogue.changes.MAX_LISTED", 3)
    given = with_score(40)
    given["tools"] = [tool(slug=f"tool-{at}") for at in range(9)] + given["tools"]
    response = send(publisher, URL, text_of(given))
    assert list(listed(response)) == [SEEN, "New"]
    assert len(listed(response)["New"]) == 3
    assert "and 6 more" in response.content.decode()


def test_what_is_taken_back_from_readers_is_marked(publisher):
    load(as_file(document()))
    given = document()
    given["tools"][0]["published"] = None
    assert "Withdrawn from readers" in send(publisher, URL, text_of(given)).content.decode()


def test_texts_of_a_file_are_text_on_the_page(publisher):
    given = document()
    given["tools"][0]["takes"] = []
    load(as_file(given))
    given["tools"][0]["tagline"] = "<script>alert(1)</script>"
    page = send(publisher, URL, text_of(given), "<b>.json").content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<b>.json" not in page


def test_the_queries_of_a_look_do_not_depend_on_the_number_of_rows(publisher):
    load(as_file(document()))

    def queries(number: int) -> int:
        tools = [tool(slug=f"tool-{at}", takes=[take(by) for by in BOTH]) for at in range(number)]
        with CaptureQueriesContext(connection) as found:
            send(publisher, URL, text_of(document(tools=tools, comparisons=[])))
        return len(found)

    queries(1)
    assert queries(30) <= queries(3) + 1


BOTH = ["skeptic", "builder"]


def take(by: str) -> dict:
    return {"reviewer": by, "score": 50, "verdict": "ship"}


def test_the_screen_opens_and_names_the_command(publisher: Client):
    page = publisher.get(URL).content.decode()
    assert "python manage.py load_catalogue FILE" in page
    assert f'href="{URL}download/"' in page
