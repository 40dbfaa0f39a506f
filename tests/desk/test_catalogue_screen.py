"""The screen of files: the catalogue document downloaded, previewed, loaded when confirmed."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Take, TakeChange
from shipskip.catalogue.changes import OVERRULED_PRICES
from shipskip.catalogue.dumping import dump
from shipskip.roles import PUBLISHERS
from tests import factories as make
from tests.catalogue.documents import FORMAT, as_file, document, load, rows, tool, with_facts
from tests.desk.editor_clients import desk_of
from tests.desk.uploading import URL, confirm, faults, listed, send, text_of, waiting
from tests.markup import read
from tools.models import Category, Fact, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("upload_folder")]

SEEN = "Scores and verdicts that readers could see"


def with_score(score: int) -> dict:
    given = document()
    given["tools"][0]["takes"][0]["score"] = score
    return given


def upload(client, given: dict | None = None, name: str = "mine.json", **more):
    """Send a document and get the preview of its changes."""
    return send(client, URL, text_of(given), name, **more)


def body(response) -> bytes:
    return b"".join(response.streaming_content)


# --- Permissions -----------------------------------------------------------------------------

DOWNLOADS = [f"{URL}download/{kind}/" for kind in ("catalogue", "takes", "facts")]


def test_only_who_may_publish_everything_opens_the_screen(client, writer):
    partial = desk_of(PUBLISHERS)
    user = User.objects.get(username="publishers")
    rights = user.groups.get().permissions.exclude(codename="publish_comparison")
    user.user_permissions.set(rights)
    user.groups.clear()
    for path in (URL, *DOWNLOADS, f"{URL}load/"):
        for method in ("get", "post"):
            if path in DOWNLOADS and method == "post":
                continue
            stranger = getattr(client, method)(path)
            assert stranger["Location"].startswith("/admin/login/"), path
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


# --- Download --------------------------------------------------------------------------------


def test_the_screen_offers_the_downloads_and_names_the_command(publisher):
    page = read(publisher.get(URL))
    assert "python manage.py load_catalogue FILE.json" in page.text
    assert set(DOWNLOADS) <= set(page.links)
    assert publisher.get(f"{URL}download/votes/").status_code == 404


def test_the_download_is_the_dump_under_a_dated_name_and_changes_nothing(publisher, clock):
    load(as_file(document()))
    clock(datetime(2026, 6, 1, 12, tzinfo=UTC))
    response = publisher.get(DOWNLOADS[0])
    assert response["Content-Disposition"] == 'attachment; filename="catalogue-2026-06-01.json"'
    assert response["Content-Type"] == "application/json"
    assert "no-store" in response["Cache-Control"]
    content = body(response)
    assert content.decode() == "".join(dump())
    assert response["Content-Length"] == str(len(content))
    again = send(publisher, URL, content, "mine.json")
    assert again.status_code == 200
    assert "mine.json would change nothing" in again.content.decode()
    assert waiting() == []


# --- Upload ----------------------------------------------------------------------------------


def changed_document() -> dict:
    """A document with changes of every kind, and more new tools than are listed below."""
    given = with_facts(facts=[], entry="free", tagline="<script>alert(1)</script>")
    given["tools"][0]["takes"][0]["score"] = 40
    given["tools"][1]["published"] = None
    given["tools"] = [tool(slug=f"tool-{at}", takes=[]) for at in range(9)] + given["tools"]
    return given


@pytest.fixture
def previewed(publisher, monkeypatch):
    """The preview of that document."""
    monkeypatch.setattr("shipskip.catalogue.changes.MAX_LISTED", 3)
    given = with_facts()
    given["tools"][1]["published"] = "2026-05-01T09:00:00Z"
    load(as_file(given))
    return upload(publisher, changed_document(), "<b>.json")


def test_a_preview_shows_what_a_file_would_change_the_most_important_first(previewed, snapshot):
    assert previewed.status_code == 200
    assert read(previewed).visible_text == snapshot
    assert len(waiting()) == 1
    assert (Fact.objects.count(), Tool.objects.count(), TakeChange.objects.count()) == (7, 2, 0)


def test_a_confirmed_file_is_loaded_with_its_editor_and_reason(previewed, publisher):
    response = confirm(publisher, previewed, reason="Pricing tripled")
    assert (response.status_code, response["Location"]) == (302, URL)
    page = read(publisher.get(URL)).text
    assert (
        "Loaded <b>.json: tools created: 9, tools changed: 2, takes changed: 1, "
        "facts removed: 7." in page
    )
    overruled = f"{OVERRULED_PRICES}: alpha (entry: “free” → “freemium”)."
    assert overruled in page
    take = Take.objects.get(reviewer__slug="skeptic")
    assert take.score == 40
    assert take.history.latest("history_id").history_user == User.objects.get()
    change = TakeChange.objects.get()
    assert (change.score_before, change.score_after, change.reason) == (72, 40, "Pricing tripled")
    assert waiting() == []
    again = read(upload(publisher, changed_document())).text
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


def test_a_file_that_would_no_longer_change_anything_is_reported(publisher):
    shown = upload(publisher)
    load(as_file(document()))
    response = confirm(publisher, shown)
    assert "mine.json would change nothing" in response.content.decode()
    assert waiting() == []


def test_a_file_whose_category_was_deleted_since_is_refused_with_its_faults(publisher):
    make.category(slug="chat")
    shown = upload(publisher, {"format": FORMAT, "tools": [tool()]})
    Category.objects.all().delete()
    response = confirm(publisher, shown)
    assert response.status_code == 422
    assert faults(response)[0].startswith('tools[0].category: "chat" is no category')
    assert waiting() == []


def test_the_queries_of_a_preview_do_not_depend_on_the_number_of_rows(publisher):
    load(as_file(document()))

    def queries(number: int) -> int:
        takes = [
            {"reviewer": reviewer, "score": 50, "verdict": "ship"}
            for reviewer in ("skeptic", "builder")
        ]
        tools = [tool(slug=f"tool-{at}", takes=takes) for at in range(number)]
        with CaptureQueriesContext(connection) as found:
            upload(publisher, document(tools=tools, comparisons=[]))
        return len(found)

    queries(1)
    assert queries(30) <= queries(3) + 1


# --- Kinds of files --------------------------------------------------------------------------


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


def test_a_file_of_no_known_kind_is_refused_with_the_headers_of_each(publisher):
    contents = [b"name,points\nalpha,3\n", b"Hello {\n", b'"attribute of a tool"\n']
    for content in contents:
        response = send(publisher, URL, content, "notes.txt", reason="A new panel")
        assert response.status_code == 422
        (fault,) = faults(response)
        assert "“{”" in fault
        assert "tool, reviewer, score, verdict, body, published" in fault
        assert "tool, attribute, value" in fault
        assert 'value="A new panel"' in response.content.decode()
    assert waiting() == []
