"""A session expires while an editor writes: after the login the text is recovered."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.test import Client

from tests import factories as make
from tests.desk.forms import ADD, errors, on_the_page, page_of
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

PASSWORD = "a-long-good-one"
LOGIN = {"username": "ana", "password": PASSWORD}


@pytest.fixture
def browser(db):
    """A browser that checks tokens as real ones do, logged in as ana."""
    ana = User.objects.create_user("ana", password=PASSWORD, is_staff=True)
    ana.groups.add(Group.objects.get(name="Publishers"))
    client = Client(enforce_csrf_checks=True)
    log_in(client)
    return client


def token_of(response):
    return hidden(response, "csrfmiddlewaretoken")


def hidden(response, name):
    """The value of a hidden field of the login form."""
    found = re.search(f'name="{name}" value="([^"]*)"', response.content.decode())
    assert found
    return unescape(found[1])


def log_in(client, page=None, **fields):
    """Send the login form, or the one of a page that asks for a new login."""
    kept = ("csrfmiddlewaretoken", "next", "kept") if page else ()
    sent = {"next": "/admin/"} | {name: hidden(page, name) for name in kept}
    sent.setdefault("csrfmiddlewaretoken", "")
    if not page:
        sent["csrfmiddlewaretoken"] = token_of(client.get("/admin/login/"))
    return client.post("/admin/login/", sent | LOGIN | fields)


def sent_too_late(client, url, **changes):
    """The response to a form that is sent after the session ended."""
    sent = on_the_page(client.get(url)) | changes
    Session.objects.all().delete()
    return client.post(url, sent)


@pytest.fixture
def url(db):
    """The screen of a public tool."""
    return page_of(make.take(on=make.tool(description="Before", tagline="Before")).tool)


TEXT = "An hour of work: “quotes”, <tags> & ünïcode.\r\n\r\nSecond paragraph."


def test_a_text_sent_after_the_session_ended_is_there_after_the_login(browser, url):
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


def test_a_new_tool_is_recovered_too(browser):
    make.category()
    log_in(browser, sent_too_late(browser, ADD, tagline="Not lost"))
    assert on_the_page(browser.get(ADD))["tagline"] == "Not lost"
    assert not Tool.objects.exists()


def test_a_login_in_another_tab_does_not_cost_the_text_in_this_one(browser, url):
    sent = on_the_page(browser.get(url)) | {"tagline": "From the first tab"}
    Session.objects.all().delete()
    log_in(browser)  # which makes the first tab's token old
    browser.cookies["csrftoken"] = "x" * 32
    response = browser.post(url, sent, headers={"origin": "http://testserver"})
    assert (response.status_code, response["Location"]) == (302, url)
    assert on_the_page(browser.get(url))["tagline"] == "From the first tab"
    assert Tool.objects.get().tagline == "Before"


@pytest.mark.parametrize("headers", [{"origin": "https://evil.example"}, {}])
def test_a_form_of_another_site_is_refused_and_nothing_is_stored(browser, url, headers):
    sent = {"tagline": "Planted", "csrfmiddlewaretoken": "y" * 32}
    response = browser.post(url, sent, headers=headers)
    assert response.status_code == 403
    assert "Planted" not in response.content.decode()
    assert "Planted" not in browser.get(url).content.decode()


def store(client, url, form):
    session = client.session
    session["kept"] = {"path": url, "form": form}
    session.save()


def test_a_stored_text_is_shown_on_its_own_page_once(browser, url):
    other = page_of(make.take().tool)
    store(browser, url, '{"tagline": ["Waiting"], "name": ["A"]}')
    assert "Waiting" not in browser.get(other).content.decode()
    assert "Waiting" in browser.get(url).content.decode()
    assert "Waiting" not in browser.get(url).content.decode()


def test_a_damaged_stored_text_is_ignored(browser, url):
    for junk in ("{", "[]", "7", '{"name": 5}', "x" * 3_000_000, ""):
        store(browser, url, junk)
        assert browser.get(url).status_code == 200, junk[:9]


def test_neither_a_strangers_text_nor_a_password_is_stored(client, url):
    response = client.post(url, {"tagline": "Kept", "password": "hidden-secret"})
    assert response.status_code == 403
    assert "Kept" in response.content.decode()
    assert "hidden-secret" not in response.content.decode()
    assert not Session.objects.exists()
