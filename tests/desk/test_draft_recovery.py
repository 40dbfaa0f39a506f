"""Text that was not saved: recovered after a login, or from the copy in the browser."""

import pytest
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.test import Client

from comparisons.models import Comparison
from tests import factories as make
from tests.desk.acts import change
from tests.desk.forms import ADD, errors, on_the_page, opened, page_of
from tests.markup import read
from tools.models import Fact, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

PASSWORD = "a-long-good-one"
TEXT = "An hour of work: “quotes”, <tags> & ünïcode.\r\n\r\nSecond paragraph."


def log_in(client, page=None, password=PASSWORD, **fields):
    """Send the login form, or the one of a page that asks for a new login."""
    inputs = read(page or client.get("/admin/login/")).all("input", type="hidden")
    hidden = {each.attributes["name"]: each.attributes["value"] for each in inputs}
    account = {"username": "ana", "password": password}
    return client.post("/admin/login/", {"next": "/admin/"} | hidden | account | fields)


@pytest.fixture
def browser(db):
    """A browser that checks tokens as real ones do, logged in as ana."""
    ana = User.objects.create_user("ana", password=PASSWORD, is_staff=True)
    ana.groups.add(Group.objects.get(name="Publishers"))
    client = Client(enforce_csrf_checks=True)
    log_in(client)
    return client


def sent_too_late(client, url, **changes):
    """The response to a form that is sent after the session ended."""
    sent = on_the_page(client.get(url)) | changes
    Session.objects.all().delete()
    return client.post(url, sent)


def test_a_text_sent_after_the_session_ended_is_there_after_the_login(browser):
    url = page_of(make.take(on=make.tool(description="Before", tagline="Before")).tool)
    page = sent_too_late(browser, url, description=TEXT)
    assert page.status_code == 403
    assert "Your text is safe" in page.content.decode()
    page = log_in(browser, page, password="wrong")
    assert page.status_code == 200
    response = log_in(browser, page)
    assert (response.status_code, response["Location"]) == (302, url)
    form = browser.get(url)
    assert "Your text is back in the form, and not saved yet" in form.content.decode()
    form_data = on_the_page(form)
    assert form_data["description"].split() == TEXT.split()
    assert Tool.objects.get().description == "Before"
    response = browser.post(url, form_data)
    assert response.status_code == 302, errors(response)
    assert Tool.objects.get().description.split() == TEXT.split()


def test_a_login_in_another_tab_does_not_cost_the_text_in_this_one(browser):
    sent = on_the_page(browser.get(ADD)) | {"tagline": "From the first tab"}
    Session.objects.all().delete()
    log_in(browser)  # which makes the first tab's token old
    browser.cookies["csrftoken"] = "x" * 32
    response = browser.post(ADD, sent, headers={"origin": "http://testserver"})
    assert (response.status_code, response["Location"]) == (302, ADD)
    assert on_the_page(browser.get(ADD))["tagline"] == "From the first tab"
    assert not Tool.objects.exists()


def test_neither_a_text_of_another_site_nor_of_a_stranger_nor_a_password_is_stored(browser, client):
    url = page_of(make.category())
    for headers in ({"origin": "https://evil.example"}, {}):
        sent = {"name": "Planted", "csrfmiddlewaretoken": "y" * 32}
        response = browser.post(url, sent, headers=headers)
        assert response.status_code == 403
        assert "Planted" not in response.content.decode()
        assert "Planted" not in browser.get(url).content.decode()
    Session.objects.all().delete()
    response = client.post(url, {"name": "Kept", "password": "hidden-secret"})
    assert response.status_code == 403
    assert "Kept" in response.content.decode()
    assert "hidden-secret" not in response.content.decode()
    accounts = {"username": "ben", "old_password": "hidden-secret", "password1": "hidden-secret"}
    for path in ("/admin/password_change/", "/admin/auth/user/add/"):
        page = client.post(path, accounts)
        assert "hidden-secret" not in page.content.decode()
        assert read(page).all("input", name="kept") == []
    assert not Session.objects.exists()


@pytest.mark.both_databases
def test_a_forged_or_damaged_stored_text_breaks_no_page():
    url = page_of(make.category())
    User.objects.create_user("ana", password=PASSWORD, is_staff=True, is_superuser=True)
    junk = ["[" * 100_000, '{"description":["\\ud800 Half."]}', '{"name":5}', "[]", "x"]
    for stored in junk:
        client = Client()
        assert log_in(client, kept=stored, next=url).status_code == 302
        assert [client.get(url).status_code for _ in range(2)] == [200, 200], stored[:30]


def test_a_stored_text_is_shown_on_its_own_page_once(browser):
    own, other = page_of(make.category()), page_of(make.category())
    log_in(browser, sent_too_late(browser, own, name="Waiting"))
    pages = [browser.get(each) for each in (other, own, own)]
    assert ["Waiting" in page.content.decode() for page in pages] == [False, True, False]


# --- The browser's own copy -------------------------------------------------------------------

COPY = "0123456789abcdef" * 2


def deleted_copies(response) -> list[str]:
    """The copies that the browser deletes after this response."""
    return [name.removeprefix("saved.") for name in response.cookies if name.startswith("saved.")]


@pytest.fixture
def row(db):
    return make.comparison(summary="Before", published_at=None)


def test_a_restored_text_is_shown_and_not_saved(publisher, row):
    form = opened(publisher, row) | {"summary": "Typed “more” \0"}
    restored = publisher.post(page_of(row), form | {"_restore": "yes", "_copy": COPY})
    assert "Your text is back in the form, and not saved yet" in restored.content.decode()
    assert on_the_page(restored)["summary"].startswith("Typed “more”")
    assert "data-unsaved-bound" in restored.content.decode()
    assert deleted_copies(restored) == []
    row.refresh_from_db()
    assert row.summary == "Before"
    change(row, summary="His")
    restored = publisher.post(page_of(row), form | {"summary": "Hers", "_restore": "yes"})
    rows = restored.context["adminform"].form.conflict.rows
    assert rows == [("Summary", "His", "Hers")], "what a colleague saved meanwhile"
    saved = publisher.post(page_of(row), on_the_page(restored) | {"summary": "Typed"})
    assert (saved.status_code, Comparison.objects.get().summary) == (302, "Typed")


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


def test_only_a_save_deletes_the_copy_that_the_page_names(publisher, row):
    form = opened(publisher, row) | {"summary": "Typed"}
    for changes in ({"tool_list-0-tool": ""}, {"_preview": "yes"}, {"_copy": f"../{COPY}"}):
        response = publisher.post(page_of(row), form | {"_copy": COPY} | changes)
        assert deleted_copies(response) == [], changes
    assert response.status_code == 302
    response = publisher.post(page_of(row), opened(publisher, row) | {"_copy": COPY})
    assert deleted_copies(response) == [COPY]
    cookie = response.cookies[f"saved.{COPY}"]
    assert (cookie["path"], cookie["samesite"], cookie["httponly"]) == ("/admin/", "Lax", "")


def test_a_browser_of_a_shared_computer_and_one_that_may_only_read_store_no_copy(writer):
    row = make.comparison()
    User.objects.create_superuser("ana", password=PASSWORD)
    for choice in ({}, {"shared": "on"}):
        client = Client()
        log_in(client, **choice)
        page = client.get(page_of(row)).content.decode()
        assert ("data-unsaved-shared" in page) == bool(choice)
    assert "data-unsaved" not in writer.get(page_of(row)).content.decode()
