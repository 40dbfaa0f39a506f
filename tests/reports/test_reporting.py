"""A reader's report: the form, the limit, the secret page; nothing that they wrote is public."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from shipskip.reports import deciding, reporting
from shipskip.reports.deciding import Words
from shipskip.reports.models import Decision, Report, Result
from shipskip.reports.reporting import Told
from shipskip.web.refusals import RefusedError
from tests import addresses
from tests import factories as make
from tests.markup import read
from tools.models import Tool

pytestmark = pytest.mark.django_db

WORD = "Xylophonistic"
"""A word of the reporter, which no page but their own may show."""
FORM = "/tools/alpha/report/"
WORDS = Words("The context was that of the old model.", "It is corrected.")


@pytest.fixture
def alpha(db):
    """A tool with a take of the builder."""
    make.take(on=make.tool(slug="alpha"), by=make.reviewer(slug="builder"))


def send(path=FORM, client=None, **changes):
    """Send the form as the page does."""
    data = {"about": "take-builder", "text": f"{WORD} is wrong.", "website": ""}
    data |= {"source": f"https://{WORD}.example/", "address": "ada@example.org"}
    return (client or Client()).post(f"{path}send/", data | changes)


def test_the_way_of_a_report_from_the_tool_s_page_to_the_feed(client, clock, snapshot):
    addresses.sample_site()
    clock(make.PUBLISHED + timedelta(days=9))
    assert f"{FORM}?about=take-builder" in read(client.get("/tools/alpha/")).links
    page = read(client.get(f"{FORM}?about=take-builder"))
    (chosen,) = [e for e in page.elements if e.name == "option" and "selected" in e.attributes]
    assert chosen.attributes["value"] == "take-builder"

    answer = send()
    secret = answer["Location"]
    assert answer.status_code == 303
    assert not answer.cookies
    report = Report.objects.get()
    assert (report.subject, report.tool and report.tool.slug) == ("Builder’s take", "alpha")
    assert report.uid.hex in secret

    deciding.ask(report, "Which page?", timezone.now())
    assert "Which page?" in client.get(secret).content.decode()
    assert client.post(secret, {"text": f"{WORD}!"}).status_code == 303
    deciding.decide(report, Result.ACCEPTED, WORDS, None, timezone.now())
    report.refresh_from_db()
    assert report.network == ""
    for path in ("/corrections/", "/corrections/?tool=alpha", "/feeds/corrections.atom"):
        text = client.get(path).content.decode()
        assert WORDS.wrong in text, path
        assert WORDS.outcome in text, path
    seen = read(client.get(secret)).visible_text
    assert seen.partition("The weekly verdicts\n")[0] == snapshot
    assert client.get(secret)["Cache-Control"] == "private, no-store"
    assert 'content="noindex"' in client.get(secret).content.decode()
    tool_page = client.get("/tools/alpha/").content.decode()
    assert re.search(r'href="/corrections/\?tool=alpha"[^<]*>\s*2\s', tool_page)


def test_nothing_that_a_reporter_wrote_is_on_a_page_in_a_dump_or_in_a_log(client, capsys, caplog):
    addresses.sample_site()
    caplog.set_level("DEBUG")
    paths = [send()["Location"]]
    send("/corrections/suggest/", about="")
    send(text="")
    deciding.decide(Report.objects.earliest("pk"), Result.DECLINED, WORDS, None, timezone.now())
    assert WORD in client.get(paths[0]).text
    for path in addresses.PUBLIC.values():
        content = client.get(path).content.decode(errors="replace")
        assert WORD not in content, path
        assert "ada@example" not in content, path
    call_command("dump_catalogue")
    assert WORD not in capsys.readouterr().out
    assert WORD not in caplog.text
    assert "ada@" not in caplog.text


def test_junk_gets_a_sentence_and_what_was_typed_stays(alpha):
    junk: list[tuple[dict[str, str], str]] = [
        ({"text": " \n "}, "Say in a few words"),
        ({"text": "…"}, "Say in a few words"),
        ({"text": "x" * 2_001}, "this text has 2001"),
        ({"text": "a\x08b"}, "U+0008"),
        ({"about": "fact-none"}, "Choose from the list"),
        ({"source": "h" * 501}, "at most 500 characters"),
        ({"source": "a\nb"}, "line break"),
        ({"address": "ada@<b>.org"}, "invalid characters: '<', '>'"),
        ({"website": "x"}, "as robots do"),
    ]
    for changes, key_word in junk:
        response = send(**changes)
        page = read(response)
        assert response.status_code == 400, changes
        assert escape(key_word) in response.content.decode()
        values = {e.attributes.get("name"): e.attributes.get("value") for e in page.elements}
        assert values["address"] == changes.get("address", "ada@example.org")
        assert changes.get("text", f"{WORD} is wrong.").strip() in response.content.decode()
    assert not Report.objects.exists()
    assert send(text="a\r\n" * 1_000).status_code == 303, "a line break is one character"


def test_above_the_limit_and_without_a_database_the_text_comes_back_and_each_has_its_own_page(
    alpha, settings, monkeypatch
):
    def fail(*args):
        raise OperationalError

    settings.REPORTS_PER_NETWORK_PER_DAY = 2
    links = [send(text=text)["Location"] for text in ("One", "One")]
    assert len(set(links)) == Report.objects.count() == 2, "by two readers of one network"
    refused = send(text="Three little words")
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 86_400
    assert "has used up its 2 reports" in refused.content.decode()
    assert "Three little words" in refused.content.decode()
    assert send(client=Client(REMOTE_ADDR="198.51.100.1"), text="Three").status_code == 303
    monkeypatch.setattr("shipskip.reports.views.take_report", fail)
    response = send()
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert f"{WORD} is wrong." in response.content.decode()


def test_a_wide_network_and_the_reports_that_wait_have_a_most(alpha, settings, monkeypatch):
    settings.REPORTS_PER_NETWORK_PER_DAY = 1
    for start, host in (("2001:db8:", "::1"), ("203.0.", ".7")):
        clients = [Client(REMOTE_ADDR=f"{start}{number}{host}") for number in range(11)]
        answers = [send(client=client) for client in clients]
        assert [answer.status_code for answer in answers] == [303] * 10 + [429]
        assert "The wider network around yours has used up its 10 reports" in answers[-1].text
    monkeypatch.setattr(reporting, "MAX_WAITING", Report.objects.count())
    full = send(client=Client(REMOTE_ADDR="198.51.100.1"))
    assert (full.status_code, full["Retry-After"]) == (429, "86400")
    assert "reports wait for our editors" in full.text
    Report.objects.earliest("pk").delete()
    assert send(client=Client(REMOTE_ADDR="198.51.100.1")).status_code == 303


@pytest.mark.parametrize("is_decided", [False, True])
def test_a_reporter_sees_and_deletes_what_they_wrote_under_the_name_of_that_day(
    alpha, client, *, is_decided
):
    secret = send()["Location"]
    tool = Tool.objects.get(slug="alpha")
    report = Report.objects.get()
    name_then = tool.name
    tool.withdraw(timezone.now())
    Tool.objects.update(name="Renamed as a draft", slug="as-a-draft")
    if is_decided:
        deciding.decide(report, Result.ACCEPTED, WORDS, None, timezone.now())
    page = client.get(secret).text
    assert WORD in page
    assert f"{name_then}: " in page
    assert "as-a-draft" not in page
    assert "Renamed as a draft" not in page
    assert client.get(f"{secret}delete/").status_code == 405
    assert Client(enforce_csrf_checks=True).post(f"{secret}delete/").status_code == 403
    assert client.post(f"{secret}delete/").status_code == 200
    after = client.get(secret)
    assert after.status_code == (200 if is_decided else 404)
    assert WORD not in after.text
    assert (WORDS.outcome in after.text) == is_decided
    assert not Report.objects.exclude(text="").exists()


@pytest.mark.both_databases
def test_many_reports_at_once_are_as_many_as_the_limit(database, settings):
    settings.REPORTS_PER_NETWORK_PER_DAY = 5
    now = timezone.now()

    def one(number: int) -> bool:
        try:
            reporting.take_report(Told(f"Report {number}"), "203.0.113.0/24", now)
        except RefusedError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(one, range(15))) == Report.objects.count() == 5
    line: Any = Report.objects.one_of_each_network().get()
    assert line.of_network_total == 5


def test_a_secret_link_opens_one_report_and_no_other_text_does(client):
    first, second = make.report(), make.report()
    assert client.get(first.link).status_code == 200
    forged = first.link.replace(first.uid.hex, second.uid.hex)
    for path in (forged, f"/corrections/follow/{first.uid.hex}/", "/corrections/follow/x.y/"):
        assert client.get(path).status_code == 404, path
    assert client.post(first.link, {"text": "Unasked"}).status_code == 303
    assert Report.objects.get(pk=first.pk).reply == ""


def test_spam_is_only_counted_and_a_hidden_tool_takes_its_corrections_along(client):
    reports = [make.report(text=WORD), make.report()]
    assert deciding.mark_as_spam(reports, None, timezone.now()) == 2
    assert deciding.mark_as_spam(reports, None, timezone.now()) == 0
    assert not Report.objects.exists()
    assert {row.wrong + row.outcome + row.subject for row in Decision.objects.all()} == {""}
    assert "2 that were spam" in read(client.get("/corrections/")).text
    tool = make.tool()
    make.decision(tool=tool, wrong="Hidden soon.")
    assert "Hidden soon." in client.get("/corrections/").content.decode()
    Tool.objects.filter(pk=tool.pk).update(published_at=timezone.now() + timedelta(days=1))
    assert "Hidden soon." not in client.get("/corrections/").content.decode()
