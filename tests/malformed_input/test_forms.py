"""Malformed input in every field of every form that a reader or an agent may send."""

import json
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.test import Client

from shipskip.newsletter.models import Subscriber
from tests import factories as make
from tests.malformed_input.junk import FEW, any_junk, faults
from tests.malformed_input.sender import Sender
from tests.reviews.voters import row_counts

HERE = b"http://testserver/"
FIELDS = {
    *("choice", "saved", "next", "address", "website", "List-Unsubscribe"),
    *("text", "source", "about", "username", "password", "kept"),
}
"""The fields that get malformed input in this file."""

TAKING = {
    *("reviews:vote", "tools:bookmark", "reviews:forget"),
    *("reviews:vote_in_place", "tools:bookmark_in_place"),
    *("newsletter:join", "newsletter:join_in_place"),
    *("newsletter:confirm", "newsletter:leave", "newsletter:forget", "newsletter:allow"),
    *("reports:send", "reports:send_suggestion", "reports:follow", "reports:delete"),
}
"""The addresses that accept a form."""

OF_BODIES = ("Content-Type", "Content-Length", "Content-Encoding", "Transfer-Encoding")
"""The headers that say what a body is."""

LINKS = [f"/newsletter/confirm/{'c' * 32}/".encode()]
LINKS += [f"/newsletter/{action}/{'k' * 32}/".encode() for action in ("leave", "forget", "allow")]

REFUSED = [
    (b"/tools/alpha/vote/", "choice", b""),
    (b"/tools/alpha/bookmark/in-place/", "saved", b""),
    (b"/newsletter/join/", "address", b"<junk"),
    (b"/tools/alpha/report/send/", "about", b"<junk"),
    (b"/tools/alpha/report/send/", "address", b"<junk"),
]
"""Address, field, and what stands before the text so that it is invalid. An address in place is the
same view: one of them is enough.
"""


@pytest.mark.usefixtures("reaches_no_query")
@any_junk()
def test_an_invalid_field_is_refused_and_changes_nothing(sender, sample_site, text):
    before = row_counts()
    for path, field, start in REFUSED:
        form = [(field, start + text), ("next", b"/?q=" + text), ("text", b"x"), (text, text)]
        response = sender.send(path, form=form)
        assert not faults(response, [*sample_site.secrets, sample_site.theirs.slug]), path
        assert response.status_code == 400, path
        assert not response.cookies, path
    assert row_counts() == before


@pytest.mark.usefixtures("sample_site")
def test_a_body_of_another_kind_is_no_choice(client):
    before, form = row_counts(), "application/x-www-form-urlencoded"
    for kind, body in (
        ("application/json", b'{"choice": "ship"}'),
        ("text/plain", b"choice=ship"),
        ("", b"choice=ship"),
        ("multipart/form-data", b"choice=ship"),
        ("multipart/form-data; boundary=x", b"--x\r\nnothing"),
        (f"{form}; charset=nonsense", b"choice=x"),
        (form, b"choice=SHIP"),
    ):
        response = client.generic("POST", "/tools/alpha/vote/", body, content_type=kind)
        assert (response.status_code, faults(response)) == (400, []), kind
    assert row_counts() == before


@pytest.mark.usefixtures("reaches_no_query")
@any_junk()
def test_no_next_parameter_leads_to_another_site(sender, text):
    """From the query and the referring page: as it is and as a part. A redirect goes to the page of
    what was done, which links to it.
    """
    as_address, as_part = {"Referer": text}, {"Referer": HERE + text}
    for given, headers in ((text, as_address), (b"", as_part), (b"/" + text, {})):
        query = [("done", b"no"), ("next", given)]
        response = sender.send(b"/tools/alpha/bookmark/", query, headers=headers)
        assert not faults(response), (given, headers)
        assert b'role="status"' in response.content, (given, headers)
    before, form = row_counts(), [("saved", b"no"), ("next", text)]
    response = sender.send(b"/tools/alpha/bookmark/", form=form, headers={"Referer": text})
    assert (response.status_code, faults(response)) == (303, [])
    assert row_counts() == before


MAY_CHANGE = {
    *("reviews_vote", "reviews_voteevent", "reviews_tooltally"),
    *("limits_dailysalt", "limits_actcount"),
}


def test_a_vote_is_cast_once_whatever_comes_with_it(sender: Sender, sample_site, mine):
    before = row_counts()

    @any_junk()
    def vote(text):
        form = [("choice", b"ship"), ("next", text), (text, text)]
        headers = {"X-Forwarded-For": text, "Referer": HERE + text}
        response = sender.send(b"/tools/alpha/vote/", form=form, headers=headers, cookies=mine)
        assert not faults(response)
        assert response.status_code == 303

    vote()
    after = row_counts()
    assert {name for name in after if after[name] != before[name]} <= MAY_CHANGE
    assert after["reviews_vote"] == before["reviews_vote"] + 1


@pytest.mark.usefixtures("reaches_no_query")
def test_the_honeypot_field_refuses_all_but_spaces(sender: Sender):
    before = Subscriber.objects.count()

    @any_junk(b"  ")
    def join(text):
        empty = not text.decode(errors="replace").strip()
        form = [("address", b"a@b.example"), ("website", text), ("next", b"/" + text)]
        response = sender.send(b"/newsletter/join/in-place/", form=form)
        assert not faults(response)
        assert response.status_code == (200 if empty else 400)

    join()
    assert Subscriber.objects.count() == before + 1


