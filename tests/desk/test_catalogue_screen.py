"""The screen of files: the catalogue document downloaded, previewed, loaded when confirmed."""

import os
import stat
import time
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Take, TakeChange
from shipskip.catalogue.changes import OVERRULED_PRICES
from shipskip.roles import PUBLISHERS
from tests import factories as make
from tests.catalogue.documents import (
    FORMAT,
    as_file,
    document,
    dumped,
    load,
    rows,
    tool,
    with_facts,
)
from tests.desk.editor_clients import desk_of
from tests.desk.uploading import URL, confirm, faults, listed, send, text_of, waiting
from tests.markup import read
from tools.models import Category, Fact, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("upload_folder")]

SEEN = "Scores and verdicts that readers could see"
DOWNLOADS = [f"{URL}download/{kind}/" for kind in ("catalogue", "takes", "facts")]


def with_score(score: int) -> dict:
    given = document()
    given["tools"][0]["takes"][0]["score"] = score
    return given


def upload(client, given: dict | None = None, name: str = "mine.json", **more):
    """Send a document and get the preview of its changes."""
    return send(client, URL, text_of(given), name, **more)


# --- Permissions and downloads ---------------------------------------------------------------


def test_only_who_may_publish_everything_opens_the_screen(client, writer):
    partial = desk_of(PUBLISHERS)
    user = User.objects.get(username="publishers")
    rights = user.groups.get().permissions.exclude(codename="publish_comparison")
    user.user_permissions.set(rights)
    user.groups.clear()
    requests = [("get", path) for path in (URL, *DOWNLOADS, f"{URL}load/")]
    for method, path in [*requests, ("post", URL), ("post", f"{URL}load/")]:
        assert getattr(client, method)(path)["Location"].startswith("/admin/login/"), path
        for editor in (writer, partial):
            assert getattr(editor, method)(path).status_code == 403, path
    assert "Your account may not open this" in writer.get(URL).content.decode()


def test_only_forms_of_our_own_page_are_accepted():
    client = desk_of(PUBLISHERS, enforce_csrf_checks=True)
    for path in (URL, f"{URL}load/"):
        assert send(client, path, text_of()).status_code == 403
    assert waiting() == []
    client.get(URL)
    token = client.cookies["csrftoken"].value
    assert upload(client, csrfmiddlewaretoken=token).status_code == 200


def test_the_download_is_the_dump_under_a_dated_name_and_changes_nothing(publisher, clock):
    page = read(publisher.get(URL))
    assert "python manage.py load_catalogue FILE.json" in page.text
    assert set(DOWNLOADS) <= set(page.links)
    assert publisher.get(f"{URL}download/votes/").status_code == 404
    load(as_file(document()))
    clock(datetime(2026, 6, 1, 12, tzinfo=UTC))
    response = publisher.get(DOWNLOADS[0])
    assert response["Content-Disposition"] == 'attachment; filename="catalogue-2026-06-01.json"'
    assert response["Content-Type"] == "application/json"
    assert "no-store" in response["Cache-Control"]
    content = b"".join(response.streaming_content)
    assert content.decode() == dumped()
    assert response["Content-Length"] == str(len(content))
    again = send(publisher, URL, content, "mine.json")
    assert again.status_code == 200
    assert "mine.json would change nothing" in again.content.decode()
    assert waiting() == []


# --- Preview and confirmation ----------------------------------------------------------------


def test_a_preview_shows_the_changes_and_its_confirmation_loads_them(
    publisher, monkeypatch, snapshot
):
    monkeypatch.setattr("shipskip.catalogue.changes.MAX_LISTED", 3)
    given = with_facts()
    given["tools"][1]["published"] = "2026-05-01T09:00:00Z"
    load(as_file(given))
    given = with_facts(facts=[], entry="free", tagline="<script>alert(1)</script>")
    given["tools"][0]["takes"][0]["score"] = 40
    given["tools"][1]["published"] = None
    given["tools"] = [tool(slug=f"tool-{at}", takes=[]) for at in range(9)] + given["tools"]
    previewed = upload(publisher, given, "<b>.json")
    assert previewed.status_code == 200
    assert read(previewed).visible_text == snapshot
    (stored,) = waiting()
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600, "readable by its owner alone"
    assert stat.S_IMODE(stored.parent.stat().st_mode) == 0o700
    assert (Fact.objects.count(), Tool.objects.count(), TakeChange.objects.count()) == (7, 2, 0)

    response = confirm(publisher, previewed, reason="Pricing tripled")
    assert (response.status_code, response["Location"]) == (302, URL)
    page = read(publisher.get(URL)).text
    counts = "tools created: 9, tools changed: 2, takes changed: 1, facts removed: 7."
    assert f"Loaded <b>.json: {counts}" in page
    overruled = f"{OVERRULED_PRICES}: alpha (entry: “free” → “freemium”)."
    assert overruled in page
    take = Take.objects.get(reviewer__slug="skeptic")
    assert take.score == 40
    assert take.history.latest("history_id").history_user == User.objects.get()
    change = TakeChange.objects.get()
    assert (change.score_before, change.score_after, change.reason) == (72, 40, "Pricing tripled")
    assert waiting() == []
    again = read(upload(publisher, given)).text
    assert "would change nothing" in again
    assert overruled in again


