"""The mail of an issue: HTML, text, styles and headers."""

import re
from datetime import date, timedelta
from html import unescape

import pytest
from django.utils.html import escape

from reviews.models import Take, TakeChange, ToolTally
from shipskip.newsletter.delivery import messages
from shipskip.newsletter.issues import entry_facts, mail_rendering
from shipskip.newsletter.models import Delivery, IssueEntry
from tests import factories as make
from tests.markup import read
from tools.models import Tool

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
NOW = make.PUBLISHED + 6 * DAY
SITE = "https://shiporskip.example"


def whole_issue(**fields):
    """An issue with an entry of each kind."""
    kind = make.category(name="Agents")
    new = make.tool(name="New & <b>", slug="new", tagline="Writes code", in_category=kind)
    make.panel(on=new, ship=2, skip=1)
    changed = make.tool(name="Changed", slug="changed", in_category=kind)
    takes = make.panel(on=changed, ship=1, skip=2)
    for take in takes:
        take.published_at = NOW - 30 * DAY
        take.save()
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
    parts = [facts for _, facts in entry_facts.facts_of(issue)]
    return mail_rendering.render(mail_rendering.issue_mail(issue, parts))


def test_every_kind_of_entry_is_in_html_and_in_text():
    html, text = bodies(whole_issue(introduction="Hello *you*, see [this](/tools/)."))
    for heading in mail_rendering.HEADINGS.values():
        assert heading in html
        assert heading.upper() in text
    assert escape("New & <b>") in html
    assert "New & <b>: SHIP" in text
    assert "A word & more\nSee us (http" in text
    assert escape("A word & more") in html
    assert "90 → 80, ship → skip." in text
    assert "Changed: SKIP, was ship" in text
    assert "“Pricing tripled.”" in text
    assert "Ship New & <b>; skip Changed." in text
    assert escape("Ship New & <b>; skip Changed.") in html
    assert "The panel: 67% ship (3 reviewers). The community: 5% ship (20" in text
    assert f'href="{SITE}/tools/"' in html
    assert f"see this ({SITE}/tools/)." in text


def test_the_mean_score_is_named_and_explained_where_it_points_elsewhere_than_the_verdict(client):
    issue = whole_issue()
    page = read(client.get(make.frozen(issue, NOW).get_absolute_url())).text
    for body in (*bodies(issue), page):
        words = " ".join(re.sub("<[^>]+>", " ", body).split())
        assert re.search("2 of 3 ship it ?[·,]? mean score 80.0", words)
        assert words.count("the panel skips it at a high mean score.") == 1
        assert "the panel ships it at a low mean score." not in words


def test_every_link_is_absolute_and_pictures_have_a_text():
    html, text = bodies(whole_issue(introduction="[a](/tools/) [b](https://else.example/)"))
    found = re.findall(r'href="([^"]*)"', html)
    assert len(found) > 8
    for link in found:
        assert link == mail_rendering.LEAVE_PLACEHOLDER or link.startswith(
            (SITE, "https://else.example/")
        )
    assert "127.0.0.1" not in html + text
    for picture in re.findall(r"<img[^>]*>", html):
        assert re.search(r'alt="[^"]+"', picture)


def test_the_text_is_written_in_lines_that_fit_but_for_addresses():
    _, text = bodies(whole_issue(introduction="word " * 100))
    for line in text.splitlines():
        assert len(line) <= 72 or SITE in line
    assert not re.search(r"<[a-z]+[ >]", text.replace("<b>", ""))


def test_styles_are_inlined_and_dark_rules_stay_in_the_style_element():
    html, _ = bodies(whole_issue())
    assert "var(" not in html
    assert re.search(r"<body\sstyle=\"[^\"]*background-color: #", html)
    head = html.partition("</head>")[0]
    assert "@media (prefers-color-scheme: dark)" in head
    assert "!important" in head
    assert "<link" not in html
    assert "<script" not in html
    assert max(map(len, html.encode().splitlines())) < 998
    assert len(html.encode()) < 100_000  # Gmail cuts off longer mails


def test_a_snapshot_of_an_issue_does_not_change_with_the_tools():
    issue = whole_issue()
    make.subscriber()
    frozen = make.frozen(issue, NOW)
    before = frozen.html
    tool = issue.entries.first().tool
    tool.name = "Renamed"
    tool.save()
    frozen.refresh_from_db()
    assert frozen.html == before
    assert "Renamed" not in messages.preview(frozen)[0]
    assert frozen.entries.included()[0].facts["tools"][0]["title"] == "New & <b>"


def test_an_entry_whose_tool_is_no_longer_public_is_left_out():
    issue = whole_issue()
    tool = issue.entries.first().tool
    tool.withdraw(NOW)
    entries = entry_facts.facts_of(issue)
    assert [entry.kind for entry, _ in entries] == ["changed_verdict", "own_text"]
    frozen = make.frozen(issue, NOW)
    assert frozen.entries.included().count() == 2


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
    html = mail.alternatives[0][0]
    for body in (str(mail.body), str(html)):
        assert body.count(link) == 1
        assert mail_rendering.LEAVE_PLACEHOLDER not in body
        assert "bücher" not in body
    assert reader.address not in str(mail.extra_headers)
    assert mail.message()["Message-ID"] == delivery.message_id


def test_a_subject_with_a_line_break_reaches_no_header():
    issue = make.issue(subject="One\r\nBcc: eve@example.org", scheduled_at=NOW)
    make.subscriber()
    issue = make.frozen(issue, NOW)
    delivery = Delivery.objects.select_related("subscriber").get()
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


def test_mails_quote_the_because_and_say_that_a_tool_has_ended(client):
    issue = whole_issue()
    new, changed = (entry.tool for entry in issue.entries.order_by("position")[:2])
    Take.objects.filter(tool=new).update(because="It writes what I mean.")
    Tool.objects.filter(pk=new.pk).update(status="discontinued", status_on=date(2026, 6, 18))
    page = read(client.get(make.frozen(issue, NOW).get_absolute_url())).text
    for body in (*bodies(issue), page):
        words = " ".join(re.sub("<[^>]+>", " ", unescape(body)).split())
        assert "No longer maintained since 18 June 2026" in words
        assert "It writes what I mean." in words
        assert f"Skip {changed.name}." in words
        assert "is no longer maintained since 18 June 2026." in words


def test_the_closest_pair_says_how_firm_its_answer_is(client):
    issue = whole_issue()
    page = read(client.get(make.frozen(issue, NOW).get_absolute_url())).text
    for body in (*bodies(issue), page):
        words = " ".join(re.sub("<[^>]+>", " ", unescape(body)).split())
        assert "Another answer without" in words or "The same answer whichever" in words
