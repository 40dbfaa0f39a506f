"""Attributes, families, facts, plans and earlier slugs of a document: loaded and dumped."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from shipskip.catalogue.changes import RowCounts
from shipskip.editing.bulk_saves import Save
from tests.catalogue.documents import (
    ATTRIBUTES,
    FACTS,
    PLANS,
    as_file,
    document,
    dumped,
    empty_the_site,
    load,
    rows,
    tool,
    with_facts,
)
from tools.models import Attribute, Category, Fact, FactChange, Family, FormerSlug, Plan, Tool

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def test_a_document_gives_tools_answers_of_every_kind_and_prices():
    report = load(as_file(with_facts()))
    assert report.counts["facts"] == RowCounts(created=7)
    assert report.counts["plans"] == RowCounts(created=3)
    assert (report.counts["attributes"], report.counts["families"]) == (
        RowCounts(created=7),
        RowCounts(created=1),
    )
    alpha = Tool.objects.get(slug="alpha")
    facts = {fact.attribute.slug: fact for fact in alpha.facts.select_related("attribute")}
    assert {slug: fact.value for slug, fact in facts.items()} == {
        "context-window": Decimal(128000),
        "price-of-gb": Decimal("1.92"),
        "self-hosted": False,
        "terms": "MIT",
        "platforms": ["macOS", "Linux"],
        "written-in": None,
        "first-release": None,
    }
    assert [slug for slug, fact in facts.items() if not fact.applies] == ["first-release"]
    for fact in facts.values():
        fact.full_clean()
    window = facts["context-window"]
    assert (window.note, window.source) == ("Long", "https://example.org/docs")
    assert (window.checked_on, facts["terms"].checked_on) == (date(2026, 5, 20), None)
    plans = [(plan.price, plan.position) for plan in alpha.plans.all()]
    assert plans == [
        ("$20 per user and month", 1),
        ("Free", 2),
        ("€0.075 per 1M input tokens", 3),
    ]
    assert (alpha.entry, str(alpha.family)) == ("freemium", "Greek letters")
    assert Attribute.objects.get(slug="context-window").categories == [Category.objects.get()]


def test_a_dump_loaded_into_an_empty_site_gives_the_same_bytes_with_facts_and_earlier_slugs():
    load(as_file(with_facts()))
    Tool.objects.get(slug="beta").rename("second")
    Tool.objects.get(slug="second").rename("b")
    first = dumped()
    assert [row["former_slugs"] for row in json.loads(first)["tools"]] == (
        [["first"], ["beta", "second"]]
    )
    empty_the_site()
    load(as_file(first))
    assert dumped() == first
    assert not load(as_file(first)).changed_anything


def test_facts_and_plans_are_dumped_with_their_keys_in_order():
    load(as_file(with_facts()))
    found = json.loads(dumped())
    assert list(found["attributes"][0]) == list(ATTRIBUTES[0])
    assert found["attributes"][0] == ATTRIBUTES[0]
    assert [row["better"] for row in found["attributes"]] == (
        ["higher", None, "lower", None, None, None, None]
    )
    assert found["families"] == [{"slug": "greek", "name": "Greek letters"}]
    alpha = found["tools"][0]
    assert [fact["attribute"] for fact in alpha["facts"]] == [
        "context-window", "platforms", "price-of-gb", "self-hosted", "terms", "first-release",
        "written-in",
    ]  # fmt: skip
    by_slug = {fact["attribute"]: fact for fact in alpha["facts"]}
    about = ["note", "note_only_explains", "source", "quote", "checked", "unconfirmed"]
    assert list(by_slug["terms"]) == ["attribute", "value", *about]
    assert list(by_slug["first-release"]) == ["attribute", "applies", *about]
    empty = {"note": "", "note_only_explains": False, "source": "", "quote": ""}
    empty |= {"checked": None, "unconfirmed": False}
    for fact in FACTS:
        assert by_slug[fact["attribute"]] == empty | fact
    assert '"value": 128000,' in dumped()
    assert list(alpha["plans"][0]) == [
        "name", "amount", "currency", "per", "per_user", "note", "source", "quote", "checked",
        "unconfirmed",
    ]  # fmt: skip
    assert [plan["amount"] for plan in alpha["plans"]] == ["20.00", "0.00", "0.075"]
    assert [plan["name"] for plan in alpha["plans"]] == [plan["name"] for plan in PLANS]


def change(given: dict, **keys) -> list[str]:
    """Load the document's first tool alone with these keys; returns what the change log lists."""
    row = {"slug": "alpha", "name": given["tools"][0]["name"], "category": "chat"} | keys
    report = load(as_file(document(tools=[row], comparisons=[])), Save(now=NOW))
    lists = report.lists().values()
    return [str(entry) for changes in lists for entry in changes.entries]


