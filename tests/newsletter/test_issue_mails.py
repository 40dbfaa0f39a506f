"""The mail of an issue: HTML, text, styles and headers."""

import re
from datetime import date, timedelta
from html import unescape

import pytest

from reviews.models import Take, ToolTally
from shipskip.newsletter.delivery import messages
from shipskip.newsletter.issues import entry_facts, mail_rendering
from shipskip.newsletter.models import Delivery, Issue
from tests import factories as make
from tests.markup import Document, read
from tests.newsletter.readers import SITE
from tools.models import Tool

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
NOW = make.PUBLISHED + 6 * DAY


@pytest.fixture
def whole_issue() -> Issue:
    kind = make.category(name="Agents")
    new = make.tool(name="New & <b>", slug="new", tagline="Writes code", in_category=kind)
    make.panel(on=new, ship=2, skip=1)
    Take.objects.update(body="It does **what** it says. Slowly.")
    changed = make.tool(name="Changed", slug="changed", in_category=kind)
    takes = make.panel(on=changed, ship=1, skip=2)
    Take.objects.filter(tool=changed).update(published_at=NOW - 30 * DAY)
    before, by = (90, "ship"), takes[1].reviewer
    make.take_change(on=changed, by=by, before=before, after=(80, "skip"), at=NOW - DAY)
    ToolTally.objects.create(tool=new, ship=1, skip=19)
    issue = make.issue(about=[new], scheduled_at=NOW)
    issue.entries.create(kind="changed_verdict", tool=changed, position=2)
    issue.entries.create(kind="closest_pair", tool=new, other=changed, position=3)
    issue.entries.create(kind="most_divided", tool=new, position=4)
    own = {"heading": "A word & more", "text": "See [us](/methodology/)."}
    issue.entries.create(kind="own_text", position=9, **own)
    return issue


def bodies(issue: Issue, introduction: str = "") -> tuple[str, str]:
    issue.introduction = introduction
    parts = [facts for _, facts in entry_facts.facts_of(issue)]
    return mail_rendering.render(mail_rendering.issue_mail(issue, parts))


def test_an_issue_with_an_entry_of_each_kind(snapshot, whole_issue):
    html, text = bodies(whole_issue, "Hello *you*, see [this](/tools/).")
    assert text == snapshot(name="as text")
    assert Document(html).visible_text == snapshot(name="as HTML")
    assert f'href="{SITE}/tools/"' in html


def test_an_issue_about_a_tool_that_has_ended_and_takes_with_a_because(
    client, snapshot, whole_issue
):
    Take.objects.filter(tool__slug="new").update(because="It writes what I mean.")
    Tool.objects.filter(slug="new").update(status="discontinued", status_on=date(2026, 6, 18))
    page = read(client.get(make.frozen(whole_issue, NOW).get_absolute_url()))
    own_part = page.visible_text.partition("The weekly verdicts\nOne mail")[0]
    assert own_part == snapshot(name="on the page")
    for body in bodies(whole_issue):
        words = " ".join(re.sub("<[^>]+>", " ", unescape(body)).split())
        assert "No longer maintained since 18 June 2026" in words
        assert "It writes what I mean." in words
        assert "Skip Changed." in words


def test_links_are_absolute_lines_fit_and_styles_are_inlined(whole_issue):
    html, text = bodies(whole_issue, "[a](/tools/) [b](https://else.example/) " + "word " * 100)
    links = re.findall(r'href="([^"]*)"', html)
    assert len(links) > 8
    allowed = (SITE, "https://else.example/")
    assert all(link.startswith(allowed) for link in set(links) - {mail_rendering.LEAVE_PLACEHOLDER})
    assert all(re.search(r'alt="[^"]+"', picture) for picture in re.findall(r"<img[^>]*>", html))
    assert all(len(line) <= 72 or SITE in line for line in text.splitlines())
    assert not re.search(r"<[a-z]+[ >]", text.replace("<b>", ""))
    assert re.search(r"<body\sstyle=\"[^\"]*background-color: #", html)
    assert "@media (prefers-color-scheme: dark)" in html.partition("</head>")[0]
    assert "!important" in html.partition("</head>")[0]
    assert not re.search(r"var\(|<link|<script", html)
    assert max(map(len, html.encode().splitlines())) < 998
    assert len(html.encode()) < 100_000  # Gmail cuts off longer mails


def test_a_frozen_issue_keeps_its_facts_and_has_no_entry_of_a_tool_that_was_hidden(whole_issue):
    before = make.frozen(whole_issue, NOW).html
    Tool.objects.filter(slug="new").update(name="Renamed")
    frozen = Issue.objects.get()
    assert frozen.html == before
    assert "Renamed" not in messages.preview(frozen)[0]
    assert frozen.entries.included()[0].facts["tools"][0]["title"] == "New & <b>"
    Tool.objects.get(slug="new").withdraw(NOW)
    kinds = [entry.kind for entry, _ in entry_facts.facts_of(frozen)]
    assert kinds == ["changed_verdict", "own_text"]
    Issue.objects.update(frozen_at=None)
    assert make.frozen(frozen, NOW).entries.included().count() == 2


def test_the_number_of_queries_does_not_grow_with_the_entries(
    whole_issue, keep_content, django_assert_max_num_queries
):
    for position in range(10, 15):
        tool = make.tool()
        make.panel(on=tool, ship=1)
        whole_issue.entries.create(kind="new_verdict", tool=tool, position=position)
    keep_content()
    with django_assert_max_num_queries(14):
        assert len(entry_facts.facts_of(whole_issue)) == 10


def test_the_mail_has_the_headers_for_one_click_unsubscribe(whole_issue):
    reader = make.subscriber(address="Ada+x@bücher.example")
    issue = make.frozen(whole_issue, NOW)
    delivery = Delivery.objects.select_related("subscriber").get()
    delivery.message_id = messages.new_message_id()
    mail = messages.message_to(delivery, issue)
    link = f"{SITE}{reader.leave_path}"
    assert mail.extra_headers["List-Unsubscribe"] == f"<{link}>"
    assert mail.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    for body in (str(mail.body), str(mail.alternatives[0][0])):
        assert body.count(link) == 1
        assert mail_rendering.LEAVE_PLACEHOLDER not in body
        assert "bücher" not in body
    assert reader.address not in str(mail.extra_headers)
    assert mail.message()["Message-ID"] == delivery.message_id
    issue.frozen_subject = "One\r\nBcc: eve@example.org"
    with pytest.raises(ValueError, match="newline"):
        messages.message_to(delivery, issue).message()


def test_a_quote_is_empty_for_an_empty_text_and_cut_at_a_word_if_it_is_long():
    assert entry_facts.quote("") == ""
    long = entry_facts.quote("no end " * 60)
    assert long.endswith(("no…", "end…"))
    assert len(long) <= entry_facts.LONGEST_QUOTE
