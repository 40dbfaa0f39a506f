"""The sample catalogue: what its facts rest on."""

import json
from pathlib import Path

import pytest
from django.db import transaction

from tests.catalogue.documents import as_file, dumped, load

SAMPLE = json.loads(Path("fixtures/catalogue.json").read_text())
OF_THE_PAIRS = {
    "cursor-background-agent",
    "llama-4-compact-12b",
    "cursor-background-agents",
    "code-llama-4",
    "cursor-v0-50-background-agent-codebase-refactoring",
    "code-llama-4-agentic",
    "smollm3",
    "smolvlm-2-5",
}
"""Tools of the five pairs that must exist: they state what their texts state, without a source."""


def asked_in(category: str) -> set[str]:
    """The attributes that are asked of a category's tools."""
    return {
        attribute["slug"]
        for attribute in SAMPLE["attributes"]
        if not attribute["categories"] or category in attribute["categories"]
    }


def test_each_category_is_asked_at_least_six_questions_that_its_tools_answer():
    for category in SAMPLE["categories"]:
        tools = [tool for tool in SAMPLE["tools"] if tool["category"] == category["slug"]]
        answered = {row["attribute"] for tool in tools for row in tool["facts"] if "value" in row}
        assert len(answered) >= 6, category["slug"]
        assert answered <= asked_in(category["slug"])


def test_each_tool_answers_with_sources_or_from_the_brief_and_has_prices_and_a_status():
    for tool in SAMPLE["tools"]:
        slug, is_of_a_pair = tool["slug"], tool["slug"] in OF_THE_PAIRS
        for row in [*tool["facts"], *tool["plans"]]:
            if not row.get("applies", True):
                continue
            named = (slug, row.get("attribute") or row["name"])
            if is_of_a_pair and not row.get("source"):
                assert "From the brief for this sample" in row["note"], named
                assert row.get("value", "") is not None, named
            else:
                assert row.get("source"), named
                assert row.get("checked"), named
        answered = {fact["attribute"] for fact in tool["facts"]}
        assert is_of_a_pair or asked_in(tool["category"]) <= answered, slug
        priceless = {"free", "paid"} if is_of_a_pair else {"free"}
        assert tool["plans"] or tool["entry"] in priceless, slug
        assert tool["status"] == "unknown" or tool["status_source"], slug
    ended = [row for row in SAMPLE["tools"] if row["status"] == "discontinued"]
    assert [(row["slug"], row["status_on"]) for row in ended] == [("continue", "2026-06-18")]


def test_every_take_gives_its_reason_in_one_sentence():
    reasons = [take["because"] for tool in SAMPLE["tools"] for take in tool["takes"]]
    assert len(set(reasons)) == len(reasons) == 116
    assert all(reason.endswith(".") for reason in reasons)


@pytest.mark.django_db
def test_the_sample_loads_twice_without_changes_and_into_an_empty_site_with_the_same_bytes():
    with transaction.atomic():
        load(as_file(SAMPLE))
        text = dumped()
        transaction.set_rollback(True)
    load(as_file(text))
    assert dumped() == text
    assert not load(as_file(SAMPLE)).changed_anything
