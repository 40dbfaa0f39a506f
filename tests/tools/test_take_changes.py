"""The public record of changed takes, on the tool's page and its own."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from reviews.models import TakeChange
from shipskip.web import preview_tokens
from tests import factories as make
from tests.markup import read
from tools.views import CHANGES_PER_PAGE

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
MAY = datetime(2026, 5, 3, 10, tzinfo=UTC)


def change(tool, reviewer=None, *, score=(78, 64), verdict=("ship", "skip"), reason="why", at=MAY):
    """A saved TakeChange."""
    return TakeChange.objects.create(
        tool=tool,
        reviewer=reviewer or make.reviewer(),
        score_before=score[0],
        score_after=score[1],
        verdict_before=verdict[0],
        verdict_after=verdict[1],
        reason=reason,
        at=at,
    )


def lines(client, path="/tools/alpha/"):
    """The texts of the changes on a page."""
    return [line.text for line in read(client.get(path)).of_class("change")]


@pytest.fixture
def alpha(db):
    return make.tool(slug="alpha", name="Alpha")


def test_a_changed_verdict_is_shown_in_a_line(client, alpha):
    change(alpha, make.reviewer(name="Skeptic"), reason="pricing tripled")
    page = read(client.get("/tools/alpha/"))
    assert page.by_id("changes-title").text == "What changed"
    assert lines(client) == ["Skeptic: 78 → 64, ship → skip, 3 May 2026, pricing tripled"]


@pytest.mark.parametrize(
    ("score", "verdict", "line"),
    [
        ((78, 64), ("ship", "ship"), "Skeptic: 78 → 64, 3 May 2026, why"),
        ((78, 78), ("ship", "skip"), "Skeptic: ship → skip, 3 May 2026, why"),
        ((0, 100), ("skip", "ship"), "Skeptic: 0 → 100, skip → ship, 3 May 2026, why"),
    ],
)
def test_only_what_changed_is_shown(client, alpha, score, verdict, line):
    change(alpha, make.reviewer(name="Skeptic"), score=score, verdict=verdict)
    assert lines(client) == [line]


def test_there_is_no_section_where_nothing_was_changed(client, alpha):
    change(make.tool(slug="other"))
    page = read(client.get("/tools/alpha/"))
    assert "What changed" not in page.text
    assert page.of_class("change") == []


def test_the_newest_comes_first(client, alpha):
    for day in (1, 3, 2):
        change(alpha, reason=f"day {day}", at=MAY + timedelta(days=day))
    assert [line.split(", ")[-1] for line in lines(client)] == ["day 3", "day 2", "day 1"]


def test_each_entry_has_an_address_of_its_own(client, alpha):
    first, second = change(alpha), change(alpha)
    page = read(client.get("/tools/alpha/"))
    for row in (first, second):
        entry = page.by_id(f"change-{row.pk}")
        link = page.one("a", href=f"#change-{row.pk}")
        assert entry in link.inside
        assert link.text == "3 May 2026"
        time = next(e for e in page.all("time") if link in e.inside)
        assert time.attributes["datetime"] == "2026-05-03T10:00:00+00:00"


def test_an_address_stays_when_the_tool_is_renamed(client, alpha):
    row = change(alpha)
    alpha.rename("beta")
    response = client.get("/tools/alpha/", follow=True)
    assert response.redirect_chain == [("/tools/beta/", 301)]
    assert read(response).by_id(f"change-{row.pk}")
    response = client.get("/tools/alpha/changes/")
    assert (response.status_code, response["Location"]) == (301, "/tools/beta/changes/")


def test_only_public_reviewers_are_shown(client, alpha, clock):
    now = timezone.now()
    later = make.reviewer(name="Later", published_at=now)
    change(alpha, later)
    change(alpha, make.reviewer(published_at=None))
    clock(now - MINUTE)
    assert lines(client) == []
    clock(now + MINUTE)
    assert [line.split(":")[0] for line in lines(client)] == ["Later"]


def test_an_entry_stays_when_its_take_is_withdrawn(client, alpha):
    take = make.take(on=alpha)
    change(alpha, take.reviewer)
    take.withdraw(timezone.now())
    assert len(lines(client)) == 1


def test_a_reason_is_plain_text_and_does_not_change_the_direction_around_it(client, alpha):
    reason = "<b>שלום</b> & *not* 🚀"
    change(alpha, make.reviewer(name="<i>Skeptic</i>"), reason=reason)
    response = client.get("/tools/alpha/")
    assert lines(client)[0].endswith(reason)
    html = response.content.decode()
    assert "<bdi>&lt;b&gt;שלום&lt;/b&gt; &amp; *not* 🚀</bdi>" in html
    assert "<bdi>&lt;i&gt;Skeptic&lt;/i&gt;</bdi>" in html


def test_a_preview_shows_the_record_too(client, alpha):
    change(alpha, make.reviewer(name="Skeptic"))
    alpha.withdraw(timezone.now())
    token = preview_tokens.sign("tool", alpha.pk, alpha.preview_key, timezone.now())
    assert lines(client, f"/preview/tools/{token}/")[0].startswith("Skeptic: 78 → 64")


def create_changes(tool, number):
    """`number` changes, an hour apart, the last one the newest."""
    reviewer = make.reviewer()
    TakeChange.objects.bulk_create(
        TakeChange(
            tool=tool,
            reviewer=reviewer,
            score_before=1,
            score_after=2,
            verdict_before="ship",
            verdict_after="ship",
            reason=f"number {n}",
            at=MAY + n * timedelta(hours=1),
        )
        for n in range(number)
    )


def test_a_hundred_entries_are_on_the_page_without_a_link_to_more(client, alpha):
    create_changes(alpha, CHANGES_PER_PAGE)
    assert len(lines(client)) == CHANGES_PER_PAGE == 100
    assert "/tools/alpha/changes/?page=2" not in read(client.get("/tools/alpha/")).links


def test_older_changes_are_on_the_next_page(client, alpha):
    create_changes(alpha, CHANGES_PER_PAGE + 2)
    page = read(client.get("/tools/alpha/"))
    assert len(page.of_class("change")) == CHANGES_PER_PAGE
    assert page.one("a", href="/tools/alpha/changes/?page=2").text == "Earlier changes"
    older = lines(client, "/tools/alpha/changes/?page=2")
    assert [line.split(", ")[-1] for line in older] == ["number 1", "number 0"]
    assert len(lines(client, "/tools/alpha/changes/")) == CHANGES_PER_PAGE


def test_an_invalid_page_number_is_reported(client, alpha):
    change(alpha)
    page = read(client.get("/tools/alpha/changes/?page=7"))
    assert page.notices == ["There is no page 7; this is the first."]
    assert len(page.of_class("change")) == 1


def test_the_page_of_changes_says_where_there_are_none(client, alpha):
    assert "Nothing has changed so far." in read(client.get("/tools/alpha/changes/")).text


@pytest.mark.parametrize("slug", ["unknown", "draft", "vs"])
def test_the_changes_of_a_tool_that_is_not_public_are_not_found(client, slug):
    change(make.tool(slug="draft", published_at=None), reason="Secret")
    response = client.get(f"/tools/{slug}/changes/")
    assert response.status_code == 404
    assert "Secret" not in response.content.decode()


def test_the_methodology_describes_the_record(client):
    text = read(client.get("/methodology/")).text
    assert "When one that readers could see is changed, the tool’s page shows the old" in text
