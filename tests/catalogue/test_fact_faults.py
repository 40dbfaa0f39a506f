"""Faults of attributes, facts, plans, families and earlier slugs, with place and remedy."""

from typing import Any

import pytest
from django.utils import timezone

from tests import factories as make
from tests.catalogue.documents import (
    ATTRIBUTES,
    FACTS,
    PLANS,
    SOURCE,
    as_file,
    document,
    faults_of,
    load,
    rows,
    tool,
    with_facts,
)
from tools.models import Tool

pytestmark = pytest.mark.django_db
LATER = "2999-01-01"


def faults_without_writing(content) -> list[str]:
    """The faults of a document; checking it must write nothing."""
    before = rows()
    faults = faults_of(content)
    assert rows() == before
    return faults


def with_fact(**keys: Any) -> dict[str, Any]:
    """A document whose first tool has one fact."""
    fact = {"attribute": "context-window", "value": 5} | keys
    return with_facts(facts=[{k: v for k, v in fact.items() if v is not ...}])


def with_plan(**keys: Any) -> dict[str, Any]:
    """A document whose first tool has one plan."""
    return with_facts(plans=[{k: v for k, v in (PLANS[0] | keys).items() if v is not ...}])


def with_attribute(at: int, **keys: Any) -> dict[str, Any]:
    """A document with one attribute changed."""
    given = with_facts()
    given["attributes"][at] |= keys
    return given


def test_a_good_document_has_no_fault():
    assert faults_without_writing(with_facts()) == []


NO_NUMBER = (
    "is not a number such as 128000 or 1.92, of at most 12 digits and 6 decimal places, 15 together"
)
VALUES: list[tuple[str, Any, str]] = [
    ("context-window", "128k", f'value: "128k" {NO_NUMBER}'),
    ("context-window", True, f"value: true {NO_NUMBER}"),
    ("context-window", float("nan"), f"value: NaN {NO_NUMBER}"),
    ("context-window", float("inf"), f"value: a number that does not fit 64 bits {NO_NUMBER}"),
    ("context-window", 10**12, f"value: 1000000000000 {NO_NUMBER}"),
    ("context-window", 0.0000001, f"value: 1e-07 {NO_NUMBER}"),
    ("context-window", 123456789012.1234, f"value: 123456789012.1234 {NO_NUMBER}"),
    ("self-hosted", "yes", 'value: "yes" is not true or false'),
    ("terms", "Apache", 'value: "Apache" is not "MIT" or "Other"'),
    ("terms", ["MIT"], 'value: a list is not "MIT" or "Other"'),
    (
        "platforms",
        "Linux",
        'value: "Linux" is not a list of different ones of Linux, macOS, or null',
    ),
    ("platforms", ["Linux", "DOS"], 'value[1]: "DOS" is not "Linux" or "macOS"'),
    ("platforms", ["macOS", "macOS"], "value: Give each choice once."),
    (
        "platforms",
        [],
        "value: is too short; give a list of different ones of Linux, macOS, or null",
    ),
    ("written-in", "", "value: is empty; give a text of 1 to 200 characters"),
    ("written-in", "x" * 201, "value: is 201 characters long; at most 200 are allowed"),
    ("written-in", 3, "value: 3 is not a text of 1 to 200 characters"),
    ("first-release", "May 2024", 'value: "May 2024" is not a date such as "2026-11-20"'),
    ("first-release", "2024-02-30", 'value: "2024-02-30" is not a valid date (day is out of'),
    (
        "context-windw",
        5,
        'attribute: "context-windw" is no attribute of this file or this site; did you mean '
        '"context-window"?',
    ),
]


@pytest.mark.parametrize(("attribute", "value", "fault"), VALUES)
def test_a_value_that_its_attribute_does_not_accept_is_named(attribute, value, fault):
    (found,) = faults_without_writing(with_fact(attribute=attribute, value=value))
    assert found.startswith(f"tools[0].facts[0].{fault}")


FACT_KEYS: list[tuple[dict[str, Any], str]] = [
    (
        {"value": ...},
        'value: is missing; give it, null where the maker does not say, or "applies": false',
    ),
    ({"applies": False}, "applies: is given with “value”; keep one of them"),
    (
        {"value": ..., "applies": True},
        "applies: true is not false, for a question that does not apply; otherwise give its value",
    ),
    (
        {"source": "docs.example.org"},
        "source: Begin the address with https:// or http://.",
    ),
    (
        {"checked": LATER},
        "checked: This date is in the future: enter the day of the check.",
    ),
    (
        {"checked": "yesterday"},
        'checked: "yesterday" is not a date such as "2026-11-20", or null',
    ),
    ({"note": "x" * 201}, "note: is 201 characters long; at most 200 are allowed"),
    ({"attribute": ...}, "attribute: is missing; give an address of lowercase letters"),
]


