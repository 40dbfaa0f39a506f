"""Join, confirm, leave, be forgotten: with a form, and with only the links of a mail."""

from datetime import timedelta
from functools import partial

import pytest
from django.core import mail
from django.test import Client

from shipskip.limits import daily_hashes
from shipskip.limits.models import ActCount
from shipskip.newsletter.models import (
    AddressLook,
    Confirmation,
    Delivery,
    ForgottenAddress,
    Subscriber,
)
from shipskip.newsletter.subscribers import subscription
from shipskip.web.mail_addresses import parse
from tests import factories as make
from tests.markup import read
from tests.newsletter.conftest import NOW
from tests.newsletter.readers import ADDRESS, form, join, join_in_place, link
from tests.reviews.voters import unreachable_database
from tests.shared_database import at_once

pytestmark = pytest.mark.django_db

SECOND, HOUR, DAY, WEEK = (timedelta(seconds=n) for n in (1, 3_600, 86_400, 604_800))
ONE_CLICK = {"List-Unsubscribe": "One-Click"}
MULTIPART = (
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
)


@pytest.fixture
def ada() -> Subscriber:
    return make.subscriber(address=ADDRESS)


def state(subscriber: Subscriber | None = None) -> str:
    """The stored state of a subscriber, by default of the only one."""
    return Subscriber.objects.get(**{"pk": subscriber.pk} if subscriber else {}).state


def token_of(client: Client, path: str) -> dict[str, str]:
    field = read(client.get(path)).one("input", name="csrfmiddlewaretoken")
    return {"csrfmiddlewaretoken": field.attributes["value"]}


def join_from(ip: str, address: str = ADDRESS):
    return Client(REMOTE_ADDR=ip).post("/newsletter/join/", form(address))


# Joining


def test_a_request_is_saved_as_typed_and_its_mail_links_to_the_configured_address(client, snapshot):
    sender = Client(headers={"host": "localhost"})
    response = sender.post("/newsletter/join/", form(" Ada@Example.org "))
    assert (response.status_code, response["Location"]) == (303, "?asked=yes")
    ada, confirmation = Subscriber.objects.get(), Confirmation.objects.get()
    stored = (ada.address, ada.normalised, ada.state)
    assert stored == ("Ada@Example.org", ADDRESS, "waiting")
    (sent,) = mail.outbox
    assert sent.to == ["Ada@example.org"]
    assert sent.extra_headers == {"Auto-Submitted": "auto-generated"}
    body = str(sent.body)
    assert max(map(len, body.splitlines())) < 100
    assert body.replace(confirmation.key, "KEY").replace(ada.key, "OWN-KEY") == snapshot
    assert "inbox" in read(client.get("/newsletter/join/?asked=yes")).text


def test_the_answer_is_the_same_for_every_address(clock):
    clock(NOW)
    complained, forgotten = make.subscriber(), make.subscriber()
    subscription.record_complaint(complained, NOW)
    subscription.forget(forgotten, NOW)
    tired = make.subscriber(state="waiting")
    for _ in range(3):
        subscription.request_join(parse(tired.address), NOW)
    answers, mailed = set(), []
    for address in (
        "new@example.org",
        make.subscriber(state="waiting").address,
        make.subscriber(state="left").address,
        make.subscriber(state="refused", ended_why="550 gone").address,
        make.subscriber().address,
        complained.address,
        forgotten.address,
        tired.address,
    ):
        mail.outbox.clear()
        for send in (join, join_in_place):
            response = send(address)
            heads = [head for head in response.items() if head[0] != "X-Request-ID"]
            answers.add((send, response.status_code, response.content, *sorted(heads)))
        mailed.append({sent.subject.split(":")[0] for sent in mail.outbox})
    assert len(answers) == 2
    already: set[str] = {"You already get the weekly verdicts"}
    assert mailed == [*[{"Confirm"}] * 4, already, set(), set(), set()]