def test_a_missing_list_changes_nothing_and_a_given_one_is_complete():
    load(as_file(with_facts()))
    before = rows()
    assert change(with_facts()) == []
    assert rows() == before
    assert change(with_facts(), facts=FACTS[1:], plans=PLANS[1:]) == [
        "facts: context-window of alpha (value: “128,000” → none)",
        "plans: Pro, USD per month, of alpha (amount: “20.00” → none)",
        "plans: Free, USD per month, of alpha (position: 2 → 1)",
        "plans: Tokens, EUR per 1M input tokens, of alpha (position: 3 → 2)",
    ]
    listed = change(with_facts(), facts=[], plans=[])
    assert (len(listed), Fact.objects.count(), Plan.objects.count()) == (8, 0, 0)
    assert Fact.history.filter(history_type="-").count() == 7
    last = Plan.history.filter(history_type="-").latest("history_id")
    assert last.history_change_reason == "Loaded from a catalogue document"
    assert last.history_date == NOW


def test_changed_facts_and_plans_are_listed_with_their_values_and_get_versions():
    load(as_file(with_facts()))
    facts = [{"attribute": "context-window", "value": 64000, "source": ""}, *FACTS[1:]]
    facts[-1] = {"attribute": "first-release", "value": "2024-02-29"}
    plans = [PLANS[0] | {"amount": "25.5"}, *PLANS[1:]]
    assert change(with_facts(), facts=facts, plans=plans) == [
        "facts: context-window of alpha (value: “128,000” → “64,000”; "
        "source: “https://example.org/docs” → “”)",
        "facts: first-release of alpha (value: “Does not apply” → “29 February 2024”)",
        "plans: Pro, USD per month, of alpha (amount: “20.00” → “25.50”)",
    ]
    fact = Fact.objects.get(attribute__slug="context-window")
    assert (fact.note, fact.checked_on) == ("Long", date(2026, 5, 20)), "missing keys stay"
    assert Fact.history.filter(id=fact.pk).latest("history_id").history_type == "~"
    assert Fact.history.count() == 9


def test_what_readers_could_see_goes_on_the_public_record():
    load(as_file(with_facts()))
    change(with_facts(), facts=[{"attribute": "context-window", "value": 64000}], plans=PLANS[:1])
    record = {(row.subject, row.before, row.after) for row in FactChange.objects.all()}
    assert ("Context window", "128,000 tokens", "64,000 tokens") in record
    assert ("Free, per month, in USD", "Free", "") in record
    assert ("Entry price", "Freemium", "Paid") in record
    assert len(record) == 10
    assert {row.at for row in FactChange.objects.all()} == {NOW}


def test_a_changed_status_goes_on_the_public_record():
    load(as_file(with_facts(status="active", status_on="2026-03-01")))
    change(with_facts(), status_on="2026-04-01")
    assert not FactChange.objects.exists(), "a later sign of life is no change"
    change(with_facts(), status="discontinued", status_on="2026-06-18")
    row = FactChange.objects.get()
    ended = "No longer maintained since 18 June 2026"
    assert (row.subject, row.before, row.after) == ("Status", "Active", ended)
    assert row.at == NOW


def test_tracking_is_removed_from_the_addresses_of_sources():
    tracked, clean = "https://example.org/?UTM_medium=x&page=2", "https://example.org/?page=2"
    facts = [{"attribute": "context-window", "value": 64000, "source": tracked}]
    plans = [PLANS[0] | {"source": tracked}]
    load(as_file(with_facts(facts=facts, plans=plans, status_source=tracked)))
    found = Fact.objects.get().source, Plan.objects.get().source
    assert (*found, Tool.objects.get(slug="alpha").status_source) == (clean, clean, clean)
    assert change(with_facts(), facts=facts, plans=plans, status_source=tracked) == []