@pytest.mark.parametrize(("keys", "fault"), FACT_KEYS)
def test_a_fault_of_a_fact_is_named(keys, fault):
    (found,) = faults_without_writing(with_fact(**keys))
    assert found.startswith(f"tools[0].facts[0].{fault}")


PLAN_KEYS: list[tuple[dict[str, Any], str]] = [
    ({"amount": "-5"}, '.amount: "-5" is negative; write 0 or more, 0 is free'),
    (
        {"amount": 20},
        '.amount: 20 is not a text such as "20.00", with at most 12 digits and 6 decimal places',
    ),
    ({"amount": "NaN"}, '.amount: "NaN" is not a text such as "20.00"'),
    ({"amount": ...}, '.amount: is missing; give a text such as "20.00"'),
    ({"currency": "EUX"}, ".currency: “EUX” is no currency: give a code such as USD or EUR."),
    ({"currency": "EURO"}, ".currency: is 4 characters long; at most 3 are allowed"),
    ({"currency": ...}, ".currency: is missing; give"),
    ({"per": ""}, ".per: is empty; give a text of 1 to 40 characters"),
    ({"source": "ftp://example.org"}, ".source: Begin the address with https:// or http://."),
    ({"checked": LATER}, ".checked: This date is in the future"),
]


@pytest.mark.parametrize(("keys", "fault"), PLAN_KEYS)
def test_a_fault_of_a_plan_is_named(keys, fault):
    (found,) = faults_without_writing(with_plan(**keys))
    assert found.startswith(f"tools[0].plans[0]{fault}")


def test_two_facts_of_one_attribute_and_two_plans_of_one_key_are_refused():
    plans = [*PLANS, PLANS[0] | {"amount": "25.00"}]
    assert faults_without_writing(
        with_facts(facts=[FACTS[0], FACTS[1], FACTS[0]], plans=plans)
    ) == [
        "tools[0].facts[2].attribute: has the attribute of tools[0].facts[0] already; keep one",
        "tools[0].plans[3].name: has the name, currency and per of tools[0].plans[0] already; "
        "keep one",
    ]


def test_an_attribute_that_is_not_asked_in_the_tools_category_is_refused():
    given = with_facts(category="art", facts=FACTS[:1])
    given["categories"].append({"slug": "art", "name": "Art"})
    assert faults_without_writing(given) == [
        'tools[0].facts[0].attribute: "context-window" is not asked of tools in "art"; '
        "leave it out, or add that category to the attribute"
    ]


def test_an_unknown_family_and_a_long_label_are_refused():
    assert faults_without_writing(with_facts(family="greeks", label="x" * 25)) == [
        'tools[0].family: "greeks" is no family of this file or this site; did you mean "greek"?',
        "tools[0].label: is 25 characters long; at most 24 are allowed",
    ]


ATTRIBUTE_KEYS: list[tuple[int, dict[str, Any], str]] = [
    (0, {"better": "more"}, 'better: "more" is not "higher" or "lower"'),
    (0, {"choices": ["A"]}, 'choices: is not for the kind "number"; write []'),
    (2, {"unit": "GB"}, 'unit: is not for the kind "yes-no"; write ""'),
    (2, {"better": "higher"}, 'better: is not for the kind "yes-no"; write null'),
    (3, {"choices": []}, 'choices: is missing or empty; give those of a "choice"'),
    (3, {"choices": ["MIT", "mit"]}, "choices: Give each choice once."),
    (5, {"kind": "words"}, 'kind: "words" is not "number", "yes-no", "choice"'),
    (
        0,
        {"categories": ["chatt"]},
        'categories[0]: "chatt" is no category of this file or this site; did you mean "chat"?',
    ),
    (0, {"categories": ["chat", "chat"]}, 'categories[1]: "chat" is categories[0] again; keep one'),
]


@pytest.mark.parametrize(("at", "keys", "fault"), ATTRIBUTE_KEYS)
def test_a_fault_of_an_attribute_is_named(at, keys, fault):
    given = with_attribute(at, **keys)
    del given["tools"][0]["facts"]
    (found,) = faults_without_writing(given)
    assert found.startswith(f"attributes[{at}].{fault}")


