"""The sample catalogue: what its facts rest on, and that the first sample still loads."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.catalogue.documents import dumped, empty_the_site, load
from tools.models import Tool

SAMPLE = json.loads(Path("fixtures/catalogue.json").read_text())
FIRST_SAMPLE = Path(__file__).parent / "samples" / "format_1_sample.json"
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
OTHERS = [tool for tool in SAMPLE["tools"] if tool["slug"] not in OF_THE_PAIRS]


def asked_in(category: str) -> set[str]:
    """The attributes that are asked of a category's tools."""
    return {
        attribute["slug"]
        for attribute in SAMPLE["attributes"]
        if not attribute["categories"] or category in attribute["categories"]
    }


def answers(tool: dict[str, Any]) -> list[dict[str, Any]]:
    """The facts and plans of a tool, without the questions that do not apply."""
    return [row for row in [*tool["facts"], *tool["plans"]] if row.get("applies", True)]


def test_each_category_is_asked_at_least_six_questions_that_its_tools_answer():
    for category in SAMPLE["categories"]:
        tools = [tool for tool in SAMPLE["tools"] if tool["category"] == category["slug"]]
        answered = {row["attribute"] for tool in tools for row in tool["facts"] if "value" in row}
        assert len(answered) >= 6, category["slug"]
        assert answered <= asked_in(category["slug"])


def test_every_answer_has_a_source_with_its_day_or_is_from_the_brief():
    for tool in SAMPLE["tools"]:
        for row in answers(tool):
            named = (tool["slug"], row.get("attribute") or row["name"])
            if tool["slug"] in OF_THE_PAIRS and not row.get("source"):
                assert "From the brief for this sample" in row["note"], named
            else:
                assert row.get("source"), named
                assert row.get("checked"), named


def test_every_question_is_answered_and_those_of_the_pairs_where_their_texts_do():
    for tool in SAMPLE["tools"]:
        if tool["slug"] in OF_THE_PAIRS:
            silent = [fact for fact in tool["facts"] if fact.get("value", "") is None]
            assert all(fact["source"] for fact in silent), tool["slug"]
        else:
            answered = {fact["attribute"] for fact in tool["facts"]}
            assert asked_in(tool["category"]) <= answered, tool["slug"]


def test_every_tool_that_is_not_only_free_says_its_prices():
    unpriced = [tool["slug"] for tool in SAMPLE["tools"] if not tool["plans"]]
    entries = {tool["slug"]: tool["entry"] for tool in SAMPLE["tools"]}
    assert [slug for slug in unpriced if entries[slug] == "freemium"] == []
    paid = {slug for slug in unpriced if entries[slug] == "paid"}
    assert paid <= OF_THE_PAIRS


def test_every_take_gives_its_reason_in_one_sentence():
    reasons = [take["because"] for tool in SAMPLE["tools"] for take in tool["takes"]]
    assert len(set(reasons)) == len(reasons) == 116
    assert all(reason.endswith(".") for reason in reasons)


def test_every_tool_has_a_status_and_those_that_ended_their_source():
    for tool in SAMPLE["tools"]:
        assert tool["status"] == "unknown" or tool["status_source"], tool["slug"]
    ended = {
        row["slug"]: row["status_on"] for row in SAMPLE["tools"] if row["status"] == "discontinued"
    }
    assert ended == {"continue": "2026-06-18"}


@pytest.mark.django_db
def test_the_sample_loads_twice_without_changes_and_into_an_empty_site_with_the_same_bytes():
    load(io.BytesIO(Path("fixtures/catalogue.json").read_bytes()))
    first = dumped()
    assert not load(io.BytesIO(first.encode())).changed_anything
    empty_the_site()
    load(io.BytesIO(first.encode()))
    assert dumped() == first


def test_seven_of_ten_cells_that_apply_are_answered():
    asked = not_applicable = answered = 0
    for tool in OTHERS:
        asked += len(asked_in(tool["category"]))
        not_applicable += sum("applies" in row for row in tool["facts"])
        answered += sum("value" in row for row in tool["facts"])
    assert answered / (asked - not_applicable) >= 0.7


@pytest.mark.django_db
def test_the_sample_of_the_first_format_loads_as_before():
    report = load(io.BytesIO(FIRST_SAMPLE.read_bytes()))
    was = json.loads(FIRST_SAMPLE.read_text())
    assert was["format"] == "shipskip-catalogue/1"
    assert report.counts["tools"].created == len(was["tools"]) == Tool.objects.count()
    entries = {tool["slug"]: tool["entry"] for tool in was["tools"]}
    assert dict(Tool.objects.values_list("slug", "entry")) == entries
    assert not load(io.BytesIO(FIRST_SAMPLE.read_bytes())).changed_anything
