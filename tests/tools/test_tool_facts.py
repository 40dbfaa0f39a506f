"""Facts and prices on a tool's page, other releases of its family, and the record of changes."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from reviews.models import TakeChange
from tests import factories as make
from tests.markup import Document, read
from tools.models import FactChange, Family, Tool
from tools.views import CHANGES_PER_PAGE

pytestmark = pytest.mark.django_db
MAY = datetime(2026, 5, 3, 10, tzinfo=UTC)
PAGE = "/tools/alpha/"


@pytest.fixture
def alpha() -> Tool:
    return make.tool(slug="alpha", name="Alpha")


def facts(page: Document) -> dict[str, str]:
    """The rows of the table of facts."""
    heads, cells = page.all("th", scope="row"), page.all("td")[::2]  # then a link to report it
    return {head.text: cell.text for head, cell in zip(heads, cells, strict=True)}


def lines(client: Client, path: str = PAGE) -> list[str]:
    """The texts of the changes on a page."""
    return [line.text for line in read(client.get(path)).of_class("change")]


def test_a_page_states_facts_and_prices_in_groups_with_their_sources(client, alpha, clock):
    clock(MAY)
    source = {"source": "https://acme.example/docs", "checked_on": date(2026, 5, 1)}
    window = make.attribute(name="Window", group="Model", unit="tokens", better="higher")
    unsaid = make.attribute(name="Unsaid", group="Model")
    make.attribute(name="Elsewhere", asked_in=[make.category()])
    make.attribute(name="Not asked yet")
    make.attribute(name="Nor this")
    words = {"quote": "A window of <128k> tokens"}
    make.fact(Decimal(128000), on=alpha, to=window, note="On request", **source, **words)
    make.fact(None, on=alpha, to=unsaid, **source)
    bare = make.attribute(name="Bare", group="Model", kind="yes-no")
    make.fact(True, on=alpha, to=bare)
    make.fact(None, on=alpha, to=make.attribute(name="Nothing", group="Model"), applies=False)
    make.plan(on=alpha, per_user=True, **source, **words)
    Tool.objects.update(pricing="Ask for more")
    page = read(client.get(PAGE))
    assert page.texts("th", scope="rowgroup") == ["Prices", "Model"]
    assert facts(page) == {
        "Entry price": "From $20 per user and month",
        "Pricing": "Pro: $20 per user and month1Ask for more",
        "Window": "128,000 tokens1 On request",
        "Unsaid": "Not stated1",
        "Bare": "Yes2 no source",
        "Nothing": "Does not apply2 no source",
    }
    assert "Not recorded: Not asked yet, Nor this." in page.by_id("facts").text
    assert page.by_id("source-1").text == "1 acme.example/docs A window of <128k> tokens"
    assert [each.attributes["cite"] for each in page.all("q")] == [source["source"]]
    assert page.by_id("source-2").text == "2 no source"
    [box] = page.of_class("sources")
    days = [each.text for each in page.all("p") if box in each.inside]
    assert days == ["Checked 1 May 2026", "No day"]
    assert "From $20 per user and month" in page.of_class("tool-page__figures")[0].text


def test_a_tool_of_which_nothing_is_stated_has_its_entry_price(client, alpha):
    page = read(client.get(PAGE))
    assert facts(page) == {"Entry price": "Free", "Pricing": "Not recorded"}
    assert "Sources" not in page.text


def test_other_releases_of_its_family_are_listed_with_dates(client, alpha):
    family = Family.objects.create(slug="acme", name="Acme’s agent")
    judged = make.tool(name="Judged", label="v2", family=family, published_at=MAY)
    make.take(on=judged, published_at=MAY)
    make.tool(name="Published", family=family)
    make.tool(name="Draft", family=family, published_at=None)
    assert "releases" not in read(client.get(PAGE)).text
    Tool.objects.filter(pk=alpha.pk).update(family=family)
    page = read(client.get(PAGE))
    assert "Other releases of Acme’s agent:" in page.text
    assert [row.text for row in page.all("li") if row.inside[-1] in page.of_class("link-list")] == [
        "Judged (v2) 1 of 1 ship · judged May 2026",
        "Published published May 2026",
    ]


def change(tool: Tool, before: str, after: str, at: datetime = MAY) -> FactChange:
    """A changed fact of the public record."""
    return FactChange.objects.create(tool=tool, subject="Window", before=before, after=after, at=at)


def test_changed_facts_stand_among_changed_verdicts_by_date(client, alpha):
    row = change(alpha, "8,000 tokens", "128,000 tokens")
    change(alpha, "128,000 tokens", "", at=MAY + timedelta(days=2))
    change(make.tool(), "elsewhere", "elsewhere")
    TakeChange.objects.create(
        tool=alpha,
        reviewer=make.reviewer(name="Skeptic"),
        score_before=78,
        score_after=64,
        verdict_before="ship",
        verdict_after="ship",
        reason="why",
        at=MAY + timedelta(days=1),
    )
    expected = [
        "Window: 128,000 tokens → not recorded, 5 May 2026",
        "Skeptic: 78 → 64, 4 May 2026, why",
        "Window: 8,000 tokens → 128,000 tokens, 3 May 2026",
    ]
    assert lines(client) == lines(client, f"{PAGE}changes/") == expected
    assert read(client.get(PAGE)).one("a", href=f"#fact-change-{row.pk}").text == "3 May 2026"


def test_a_long_record_has_further_pages(client, alpha):
    for number in range(CHANGES_PER_PAGE + 1):
        change(alpha, f"{number}", "x", at=MAY + timedelta(hours=number))
    assert len(lines(client)) == CHANGES_PER_PAGE
    assert lines(client, f"{PAGE}changes/?page=2") == ["Window: 0 → x, 3 May 2026"]


def test_a_page_runs_as_many_queries_for_30_attributes_as_for_3(client, alpha):
    def queries(number: int) -> int:
        while alpha.facts.count() < number:
            make.fact(True, on=alpha, to=make.attribute(kind="yes-no"))
            make.plan(on=alpha, name=f"Plan {alpha.plans.count()}")
        with CaptureQueriesContext(connection) as found:
            client.get("/tools/alpha/")
        return len(found)

    assert queries(3) == queries(30)
