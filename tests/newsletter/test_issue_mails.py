"""The mail of an issue: HTML, text, styles and headers."""

import re
from datetime import date, timedelta
from html import unescape

import pytest

from reviews.models import Take, TakeChange, ToolTally
from shipskip.newsletter.delivery import messages
from shipskip.newsletter.issues import entry_facts, mail_rendering
from shipskip.newsletter.models import Delivery, IssueEntry
from tests import factories as make
from tests.markup import Document, read
from tests.newsletter.readers import SITE
from tools.models import Tool

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
NOW = make.PUBLISHED + 6 * DAY


def whole_issue(**fields):
    """An issue with an entry of each kind."""
    kind = make.category(name="Agents")
    new = make.tool(name="New & <b>", slug="new", tagline="Writes code", in_category=kind)
    make.panel(on=new, ship=2, skip=1)
    changed = make.tool(name="Changed", slug="changed", in_category=kind)
    takes = make.panel(on=changed, ship=1, skip=2)
    Take.objects.filter(tool=changed).update(published_at=NOW - 30 * DAY)
    TakeChange.objects.create(
        tool=changed,
        reviewer=takes[1].reviewer,
        score_before=90,
        score_after=80,
        verdict_before="ship",
        verdict_after="skip",
        reason="Pricing tripled.",
        at=NOW - DAY,
    )
    ToolTally.objects.create(tool=new, ship=1, skip=19)
    issue = make.issue(about=[new], scheduled_at=NOW, **fields)
    more = [("changed_verdict", changed, None), ("closest_pair", new, changed)]
    for place, (name, tool, other) in enumerate([*more, ("most_divided", new, None)], 2):
        IssueEntry.objects.create(issue=issue, kind=name, tool=tool, other=other, position=place)
    own = {"kind": "own_text", "heading": "A word & more", "text": "See [us](/methodology/)."}
    IssueEntry.objects.create(issue=issue, position=9, **own)
    return issue


def bodies(issue) -> tuple[str, str]:
    """The HTML and the text."""
    parts = [facts for _, facts in entry_facts.facts_of(issue)]
    return mail_rendering.render(mail_rendering.issue_mail(issue, parts))


def test_an_issue_with_an_entry_of_each_kind(snapshot):
    html, text = bodies(whole_issue(introduction="Hello *you*, see [this](/tools/)."))
    assert text == snapshot(name="as text")
    assert Document(html).visible_text == snapshot(name="as HTML")
    assert f'href="{SITE}/tools/"' in html


def test_an_issue_about_a_tool_that_has_ended_and_takes_with_a_because(client, snapshot):
    issue = whole_issue()
    Take.objects.filter(tool__slug="new").update(because="It writes what I mean.")
    Tool.objects.filter(slug="new").update(status="discontinued", status_on=date(2026, 6, 18))
    page = read(client.get(make.frozen(issue, NOW).get_absolute_url()))
    assert page.visible_text.partition("The weekly verdicts\nOne mail")[0] == snapshot(
        name="on the page"
    )
    for body in bodies(issue):
        words = " ".join(re.sub("<[^>]+>", " ", unescape(body)).split())
        assert "No longer maintained since 18 June 2026" in words
        assert "It writes what I mean." in words
        assert "Skip Changed." in words


def test_links_are_absolute_lines_fit_and_styles_are_inlined():
    introduction = "[a](/tools/) [b](https://else.example/) " + "word " * 100
    html, text = bodies(whole_issue(introduction=introduction))
    links = re.findall(r'href="([^"]*)"', html)
    assert len(links) > 8
    allowed = (SITE, "https://else.example/")
    assert all(link.startswith(allowed) for link in set(links) - {mail_rendering.LEAVE_PLACEHOLDER})
    assert "127.0.0.1" not in html + text
    assert all(re.search(r'alt="[^"]+"', picture) for picture in re.findall(r"<img[^>]*>", html))
    assert all(len(line) <= 72 or SITE in line for line in text.splitlines())
    assert not re.search(r"<[a-z]+[ >]", text.replace("<b>", ""))
    assert re.search(r"<body\sstyle=\"[^\"]*background-color: #", html)
    head = html.partition("</head>")[0]
    for words in ("@media (prefers-color-scheme: dark)", "!important"):
        assert words in head
    for never in ("var(", "<link", "<script"):
        assert never not in html
    assert max(map(len, html.encode().splitlines())) < 998
    assert len(html.encode()) < 100_000  # Gmail cuts off longer mails


def test_a_frozen_issue_does_not_change_with_the_tools():
    issue = whole_issue()
    make.subscriber()
    frozen = make.frozen(issue, NOW)
    before = frozen.html
    Tool.objects.filter(slug="new").update(name="Renamed")
    frozen.refresh_from_db()
    assert frozen.html == before
    assert "Renamed" not in messages.preview(frozen)[0]
    assert frozen.entries.included()[0].facts["tools"][0]["title"] == "New & <b>"


def test_an_entry_whose_tool_is_no_longer_public_is_left_out():
    issue = whole_issue()
    issue.entries.first().tool.withdraw(NOW)
    kinds = [entry.kind for entry, _ in entry_facts.facts_of(issue)]
    assert kinds == ["changed_verdict", "own_text"]
    assert make.frozen(issue, NOW).entries.included().count() == 2


def test_the_number_of_queries_does_not_grow_with_the_entries(
    keep_content, django_assert_max_num_queries
):
    issue = whole_issue()
    for place in range(10):
        tool = make.tool()
        make.panel(on=tool, ship=3)
        IssueEntry.objects.create(issue=issue, kind="new_verdict", tool=tool, position=10 + place)
    keep_content()
    with django_assert_max_num_queries(14):
        assert len(entry_facts.facts_of(issue)) == 15


def test_the_mail_has_the_headers_for_one_click_unsubscribe():
    reader = make.subscriber(address="Ada+x@bücher.example")
    issue = make.frozen(whole_issue(), NOW)
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


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("One. Two.", "One."),
        ("**Bold** `code`\n\nNext", "Bold code"),
        ("", ""),
        ("no end " * 60, "…"),
    ],
)
def test_a_quote_is_the_first_sentence_as_readers_see_it(body, sentence):
    found = entry_facts.quote(body)
    assert found.endswith(sentence)
    assert len(found) <= entry_facts.LONGEST_QUOTE
