"""The login of the desk under many wrong passwords, and with addresses that lead elsewhere."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from shipskip.desk import login

pytestmark = pytest.mark.django_db
PASSWORD, WRONG = "quite a long password", "a wrong one"


@pytest.fixture
def editor():
    return User.objects.create_superuser("editor", password=PASSWORD)


def attempt(name: str, password: str = WRONG, address: str = "198.51.100.7", **fields: str):
    """The answer to a login from that address."""
    sent = {"username": name, "password": password, **fields}
    return Client().post("/admin/login/", sent, REMOTE_ADDR=address)


@pytest.mark.parametrize(
    "address", ["https://evil.example/", "//evil.example", "http://[::1", "javascript:alert(1)", ""]
)
def test_an_unsafe_next_ends_at_the_first_page_of_the_desk(editor, address):
    assert attempt("editor", PASSWORD, next=address)["Location"] == "/admin/"


def test_a_refused_login_says_what_to_enter_or_what_is_wrong(editor):
    wrong, empty = attempt("editor"), attempt("", "")
    assert "Username or password is wrong" in wrong.content.decode()
    for sentence in ("Enter the username.", "Enter the password."):
        assert sentence in empty.content.decode()


def test_many_names_from_one_address_lock_the_address_and_no_other(editor, settings):
    settings.LOGIN_FAILURES_PER_ADDRESS = 12
    answers = [attempt(f"name{number}").status_code for number in range(12)]
    assert answers == [200] * 11 + [429]
    locked = attempt("editor", PASSWORD)
    assert (locked.status_code, locked["Retry-After"]) == (429, "900")
    assert attempt("editor", PASSWORD, address="198.51.100.8").status_code == 302


def test_a_locked_address_can_log_in_again_after_the_pause(editor, settings, clock):
    settings.LOGIN_FAILURES_PER_ADDRESS = 6
    for number in range(6):
        attempt(f"name{number}")
    assert attempt("editor", PASSWORD).status_code == 429
    clock(timezone.now() + timedelta(minutes=16))
    assert attempt("editor", PASSWORD).status_code == 302


def test_an_address_has_more_login_attempts_than_a_name(settings):
    assert settings.LOGIN_FAILURES_PER_ADDRESS >= 10 * settings.AXES_FAILURE_LIMIT
    answers = [attempt("editor").status_code for _ in range(settings.AXES_FAILURE_LIMIT + 1)]
    assert answers[-1] == 429
    assert attempt("another").status_code == 200


def test_a_login_while_others_are_checked_is_answered_at_once_and_loses_nothing(
    editor, monkeypatch
):
    hashed = []
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


def test_a_wrong_password_does_not_lock_the_login_for_the_next_user(editor):
    assert attempt("editor").status_code == 200
    assert attempt("editor", PASSWORD).status_code == 302
