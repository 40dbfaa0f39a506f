"""Every string as every field of every form that a reader may send."""

import pytest
from pytest_django.fixtures import Settings

from shipskip.newsletter.models import Subscriber
from tests import factories as make
from tests.malformed_input.checking import SPECIAL, Checker, marked, minimum_shown
from tests.malformed_input.sender import Sender
from tests.reviews.voters import row_counts

FORM_FIELDS = {b"/tools/alpha/vote/": "choice", b"/tools/alpha/bookmark/": "saved"}
HERE = b"http://testserver/"
EVERY_TENTH = 10
JOIN = (b"/newsletter/join/", b"/newsletter/join/in-place/")
FIELDS_WITH_JUNK = {*FORM_FIELDS.values(), "next", "address", "website"}
FIELDS_WITH_JUNK |= {"List-Unsubscribe", "text", "source", "about"}
"""The fields that get malformed input in this file, besides those of the login."""

TAKING = {
    *("reviews:vote", "tools:bookmark", "reviews:forget"),
    *("reviews:vote_in_place", "tools:bookmark_in_place"),
    *("newsletter:join", "newsletter:join_in_place"),
    *("newsletter:confirm", "newsletter:leave", "newsletter:forget", "newsletter:allow"),
    *("reports:send", "reports:send_suggestion", "reports:follow"),
}
"""The addresses that accept a form."""


def without_fragment(text: bytes) -> bytes:
    """A string as a part of an address, which ends at a `#`."""
    return text.replace(b"#", b"%23")


@pytest.mark.usefixtures("reaches_no_query")
def test_no_choice_breaks_a_vote_or_a_bookmark(strings, sender: Sender, private_checker: Checker):
    """As a page and as a fragment in turn. `next` contains the string too."""
    before = row_counts()
    for number, text in enumerate(strings):
        for place, (path, field) in enumerate(FORM_FIELDS.items()):
            form = [(field, text), ("next", b"/?q=" + without_fragment(marked(text)))]
            path += b"in-place/" if (number + place) % 2 else b""
            response = sender.send(path, form=form)
            assert not private_checker.faults(response, without_fragment(text)), (path, text)
            assert response.status_code == 400, (path, text)
            assert not response.cookies, (path, text)
    assert private_checker.echoes >= 2 * minimum_shown(strings)
    assert row_counts() == before


@pytest.mark.usefixtures("reaches_no_query")
def test_no_next_parameter_redirects_to_another_site(strings, sender: Sender, checker: Checker):
    """From the form and the referring page: as it is and as a part."""
    before = row_counts()
    for text in strings:
        as_address, as_part = {"Referer": text}, {"Referer": HERE + text}
        for given, headers in ((text, as_address), (b"", as_part), (b"/" + text, {})):
            form = [("saved", b"no"), ("next", given)]
            response = sender.send(b"/tools/alpha/bookmark/", form=form, headers=headers)
            assert not checker.faults(response, text), (given, headers)
            assert response.status_code == 303, (given, headers)
    assert row_counts() == before


@pytest.mark.usefixtures("reaches_no_query")
def test_a_vote_is_cast_once_whatever_comes_with_it(
    strings, sender: Sender, checker: Checker, sample_site
):
    """One string in ten: casting costs ten times as much as refusing."""
    before = row_counts()
    mine = {"visitor": sample_site.mine.cookie}
    for text in strings[::EVERY_TENTH]:
        form = [("choice", b"ship"), ("next", text), (text, text)]
        headers = {"X-Forwarded-For": text, "Referer": HERE + text}
        response = sender.send(b"/tools/alpha/vote/", form=form, headers=headers, cookies=mine)
        assert not checker.faults(response, text), text
        assert response.status_code == 303, text
    after = row_counts()
    assert {name for name in after if after[name] != before[name]} <= {
        *(
            "reviews_vote",
            "reviews_voteevent",
            "reviews_tooltally",
            "limits_dailysalt",
            "limits_actcount",
        ),
    }
    assert after["reviews_vote"] == before["reviews_vote"] + 1


@pytest.mark.usefixtures("reaches_no_query")
def test_no_address_breaks_the_form_to_join(strings, sender: Sender, checker: Checker):
    """The form is valid except for the address; as a page and as a fragment in turn."""
    before = row_counts()
    for number, text in enumerate(strings):
        form = [("address", marked(text)), ("website", b"")]
        response = sender.send(JOIN[number % 2], form=form)
        assert not checker.faults(response, text), text
        assert response.status_code == 400, text
    assert checker.echoes >= minimum_shown(strings)
    assert row_counts() == before


@pytest.mark.usefixtures("reaches_no_query")
def test_no_hidden_field_breaks_the_form_to_join(strings, sender: Sender, checker: Checker):
    """A honeypot field with only spaces counts as empty."""
    before = row_counts()
    for text in strings:
        empty = not text.decode(errors="replace").strip()
        form = [("address", b"a@b.example"), ("website", text), ("next", b"/" + text)]
        response = sender.send(JOIN[1], form=form)
        assert not checker.faults(response, text), form
        assert response.status_code == (200 if empty else 400), form
    assert Subscriber.objects.count() == before["newsletter_subscriber"] + 1