def test_a_public_change_needs_a_reason_of_one_line(publisher):
    load(as_file(document()))
    page = upload(publisher, with_score(40), reason="Offered again")
    assert 'value="Offered again"' in page.content.decode()
    for reason in ("", "   ", "\u200b", "\u3164", "x" * 201, "two\nlines"):
        page = confirm(publisher, page, reason=reason)
        assert page.status_code == 422, reason
        assert set(page.context["form"].errors) == {"reason"}
        assert listed(page)[SEEN]
        assert not TakeChange.objects.exists()
    assert confirm(publisher, page, reason="x" * 200).status_code == 302
    assert TakeChange.objects.get().reason == "x" * 200


def test_changes_of_the_site_before_the_confirmation_are_shown_and_nothing_is_loaded(publisher):
    load(as_file(document()))
    shown = upload(publisher, with_score(40))
    Take.objects.filter(score=72).update(score=73)
    before = rows()
    next_page = confirm(publisher, shown, reason="Pricing tripled")
    assert next_page.status_code == 409
    assert "The site changed after you saw the changes" in next_page.content.decode()
    assert listed(next_page)[SEEN] == ["takes: skeptic on alpha (score: 73 → 40)"]
    assert rows() == before
    assert confirm(publisher, next_page, reason="Pricing tripled").status_code == 302
    assert TakeChange.objects.get().score_before == 73


def test_a_score_that_became_public_before_the_confirmation_needs_a_reason(publisher):
    given = document()
    given["tools"][0]["published"] = None
    load(as_file(given))
    given["tools"][0]["takes"][0]["score"] = 40
    shown = upload(publisher, given)
    assert shown.context["form"] is None
    alpha = Tool.objects.get(slug="alpha")
    alpha.publish(datetime(2026, 6, 1, tzinfo=UTC))
    alpha.withdraw(datetime(2026, 7, 1, tzinfo=UTC))
    next_page = confirm(publisher, shown)
    assert next_page.status_code == 409
    assert next_page.context["form"] is not None
    assert not TakeChange.objects.exists()


def test_a_file_that_changes_nothing_or_has_faults_by_now_says_so(publisher):
    make.category(slug="chat")
    in_chat = upload(publisher, {"format": FORMAT, "tools": [tool()]})
    whole = upload(publisher)
    Category.objects.all().delete()
    response = confirm(publisher, in_chat)
    assert response.status_code == 422
    assert faults(response)[0].startswith('tools[0].category: "chat" is no category')
    load(as_file(document()))
    assert "mine.json would change nothing" in confirm(publisher, whole).content.decode()
    assert waiting() == []


def test_the_queries_of_a_preview_do_not_depend_on_the_number_of_rows(publisher):
    load(as_file(document()))
    take = {"score": 50, "verdict": "ship"}
    takes = [take | {"reviewer": reviewer} for reviewer in ("skeptic", "builder")]
    queries = []
    for number in (1, 3, 30):
        tools = [tool(slug=f"tool-{at}", takes=takes) for at in range(number)]
        with CaptureQueriesContext(connection) as found:
            upload(publisher, document(tools=tools, comparisons=[]))
        queries.append(len(found))
    assert queries[2] <= queries[1] + 1


# --- Stored files ----------------------------------------------------------------------------


def replaced(path):
    path.write_text(text_of(document(tools=[tool()], comparisons=[])))


def being_loaded(path):
    path.rename(path.with_suffix(".claimed"))


@pytest.mark.parametrize("happens", [replaced, being_loaded])
def test_a_stored_file_that_is_not_the_one_shown_is_not_loaded(publisher, happens):
    shown = send(publisher, URL, text_of())
    happens(waiting()[0])
    response = confirm(publisher, shown)
    assert response.status_code == 410
    assert "choose the file again" in response.content.decode()
    assert not any(rows().values())
    assert [path.suffix for path in waiting()] == [".claimed"] * (happens is being_loaded)