CHANGED: list[tuple[int, dict[str, Any], str]] = [
    (
        0,
        {"kind": "text", "unit": "", "better": None},
        'attributes[0].kind: must stay "number", which 1 tool ("alpha") needs; keep it, or make '
        "another attribute",
    ),
    (
        3,
        {"choices": ["Other"]},
        'attributes[3].choices: must contain "MIT", which 1 tool ("alpha") needs; keep it, or '
        "change those facts in this file too",
    ),
    (
        4,
        {"choices": ["Linux"]},
        'attributes[4].choices: must contain "macOS", which 1 tool ("alpha") needs; keep it, or '
        "change those facts in this file too",
    ),
    (
        2,
        {"categories": ["art"]},
        'attributes[2].categories: must contain "chat", which 1 tool ("alpha") needs; keep it, or '
        "change those facts in this file too",
    ),
]


@pytest.mark.parametrize(("at", "keys", "fault"), CHANGED)
def test_a_change_of_an_attribute_that_stored_facts_contradict_is_refused(at, keys, fault):
    load(as_file(with_facts()))
    make.category(slug="art")
    given = with_attribute(at, **keys)
    del given["tools"][0]["facts"]
    assert faults_without_writing(given) == [fault]


@pytest.mark.parametrize(("at", "keys"), [(at, keys) for at, keys, _ in CHANGED[1:]])
def test_the_same_change_is_accepted_where_the_file_changes_those_facts_too(at, keys):
    load(as_file(with_facts()))
    make.category(slug="art")
    given = with_attribute(at, **keys)
    given["tools"][0]["facts"] = [FACTS[0]]
    assert load(as_file(given)).counts["facts"].removed == 6


def test_an_attribute_without_facts_may_change_its_kind():
    load(as_file(with_facts(facts=[])))
    given = with_attribute(2, kind="date")
    del given["tools"][0]["facts"]
    assert faults_without_writing(given) == []


def test_an_earlier_slug_that_leads_to_another_tool_is_refused():
    load(as_file(document(tools=[tool(slug="delta", former_slugs=["d"])], comparisons=[])))
    deleted = make.tool(slug="known")
    now = timezone.now()
    deleted.remove(now)
    given = with_facts(former_slugs=["alpha", "beta", "delta", "d", "known", "first"])
    given["tools"][1]["former_slugs"] = ["first"]
    first = "tools[0].former_slugs"
    assert faults_without_writing(given) == [
        f'{first}[0]: "alpha" is its present slug; leave it out here',
        f'{first}[1]: "beta" is the slug of tools[1]; leave it out here',
        f'{first}[2]: "delta" is the slug of another tool of this site; leave it out here',
        f'{first}[3]: "d" is an earlier slug of "delta" on this site; leave it out here',
        f'{first}[4]: "known" was the slug of a public tool that was deleted on '
        f"{now.date().isoformat()}; leave it out here",
        'tools[1].former_slugs[0]: "first" is an earlier slug of "alpha" in this file too; '
        "leave it out here",
    ]


def test_the_first_format_refuses_the_new_keys_as_keys_of_the_second():
    given = with_facts() | {"format": "shipskip-catalogue/1"}
    later = 'is a key of "shipskip-catalogue/2"; write that as the file’s format'
    names = ["facts", "plans", "family", "former_slugs"]
    assert set(faults_without_writing(given)) == {
        f"attributes: {later}",
        f"families: {later}",
        *(f"tools[0].{name}: {later}" for name in names),
    }


def test_every_fault_of_the_file_is_named_in_one_run_in_its_order():
    given = with_facts(
        facts=[{"attribute": "terms", "value": 5, **SOURCE | {"source": "x"}}, FACTS[0]],
        plans=[PLANS[0] | {"amount": "-1", "currency": "XXX"}],
    )
    given["attributes"][0]["better"] = "more"
    assert [fault.partition(":")[0] for fault in faults_without_writing(given)] == [
        "tools[0].facts[0].value",
        "tools[0].facts[0].source",
        "tools[0].plans[0].amount",
        "tools[0].plans[0].currency",
        "attributes[0].better",
    ]


def test_the_nearest_attribute_is_named_among_hundreds():
    more = [ATTRIBUTES[2] | {"slug": f"question-{at}"} for at in range(300)]
    given = with_fact(attribute="self-hostd", value=True)
    given["attributes"] += more
    assert faults_without_writing(given)[0].endswith('did you mean "self-hosted"?')
    assert not Tool.objects.exists()
