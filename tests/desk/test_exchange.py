"""The screen of files: catalogue documents, takes and facts as CSV, downloaded, previewed, loaded
when confirmed.
"""

import json
import os
import re
import stat
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError

from reviews.models import Take, TakeChange
from shipskip.catalogue.changes import OVERRULED_PRICES
from shipskip.catalogue.files import FACTS, TAKES
from shipskip.roles import PUBLISHERS
from tests import factories as make
from tests.catalogue.documents import FORMAT, as_file, document, dumped, load, rows, with_facts
from tests.catalogue.documents import tool as tool_entry
from tests.desk.editor_clients import desk_of
from tests.markup import read
from tools.models import Category, Fact, Tool

pytestmark = pytest.mark.django_db

URL = "/admin/exchange/"
SEEN = "Scores and verdicts that readers could see"
DOWNLOADS = [f"{URL}download/{kind}/" for kind in ("catalogue", "takes", "facts")]
HEADER = "tool,reviewer,score,verdict,body,published,reason\n"
ROW = "alpha,builder,70,ship,Good.,2026-05-01T09:00:00Z,\n"


@pytest.fixture(autouse=True)
def _upload_folder(settings, tmp_path):
    """Store uploads in a temporary folder."""
    settings.VAR_DIR = tmp_path


@pytest.fixture
def take(db):
    """The take of the row above."""
    tool, reviewer = make.tool(slug="alpha"), make.reviewer(slug="builder")
    return make.take(on=tool, by=reviewer, score=70, body="Good.")


def text_of(given: dict | None = None) -> str:
    """A catalogue document as JSON; a valid one by default."""
    return json.dumps(given or document())


def with_score(score: int) -> dict:
    given = document()
    given["tools"][0]["takes"][0]["score"] = score
    return given


def waiting() -> list[Path]:
    """The stored files that are not confirmed yet."""
    folder = Path(settings.VAR_DIR) / "uploads"
    return sorted(folder.iterdir()) if folder.exists() else []


def send(client, content: dict | bytes | str, name: str = "mine.json", **more):
    """Upload a document or a file and get the preview of its changes."""
    if isinstance(content, dict):
        content = text_of(content)
    content = content.encode() if isinstance(content, str) else content
    return client.post(URL, {"file": SimpleUploadedFile(name, content)} | more)


def confirm(client, response, **more):
    """Confirm the changes of a page."""
    ticket = re.search(r'name="ticket" value="([^"]+)"', response.content.decode())
    assert ticket
    return client.post(f"{URL}load/", {"ticket": ticket[1]} | more)


def listed(response) -> list[str]:
    """The changes of scores and verdicts that a page lists."""
    return [str(entry) for entry in response.context["change_lists"][SEEN].entries]


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
        assert client.post(path, {"file": SimpleUploadedFile("x", b"{}")}).status_code == 403
    assert waiting() == []
    client.get(URL)
    token = client.cookies["csrftoken"].value
    assert send(client, document(), csrfmiddlewaretoken=token).status_code == 200


def test_the_screen_and_its_downloads_which_come_back_without_a_change(publisher, clock, snapshot):
    page = read(publisher.get(URL))
    assert page.visible_text == snapshot
    assert set(DOWNLOADS) <= set(page.links)
    assert publisher.get(f"{URL}download/votes/").status_code == 404
    load(as_file(with_facts()))
    clock(datetime(2026, 6, 1, 12, tzinfo=UTC))
    csv = "text/csv; charset=utf-8"
    for url, name, kind, text in (
        (DOWNLOADS[0], "catalogue-2026-06-01.json", "application/json", dumped()),
        (DOWNLOADS[1], "takes-2026-06-01.csv", csv, "".join(TAKES.dump())),
        (DOWNLOADS[2], "facts-2026-06-01.csv", csv, "".join(FACTS.dump())),
    ):
        response = publisher.get(url)
        assert response["Content-Disposition"] == f'attachment; filename="{name}"'
        assert response["Content-Type"] == kind
        assert "no-store" in response["Cache-Control"]
        content = b"".join(response.streaming_content)
        assert content.decode() == text
        assert response["Content-Length"] == str(len(content))
        assert f"{name} would change nothing" in read(send(publisher, content, name)).text
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
    given["tools"] = [tool_entry(slug=f"tool-{at}", takes=[]) for at in range(9)] + given["tools"]
    # A document is recognised by its first character, not by its name.
    previewed = send(publisher, "\ufeff \n" + text_of(given), "<b>.csv")
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
    assert f"Loaded <b>.csv: {counts}" in page
    overruled = f"{OVERRULED_PRICES}: alpha (entry: “free” → “freemium”)."
    assert overruled in page
    take = Take.objects.get(reviewer__slug="skeptic")
    assert take.score == 40
    assert take.history.latest("history_id").history_user == User.objects.get()
    change = TakeChange.objects.get()
    assert (change.score_before, change.score_after, change.reason) == (72, 40, "Pricing tripled")
    assert waiting() == []
    again = read(send(publisher, given)).text
    assert "would change nothing" in again
    assert overruled in again