@pytest.mark.both_databases
@any_junk()
def test_no_text_breaks_a_report_that_is_taken(sender, sample_site, text):
    follow = make.report(question="Which page?").link.encode()
    for path in (b"/corrections/suggest/send/", follow):
        response = sender.send(path, form=[("text", b"Wrong " + text), ("source", text)])
        assert not faults(response, sample_site.secrets)
        assert response.status_code in (303, 400)
    response = sender.send(follow + b"delete/", form=[("text", text), (text, text)])
    assert not faults(response, sample_site.secrets)
    assert response.status_code == 200


@pytest.mark.usefixtures("reaches_no_query")
@any_junk()
def test_no_data_breaks_the_links_of_a_mail(sender, text):
    """Only leaving reads a field (RFC 8058). After the first text the subscriber is forgotten."""
    for path in LINKS:
        response = sender.send(path, form=[("List-Unsubscribe", text), (text, text)])
        assert not faults(response), path
        assert response.status_code in (303, 404), path


@pytest.mark.usefixtures("reaches_no_query")
@any_junk(*FEW)
def test_no_token_or_header_opens_a_form(text):
    """The same text in the cookie and in the form or header is no valid CSRF token, and no header
    of another site opens a form of a public page.
    """
    before, stranger = row_counts(), Sender(tokens=True)
    cookies = {"csrftoken": text}
    sent: list[Any] = [
        (b"/me/forget/", [("csrfmiddlewaretoken", text)], {}, cookies),
        (b"/me/forget/", [("x", text)], {"X-CSRFToken": text}, cookies),
    ]
    address = [("address", b"a@b.example")]
    for name in ("Sec-Fetch-Site", "Origin", "Referer"):
        sent += [(b"/newsletter/join/", address, {name: text}, {})]
    for path, form, headers, jar in sent:
        response = stranger.send(path, form=form, headers=headers, cookies=jar)
        assert not faults(response), (path, headers)
        assert response.status_code == 403, (path, headers)
    assert row_counts() == before


@any_junk()
def test_no_kind_or_length_of_a_body_breaks_a_form(sender, sample_site, text):
    before = row_counts()
    for name in OF_BODIES:
        form = [("choice", b"ship"), ("address", b"a@b.example")]
        response = sender.send(b"/me/forget/", form=form, headers={name: text})
        assert not faults(response), name
        assert response.status_code in (303, 400, 411, 413), name
    assert row_counts() == before


@pytest.mark.both_databases
@any_junk()
def test_no_name_or_password_breaks_the_login(sender, sample_site, text):
    """The log of a failed login contains text from the request."""
    form = [("username", text), ("password", text), ("next", text), ("kept", text)]
    headers = {"User-Agent": text, "Accept": text, "X-Forwarded-For": text, "Referer": text}
    response = sender.send(b"/admin/login/", [(text, text)], form=form, headers=headers)
    assert not faults(response)
    assert response.status_code == 200
    assert "sessionid" not in response.cookies
    assert 'class="error' in response.content.decode(), "the form was read"


@pytest.mark.usefixtures("reaches_no_query")
@any_junk()
def test_a_text_sent_without_a_session_is_kept_as_text_in_the_login_page(sender, text):
    response = sender.send(b"/admin/reviews/take/add/", form=[("body", b"kept:" + text)])
    assert not faults(response)
    assert response.status_code == 403
    assert "kept:" in response.content.decode()


def messages(text: str) -> list[str]:
    """The messages of an agent with this text in each place where a message has one."""
    parts: list[tuple[str, object]] = [
        (text, {}),
        ("tools/call", {"name": text}),
        ("tools/call", {"name": "get_tool", "arguments": {"slug": text}}),
        ("tools/call", {"name": "compare_tools", "arguments": {"tools": ["beta", text]}}),
        ("tools/call", {"name": "list_categories", "arguments": {text: text}}),
        ("resources/read", {"uri": text}),
        ("resources/read", {"uri": f"{site_settings.SITE_URL}/tools/{text}/"}),
        ("resources/read", {"uri": f"{site_settings.SITE_URL}/compare/alpha-vs-{text}/"}),
        ("resources/list", {"cursor": text}),
        ("initialize", {"protocolVersion": text}),
        ("ping", {"_meta": {"io.modelcontextprotocol/protocolVersion": text}}),
    ]
    return [
        json.dumps({"jsonrpc": "2.0", "id": text, "method": method, "params": params})
        for method, params in parts
    ]


@pytest.mark.usefixtures("reaches_no_query")
@any_junk()
def test_no_message_breaks_an_answer_to_an_agent(client: Client, text):
    before = row_counts()
    decoded = text.decode(errors="replace")
    for body in (decoded or " ", *messages(decoded)):
        response = client.post("/mcp/", body, content_type="application/json")
        assert not faults(response), body
        assert response.status_code in (200, 400), body
        assert json.loads(response.content)["jsonrpc"] == "2.0", body
    assert row_counts() == before