def test_an_address_gets_three_mails_in_a_day_of_utc(clock):
    make.subscriber(address=ADDRESS)
    for hours, mails in ((0, 1), (1, 2), (2, 3), (3, 3), (23, 3), (24, 4)):
        clock(NOW.replace(hour=0) + hours * HOUR)
        join()
        assert len(mail.outbox) == mails
    assert state() == "confirmed"


@pytest.mark.parametrize(
    ("addresses", "subscribers", "mails"),
    [
        ("ada.l@gmail.com a.d.al@gmail.com adal+b@gmail.com ada.l@googlemail.com", 4, 3),
        ("ada.l@b.org a.d.al@b.org adal@b.org adal@b.com", 4, 4),
        ("ada+1@b.org ada+2@b.org Ada@B.ORG ada+3@b.org", 4, 3),
        ("ada@b.org bada+1@b.org ad+a@b.org +a@b.org", 4, 4),
        ("ada@b.org ADA@b.org ada@B.ORG ada@b.org", 1, 3),
    ],
    ids=["Gmail", "dots elsewhere", "tags", "almost a tag", "spellings"],
)
def test_which_addresses_are_one_subscriber_and_one_mailbox(addresses, subscribers, mails):
    for address in addresses.split():
        join(f" {address} ")
    assert (Subscriber.objects.count(), len(mail.outbox)) == (subscribers, mails)


@pytest.mark.parametrize("send", [join, join_in_place])
def test_an_invalid_address_is_explained_once_and_stays_in_the_field(send):
    """Which are invalid: tests/web/test_mail_addresses.py."""
    for address in ("ada@example.org\r\nBcc: eve@example.org", '"><script>@b.org' + "a" * 300):
        response = send(address)
        page = read(response)
        field = page.one("input", name="address")
        assert response.status_code == 400
        assert field.attributes["aria-invalid"] == "true"
        error = page.by_id(field.attributes["aria-describedby"])
        assert error.within("form") is page.by_id("join")
        assert page.text.count(error.text) == (2 if send is join_in_place else 1), "announced"
        kept = field.attributes["value"].translate({10: None, 13: None})
        assert kept == address[:300].translate({10: None, 13: None})
    assert not Subscriber.objects.exists()
    assert not mail.outbox


def test_the_answer_leads_back_to_the_page_of_the_form_also_after_a_fault():
    headers = {"referer": "http://testserver/tools/alpha/?a=b"}
    answer = Client().post("/newsletter/join/", form(), headers=headers)
    assert answer["Location"] == "?asked=yes&next=%2Ftools%2Falpha%2F%3Fa%3Db"
    asked = read(Client().get(f"/newsletter/join/{answer['Location']}"))
    assert asked.one("a", href="/tools/alpha/?a=b#newsletter").text == "Back to where you were"
    wrong = Client().post("/newsletter/join/", form("ada"), headers=headers)
    back = read(wrong).one("input", name="next").attributes["value"]
    assert join(next=back)["Location"] == answer["Location"]
    assert join(next="/newsletter/join/")["Location"] == "?asked=yes"
    bare = Client().get("/newsletter/join/", {"asked": "yes", "next": "//evil.example/"})
    assert b"Back to where you were" not in bare.content


def test_a_database_error_loses_nothing_that_was_typed():
    with unreachable_database():
        response = join()
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert read(response).one("input", name="address").attributes["value"] == ADDRESS


def test_no_address_is_in_any_log_or_address(caplog, mail_server):
    mail_server.to_recipients[ADDRESS] = "450 4.2.1 <{}> is busy"
    caplog.set_level("DEBUG")
    join(f"{ADDRESS} ")
    join("ada@@example.org")
    assert "A confirmation mail was not accepted" in caplog.text
    own = [row for row in caplog.records if not row.name.startswith(("mail.log", "django.db"))]
    assert "example.org" not in "".join(row.getMessage() for row in own)


