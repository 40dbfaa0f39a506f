"""A session expires while an editor writes: after the login the text is recovered."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.test import Client

from tests import factories as make
from tests.desk.forms import errors, on_the_page, tool_form
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


def log_in(client, **fields):
    token = token_of(client.get("/admin/login/")) if "csrfmiddlewaretoken" not in fields else ""
    sent = {"csrfmiddlewaretoken": token, "next": "/admin/"} | LOGIN | fields
    return client.post("/admin/login/", sent)


def token_of(response):
    found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', response.content.decode())
    assert found
    return found[1]


def hidden(response, name):
    found = re.search(f'name="{name}" value="([^"]*)"', response.content.decode())
    assert found
    return unescape(found[1])


def end_session(client):
    Session.objects.all().delete()


def written(client, tool, **changes):
    """Form data of the tool's page with some changes."""
    return on_the_page(client.get(f"/admin/tools/tool/{tool.pk}/change/")) | changes


TEXT = "An hour of work: “quotes”, <tags> & ünïcode.\r\n\r\nSecond paragraph."


def test_a_text_sent_after_the_session_ended_is_there_after_the_login(browser):
    tool = make.take(on=make.tool(description="Before", tagline="A tool")).tool
    url = f"/admin/tools/tool/{tool.pk}/change/"
    sent = written(browser, tool, description=TEXT)
    end_session(browser)
    page = browser.post(url, sent)
    assert page.status_code == 403
    assert "Your text is safe" in page.content.decode()
    response = log_in(
        browser,
        csrfmiddlewaretoken=token_of(page),
        next=hidden(page, "next"),
        kept=hidden(page, "kept"),
    )
    assert (response.status_code, response["Location"]) == (302, url)
    form = browser.get(url)
    assert "Your text is back in the form, and not saved yet" in form.content.decode()
    form_data = on_the_page(form)
    assert form_data["description"].split() == TEXT.split()
    tool.refresh_from_db()
    assert tool.description == "Before"
    response = browser.post(url, form_data)
    assert response.status_code == 302, errors(response)
    tool.refresh_from_db()
    assert tool.description.split() == TEXT.split()


def test_a_wrong_password_before_the_right_one_loses_no_text(browser):
    tool = make.take().tool
    url = f"/admin/tools/tool/{tool.pk}/change/"
    sent = written(browser, tool, tagline="Written before")
    end_session(browser)
    page = browser.post(url, sent)
    fields = {"next": hidden(page, "next"), "kept": hidden(page, "kept")}
    page = log_in(browser, csrfmiddlewaretoken=token_of(page), password="wrong", **fields)
    assert page.status_code == 200
    fields = {"next": hidden(page, "next"), "kept": hidden(page, "kept")}
    log_in(browser, csrfmiddlewaretoken=token_of(page), **fields)
    assert on_the_page(browser.get(url))["tagline"] == "Written before"


def test_a_new_tool_is_recovered_too(browser):
    sent = tool_form(category=make.category().pk, tagline="Not lost")
    sent["csrfmiddlewaretoken"] = token_of(browser.get("/admin/tools/tool/add/"))
    end_session(browser)
    page = browser.post("/admin/tools/tool/add/", sent)
    fields = {"next": hidden(page, "next"), "kept": hidden(page, "kept")}
    log_in(browser, csrfmiddlewaretoken=token_of(page), **fields)
    assert on_the_page(browser.get("/admin/tools/tool/add/"))["tagline"] == "Not lost"
    assert not Tool.objects.exists()


def test_a_login_in_another_tab_does_not_cost_the_text_in_this_one(browser):
    tool = make.take().tool
    url = f"/admin/tools/tool/{tool.pk}/change/"
    sent = written(browser, tool, tagline="From the first tab")
    end_session(browser)
    log_in(browser)  # which makes the first tab's token old
    browser.cookies["csrftoken"] = "x" * 32
    response = browser.post(url, sent, headers={"origin": "http://testserver"})
    assert (response.status_code, response["Location"]) == (302, url)
    assert on_the_page(browser.get(url))["tagline"] == "From the first tab"
    tool.refresh_from_db()
    assert tool.tagline == ""


@pytest.mark.parametrize("headers", [{"origin": "https://evil.example"}, {}])
def test_a_form_of_another_site_is_refused_and_nothing_is_stored(browser, headers):
    tool = make.take().tool
    url = f"/admin/tools/tool/{tool.pk}/change/"
    sent = {"tagline": "Planted", "csrfmiddlewaretoken": "y" * 32}
    response = browser.post(url, sent, headers=headers)
    assert response.status_code == 403
    assert "Planted" not in response.content.decode()
    assert "Planted" not in browser.get(url).content.decode()


def test_a_stored_text_is_shown_on_its_own_page_once(browser):
    tool, other = make.take().tool, make.take().tool
    url = f"/admin/tools/tool/{tool.pk}/change/"
    session = browser.session
    session["kept"] = {"path": url, "form": '{"tagline": ["Waiting"], "name": ["A"]}'}
    session.save()
    assert "Waiting" not in browser.get(f"/admin/tools/tool/{other.pk}/change/").content.decode()
    assert "Waiting" in browser.get(url).content.decode()
    assert "Waiting" not in browser.get(url).content.decode()


@pytest.mark.parametrize("junk", ["{", "[]", "7", '{"name": 5}', "x" * 3_000_000, ""])
def test_a_damaged_stored_text_is_ignored(browser, junk):
    tool = make.take().tool
    url = f"/admin/tools/tool/{tool.pk}/change/"
    session = browser.session
    session["kept"] = {"path": url, "form": junk}
    session.save()
    assert browser.get(url).status_code == 200


def test_no_text_is_stored_for_a_visitor_without_an_account(client):
    tool = make.take().tool
    response = client.post(f"/admin/tools/tool/{tool.pk}/change/", {"tagline": "x" * 1000})
    assert response.status_code == 403
    assert not Session.objects.exists()


def test_a_password_is_never_stored(client):
    tool = make.take().tool
    sent = {"tagline": "Kept", "password": "hidden-secret"}
    page = client.post(f"/admin/tools/tool/{tool.pk}/change/", sent).content.decode()
    assert "Kept" in page
    assert "hidden-secret" not in page