def test_rows_of_takes_are_previewed_and_loaded_with_their_reason_or_that_of_all(publisher, take):
    text = HEADER + ROW.replace("70,ship", "60,skip").replace("Z,", "Z,Pricing tripled")
    shown = send(publisher, text, "new.csv")
    change = "takes: builder on alpha (score: 70 → 60; verdict: “ship” → “skip”)"
    assert [*shown.context["change_lists"]] == [SEEN]
    assert listed(shown) == [change]
    assert not TakeChange.objects.exists()
    assert confirm(publisher, shown).status_code == 302
    version = take.history.latest("history_id")
    assert (version.score, version.history_user) == (60, User.objects.get())
    assert version.history_change_reason == f"{TAKES.note}: Pricing tripled"
    text = HEADER + ROW.replace("70", "50")
    refused = send(publisher, text)
    assert refused.status_code == 422
    assert "line 2, reason is missing" in read(refused).text
    assert confirm(publisher, send(publisher, text, reason="A new panel")).status_code == 302
    reasons = TakeChange.objects.order_by("pk").values_list("reason", flat=True)
    assert [*reasons] == ["Pricing tripled", "A new panel"]
    assert waiting() == []


def test_a_public_change_needs_a_reason_of_one_line(publisher):
    load(as_file(document()))
    page = send(publisher, with_score(40), reason="Offered again")
    assert 'value="Offered again"' in page.content.decode()
    for reason in ("", "\u3164", "x" * 201, "two\nlines"):
        page = confirm(publisher, page, reason=reason)
        assert page.status_code == 422, reason
        assert set(page.context["form"].errors) == {"reason"}
        assert listed(page)
        assert not TakeChange.objects.exists()
    assert confirm(publisher, page, reason="x" * 200).status_code == 302
    assert TakeChange.objects.get().reason == "x" * 200


def test_changes_of_the_site_before_the_confirmation_are_shown_and_nothing_is_loaded(publisher):
    load(as_file(document()))
    shown = send(publisher, with_score(40), reason="Pricing tripled")
    Take.objects.filter(score=72).update(score=73)
    before = rows()
    next_page = confirm(publisher, shown, reason="Pricing tripled")
    assert next_page.status_code == 409
    assert "The site changed after you saw the changes" in next_page.content.decode()
    assert "skeptic on alpha (score: 73 → 40" in str(listed(next_page))
    assert rows() == before
    assert confirm(publisher, next_page, reason="Pricing tripled").status_code == 302
    change = TakeChange.objects.get()
    assert (change.score_before, change.reason) == (73, "Pricing tripled")


def test_a_score_that_became_public_before_the_confirmation_needs_a_reason(publisher):
    given = document()
    given["tools"][0]["published"] = None
    load(as_file(given))
    given["tools"][0]["takes"][0]["score"] = 40
    shown = send(publisher, given)
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
    in_chat = send(publisher, {"format": FORMAT, "tools": [tool_entry()]})
    whole = send(publisher, document())
    Category.objects.all().delete()
    response = confirm(publisher, in_chat)
    assert response.status_code == 422
    assert 'tools[0].category Gamma "chat" is no category' in read(response).text
    load(as_file(document()))
    assert "mine.json would change nothing" in confirm(publisher, whole).content.decode()
    assert waiting() == []


# --- Stored files ----------------------------------------------------------------------------


def replaced(path):
    path.write_text(text_of(document(tools=[tool_entry()], comparisons=[])))


def being_loaded(path):
    path.rename(path.with_suffix(".claimed"))


@pytest.mark.parametrize("happens", [replaced, being_loaded])
def test_a_stored_file_that_is_not_the_one_shown_is_not_loaded(publisher, happens):
    shown = send(publisher, document())
    happens(waiting()[0])
    response = confirm(publisher, shown)
    assert response.status_code == 410
    assert "choose the file again" in response.content.decode()
    assert not any(rows().values())
    assert [path.suffix for path in waiting()] == [".claimed"] * (happens is being_loaded)


