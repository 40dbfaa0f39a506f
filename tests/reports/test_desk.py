"""The desk's queue: one line a network, the report beside the fact, and the four acts."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from shipskip.reports.models import Decision, Report
from tests import addresses
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.markup import read
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

QUEUE = "/admin/reports/report/"
WORDS = {"wrong": "We misread the page.", "outcome": "The price is corrected."}


@pytest.fixture
def tool() -> Tool:
    addresses.sample_site()
    return Tool.objects.get(slug="alpha")


def act(client, report, name, **data):
    return client.post(f"{QUEUE}{report.pk}/{name}/", data)


def test_a_flood_of_one_network_is_one_line_and_the_oldest_report_comes_first(tool):
    later = make.report(tool=tool, subject="Late", reported_at=timezone.now())
    flood = [make.report(tool=tool, subject="Flood", network="f" * 32) for _ in range(12)]
    client = desk_of("Publishers")
    page = read(client.get(QUEUE))
    rows = [e.text for e in page.elements if e.name == "tr" and "Alpha: " in e.text]
    assert ["Flood" in row for row in rows] == [True, False]
    assert "12 reports" in rows[0]
    assert "2 to decide" in read(client.get("/admin/")).text
    page = read(client.get(f"{QUEUE}{flood[0].pk}/change/"))
    assert "11 more from this network" in page.text
    act(client, flood[0], "spam", sure="on", everything="on")
    assert list(Report.objects.all()) == [later]
    assert Decision.objects.filter(result="spam", by=User.objects.get()).count() == 12


def test_accept_opens_the_fact_with_the_reader_s_source_filled_in(tool):
    attribute = make.attribute(slug="context", name="Context", asked_in=[tool.category])
    make.fact(on=tool, to=attribute, value=Decimal(8000), source="https://old.example/")
    source = "https://new.example/docs?a=1"
    report = make.report(
        tool=tool, about="fact-context", subject="Context", source=source, text="<b>16,000</b>"
    )
    client = desk_of("Publishers")
    page = client.get(f"{QUEUE}{report.pk}/change/")
    text = read(page).text
    assert "<b>16,000</b>" in text
    assert "8000" in text
    assert "https://old.example/" in text
    links = {e.attributes.get("href") for e in read(page).elements}
    assert source not in links
    answer = act(client, report, "decide", result="accepted", **WORDS)
    assert answer.status_code == 303
    inputs = [e for e in read(client.get(answer["Location"])).elements if e.name == "input"]
    by_name = {e.attributes.get("name"): e.attributes.get("value") for e in inputs}
    assert source in [value for name, value in by_name.items() if str(name).endswith("-source")]
    decision = Decision.objects.get(report=report)
    assert (decision.result, decision.wrong, decision.by) == (
        *("accepted", WORDS["wrong"]),
        User.objects.get(),
    )
    assert act(client, report, "decide", result="declined", **WORDS).status_code == 303
    assert Decision.objects.filter(report=report).get().result == "accepted"


def test_a_suggestion_opens_a_new_tool_with_its_site():
    report = make.report(source="https://new.example/")
    client = desk_of("Publishers")
    answer = act(client, report, "decide", result="accepted", **WORDS)
    page = read(client.get(answer["Location"]))
    values = {e.attributes.get("name"): e.attributes.get("value") for e in page.elements}
    assert values["website"] == "https://new.example/"


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("decide", {"result": "accepted", "wrong": "We misread it."}, "Say what you change"),
        ("decide", {"result": "declined", **WORDS, "wrong": "…"}, "no letter or digit"),
        ("decide", {"result": "maybe", **WORDS}, "Select a valid choice"),
        ("ask", {"question": ""}, "Write the question"),
        ("spam", {}, "Tick that the text"),
    ],
)
def test_a_wrong_form_gets_a_sentence_and_keeps_its_text(tool, name, data, sentence):
    report = make.report(tool=tool, address="ada@example.org")
    answer = act(desk_of("Publishers"), report, name, **data)
    assert answer.status_code == 400
    assert sentence in read(answer).text
    assert data.get("wrong", "") in answer.content.decode()
    assert Report.objects.undecided().get() == report


def test_asking_and_deciding_mail_the_reporter_no_word_of_theirs(tool, mailoutbox, settings):
    settings.SITE_URL = "https://shiporskip.example"
    report = make.report(tool=tool, text="Xylophonistic", address="Ada@example.org")
    client = desk_of("Publishers")
    act(client, report, "ask", question="Which page do you mean?")
    act(client, report, "decide", result="declined", **WORDS)
    for mail, words in zip(mailoutbox, ["Which page do you mean?", WORDS["outcome"]], strict=True):
        assert mail.to == ["Ada@example.org"]
        assert words in mail.body
        assert f"https://shiporskip.example{report.link}" in mail.body
        assert "Xylophonistic" not in mail.body


def test_a_mail_server_that_refuses_is_named_and_the_decision_stays(tool, settings):
    settings.EMAIL_BACKEND, settings.EMAIL_PORT = "django.core.mail.backends.smtp.EmailBackend", 1
    report = make.report(tool=tool, address="ada@example.org")
    client = desk_of("Publishers")
    answer = act(client, report, "decide", result="declined", **WORDS)
    assert "was not accepted" in read(client.get(answer["Location"])).text
    assert not Report.objects.undecided().exists()


def test_writers_read_the_queue_and_decide_nothing(tool):
    report, client = make.report(tool=tool), desk_of("Writers")
    page = client.get(f"{QUEUE}{report.pk}/change/")
    assert "It is wrong." in page.content.decode()
    assert "Accept" not in [e.text for e in read(page).elements if e.name == "button"]
    for name in ("decide", "ask", "spam"):
        assert act(client, report, name, sure="on", result="declined", **WORDS).status_code == 403
    assert desk_of().get(QUEUE).status_code == 403
    assert Report.objects.undecided().exists()


def test_the_words_of_a_decision_can_be_corrected(tool, client):
    decision = make.decision(tool=tool)
    desk_of("Publishers").post(f"/admin/reports/decision/{decision.pk}/change/", WORDS)
    assert WORDS["outcome"] in client.get("/corrections/").content.decode()
