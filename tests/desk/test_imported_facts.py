"""Facts from open data that no editor has confirmed: what readers see, and how editors confirm."""

from datetime import date
from decimal import Decimal

import pytest
from django.utils import timezone

from tests import factories as make
from tests.desk.acts import run_action
from tests.desk.forms import messages_of, on_the_page, page_of, post
from tools.fact_values import AttributeKind
from tools.models import Fact, Plan

pytestmark = pytest.mark.django_db
DAY = date(2026, 6, 4)
IMPORTED = {"source": "https://example.org/a.toml", "checked_on": DAY, "unconfirmed": True}


@pytest.fixture
def window():
    """The attribute of which Alpha's answer is imported, and Beta's an editor's."""
    attribute = make.attribute(name="Context window", kind=AttributeKind.NUMBER)
    category = make.category(slug="models", name="Models")
    alpha = make.tool(slug="alpha", name="Alpha", tagline="First", in_category=category)
    beta = make.tool(slug="beta", name="Beta", tagline="Second", in_category=category)
    make.fact(Decimal(1000), on=alpha, to=attribute, **IMPORTED)
    make.fact(Decimal(2000), on=beta, to=attribute, source="https://example.org/b")
    make.plan(name="API", amount="2.5", on=alpha, **IMPORTED)
    for tool in (alpha, beta):
        make.take(on=tool)
    return attribute


@pytest.mark.parametrize("path", ["/tools/alpha/", "/compare/alpha-vs-beta/"])
def test_pages_mark_what_is_imported_and_nothing_else(client, window, path):
    page = client.get(path).content.decode()
    assert page.count("<b>imported</b>") == 2  # the fact and the price
    assert "mported, not confirmed, data of" in " ".join(page.split())
    Fact.objects.update(unconfirmed=False)
    Plan.objects.update(unconfirmed=False)
    assert "mported" not in client.get(path).content.decode()


def test_lists_leave_such_facts_out(client, window):
    path = "/categories/models/"
    query = f"fact.{window.slug}.min=1"
    page = client.get(f"{path}?{query}").content.decode()
    assert "2 of 2 match" in page
    assert "Only confirmed by an editor" in page
    page = client.get(f"{path}?facts=confirmed&{query}").content.decode()
    assert "1 of 2 matches" in page
    assert "No editor has confirmed it for 1 tool." in page
    assert "We have not recorded" not in page
    page = client.get(f"{path}?facts=confirmed&sort=fact.{window.slug}").content.decode()
    assert "1 of 2 matches" in page
    Fact.objects.update(unconfirmed=False)
    assert "Only confirmed by an editor" not in client.get(path).content.decode()
    assert "There is no facts “x” here" in client.get(f"{path}?facts=x").content.decode()


def test_an_action_confirms_all_facts_and_prices_of_the_chosen_tools(publisher, writer, window):
    alpha = Fact.objects.get(unconfirmed=True).tool
    listed = publisher.get("/admin/tools/tool/?import=unconfirmed").content.decode()
    assert "Alpha" in listed
    assert "Beta" not in listed
    [message] = messages_of(run_action(writer, [alpha], "confirm_imported"))
    assert "Publishers only may confirm those of 1 that are public or scheduled." in message
    assert Fact.objects.filter(unconfirmed=True).exists()
    [message] = messages_of(run_action(publisher, [alpha], "confirm_imported"))
    assert "Confirmed, as checked today: 1 fact and 1 price." in message
    fact, plan = Fact.objects.get(tool=alpha), Plan.objects.get(tool=alpha)
    assert {fact.unconfirmed, plan.unconfirmed} == {False}
    assert {fact.checked_on, plan.checked_on} == {timezone.localdate()}
    assert fact.history.count() == 2


def test_a_tick_on_the_form_and_in_the_grid_confirms(publisher, window):
    alpha = Fact.objects.get(unconfirmed=True).tool
    Fact.objects.filter(tool=alpha).update(checked_on=timezone.localdate())
    page = publisher.get(page_of(alpha))
    assert page.content.decode().count("Imported, not confirmed") == 2
    ticks = {"facts-0-still_true": "on", "plans-0-still_true": "on"}
    assert post(publisher, alpha, **ticks).status_code == 302
    assert not Fact.objects.get(tool=alpha).unconfirmed
    assert not Plan.objects.get(tool=alpha).unconfirmed
    Fact.objects.filter(tool=alpha).update(unconfirmed=True)
    grid = "/admin/facts/models/?what=unconfirmed"
    page = publisher.get(grid)
    assert "imported</span>" in page.content.decode()
    assert "Beta" not in page.content.decode()
    sent = on_the_page(page) | {f"true-{alpha.pk}-{window.pk}": "on"}
    assert publisher.post(grid, sent).status_code == 303
    assert not Fact.objects.get(tool=alpha).unconfirmed
