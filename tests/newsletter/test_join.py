"""Joining: the same response for every address, and a mail only to addresses that may get one."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.core import mail
from django.db import OperationalError, connection
from django.test import Client, RequestFactory

from shipskip.limits import daily_hashes
from shipskip.limits.models import ActCount
from shipskip.newsletter.models import Confirmation, Subscriber
from shipskip.newsletter.subscribers import subscription, views
from shipskip.web.mail_addresses import parse
from tests import factories as make
from tests.markup import read
from tests.newsletter.conftest import NOW
from tests.newsletter.readers import ADDRESS, form, join, join_in_place, link

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def join_from(ip: str, address: str = ADDRESS):
    return Client(REMOTE_ADDR=ip).post("/newsletter/join/", form(address))


def test_a_request_is_saved_as_typed_and_its_mail_links_to_the_configured_address(client, snapshot):
    response = client.get("/newsletter/join/")
    page = read(response)
    field = page.one("input", name="address")
    assert page.one("label", **{"for": field.attributes["id"]}).text == "Your address"
    assert "no-store" in response["Cache-Control"]
    assert page.one("form", action="/newsletter/join/").attributes["method"] == "post"
    sender = Client(headers={"host": "localhost"})
    response = sender.post("/newsletter/join/", form(" Ada@Example.org "))
    assert (response.status_code, response["Location"]) == (303, "?asked=yes")
    subscriber = Subscriber.objects.get()
    assert (subscriber.address, subscriber.normalised) == ("Ada@Example.org", ADDRESS)
    assert subscriber.state == "waiting"
    (sent,) = mail.outbox
    assert sent.to == ["Ada@example.org"]
    assert link("confirm") == f"/newsletter/confirm/{Confirmation.objects.get().key}/"
    assert link("forget") == f"/newsletter/forget/{subscriber.key}/"
    body = str(sent.body)
    assert max(map(len, body.splitlines())) < 100
    for key in (Confirmation.objects.get().key, subscriber.key):
        body = body.replace(key, "KEY")
    assert body == snapshot
    assert "inbox" in read(client.get("/newsletter/join/?asked=yes")).text


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
        subscription.request_join(parse(tired.address), NOW)
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


@pytest.mark.parametrize("state", ["waiting", "confirmed"])
def test_an_address_gets_three_mails_in_a_day_of_utc(clock, state):
    make.subscriber(address=ADDRESS, state=state)
    midnight = NOW.replace(hour=0)
    for hours, mails in ((0, 1), (1, 2), (2, 3), (3, 3), (23, 3), (24, 4)):
        clock(midnight + hours * HOUR)
        join()
        assert len(mail.outbox) == mails
    assert Subscriber.objects.get().state == state


@pytest.mark.parametrize(
    ("addresses", "subscribers", "mails"),
    [
        pytest.param(
            [f"{local}@gmail.com" for local in ("ada.l", "a.d.al", "adal+b")]
            + ["ada.l@googlemail.com"],
            4,
            3,
            id="dots and tags of Gmail",
        ),
        pytest.param(
            ["ada.l@example.org", "a.d.al@example.org", "adal@example.org", "adal@example.com"],
            4,
            4,
            id="dots elsewhere",
        ),
        pytest.param(
            ["ada+1@example.org", "ada+2@example.org", "Ada@Example.ORG", "ada+3@example.org"],
            4,
            3,
            id="tags",
        ),
        pytest.param(
            ["ada@example.org", "bada+1@example.org", "ad+a@example.org", "+a@example.org"],
            4,
            4,
            id="almost a tag",
        ),
        pytest.param(
            ["axa+1@b.org", "a1+1@b.org", "a2+1@b.org", "a_a+1@b.org", "a%+1@b.org"],
            5,
            5,
            id="wildcards of SQL",
        ),
        pytest.param(
            [ADDRESS, "ADA@example.org", "ada@EXAMPLE.ORG", f" {ADDRESS} "],
            1,
            3,
            id="another spelling",
        ),
    ],
)
def test_which_addresses_are_one_subscriber_and_one_mailbox(addresses, subscribers, mails):
    for address in addresses:
        join(address)
    assert (Subscriber.objects.count(), len(mail.outbox)) == (subscribers, mails)


def test_mail_to_an_international_domain_uses_ascii_by_present_rules():
    join("Ada@Straße.example")
    assert mail.outbox[0].to == ["Ada@xn--strae-oqa.example"]
    assert Subscriber.objects.get().address == "Ada@Straße.example"


@pytest.mark.parametrize("send", [join, join_in_place])
def test_an_invalid_address_is_explained_once_and_stays_in_the_field(send):
    for address in (
        "",
        "ada",
        "a b@example.org",
        "ada@example.org\r\nBcc: eve@example.org",
        f"{'a' * 300}@b.org",
        '"><script>alert(1)</script>@example.org',
    ):
        response = send(address)
        page = read(response)
        field = page.one("input", name="address")
        assert response.status_code == 400
        assert field.attributes["aria-invalid"] == "true"
        error = page.by_id(field.attributes["aria-describedby"])
        assert error.text.endswith(".")
        assert error.within("form") is page.by_id("join")
        announced = int(send is join_in_place)
        assert page.text.count(error.text) == 1 + announced
        typed = field.attributes["value"].replace("\r", "").replace("\n", "")
        assert typed == address[:300].replace("\r", "").replace("\n", "")
        assert b"<script>alert" not in response.content
    assert send(website="https://spam.example/").status_code == 400
    assert not Subscriber.objects.exists()
    assert not mail.outbox


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


def test_the_twenty_first_request_of_a_network_waits_for_tomorrow(clock):
    clock(NOW)
    for number in range(20):
        assert join_from(f"203.0.113.{number}", f"a{number % 7}@example.org").status_code == 303
    response = join_from("203.0.113.99", "late@example.org")
    assert response.status_code == 429
    assert int(response["Retry-After"]) == 15 * 3600
    assert "20 sign-ups" in read(response).one("p", class_="join__message").text
    assert not Subscriber.objects.filter(address="late@example.org").exists()
    assert join_from("203.0.114.1", "other@example.org").status_code == 303
    clock(NOW + DAY)
    assert join_from("203.0.113.99", "late@example.org").status_code == 303


def test_a_network_has_another_hash_for_joining_each_day_and_than_for_votes():
    for now in (NOW, NOW + DAY):
        subscription.admit_network("203.0.113.0/24", now)
    keys = set(ActCount.objects.values_list("key", flat=True))
    keys.add(daily_hashes.hash_of_day("203.0.113.0/24", NOW))
    assert len(keys) == 3
    assert {len(key) for key in keys} == {32}


def test_many_tags_at_once_get_three_mails_together(database):
    def request_to_join(number):
        try:
            return subscription.request_join(parse(f"ada+{number}@example.org"), NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(request_to_join, range(15)))
    assert len([row for row in answers if row]) == subscription.MAILS_PER_DAY


POSTS, NETWORKS, MAILBOXES = 600, 2, 5


def test_six_hundred_posts_from_two_networks_send_15_mails(rf: RequestFactory, clock):
    """One in ten pretends to be our page too; each has another tag of one of the mailboxes."""
    clock(NOW)
    answers: Counter[int] = Counter()
    for number in range(POSTS):
        turn, pretends = divmod(number, 10)
        headers = {"hx-request": "true"} | ({} if pretends else {"sec-fetch-site": "same-origin"})
        sent = urlencode(form(f"ada{turn % MAILBOXES}+{turn}@example.org"))
        client = f"203.0.{turn % NETWORKS}.{turn % 250}"
        kind = "application/x-www-form-urlencoded"
        robot = rf.post("/", sent, kind, headers=headers, REMOTE_ADDR=client)
        answers[views.join_in_place(robot).status_code] += 1
    admitted = NETWORKS * 20
    assert answers == {200: admitted, 429: POSTS // 10 - admitted, 403: POSTS * 9 // 10}
    assert len(mail.outbox) == MAILBOXES * subscription.MAILS_PER_DAY == 15
    assert Confirmation.objects.count() == 15
    assert Subscriber.objects.count() == admitted
    assert ActCount.objects.filter(kind="sign-ups").count() == NETWORKS