def test_facts_of_a_draft_are_not_on_the_public_record():
    load(as_file(with_facts(published=None)))
    change(with_facts(), facts=[], plans=[], published="2026-05-01T09:00:00Z")
    assert not FactChange.objects.exists()


def test_facts_that_a_new_category_does_not_ask_are_removed_and_listed():
    load(as_file(with_facts()))
    moved = with_facts()["tools"][0] | {"category": "art"}
    del moved["facts"]
    given = document(categories=[{"slug": "art", "name": "Art"}], tools=[moved], comparisons=[])
    report = load(as_file(given))
    assert [str(each) for each in report.removed.entries] == [
        "facts: context-window of alpha (value: “128,000” → none)"
    ]
    assert (report.counts["facts"].removed, Fact.objects.count()) == (1, 6)


def test_an_entry_price_that_plans_contradict_is_overruled_and_reported():
    given = with_facts(entry="free")
    report = load(as_file(given))
    overruled = ["tools: alpha (entry: “free” → “freemium”)"]
    assert [str(each) for each in report.overruled.entries] == overruled
    assert Tool.objects.get(slug="alpha").entry == "freemium"
    second_report = load(as_file(given))
    assert not second_report.changed_anything
    assert [str(each) for each in second_report.overruled.entries] == overruled
    assert change(given, entry="paid") == ["tools: alpha (entry: “paid” → “freemium”)"]


def test_the_entry_price_follows_from_plans():
    for amounts, entry in ((["0"], "free"), (["0", "5.00"], "freemium"), (["5.00"], "paid")):
        plans = [PLANS[0] | {"name": amount, "amount": amount} for amount in amounts]
        load(as_file(document(tools=[tool(plans=plans)], comparisons=[])))
        assert Tool.objects.get().entry == entry
        load(as_file(document(tools=[tool(plans=[], entry="free")], comparisons=[])))
        assert Tool.objects.get().entry == "free"


def test_a_document_may_rely_on_stored_attributes_and_families():
    load(as_file(with_facts()))
    given = document(tools=[tool(facts=FACTS, family="greek")], comparisons=[])
    report = load(as_file(given))
    assert (report.counts["facts"], report.counts["attributes"]) == (
        RowCounts(created=7),
        RowCounts(),
    )
    assert Family.objects.get().tools.count() == 2


def test_earlier_slugs_are_added_and_none_is_ended():
    load(as_file(with_facts()))
    assert change(with_facts(), former_slugs=["second", "first"]) == [
        "tools: alpha (former_slugs: none → “second”)"
    ]
    assert change(with_facts(), former_slugs=[]) == []
    assert set(FormerSlug.objects.values_list("slug", "tool__slug")) == (
        {("first", "alpha"), ("second", "alpha")}
    )


def test_an_earlier_slug_of_a_deleted_draft_is_free():
    load(as_file(with_facts(published=None)))
    Tool.objects.get(slug="alpha").remove(NOW)
    load(as_file(document(tools=[tool(former_slugs=["first"])], comparisons=[])))
    assert FormerSlug.objects.get().tool.slug == "gamma"


@pytest.mark.parametrize("tools", [1, 4])
def test_the_queries_of_a_load_do_not_depend_on_the_number_of_facts(tools):
    attributes = [{"slug": f"a-{at}", "name": f"A{at}", "kind": "number"} for at in range(tools)]
    facts = [{"attribute": row["slug"], "value": 5} for row in attributes]
    plans = [PLANS[0] | {"name": f"Plan {at}"} for at in range(tools)]
    many = [tool(slug=f"t-{at}", facts=facts, plans=plans) for at in range(tools)]
    given = document(attributes=attributes, tools=many, comparisons=[])
    numbers = []
    for value in (5, 6):
        for fact in facts:
            fact["value"] = value
        with CaptureQueriesContext(connection) as queries:
            load(as_file(given))
        numbers.append(len(queries))
    for row in many:
        row |= {"facts": [], "plans": []}
    with CaptureQueriesContext(connection) as queries:
        load(as_file(given))
    assert [*numbers, len(queries)] == [42, 34, 40]
