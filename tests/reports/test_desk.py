"""The desk's queue: one line a network, the report beside the fact, and the four acts."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from shipskip.reports.models import Decision, Report
from shipskip.reports.stated import stated
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.markup import read
from tools.models import Tool

pytestmark = [pytest.mark.django_db]

QUEUE = "/admin/reports/report/"
WORDS = {"wrong": "We misread the page.", "outcome": "The price is corrected."}


@pytest.fixture
def tool(db) -> Tool:
    return make.tool(slug="alpha", name="Alpha")


def act(client, report, name, **data):
    return client.post(f"{QUEUE}{report.pk}/{name}/", data)


@pytest.mark.both_databases
def test_a_flood_of_one_network_is_one_line_and_the_oldest_report_comes_first(tool, publisher):
    later = make.report(tool=tool, subject="Late", reported_at=timezone.now())
    flood = [make.report(tool=tool, subject="Flood", network="f" * 32) for _ in range(12)]
    page = read(publisher.get(QUEUE))
    rows = [e.text for e in page.elements if e.name == "tr" and "Alpha: " in e.text]
    assert ["Flood" in row for row in rows] == [True, False]
    assert "12 reports" in rows[0]
    assert "2 to decide" in read(publisher.get("/admin/")).text
    page = read(publisher.get(f"{QUEUE}{flood[0].pk}/change/"))
    assert "11 more from this network" in page.text
    for report, number, left in ((flood[0], "12 reports", [later]), (later, "1 report", [])):
        answer = act(publisher, report, "spam", sure="on", everything="on")
        text = read(publisher.get(answer["Location"])).text
        assert f"Deleted as spam: {number}. Only their number is kept." in text
        assert list(Report.objects.all()) == left
    assert Decision.objects.filter(result="spam", by=User.objects.get()).count() == 13


def test_accept_opens_the_fact_with_the_reader_s_source_filled_in(tool, publisher):
    attribute = make.attribute(slug="context", name="Context", asked_in=[tool.category])
    make.fact(on=tool, to=attribute, value=Decimal(8000), source="https://old.example/")
    source = "https://new.example/docs?a=1"
    report = make.report(
        tool=tool, about="fact-context", subject="Context", source=source, text="<b>16,000</b>"
    )
    page = read(publisher.get(f"{QUEUE}{report.pk}/change/"))
    for words in ("<b>16,000</b>", "8000", "https://old.example/"):
        assert words in page.text
    assert source not in page.links
    answer = act(publisher, report, "decide", result="accepted", **WORDS)
    assert answer.status_code == 303
    fields = read(publisher.get(answer["Location"])).all("input", value=source)
    assert [field.attributes["name"].rpartition("-")[2] for field in fields] == ["source"]
    decision = Decision.objects.get(report=report)
    assert (decision.result, decision.wrong) == ("accepted", WORDS["wrong"])
    assert decision.by == User.objects.get()
    assert act(publisher, report, "decide", result="declined", **WORDS).status_code == 303
    assert Decision.objects.get(report=report).result == "accepted"


def test_a_report_stands_beside_what_the_site_says_and_opens_the_screen_that_changes_it(publisher):
    tool = make.tool()
    make.take(on=tool, by=make.reviewer(slug="a", name="A"), because="It is fast.")
    take = make.take(
        on=tool,
        by=make.reviewer(slug="b", name="B"),
        score=9,
        verdict="skip",
        because="It is slow.",
    )
    make.take(by=take.reviewer)
    make.plan(on=tool)
    of_tool = f"tools/tool/{tool.pk}/change/?report="
    price = ("Pro", "$20 per month")
    for about, shown, url in (
        ("take-b", ("B", "9/100 · skip · It is slow."), f"reviews/take/{take.pk}/change/"),
        ("take-nobody", ("Status", "Not known"), f"{of_tool}{{}}#facts-group"),
        ("prices", price, f"{of_tool}{{}}#plans-group"),
        ("prices-Pro", price, f"{of_tool}{{}}#plans-group"),
    ):
        report = make.report(tool=tool, about=about)
        assert [(row.name, row.words) for row in stated(report)] == [shown]
        answer = act(publisher, report, "decide", result="accepted", **WORDS)
        assert answer["Location"] == f"/admin/{url.format(report.pk)}"


def test_a_suggestion_opens_a_new_tool_with_its_site_for_those_who_see_reports(publisher):
    report = make.report(source="https://new.example/")
    answer = act(publisher, report, "decide", result="accepted", **WORDS)
    of_others = desk_of(rights=("view_tool", "add_tool"))
    for client, site in ((publisher, "https://new.example/"), (of_others, "")):
        page = read(client.get(answer["Location"]))
        assert page.one("input", name="website").attributes.get("value", "") == site


def test_a_wrong_form_gets_a_sentence_and_keeps_its_text(tool, publisher):
    report = make.report(tool=tool, address="ada@example.org")
    for name, data, key_word in (
        ("decide", {"result": "accepted", "wrong": "We misread it."}, "what you change"),
        ("decide", {"result": "declined", **WORDS, "wrong": "…"}, "no letter or digit"),
        ("decide", {"result": "maybe", **WORDS}, "valid choice"),
        ("ask", {"question": ""}, "Write the question"),
        ("spam", {}, "Tick"),
    ):
        answer = act(publisher, report, name, **data)
        assert answer.status_code == 400, data
        assert key_word in read(answer).text
        assert data.get("wrong", "") in answer.content.decode()
        assert Report.objects.undecided().get() == report


def test_asking_and_deciding_mail_the_reporter_no_word_of_theirs(
    tool, publisher, mailoutbox, settings, snapshot
):
    settings.SITE_URL = "https://shiporskip.example"
    report = make.report(tool=tool, text="Xylophonistic", address="Ada@example.org")
    act(publisher, report, "ask", question="Which page do you mean?")
    act(publisher, report, "decide", result="declined", **WORDS)
    assert [mail.to for mail in mailoutbox] == [["Ada@example.org"]] * 2
    for mail, state in zip(mailoutbox, ("asked", "declined"), strict=True):
        assert f"https://shiporskip.example{report.link}" in mail.body
        assert mail.body.replace(report.link, "/SECRET/") == snapshot(name=state)
    settings.EMAIL_BACKEND, settings.EMAIL_PORT = "django.core.mail.backends.smtp.EmailBackend", 1
    second = make.report(tool=tool, address="ada@example.org")
    answer = act(publisher, second, "decide", result="declined", **WORDS)
    assert "was not accepted" in read(publisher.get(answer["Location"])).text
    assert not Report.objects.undecided().exists()
    corrected = WORDS | {"outcome": "It is corrected twice."}
    decision = Decision.objects.get(report=second)
    publisher.post(f"/admin/reports/decision/{decision.pk}/change/", corrected)
    decision.refresh_from_db()
    assert decision.outcome == corrected["outcome"]


def test_writers_read_the_queue_and_decide_nothing(tool, writer):
    report = make.report(tool=tool)
    page = read(writer.get(f"{QUEUE}{report.pk}/change/"))
    assert "It is wrong." in page.text
    assert "Accept" not in page.texts("button")
    for name in ("decide", "ask", "spam"):
        assert act(writer, report, name, sure="on", result="declined", **WORDS).status_code == 403
    assert desk_of().get(QUEUE).status_code == 403
    assert Report.objects.undecided().exists()