REPORT_FIELDS = ("text", "source", "address", "about")


@pytest.mark.both_databases
def test_no_text_breaks_a_report(strings, sender: Sender, private_checker: Checker):
    """Each string in one field in turn, refused because of an invalid address or subject; then in
    the text of a report that is taken.
    """
    before = row_counts()
    for number, text in enumerate(strings):
        fields = dict.fromkeys(REPORT_FIELDS, b"x") | {
            REPORT_FIELDS[number % len(REPORT_FIELDS)]: marked(text)
        }
        response = sender.send(b"/tools/alpha/report/send/", form=list(fields.items()))
        assert not private_checker.faults(response, text), fields
        assert response.status_code == 400, fields
    assert row_counts() == before
    for text in strings[::EVERY_TENTH]:
        form = [("text", b"Wrong " + text), ("source", text)]
        response = sender.send(b"/corrections/suggest/send/", form=form)
        assert not private_checker.faults(response, text), form
        assert response.status_code in (303, 400), form
        asked = make.report(question="Which page?").link.encode()
        response = sender.send(asked, form=[("text", text)])
        assert not private_checker.faults(response, text), text
        assert response.status_code in (303, 400), text


LINKS = [f"/newsletter/confirm/{'c' * 32}/".encode()]
LINKS += [f"/newsletter/{action}/{'k' * 32}/".encode() for action in ("leave", "forget", "allow")]


@pytest.mark.usefixtures("reaches_no_query")
def test_no_data_breaks_the_links_of_a_mail(strings, sender: Sender, checker: Checker):
    """Only leaving reads a field (RFC 8058); the others get all strings together."""
    for text in strings:
        response = sender.send(LINKS[1], form=[("List-Unsubscribe", text)])
        assert not checker.faults(response, text), text
        assert response.status_code == 303, text
    for path in LINKS:
        for start in range(0, len(strings), 400):
            texts = strings[start : start + 400]
            form = [(name, text) for text in texts for name in ("x", text)]
            response = sender.send(path, form=form)
            assert not checker.faults(response, *texts), path
            assert response.status_code == 303, path


@pytest.mark.usefixtures("reaches_no_query")
def test_no_token_opens_a_form(strings, checker: Checker):
    """The same string in the cookie and in the form or header is no valid CSRF token."""
    before, sender = row_counts(), Sender(tokens=True)
    for number, text in enumerate(strings):
        form = [("csrfmiddlewaretoken", text)] if number % 2 else [("x", text)]
        headers, cookies = {"X-CSRFToken": text}, {"csrftoken": text}
        response = sender.send(b"/me/forget/", form=form, headers=headers, cookies=cookies)
        assert not checker.faults(response, text), text
        assert response.status_code == 403, text
    assert row_counts() == before


@pytest.mark.usefixtures("reaches_no_query")
def test_no_header_opens_a_form_of_a_public_page(strings, checker: Checker):
    before, sender, form = row_counts(), Sender(tokens=True), [("address", b"a@b.example")]
    for number, text in enumerate(strings):
        name = ("Sec-Fetch-Site", "Origin", "Referer")[number % 3]
        response = sender.send(JOIN[0], form=form, headers={name: text})
        assert not checker.faults(response, text), (name, text)
        assert response.status_code == 403, (name, text)
    assert row_counts() == before


@pytest.mark.both_databases
def test_no_name_or_password_breaks_the_login(
    strings, sender: Sender, desk_checker: Checker, settings: Settings
):
    """The log of a failed login contains text from the request."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.LOGIN_FAILURES_PER_ADDRESS = 1_000_000  # all of it comes from one
    for text in strings:
        form = [("username", marked(text)), ("password", text), ("next", text), ("kept", text)]
        headers = {"User-Agent": text, "Accept": text, "X-Forwarded-For": text, "Referer": text}
        response = sender.send(b"/admin/login/", [(text, text)], form=form, headers=headers)
        assert not desk_checker.faults(response, text), text
        assert response.status_code in (200, 429), text  # Unicode normalises many to the same name
        assert "sessionid" not in response.cookies, text
    assert desk_checker.echoes >= minimum_shown(strings)


@pytest.mark.usefixtures("reaches_no_query")
def test_a_text_sent_without_a_session_is_escaped_in_the_login_page(
    strings, sender: Sender, desk_checker: Checker
):
    """Sent to the desk without a session, it waits in the page to log in."""
    for text in filter(SPECIAL.search, strings):
        response = sender.send(b"/admin/reviews/take/add/", form=[("body", marked(text))])
        assert not desk_checker.faults(response, text), text
        assert response.status_code == 403, text
    assert desk_checker.echoes >= minimum_shown(strings)
