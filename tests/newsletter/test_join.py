"""Joining: the same response for every address, and a mail only to addresses that may get one."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db import OperationalError
from django.test import Client

from shipskip.newsletter.models import Confirmation, Subscriber
from shipskip.newsletter.subscribers import subscription
from shipskip.web import mail_addresses
from shipskip.web.visitor_forms import ROBOT_FIELD_FILLED
from tests import factories as make
from tests.markup import read
from tests.newsletter.conftest import NOW
from tests.newsletter.readers import ADDRESS, form, join, join_in_place, link

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HOUR = timedelta(hours=1)


def test_the_page_has_a_form_with_a_label_and_is_never_cached(client):
    response = client.get("/newsletter/join/")
    page = read(response)
    field = page.one("input", name="address")
    assert page.one("label", **{"for": field.attributes["id"]}).text == "Your address"
    assert "no-store" in response["Cache-Control"]
    assert page.one("form", action="/newsletter/join/").attributes["method"] == "post"


def test_a_request_is_saved_as_typed_and_answered_by_a_page_that_says_what_to_do():
    response = join(" Ada@Example.org ")
    assert (response.status_code, response["Location"]) == (303, "?asked=yes")
    subscriber = Subscriber.objects.get()
    assert (subscriber.address, subscriber.normalised) == ("Ada@Example.org", ADDRESS)
    assert subscriber.state == "waiting"
    assert "inbox" in Client().get("/newsletter/join/?asked=yes").content.decode()


def test_the_mail_states_its_expiry_and_links_to_the_configured_address():
    Client(headers={"host": "localhost"}).post("/newsletter/join/", form())
    (sent,) = mail.outbox
    assert sent.to == [ADDRESS]
    assert "7 days" in str(sent.body)
    assert link("confirm") == f"/newsletter/confirm/{Confirmation.objects.get().key}/"
    assert link("forget") == f"/newsletter/forget/{Subscriber.objects.get().key}/"
    assert "localhost" not in str(sent.body)
    assert max(map(len, str(sent.body).splitlines())) < 100


def states():
    """An address in each state, by name."""
    yield "new", "new@example.org"
    yield "waiting", make.subscriber(state="waiting").address
    yield "confirmed", make.subscriber().address
    yield "left", make.subscriber(state="left").address
    yield "bounced", make.subscriber(state="refused", ended_why="550 gone").address
    complained = make.subscriber()
    subscription.record_complaint(complained, NOW)
    yield "complained", complained.address
    forgotten = make.subscriber()
    subscription.forget(forgotten, NOW)
    yield "forgotten", forgotten.address
    tired = make.subscriber(state="waiting")
    for _ in range(3):
        subscription.request_join(mail_addresses.parse(tired.address), NOW)
    yield "asked too often", tired.address


def comparable_response(response):
    """The whole response, without the request id."""
    heads = sorted((name, value) for name, value in response.items() if name != "X-Request-ID")
    return response.status_code, response.content, tuple(heads)


def test_the_answer_is_the_same_for_every_address(clock):
    clock(NOW)
    pages, fragments, mailed = set(), set(), {}
    for name, address in list(states()):
        mail.outbox.clear()
        response = join(address)
        pages.add(comparable_response(response))
        mailed[name] = [sent.subject.split(":")[0] for sent in mail.outbox]
        response = join_in_place(address)
        fragments.add(comparable_response(response))
    assert (len(pages), len(fragments)) == (1, 1)
    already = ["You already get the weekly verdicts"]
    confirm = {name: ["Confirm"] for name in ("new", "waiting", "left", "bounced")}
    silent: dict[str, list[str]] = {"complained": [], "forgotten": [], "asked too often": []}
    assert mailed == {**confirm, "confirmed": already, **silent}


def test_an_address_gets_three_mails_in_a_day_of_utc(clock):
    midnight = NOW.replace(hour=0)
    for hours in (0, 1, 2, 3, 23):
        clock(midnight + hours * HOUR)
        join()
    assert len(mail.outbox) == 3
    clock(midnight + 24 * HOUR)
    join()
    assert len(mail.outbox) == 4


def test_dots_and_tags_of_gmail_make_no_further_mailbox(clock):
    clock(NOW)
    for local in ("ada.l", "a.d.al", "adal+b", "a.dal"):
        join(f"{local}@gmail.com")
        join(f"{local}@googlemail.com")
        join(f"{local}@example.org")
    sent = [message.to[0].partition("@")[2] for message in mail.outbox]
    assert sorted(sent).count("example.org") == 4
    assert len(sent) == 4 + 3


def test_tags_and_capitals_make_no_further_mailbox(clock):
    for number in range(5):
        clock(NOW + number * HOUR)
        join(f"ada+{number}@example.org")
        join("Ada+Other@Example.ORG")
    assert len(mail.outbox) == 3
    for other in ("ada@example.com", "bada+1@example.org", "ad+a@example.org", "+a@example.org"):
        join(other)
    assert len(mail.outbox) == 7
    clock(NOW + 24 * HOUR)
    join("ada@example.org")
    assert len(mail.outbox) == 8


@pytest.mark.parametrize("address", ["a_a+1@b.org", "a%+1@b.org"])
def test_a_wildcard_in_an_address_counts_no_other(address):
    for name in ("axa", "a1", "a2"):
        join(f"{name}+1@b.org")
    join(address)
    assert len(mail.outbox) == 4


def test_a_confirmed_address_also_gets_at_most_three_mails_a_day():
    make.subscriber(address=ADDRESS)
    for _ in range(5):
        join()
    assert len(mail.outbox) == 3
    assert Subscriber.objects.get().state == "confirmed"


@pytest.mark.parametrize("other", ["ADA@example.org", "ada@EXAMPLE.ORG", " ada@example.org "])
def test_another_spelling_of_an_address_is_the_same_subscriber(other):
    join()
    join(other)
    assert Subscriber.objects.count() == 1


def test_a_plus_sign_makes_another_address():
    join()
    join("ada+weekly@example.org")
    assert Subscriber.objects.count() == 2
    assert mail.outbox[1].to == ["ada+weekly@example.org"]


def test_mail_to_an_international_domain_uses_ascii_by_present_rules():
    join("Ada@Straße.example")
    assert mail.outbox[0].to == ["Ada@xn--strae-oqa.example"]
    assert Subscriber.objects.get().address == "Ada@Straße.example"


BAD = [
    "",
    "ada",
    "a b@example.org",
    "ada@example.org\r\nBcc: eve@example.org",
    f"{'a' * 300}@b.org",
]


@pytest.mark.parametrize("address", BAD)
def test_an_invalid_address_is_explained_and_stays_in_the_field(address):
    for send in (join, join_in_place):
        response = send(address)
        page = read(response)
        field = page.one("input", name="address")
        assert response.status_code == 400
        assert field.attributes["aria-invalid"] == "true"
        error = page.by_id(field.attributes["aria-describedby"])
        assert error.text.endswith(".")
        typed = field.attributes["value"].replace("\r", "").replace("\n", "")
        assert typed == address[:300].replace("\r", "").replace("\n", "")
    assert not Subscriber.objects.exists()
    assert not mail.outbox


def test_the_page_says_the_error_once_beside_the_field():
    page = read(join("nobody"))
    message = page.one("p", class_="join__message")
    assert message.within("form") is page.by_id("join")
    assert page.text.count(message.text) == 1


def test_markup_in_the_field_comes_back_as_text():
    response = join('"><script>alert(1)</script>@example.org')
    assert b"<script>alert" not in response.content


def error_of(response):
    """The error that the form shows."""
    return read(response).one("p", class_="join__message").text


def test_the_answer_leads_back_to_the_page_of_the_form():
    """Also when the address was wrong at first, and not to another site."""
    page = "http://testserver/tools/alpha/?a=b"
    join_response = Client().post("/newsletter/join/", form(), headers={"referer": page})
    assert join_response["Location"] == "?asked=yes&next=%2Ftools%2Falpha%2F%3Fa%3Db"
    answer = read(Client().get(f"/newsletter/join/{join_response['Location']}"))
    assert answer.one("a", href="/tools/alpha/?a=b#newsletter").text == "Back to where you were"
    wrong = Client().post("/newsletter/join/", form("ada"), headers={"referer": page})
    back = read(wrong).one("input", name="next").attributes["value"]
    assert back == "/tools/alpha/?a=b"
    assert join(next=back)["Location"] == join_response["Location"]
    for elsewhere in ("https://evil.example/", "//evil.example/", "/newsletter/join/"):
        assert join(next=elsewhere)["Location"] == "?asked=yes"
        bare = Client().get("/newsletter/join/", {"asked": "yes", "next": elsewhere})
        assert b"Back to where you were" not in bare.content


def test_a_public_page_has_the_form_without_a_token_or_cookie(client):
    response = client.get("/methodology/")
    page = read(response)
    fields = [field for field in page.all("input") if field.within("form") is page.by_id("join")]
    assert [field.attributes["name"] for field in fields] == ["website", "address"]
    assert page.by_id("join").attributes["action"] == "/newsletter/join/"
    assert not client.cookies


def test_a_robot_that_fills_in_every_field_is_refused():
    response = join(website="https://spam.example/")
    assert (response.status_code, error_of(response)) == (400, ROBOT_FIELD_FILLED)
    assert not Subscriber.objects.exists()


def test_a_database_error_loses_nothing_that_was_typed(monkeypatch):
    def unavailable(*args):
        raise OperationalError("no connection")

    monkeypatch.setattr(subscription, "admit_network", unavailable)
    response = join()
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert read(response).one("input", name="address").attributes["value"] == ADDRESS


def test_no_address_is_in_any_log_or_address(caplog, mail_server):
    mail_server.to_recipients[ADDRESS] = "450 4.2.1 <{}> is busy"
    caplog.set_level("DEBUG")
    join(f"{ADDRESS} ")
    join("ada@@example.org")
    assert "A confirmation mail was not accepted" in caplog.text
    assert "example.org" not in "".join(
        record.getMessage()
        for record in caplog.records
        if not record.name.startswith("mail.log") and not record.name.startswith("django.db")
    )
