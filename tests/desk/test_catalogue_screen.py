"""The catalogue document at the desk: downloaded, previewed, loaded when confirmed."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reviews.models import Take, TakeChange
from shipskip.catalogue.changes import OVERRULED_PRICES
from shipskip.catalogue.dumping import dump
from shipskip.roles import PUBLISHERS, WRITERS
from tests import factories as make
from tests.catalogue.documents import FORMAT, as_file, document, load, rows, tool, with_facts
from tests.desk.editor_clients import desk_of
from tests.desk.uploading import URL, confirm, faults, listed, send, text_of, waiting
from tests.markup import one_line
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("upload_folder")]

SEEN = "Scores and verdicts that readers could see"


def with_score(score: int) -> dict:
    given = document()
    given["tools"][0]["takes"][0]["score"] = score
    return given


def body(response) -> bytes:
    return b"".join(response.streaming_content)


# --- Permissions -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", [URL, f"{URL}download/catalogue/", f"{URL}load/"])
def test_a_visitor_without_an_account_is_redirected_to_the_login(client, path):
    for response in (client.get(path), client.post(path)):
        assert response.status_code == 302
        assert response["Location"].startswith("/admin/login/")


@pytest.mark.parametrize(
    ("method", "path"),
    [("get", URL), ("post", URL), ("get", f"{URL}download/catalogue/"), ("post", f"{URL}load/")],
)
def test_a_writer_is_refused(method, path):
    response = getattr(desk_of(WRITERS), method)(path)
    assert response.status_code == 403
    assert "Your account may not open this" in response.content.decode()


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


def test_a_form_of_our_own_page_is_accepted():
    client = desk_of(PUBLISHERS, enforce_csrf_checks=True)
    client.get(URL)
    token = client.cookies["csrftoken"].value
    assert send(client, URL, text_of(), csrfmiddlewaretoken=token).status_code == 200


# --- Download --------------------------------------------------------------------------------


def test_the_download_is_the_dump_under_a_dated_name(publisher, clock):
    load(as_file(document()))
    clock(datetime(2026, 6, 1, 12, tzinfo=UTC))
    response = publisher.get(f"{URL}download/catalogue/")
    assert response["Content-Disposition"] == 'attachment; filename="catalogue-2026-06-01.json"'
    assert response["Content-Type"] == "application/json"
    assert "no-store" in response["Cache-Control"]
    content = body(response)
    assert content.decode() == "".join(dump())
    assert response["Content-Length"] == str(len(content))


def test_a_download_sent_again_is_reported_to_change_nothing(publisher):
    load(as_file(document()))
    response = send(publisher, URL, body(publisher.get(f"{URL}download/catalogue/")), "mine.json")
    assert response.status_code == 200
    assert "mine.json would change nothing" in response.content.decode()
    assert waiting() == []


# --- Upload ----------------------------------------------------------------------------------


def test_a_preview_of_a_file_writes_nothing(publisher):
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
    next_page = confirm(publisher, shown, reason=reason)
    assert next_page.status_code == 422
    assert set(next_page.context["form"].errors) == {"reason"}
    assert listed(next_page)[SEEN]
    assert not TakeChange.objects.exists()
    assert confirm(publisher, next_page, reason="Pricing tripled").status_code == 302
    assert TakeChange.objects.get().reason == "Pricing tripled"


def test_changes_of_the_site_before_the_confirmation_are_shown_and_nothing_is_loaded(publisher):
    load(as_file(document()))
    given = with_score(40)
    shown = send(publisher, URL, text_of(given))
    Take.objects.filter(score=72).update(score=73)
    next_page = confirm(publisher, shown, reason="Pricing tripled")
    assert next_page.status_code == 409
    assert "The site changed after you saw the changes" in next_page.content.decode()
    assert listed(next_page)[SEEN] == ["takes: skeptic on alpha (score: 73 → 40)"]
    assert Take.objects.filter(score=73).exists()
    assert confirm(publisher, next_page, reason="Pricing tripled").status_code == 302
    assert TakeChange.objects.get().score_before == 73


def test_a_score_that_became_public_before_the_confirmation_needs_a_reason(publisher):
    given = document()
    given["tools"][0]["published"] = None
    load(as_file(given))
    given["tools"][0]["takes"][0]["score"] = 40
    shown = send(publisher, URL, text_of(given))
    assert shown.context["form"] is None
    alpha = Tool.objects.get(slug="alpha")
    alpha.publish(datetime(2026, 6, 1, tzinfo=UTC))
    alpha.withdraw(datetime(2026, 7, 1, tzinfo=UTC))
    next_page = confirm(publisher, shown)
    assert next_page.status_code == 409
    assert next_page.context["form"] is not None
    assert not TakeChange.objects.exists()


def test_a_file_that_would_no_longer_change_anything_is_reported(publisher):
    shown = send(publisher, URL, text_of(), "mine.json")
    load(as_file(document()))
    response = confirm(publisher, shown)
    assert "mine.json would change nothing" in response.content.decode()
    assert waiting() == []


def test_a_file_whose_category_was_deleted_since_is_refused_with_its_faults(publisher):
    make.category(slug="chat")
    shown = send(publisher, URL, text_of({"format": FORMAT, "tools": [tool()]}))
    make.category(slug="art").__class__.objects.filter(slug="chat").delete()
    response = confirm(publisher, shown)
    assert response.status_code == 422
    assert faults(response)[0].startswith('tools[0].category: "chat" is no category')
    assert waiting() == []


def test_removed_facts_and_overruled_entry_prices_are_shown_before_and_after(publisher):
    load(as_file(with_facts()))
    given = with_facts(facts=[], entry="free")
    shown = send(publisher, URL, text_of(given))
    assert listed(shown)["Removed"][0] == (
        "facts: context-window of alpha (value: “128,000” → none)"
    )
    assert listed(shown)[OVERRULED_PRICES] == ["tools: alpha (entry: “free” → “freemium”)"]
    assert "<td>0</td> <td>0</td> <td>7</td>" in one_line(shown.content)
    page = publisher.get(confirm(publisher, shown)["Location"]).content.decode()
    assert "facts removed: 7" in page
    assert f"{OVERRULED_PRICES}: alpha (entry: “free” → “freemium”)." in page
    next_page = send(publisher, URL, text_of(given)).content.decode()
    assert "would change nothing" in next_page
    assert "alpha (entry: “free” → “freemium”)" in next_page


# --- The page --------------------------------------------------------------------------------


def test_the_list_is_limited_with_the_most_important_changes_first(publisher, monkeypatch):
    load(as_file(document()))
    monkeypatch.setattr("shipskip.catalogue.changes.MAX_LISTED", 3)
    given = with_score(40)
    given["tools"] = [tool(slug=f"tool-{at}") for at in range(9)] + given["tools"]
    response = send(publisher, URL, text_of(given))
    assert list(listed(response)) == [SEEN, "New"]
    assert len(listed(response)["New"]) == 3
    assert "and 6 more" in response.content.decode()


def test_what_is_withdrawn_from_readers_is_marked(publisher):
    load(as_file(document()))
    given = document()
    given["tools"][0]["published"] = None
    assert "Withdrawn from readers" in one_line(send(publisher, URL, text_of(given)).content)


def test_texts_of_a_file_are_text_on_the_page(publisher):
    given = document()
    given["tools"][0]["takes"] = []
    load(as_file(given))
    given["tools"][0]["tagline"] = "<script>alert(1)</script>"
    page = send(publisher, URL, text_of(given), "<b>.json").content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<b>.json" not in page


def test_the_queries_of_a_preview_do_not_depend_on_the_number_of_rows(publisher):
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
    assert "python manage.py load_catalogue FILE.json" in page
    for kind in ("catalogue", "takes", "facts"):
        assert f'href="{URL}download/{kind}/"' in page
    assert publisher.get(f"{URL}download/votes/").status_code == 404


@pytest.mark.parametrize(
    "content",
    [b"name,points\nalpha,3\n", b"Hello {\n", b'"attribute of a tool"\n'],
    ids=["other columns", "a text", "a title above the header"],
)
def test_a_file_of_no_known_kind_is_refused_with_the_headers_of_each(publisher, content):
    response = send(publisher, URL, content, "notes.txt", reason="A new panel")
    assert response.status_code == 422
    (fault,) = faults(response)
    assert "“{”" in fault
    assert "tool, reviewer, score, verdict, body, published" in fault
    assert "tool, attribute, value" in fault
    page = response.content.decode()
    assert "notes.txt was not loaded" in page
    assert 'value="A new panel"' in page
    assert waiting() == []


@pytest.mark.parametrize("start", ["", " \n", "\ufeff"], ids=["none", "space", "byte order mark"])
def test_a_document_is_recognised_by_its_first_character(publisher, start):
    shown = send(publisher, URL, start + text_of(), "reviewer,attribute.csv")
    assert "reviewer,attribute.csv" in shown.content.decode()
    assert confirm(publisher, shown).status_code == 302
    assert Tool.objects.count() == 2


def test_the_reason_given_with_a_document_is_offered_again_beside_its_changes(publisher):
    load(as_file(document()))
    shown = send(publisher, URL, text_of(with_score(40)), reason="Pricing tripled")
    assert 'value="Pricing tripled"' in shown.content.decode()