def test_a_file_is_loaded_once_by_the_editor_who_sent_it_and_by_no_forged_ticket(publisher):
    shown = send(publisher, URL, text_of())
    assert confirm(desk_of(PUBLISHERS, name="adam"), shown).status_code == 410
    for ticket in ("", "x", "../../etc/passwd", "e30:x:y"):
        assert publisher.post(f"{URL}load/", {"ticket": ticket}).status_code == 410, ticket
    after_login = publisher.get(f"{URL}load/")
    assert (after_login.status_code, after_login["Location"]) == (302, URL)
    assert not any(rows().values())
    assert confirm(publisher, shown).status_code == 302
    assert confirm(publisher, shown).status_code == 410
    assert Tool.history.count() == 2


@pytest.mark.parametrize(("minutes", "status"), [(59, 302), (61, 410)])
def test_a_file_is_stored_for_an_hour(publisher, monkeypatch, minutes, status):
    send(publisher, URL, text_of())
    (old,) = waiting()
    now = time.time()
    os.utime(old, (now - minutes * 60,) * 2)
    shown = send(publisher, URL, text_of())
    assert (old in waiting()) == (status == 302), "another upload deletes the old ones"
    monkeypatch.setattr("time.time", lambda: now + minutes * 60)
    assert confirm(publisher, shown).status_code == status


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


# --- Kinds of files and bad ones -------------------------------------------------------------


def test_facts_as_csv_are_loaded_once_their_changes_are_confirmed(publisher):
    make.tool(slug="alpha", name="Alpha")
    make.attribute(slug="size")
    shown = send(publisher, URL, b"tool,attribute,value\nalpha,size,5\n", "facts.csv")
    assert "size of alpha" in shown.content.decode()
    assert not Fact.objects.exists()
    assert confirm(publisher, shown).status_code == 302
    fact = Fact.objects.get()
    assert (fact.value, fact.history.get().history_user.username) == (5, "paula")


@pytest.mark.parametrize("start", ["", " \n", "\ufeff"], ids=["none", "space", "byte order mark"])
def test_a_document_is_recognised_by_its_first_character(publisher, start):
    shown = send(publisher, URL, start + text_of(), "reviewer,attribute.csv")
    assert "reviewer,attribute.csv" in shown.content.decode()
    assert shown.context["form"] is None, "nothing in it was public"
    assert confirm(publisher, shown).status_code == 302
    assert Tool.objects.count() == 2


KINDS = ["“{”", "tool, reviewer, score, verdict, body, published", "tool, attribute, value"]
SECOND = {"slug": "beta", "name": "Second one", "entry": "cheap"}
BAD_FILES = [
    (b"name,points\nalpha,3\n", KINDS),
    (b"Hello {\n", KINDS),
    (b'"attribute of a tool"\n', KINDS),
    (b" \n ", ["is empty"]),
    (text_of().encode()[:-9], ["the file ends before the document does"]),
    (text_of(document(tools=[tool(naem="A")])), ["tools[0].naem", "is not a key of a tool"]),
    (text_of(document(tools=[tool(), SECOND])), ["tools[1].entry Second one"]),
    (text_of(document(tools=[tool(name="<script>\u0000")])), ["Remove the character U+0000"]),
]
"""Files that cannot be loaded, and words of the page; tests/catalogue has all faults."""


def test_a_bad_file_is_refused_with_its_fault_and_the_form_is_still_there(publisher):
    for content, words in BAD_FILES:
        response = send(publisher, URL, content, "<b>.json", reason="A new panel")
        page = read(response)
        assert response.status_code == 422, words
        assert [word for word in words if word not in page.text] == []
        assert "<b>.json was not loaded" in page.text
        assert page.all("input", type="file")
        assert 'value="A new panel"' in response.content.decode()
    for data in ({}, {"file": ""}, {"file": "catalogue.json"}):
        response = publisher.post(URL, data)
        assert response.status_code == 422
        assert "Choose a file first." in response.content.decode()
    assert waiting() == []
    assert not any(rows().values())


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


def test_more_than_five_megabytes_are_refused_without_being_held_in_memory(publisher):
    content = text_of()
    content += " " * (5 * 1024 * 1024 - len(content))
    assert send(publisher, URL, content).status_code == 200
    waiting()[0].unlink()
    body = Endless(20 * 1024 * 1024)
    environ = {"wsgi.input": body, "CONTENT_LENGTH": str(body.left)}
    form = "multipart/form-data; boundary=x"
    for response in (
        send(publisher, URL, content + " "),
        publisher.generic("POST", URL, content_type=form, **environ),
    ):
        assert response.status_code == 413
        page = response.content.decode()
        assert "python manage.py load_catalogue FILE.json --dry-run" in page
        assert 'type="file"' in page
    assert waiting() == []
    assert body.left == 0  # a browser shows no answer before it has sent all
    assert body.largest <= 64 * 1024
