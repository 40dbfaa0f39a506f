"""The login of the desk under many wrong passwords, and with addresses that lead elsewhere."""

import re
from datetime import timedelta
from threading import Timer

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from shipskip.desk import login

pytestmark = pytest.mark.django_db
PASSWORD, WRONG = "quite a long password", "a wrong one"
FORM = {"username": "editor", "password": PASSWORD}


@pytest.fixture
def editor():
    return User.objects.create_superuser("editor", password=PASSWORD)


def attempt(name: str, password: str = WRONG, address: str = "198.51.100.7", **fields: str):
    """The answer to a login from that address."""
    sent = {"username": name, "password": password, **fields}
    return Client().post("/admin/login/", sent, REMOTE_ADDR=address)


def test_an_unsafe_next_ends_at_the_first_page_of_the_desk(editor):
    unsafe = ["https://evil.example/", "//evil.example", "http://[::1", "javascript:alert(1)", ""]
    for url in unsafe:
        assert attempt("editor", PASSWORD, next=url)["Location"] == "/admin/", url


def test_a_refused_login_says_what_to_enter_or_what_is_wrong_and_locks_nobody(editor):
    wrong, empty = attempt("editor"), attempt("", "")
    assert "Username or password is wrong" in wrong.content.decode()
    for sentence in ("Enter the username.", "Enter the password."):
        assert sentence in empty.content.decode()
    assert attempt("editor", PASSWORD).status_code == 302


def test_many_names_from_one_network_lock_the_network_and_no_other_for_a_while(
    editor, settings, clock
):
    assert settings.LOGIN_FAILURES_PER_NETWORK >= 10 * settings.AXES_FAILURE_LIMIT
    settings.LOGIN_FAILURES_PER_NETWORK = 12
    answers = [attempt(f"name{number}").status_code for number in range(12)]
    assert answers == [200] * 11 + [429]
    locked = attempt("editor", PASSWORD)
    assert (locked.status_code, locked["Retry-After"]) == (429, "900")
    assert attempt("editor", PASSWORD, address="198.51.101.7").status_code == 302
    clock(timezone.now() + timedelta(minutes=16))
    assert attempt("editor", PASSWORD).status_code == 302


def test_a_login_whose_turn_does_not_come_is_answered_and_loses_nothing(editor, monkeypatch):
    hashed = []
    monkeypatch.setattr(login, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(User, "check_password", lambda *given: hashed.append(given))
    with login.hashing:
        response = attempt("editor", PASSWORD, kept="<my text>", next="/admin/tools/tool/add/")
    assert (response.status_code, response["Retry-After"]) == (429, "2")
    assert hashed == []
    page = response.content.decode()
    assert "Wait a few seconds, then log in again." in page
    assert 'name="kept" value="&lt;my text&gt;"' in page
    assert re.search(r'<input[^>]*name="username"[^>]*value="editor"', page)
    assert PASSWORD not in page


@pytest.mark.parametrize(
    "network", ["198.51.100.{}", "2001:db8:0:{}::1"], ids=["/24 of IPv4", "/48 of IPv6"]
)
def test_the_addresses_of_a_network_have_five_guesses_together_at_one_name(editor, network):
    User.objects.create_superuser("another", password=PASSWORD)
    addresses = [network.format(host) for host in range(7)]
    guesses = [attempt("editor", address=address) for address in addresses]
    assert [guess.status_code for guess in guesses] == [200] * 4 + [429] * 3
    assert guesses[-1]["Retry-After"] == "900"
    assert attempt("editor", PASSWORD, address=addresses[-1]).status_code == 429
    assert attempt("editor", PASSWORD, address="2001:db8:1:1::1").status_code == 302
    assert attempt("another", PASSWORD, address=addresses[-1]).status_code == 302


def test_no_attacker_in_its_network_locks_a_browser_out_that_has_logged_in_before(editor):
    browser = Client()
    browser.post("/admin/login/", FORM, REMOTE_ADDR="2001:db8::1")
    (cookie,) = [row for name, row in browser.cookies.items() if name.startswith("login-")]
    assert (cookie["path"], cookie["max-age"]) == ("/admin/", 90 * 24 * 3600)
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    browser.post("/admin/logout/")
    for host in range(6):
        attempt("editor", address=f"2001:db8::{host:x}")
    assert attempt("editor", PASSWORD, address="2001:db8::1").status_code == 429
    again = browser.post("/admin/login/", FORM, REMOTE_ADDR="2001:db8::1")
    assert again.status_code == 302


def test_a_known_browser_has_five_guesses_under_its_own_name_alone(editor, clock):
    User.objects.create_superuser("colleague", password=PASSWORD)
    browser = Client()
    browser.post("/admin/login/", FORM)
    browser.post("/admin/logout/")
    guesses = [browser.post("/admin/login/", FORM | {"password": WRONG}) for _ in range(6)]
    assert [row.status_code for row in guesses] == [200] * 4 + [429] * 2
    for _ in range(5):
        attempt("colleague", address="127.0.0.1")
    name = login._cookie_name("editor")
    value = browser.cookies[name].value
    stranger = Client()
    stranger.cookies[login._cookie_name("colleague")] = value
    answer = stranger.post("/admin/login/", FORM | {"username": "colleague"})
    assert answer.status_code == 429, "the cookie of another name"
    clock(timezone.now() + timedelta(days=91))
    for _ in range(5):
        attempt("editor", address="127.0.0.1")
    late = Client()
    late.cookies[name] = value
    assert late.post("/admin/login/", FORM).status_code == 429, "an old cookie"


def test_a_login_waits_for_its_turn_and_few_do_so_that_readers_keep_their_threads(
    editor, monkeypatch
):
    login.hashing.acquire()
    Timer(0.2, login.hashing.release).start()
    assert attempt("editor", PASSWORD).status_code == 302
    monkeypatch.setattr(login, "RETRY_SECONDS", 3_600)
    with login.hashing, login.waiting:
        assert attempt("editor", PASSWORD).status_code == 429