def test_the_third_request_of_a_network_of_two_a_day_waits_for_tomorrow(clock, settings):
    settings.JOINS_PER_NETWORK_PER_DAY = 2
    clock(NOW)
    for number in range(2):
        assert join_from(f"203.0.113.{number}", f"a{number}@example.org").status_code == 303
    response = join_from("203.0.113.99", "late@example.org")
    assert (response.status_code, response["Retry-After"]) == (429, str(15 * 3_600))
    assert "2 sign-ups" in read(response).one("p", class_="join__message").text
    assert not Subscriber.objects.filter(address="late@example.org").exists()
    assert join_from("203.0.114.1", "other@example.org").status_code == 303
    clock(NOW + DAY)
    assert join_from("203.0.113.99", "late@example.org").status_code == 303
    keys = set(ActCount.objects.filter(kind="sign-ups").values_list("key", flat=True))
    keys.add(daily_hashes.hash_of_day("203.0.113.0/24", NOW))
    assert len(keys) == 4, "another of each network and day, and than for votes"


@pytest.mark.both_databases
def test_many_tags_at_once_get_three_mails_together(database):
    addresses = [parse(f"ada+{number}@example.org") for number in range(6)]
    requests = [partial(subscription.request_join, address, NOW) for address in addresses]
    assert sum(map(bool, at_once(*requests))) == subscription.MAILS_PER_DAY


# Confirming


def test_the_link_of_the_mail_shows_a_button_and_the_button_confirms_once(
    clock, strict_client, snapshot
):
    clock(NOW)
    join("annette@example.org")
    path = link("confirm")
    for method in (strict_client.get, strict_client.head, Client().options):
        method(path)
    assert strict_client.post(path).status_code == 403
    assert state() == "waiting"
    assert read(strict_client.get(path)).visible_text == snapshot
    token = token_of(strict_client, path)
    for moment in (NOW + SECOND, NOW + WEEK):
        clock(moment)
        response = strict_client.post(path, token)
        assert (response.status_code, response["Location"]) == (303, path)
        subscriber = Subscriber.objects.get()
        assert (subscriber.state, subscriber.confirmed_at) == ("confirmed", NOW + SECOND)
    assert read(strict_client.get(path)).heading == "You are subscribed"


def test_a_link_is_valid_for_seven_days(clock):
    clock(NOW)
    join()
    for moment, then in ((NOW + WEEK, "waiting"), (NOW + WEEK - SECOND, "confirmed")):
        clock(moment)
        page = read(Client().get(link("confirm")))
        assert bool(page.all("form", method="post")) == (then == "confirmed")
        Client().post(link("confirm"))
        assert state() == then


def test_each_of_two_mails_confirms_and_after_leaving_only_a_new_one_does():
    join()
    join()
    old = [link("confirm", of=0), link("confirm", of=1)]
    assert old[0] != old[1]
    Client().post(old[0])
    assert state() == "confirmed"
    assert not Confirmation.objects.open(), "the other is not sent again"
    assert read(Client().get(old[1])).heading == "You are subscribed"
    subscription.leave(Subscriber.objects.get(), NOW)
    for path in old:
        Client().post(path)
        assert state() == "left"
        assert "expired" in read(Client().get(path)).heading
    join()
    Client().post(old[0])
    assert state() == "waiting"
    Client().post(link("confirm"))
    subscriber = Subscriber.objects.get()
    assert (subscriber.state, subscriber.ended_at, subscriber.ended_why) == ("confirmed", None, "")


def test_an_unknown_link_is_a_page_that_says_so(client):
    for word in ("confirm", "leave", "forget", "allow"):
        response = client.get(f"/newsletter/{word}/{'z' * 32}/")
        assert response.status_code == 404, word
        assert "not valid" in read(response).heading, word


# Leaving


def test_a_mail_program_unsubscribes_by_one_post_without_cookie_token_or_redirect(strict_client):
    multipart = {"data": MULTIPART, "content_type": "multipart/form-data; boundary=x"}
    for body in ({"data": ONE_CLICK}, multipart):
        reader = make.subscriber()
        response = strict_client.post(reader.leave_path, **body)
        kind = response["Content-Type"]
        assert (response.status_code, kind) == (200, "text/plain; charset=utf-8")
        assert not response.cookies
        assert "private" in response["Cache-Control"]
        reader.refresh_from_db()
        assert (reader.state, reader.ended_why) == ("left", "left by themselves")