def test_a_file_is_loaded_once_by_the_editor_who_sent_it_and_by_no_forged_ticket(publisher):
    shown = send(publisher, document())
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
    send(publisher, document())
    (old,) = waiting()
    now = time.time()
    os.utime(old, (now - minutes * 60,) * 2)
    shown = send(publisher, document())
    assert (old in waiting()) == (status == 302), "another upload deletes the old ones"
    monkeypatch.setattr("time.time", lambda: now + minutes * 60)
    assert confirm(publisher, shown).status_code == status


def test_a_database_error_leaves_the_file_stored(publisher, monkeypatch):
    def fail(*_, **__):
        raise OperationalError("database is locked")

    shown = send(publisher, document())
    publisher.raise_request_exception = False
    with monkeypatch.context() as patch:
        patch.setattr("shipskip.catalogue.applying.insert_rows", fail)
        assert confirm(publisher, shown).status_code == 503
    assert confirm(publisher, shown).status_code == 302
    assert Tool.objects.count() == 2


# --- Kinds of files and bad ones -------------------------------------------------------------


BAD_FILES: dict[str, bytes | str | dict] = {
    "no known column": b"name,points\nalpha,3\n",
    "empty": b" \n ",
    "cut off": text_of()[:-9],
    "a bad value": document(tools=[tool_entry(), {"slug": "beta", "name": "B", "entry": "cheap"}]),
    "a control character": document(tools=[tool_entry(name="<script>\u0000")]),
    "not UTF-8": (HEADER + ROW).encode().replace(b"Good", b"G\xf6od"),
    "a spreadsheet": b"PK\x03\x04" + b"\0" * 99,
    "a bad score": HEADER + ROW.replace("70", "140"),
    "too many rows": HEADER + "nothing,nobody,80,ship,x,,\n" * 3,
}
"""Files that cannot be loaded; tests/catalogue has all faults."""


def test_a_bad_file_or_reason_is_refused_with_its_fault_and_the_form_is_still_there(
    publisher, take, snapshot, monkeypatch
):
    monkeypatch.setattr("shipskip.desk.exchange.MAX_ROWS", 2)
    before, found = rows(), {}
    for name, content in BAD_FILES.items():
        response = send(publisher, content, "<b>.json", reason="A new panel")
        assert response.status_code == 422, name
        page = read(response)
        found[name] = page.visible_text.partition("Load a file")[0].split("\n")
        assert page.all("input", type="file")
        assert page.all("input", value="A new panel")
    assert found == snapshot
    response = publisher.post(URL, {"file": "catalogue.json"})
    assert response.status_code == 422
    assert "Choose a file first." in response.content.decode()
    response = send(publisher, HEADER + ROW, reason="two\nlines")
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"reason"}
    assert waiting() == []
    assert rows() == before


def test_a_file_whose_numbers_can_be_read_in_two_ways_asks_once_and_is_then_shown(publisher, take):
    make.attribute(slug="size")
    response = send(publisher, f"tool;attribute;value\n{take.tool.slug};size;1.234\n", "facts.csv")
    assert response.status_code == 422
    page = read(response)
    assert "is 1.234 or 1234; say its decimal sign" in page.visible_text
    asked = [each.attributes["value"] for each in page.all("input", type="radio")]
    assert asked == ["point", "comma"], "days tell by themselves"
    response = confirm(publisher, response)
    assert (response.status_code, Fact.objects.count()) == (422, 0), "asked again"
    response = confirm(publisher, response, decimal_sign="comma")
    assert response.status_code == 200
    assert "value: “1234”" in read(response).visible_text
    assert confirm(publisher, response).status_code == 302
    assert Fact.objects.get().value == 1234
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


def test_more_than_five_megabytes_are_refused_without_being_held_in_memory(publisher):
    content = text_of()
    content += " " * (5 * 1024 * 1024 - len(content))
    assert send(publisher, content).status_code == 200
    waiting()[0].unlink()
    body = Endless(20 * 1024 * 1024)
    environ = {"wsgi.input": body, "CONTENT_LENGTH": str(body.left)}
    form = "multipart/form-data; boundary=x"
    for response in (
        send(publisher, content + " "),
        publisher.generic("POST", URL, content_type=form, **environ),
    ):
        assert response.status_code == 413
        page = response.content.decode()
        for command in ("load_catalogue FILE.json --dry-run", "load_takes FILE.csv --dry-run"):
            assert f"python manage.py {command}" in page
        assert 'type="file"' in page
    assert waiting() == []
    assert body.left == 0  # a browser shows no answer before it has sent all
    assert body.largest <= 64 * 1024
