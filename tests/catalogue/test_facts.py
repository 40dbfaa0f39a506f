"""Attributes, families, facts, plans, licences and earlier slugs of a document."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from shipskip.editing.bulk_saves import Save
from tests import factories as make
from tests.catalogue.documents import (
    FACTS,
    PLANS,
    as_file,
    assert_comes_back,
    document,
    dumped,
    faults_of,
    load,
    report,
    rows,
    tool,
    with_facts,
)
from tools.models import Attribute, Category, Fact, FactChange, Family, FormerSlug, Plan, Tool

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


def change(given: dict, **keys) -> list[str]:
    """Load the document's first tool alone with these keys; returns what the change log lists."""
    row = {"slug": "alpha", "name": given["tools"][0]["name"], "category": "chat"} | keys
    changes = load(as_file(document(tools=[row], comparisons=[])), Save(now=NOW))
    return [str(entry) for each in changes.lists().values() for entry in each.entries]


def test_a_document_gives_tools_answers_of_every_kind_and_prices(snapshot):
    assert report(load(as_file(with_facts()))) == snapshot(name="report")
    alpha = Tool.objects.get(slug="alpha")
    for fact in alpha.facts.select_related("attribute"):
        fact.full_clean()
    assert [(plan.price, plan.position) for plan in alpha.plans.all()] == [
        ("$20 per user and month", 1),
        ("Free", 2),
        ("€0.075 per 1M input tokens", 3),
    ]
    assert (alpha.entry, str(alpha.family)) == ("freemium", "Greek letters")
    assert Attribute.objects.get(slug="context-window").categories == [Category.objects.get()]
    # Another document may rely on these attributes and families.
    given = document(tools=[tool(facts=FACTS, family="greek")], comparisons=[])
    load(as_file(given))
    assert Family.objects.get().tools.count() == 2
    assert Fact.objects.count() == 2 * len(FACTS)


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


WINDOW = {"attribute": "context-window", "value": 64000}
NO_ANSWERS: dict[str, Any] = {"facts": [], "plans": []}
PUBLIC = "2026-05-01T09:00:00Z"


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({}, {"facts": [WINDOW], "plans": PLANS[:1]}),
        ({"published": None}, NO_ANSWERS | {"published": PUBLIC}),
        ({"status": "active", "status_on": "2026-03-01"}, {"status_on": "2026-04-01"}),
        ({"status": "active"}, {"status": "discontinued", "status_on": "2026-06-18"}),
    ],
    ids=["answers", "answers of a draft", "a later sign of life", "an end"],
)
def test_what_readers_could_see_goes_on_the_public_record(given, changed, snapshot):
    load(as_file(with_facts(**given)))
    change(with_facts(), **changed)
    record = FactChange.objects.all()
    assert sorted(f"{row.subject}: {row.before} → {row.after}" for row in record) == snapshot
    assert {row.at for row in record} <= {NOW}


def test_tracking_is_removed_from_the_addresses_of_sources():
    tracked, clean = "https://example.org/?utm_source=x&page=2", "https://example.org/?page=2"
    keys = {
        "facts": [WINDOW | {"source": tracked}],
        "plans": [PLANS[0] | {"source": tracked}],
        "status_source": tracked,
    }
    load(as_file(with_facts(**keys)))
    found = Fact.objects.get().source, Plan.objects.get().source
    assert (*found, Tool.objects.get(slug="alpha").status_source) == (clean, clean, clean)
    assert change(with_facts(), **keys) == []


def test_earlier_slugs_are_added_none_is_ended_and_that_of_a_deleted_draft_is_free():
    load(as_file(with_facts(published=None)))
    assert change(with_facts(), former_slugs=["second", "first"]) == [
        "tools: alpha (former_slugs: none → “second”)"
    ]
    assert change(with_facts(), former_slugs=[]) == []
    slugs = FormerSlug.objects.values_list("slug", "tool__slug")
    assert set(slugs) == {("first", "alpha"), ("second", "alpha")}
    Tool.objects.get(slug="alpha").remove(NOW)
    load(as_file(document(tools=[tool(former_slugs=["first"])], comparisons=[])))
    assert FormerSlug.objects.get(slug="first").tool.slug == "gamma"


# --- The key `license` is the fact of the attribute `licence` --------------------------------


SOURCE = {"source": "https://example.org/LICENSE", "checked_on": date(2026, 5, 1)}
FACT: dict[str, Any] = {"attribute": "licence", "value": "MIT"}


def with_tool(**keys: Any) -> dict[str, Any]:
    """A document of the newest format with one tool, which has these keys."""
    return document(tools=[tool(**keys)], comparisons=[])


def stated() -> list[tuple[str, str, str | None]]:
    """The facts of the site: attribute, text and source."""
    return list(Fact.objects.values_list("attribute__slug", "text", "source"))


def test_the_key_loads_as_a_fact_and_makes_the_attribute():
    load(as_file(with_tool(license="MIT")))
    assert stated() == [("licence", "MIT", "")]
    assert Attribute.objects.get().kind == "text"
    first = dumped()
    assert '"license": "MIT"' in first
    assert '"attribute": "licence"' in first
    assert_comes_back(first)
    load(as_file(with_tool(license="GPL", facts=[FACT])))
    assert stated() == [("licence", "MIT", "")], "a fact of the document wins over the key"


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ({}, [("licence", "MIT", SOURCE["source"])]),
        ({"license": "GPL"}, [("licence", "GPL", "")]),
        ({"license": ""}, []),
        ({"facts": []}, []),
        ({"facts": [], "license": "MIT"}, [("licence", "MIT", SOURCE["source"])]),
    ],
)
def test_the_key_changes_or_removes_a_stored_licence_but_no_other_fact(keys, left):
    chat = make.category(slug="chat")
    row = make.tool(slug="gamma", name="Gamma", in_category=chat)
    make.fact("MIT", on=row, to=make.attribute(slug="licence", kind="text"), **SOURCE)
    if "facts" not in keys:
        make.fact("Rust", on=row, to=make.attribute(slug="written-in", kind="text"))
        left = [*left, ("written-in", "Rust", "")]
    load(as_file(with_tool(**keys)))
    assert sorted(stated()) == sorted(left)
    assert not load(as_file(with_tool(**keys))).changed_anything


def test_choices_of_earlier_documents_load_as_a_text():
    """The second and third also into a site that has it as a text."""
    many, one = ["MIT", "GPL"], "MIT"
    for kind, value in (("choice", one), ("choices", many), ("text", one), ("choice", one)):
        attribute: dict[str, Any] = {"slug": "licence", "name": "Licence", "kind": kind}
        attribute |= {"choices": many} if kind != "text" else {}
        load(as_file(with_tool(facts=[FACT | {"value": value}]) | {"attributes": [attribute]}))
        assert stated() == [("licence", "MIT, GPL" if kind == "choices" else "MIT", "")], kind


def test_faults_name_the_key():
    make.attribute(slug="licence", kind="text", asked_in=[make.category(slug="elsewhere")])
    assert faults_of(with_tool(license="MIT")) == [
        'tools[0].license: "licence" is not asked of tools in "chat"; leave it out, or add that '
        "category to the attribute"
    ]
    assert faults_of(with_tool(license="x" * 201)) == [
        "tools[0].license: is 201 characters long; at most 200 are allowed"
    ]
    attribute = {"slug": "licence", "name": "Licence", "kind": "number"}
    assert faults_of(document(attributes=[attribute])) == [
        'attributes[0].kind: is "number"; the licence of tools is a "text"'
    ]