def test_a_reader_unsubscribes_by_the_button_and_not_by_opening_the_link(ada, client):
    for method in (client.get, client.head, client.options):
        assert ADDRESS not in method(ada.leave_path).content.decode()
    assert state() == "confirmed"
    response = client.post(ada.leave_path)
    assert (response.status_code, response["Location"]) == (303, ada.leave_path)
    assert read(client.get(ada.leave_path)).heading == "You have left"
    assert state() == "left"


def test_the_first_time_and_reason_of_an_end_are_kept_and_never_the_address(ada):
    subscription.refuse(ada, f"550 5.1.1 <{ADDRESS}>: no such user" + "x" * 500, NOW)
    Client().post(ada.leave_path, ONE_CLICK)
    ada.refresh_from_db()
    assert (ada.state, ada.ended_at) == ("refused", NOW)
    assert ada.ended_why.startswith("550 5.1.1 <(address)>: no such user")
    assert len(ada.ended_why) == 300


def test_forgetting_needs_a_confirmation_and_then_only_a_hash_is_stored(strict_client):
    join()
    ada = Subscriber.objects.get()
    Delivery.objects.create(issue=make.issue(), subscriber=ada)
    look = AddressLook.objects.create(who_then="ben", subscriber=ada, at=NOW)
    path = link("forget")
    token = token_of(strict_client, path)
    assert strict_client.post(path).status_code == 403
    assert Subscriber.objects.exists()
    response = strict_client.post(path, token)
    assert (response.status_code, response["Location"]) == (303, path)
    assert read(strict_client.get(path)).heading == "Forgotten"
    for model in (Subscriber, Delivery, Confirmation):
        assert not model.objects.exists()
    look.refresh_from_db()
    assert look.subscriber is None
    row = str(ForgottenAddress.objects.values().get())
    assert ADDRESS not in row
    assert ada.key not in row


def test_a_forgotten_address_is_known_by_the_hash_of_each_secret_key_that_is_kept(ada, settings):
    settings.SECRET_KEY = "one"
    subscription.forget(ada, NOW)
    row = ForgottenAddress.objects.get()
    assert row.sealed == "6e9a926a924df19a112dc64346758c085f2a3965fc491424b43809af2a4f708a"
    assert row.sealed != row.sealed_key
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "two", ["another", "one"]
    assert subscription.is_address_forgotten(ADDRESS)
    assert subscription.is_key_forgotten(ada.key)
    settings.SECRET_KEY_FALLBACKS = ["another"]
    assert not subscription.is_address_forgotten(ADDRESS)


def test_a_forgotten_address_gets_no_mail_until_its_owner_allows_it_again(ada):
    subscription.forget(ada, NOW)
    assert Client().post(ada.leave_path, ONE_CLICK).status_code == 200
    join("ADA@Example.ORG")
    assert (len(mail.outbox), Subscriber.objects.count()) == (0, 0)
    allow = f"/newsletter/allow/{ada.key}/"
    page = read(Client().get(ada.leave_path))
    assert page.heading == "Forgotten"
    assert allow in page.links
    Client().get(allow)
    assert subscription.is_address_forgotten(ADDRESS)
    assert Client().post(allow).status_code == 303
    join()
    assert mail.outbox[0].to == [ADDRESS]
    assert state() == "waiting"


def test_after_a_spam_complaint_no_mail_is_sent_until_it_is_withdrawn(ada):
    allow = f"/newsletter/allow/{ada.key}/"
    Client().post(allow)
    assert state() == "confirmed", "nothing to withdraw"
    subscription.leave(ada, NOW)
    Client().post(allow)
    assert state() == "left"
    subscription.record_complaint(ada, NOW)  # replaces the earlier end
    other = make.subscriber()
    subscription.record_complaint(other, NOW)
    join()
    assert not mail.outbox
    Client().post(allow)
    assert (state(ada), state(other)) == ("left", "refused")
    join()
    assert len(mail.outbox) == 1
