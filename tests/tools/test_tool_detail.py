"""One tool's page: verdict, takes, facts, prices, its family, and the public record of changes."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from reviews.models import Reviewer, TakeChange
from tests import factories as make
from tests.markup import Document, read
from tools.models import FactChange, Family, Tool
from tools.views import CHANGES_PER_PAGE

pytestmark = pytest.mark.django_db
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
MAY = datetime(2026, 5, 3, 10, tzinfo=UTC)
PAGE, CHANGES = "/tools/alpha/", "/tools/alpha/changes/"


@pytest.fixture
def alpha() -> Tool:
    return make.tool(slug="alpha", name="Alpha", in_category=make.category(name="Agents"))


def text_above(page: Document, end: str = "\nThe community’s vote") -> str:
    return page.visible_text.partition(end)[0]


def take_change(tool: Tool, by: Reviewer | None = None, **fields: Any) -> TakeChange:
    return make.take_change(on=tool, by=by, **{"at": MAY} | fields)


def fact_change(tool: Tool, before: str, after: str, at: datetime = MAY) -> FactChange:
    return FactChange.objects.create(tool=tool, subject="Window", before=before, after=after, at=at)


def changes(client, path: str = PAGE) -> list[str]:
    return [line.text for line in read(client.get(path)).of_class("change")]


def test_the_page_shows_the_tool_its_verdict_takes_facts_and_prices(client, clock, snapshot):
    clock(MAY)
    family = Family.objects.create(slug="acme", name="Acme’s agent")
    tool = make.tool(
        slug="alpha",
        name="Alpha",
        in_category=make.category(name="Agents"),
        maker="Acme",
        website="https://www.acme.example/alpha",
        tagline="Quick",
        description="Writes **code**. Two.",
        best_for="Small teams",
        entry="freemium",
        pricing="Ask for more",
        relation="sponsor",
        family=family,
    )
    second = make.reviewer(name="Second", position=2)
    first = make.reviewer(name="First", position=1)
    make.take(on=tool, by=second, score=10, verdict="skip", because="It fails.")
    make.take(on=tool, by=first, score=84, body="*Why* not? Because.", basis="documentation")
    judged = make.tool(name="Judged", label="v2", family=family, published_at=MAY)
    make.take(on=judged, published_at=MAY)
    make.tool(name="Published", family=family)
    make.tool(name="Draft", family=family, published_at=None)
    source = {"source": "https://acme.example/docs", "checked_on": date(2026, 5, 1)}
    quoted = source | {"quote": "A window of <128k> tokens"}
    window = make.attribute(name="Window", group="Model", unit="tokens", better="higher")
    make.fact(Decimal(128000), on=tool, to=window, note="On request", **quoted)
    make.fact(None, on=tool, to=make.attribute(name="Unsaid", group="Model"), **source)
    make.fact(True, on=tool, to=make.attribute(name="Bare", group="Model", kind="yes-no"))
    make.fact(None, on=tool, to=make.attribute(name="None", group="Model"), applies=False)
    make.attribute(name="Elsewhere", asked_in=[make.category()])
    make.attribute(name="Not asked yet")
    make.attribute(name="Nor this")
    make.plan(on=tool, per_user=True, **quoted)
    page = read(client.get(PAGE))
    assert text_above(page) == snapshot
    assert page.title == "Alpha: ship or skip? — Ship or Skip"
    described = page.one("meta", name="description").attributes["content"]
    assert described == "Quick. 1 of 2 reviewers ship it, mean score 47.0 of 100."
    assert page.one("a", href="https://www.acme.example/alpha").text == "acme.example"
    assert page.of_class("take__body")[0].text == "Why not? Read on Because."
    assert [each.attributes["cite"] for each in page.all("q")] == [source["source"]]
    assert page.by_id("source-1").text == "acme.example/docs A window of <128k> tokens"
    assert page.by_id("source-1").attributes["value"] == "1"


def test_a_tool_with_nothing_but_a_name_has_a_page(client, alpha, snapshot):
    page = read(client.get(PAGE))
    assert text_above(page, "\nThe weekly") == snapshot
    assert page.one("input", type="hidden", name="tools").attributes["value"] == "alpha"
    field = page.one("input", id="pick-other", data_suggestions="/compare/suggest/?tools=")
    assert field.attributes["name"] == "tools"
    assert client.get(CHANGES).status_code == 200
    assert "Nothing has changed so far." in read(client.get(CHANGES)).text


def test_an_unknown_tool_or_a_draft_is_not_found_and_the_nearest_names_are_offered(
    client, editor_client
):
    """The page is public, so it is the same for editors; the desk has the preview."""
    make.tool(slug="smollm3", name="SmolLM3")
    make.tool(slug="cursor")
    draft = make.tool(slug="secret-plan", name="Secret", published_at=None)
    draft.rename("secret-scheme")
    for browser in (client, editor_client):
        for path in ("secret-scheme", "secret-plan", "secret-scheme/changes"):
            response = browser.get(f"/tools/{path}/")
            assert response.status_code == 404, path
            assert "Secret" not in response.content.decode()
            assert path == "secret-scheme" or "secret-scheme" not in response.content.decode()
    page = read(client.get("/tools/smollm-3/"))
    assert "There is no tool at this address." in page.text
    assert "/tools/smollm3/" in page.links
    assert "/tools/cursor/" not in page.links
    assert page.one("form", class_="filters").attributes["action"] == "/search/"


def test_tool_takes_and_changes_appear_at_their_moments(client, clock):
    now = timezone.now()
    tool = make.tool(slug="alpha", published_at=now)
    make.tool(slug="beta", in_category=make.category(published_at=now))
    later = make.reviewer(name="Later", published_at=now)
    make.take(on=tool, body="A draft", published_at=None)
    scheduled = make.take(on=tool, body="Scheduled", published_at=now)
    make.take(on=tool, body="Unseated", by=make.reviewer(published_at=None))
    take_change(tool, later)
    take_change(tool, make.reviewer(published_at=None))
    for moment, status in ((now - MINUTE, 404), (now + MINUTE, 200)):
        clock(moment)
        for slug in ("alpha", "beta"):
            assert client.get(f"/tools/{slug}/").status_code == status, slug
    [take] = read(client.get(PAGE)).of_class("take")
    assert "Scheduled" in take.text
    assert [line.split(":")[0] for line in changes(client)] == ["Later"]
    # What is withdrawn leaves the page, and its entry stays.
    scheduled.withdraw(now)
    assert read(client.get(PAGE)).of_class("take") == []
    assert [line.split(":")[0] for line in changes(client)] == ["Later"]
    Tool.objects.update(published_at=make.PUBLISHED)
    clock(now - MINUTE)
    assert (read(client.get(PAGE)).of_class("take"), changes(client)) == ([], [])


def test_an_earlier_address_redirects_unless_another_tool_has_it(client, alpha):
    alpha.rename("newer")
    alpha.rename("newest")
    for slug in ("alpha", "newer"):
        for rest in ("", "changes/"):
            response = client.get(f"/tools/{slug}/{rest}")
            assert (response.status_code, response["Location"]) == (301, f"/tools/newest/{rest}")
    make.tool(slug="alpha", name="Twin", label="first")
    make.tool(slug="two", name="Twin", label="second")
    page = read(client.get(PAGE))
    assert page.title == "Twin (first): ship or skip? — Ship or Skip"
    assert page.heading == "Twin first"


def test_changed_verdicts_and_facts_stand_in_one_record_with_addresses(client, alpha):
    skeptic = make.reviewer(name="<i>Skeptic</i>")
    nasty = "<b>שלום</b> & *not* 🚀"
    take_change(make.tool(slug="other"), skeptic)
    fact_change(make.tool(), "elsewhere", "elsewhere")
    first = take_change(alpha, skeptic, reason="pricing tripled")
    take_change(alpha, skeptic, after=(78, "skip"), reason=nasty, at=MAY + DAY)
    take_change(alpha, skeptic, after=(64, "ship"), at=MAY + 2 * DAY)
    fact = fact_change(alpha, "8,000 tokens", "128,000 tokens", MAY + 3 * DAY)
    fact_change(alpha, "128,000 tokens", "", MAY + 5 * DAY)
    expected = [
        "Window: 128,000 tokens → not recorded, 8 May 2026",
        "Window: 8,000 tokens → 128,000 tokens, 6 May 2026",
        "<i>Skeptic</i>: 78 → 64, 5 May 2026, why",
        f"<i>Skeptic</i>: ship → skip, 4 May 2026, {nasty}",
        "<i>Skeptic</i>: 78 → 64, ship → skip, 3 May 2026, pricing tripled",
    ]
    assert changes(client) == changes(client, f"{CHANGES}?page=7") == expected
    response = client.get(PAGE)
    page = read(response)
    assert "<bdi>&lt;b&gt;שלום&lt;/b&gt; &amp; *not* 🚀</bdi>" in response.content.decode()
    link = page.one("a", href=f"#change-{first.pk}")
    assert page.by_id(f"change-{first.pk}") in link.inside
    assert link.text == "3 May 2026"
    assert page.one("a", href=f"#fact-change-{fact.pk}").text == "6 May 2026"


def test_a_hundred_entries_are_on_the_page_and_older_ones_on_the_next(client, alpha):
    about = {"tool": alpha, "subject": "Window", "before": "1", "after": "2"}
    FactChange.objects.bulk_create(
        FactChange(**about, at=MAY + number * MINUTE) for number in range(CHANGES_PER_PAGE)
    )
    more = f"{CHANGES}?page=2"
    page = read(client.get(PAGE))
    assert len(page.of_class("change")) == CHANGES_PER_PAGE == 100
    assert more not in page.links
    take_change(alpha, at=MAY - DAY)
    page = read(client.get(PAGE))
    assert len(page.of_class("change")) == len(changes(client, CHANGES)) == CHANGES_PER_PAGE
    assert page.one("a", href=more).text == "Earlier changes"
    [older] = changes(client, more)
    assert older.endswith("2 May 2026, why")
