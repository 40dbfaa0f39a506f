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


def test_only_what_changed_is_shown_the_newest_first(client, alpha):
    skeptic = make.reviewer(name="Skeptic")
    change(make.tool(slug="other"), skeptic)
    page = read(client.get("/tools/alpha/"))
    assert "What changed" not in page.text
    assert page.of_class("change") == []
    assert "Nothing has changed so far." in read(client.get("/tools/alpha/changes/")).text
    for day, score, verdict, reason in (
        (3, (78, 64), ("ship", "skip"), "pricing tripled"),
        (5, (78, 64), ("ship", "ship"), "why"),
        (4, (78, 78), ("ship", "skip"), "why"),
        (6, (0, 100), ("skip", "ship"), "why"),
    ):
        at = MAY.replace(day=day)
        change(alpha, skeptic, score=score, verdict=verdict, reason=reason, at=at)
    page = read(client.get("/tools/alpha/"))
    assert page.by_id("changes-title").text == "What changed"
    assert [line.text for line in page.of_class("change")] == [
        "Skeptic: 0 → 100, skip → ship, 6 May 2026, why",
        "Skeptic: 78 → 64, 5 May 2026, why",
        "Skeptic: ship → skip, 4 May 2026, why",
        "Skeptic: 78 → 64, ship → skip, 3 May 2026, pricing tripled",
    ]
    page = read(client.get("/tools/alpha/changes/?page=7"))
    assert page.notices == ["There is no page 7; this is the first."]
    assert len(page.of_class("change")) == 4


def test_each_entry_has_an_address_that_stays_when_the_tool_is_renamed(client, alpha):
    first, second = change(alpha), change(alpha)
    alpha.rename("beta")
    response = client.get("/tools/alpha/", follow=True)
    assert response.redirect_chain == [("/tools/beta/", 301)]
    page = read(response)
    for row in (first, second):
        entry = page.by_id(f"change-{row.pk}")
        link = page.one("a", href=f"#change-{row.pk}")
        assert entry in link.inside
        assert link.text == "3 May 2026"
        time = next(e for e in page.all("time") if link in e.inside)
        assert time.attributes["datetime"] == "2026-05-03T10:00:00+00:00"
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


def test_a_reason_is_plain_text_and_does_not_change_the_direction_around_it(client, alpha):
    reason = "<b>שלום</b> & *not* 🚀"
    change(alpha, make.reviewer(name="<i>Skeptic</i>"), reason=reason)
    response = client.get("/tools/alpha/")
    assert lines(client)[0].endswith(reason)
    html = response.content.decode()
    assert "<bdi>&lt;b&gt;שלום&lt;/b&gt; &amp; *not* 🚀</bdi>" in html
    assert "<bdi>&lt;i&gt;Skeptic&lt;/i&gt;</bdi>" in html


def test_an_entry_stays_when_its_take_and_its_tool_are_withdrawn(client, alpha):
    take = make.take(on=alpha, by=make.reviewer(name="Skeptic"))
    change(alpha, take.reviewer)
    take.withdraw(timezone.now())
    assert len(lines(client)) == 1
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


def test_a_hundred_entries_are_on_the_page_and_older_ones_on_the_next(client, alpha):
    create_changes(alpha, CHANGES_PER_PAGE)
    page = read(client.get("/tools/alpha/"))
    assert len(page.of_class("change")) == CHANGES_PER_PAGE == 100
    assert "/tools/alpha/changes/?page=2" not in page.links
    TakeChange.objects.all().delete()
    create_changes(alpha, CHANGES_PER_PAGE + 2)
    page = read(client.get("/tools/alpha/"))
    assert len(page.of_class("change")) == CHANGES_PER_PAGE
    assert page.one("a", href="/tools/alpha/changes/?page=2").text == "Earlier changes"
    older = lines(client, "/tools/alpha/changes/?page=2")
    assert [line.split(", ")[-1] for line in older] == ["number 1", "number 0"]
    assert len(lines(client, "/tools/alpha/changes/")) == CHANGES_PER_PAGE


def test_the_changes_of_a_tool_that_is_not_public_are_not_found(client):
    change(make.tool(slug="draft", published_at=None), reason="Secret")
    for slug in ("unknown", "draft", "vs"):
        response = client.get(f"/tools/{slug}/changes/")
        assert response.status_code == 404, slug
        assert "Secret" not in response.content.decode(), slug


def test_the_methodology_describes_the_record(client):
    text = read(client.get("/methodology/")).text
    assert "When one that readers could see is changed, the tool’s page shows the old" in text
