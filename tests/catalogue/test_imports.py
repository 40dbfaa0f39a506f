"""Loads of documents of open data: what they change, and what they leave to editors."""

import json
from datetime import date

import pytest
from django.utils import timezone

from shipskip.catalogue.changes import Changes
from shipskip.editing.bulk_saves import Save
from tests.catalogue.clones import Clone
from tests.catalogue.documents import as_file, dumped, faults_of, load
from tools.fact_writing import FactEdit, PlanEdit, write_facts, write_plans
from tools.models import Category, Fact, Plan, Tool

pytestmark = pytest.mark.django_db
GPT = "models.dev:openai/gpt-5.4"
GPT_FILE, GPT_PRICES = "models/openai/gpt-5.4.toml", "providers/openai/models/gpt-5.4.toml"


@pytest.fixture
def clone(tmp_path):
    """A clone with the real files, loaded."""
    clone = Clone(tmp_path / "models.dev")
    clone.load()
    return clone


def kept(changes: Changes) -> list[str]:
    return [str(each) for each in changes.kept.entries]


def fact(attribute: str) -> Fact:
    return Fact.objects.get(tool__source_id=GPT, attribute__slug=attribute)


def confirm(row: Fact) -> None:
    write_facts([FactEdit((row.tool_id, row.attribute_id), {"unconfirmed": False})], Save())


@pytest.mark.both_databases
def test_a_second_run_with_the_same_folder_changes_nothing(clone):
    assert clone.document() == clone.document()
    assert not clone.load().changed_anything
    again = dumped()
    assert not load(as_file(again)).changed_anything
    assert json.loads(again)["tools"][-1]["facts"][0]["unconfirmed"] is True


@pytest.mark.both_databases
def test_what_changes_in_the_source_changes_here_unless_an_editor_has_confirmed_it(clone):
    confirm(fact("context-window"))
    plan = Plan.objects.get(tool__source_id=GPT, name="API", per="1M input tokens")
    write_plans([PlanEdit(plan.tool_id, plan.pk, {"checked_on": date(2026, 7, 2)})], Save())
    clone.change(GPT_PRICES, "context = 1_050_000", "context = 2_000_000")
    clone.change(GPT_PRICES, "output = 128_000", "output = 256_000")
    for path in (GPT_PRICES, GPT_FILE):
        clone.change(path, 'knowledge = "2025-08-31"\n', "")
        clone.change(path, "reasoning = true\n", "")
    clone.change(GPT_PRICES, "input = 2.50\noutput = 15.00", "input = 3.50\noutput = 16.00")
    confirm(fact("reasoning"))
    clone.commit()
    changes = clone.load()
    assert fact("context-window").number == 1_050_000
    assert fact("output-tokens").number == 256_000
    assert fact("output-tokens").unconfirmed
    assert not Fact.objects.filter(tool__source_id=GPT, attribute__slug="knowledge-cutoff").exists()
    assert fact("reasoning").yes_no is True
    prices = Plan.objects.filter(tool__source_id=GPT, name="API").order_by("per")
    assert [f"{plan.amount:f}" for plan in prices] == ["2.500000", "16.000000"]
    assert kept(changes) == [
        "facts: context-window of gpt-5-4 (value: “1,050,000” → “2,000,000”)",
        "plans: API, USD per 1M input tokens, of gpt-5-4 (amount: “2.50” → “3.50”)",
    ]
    again = clone.load()
    assert not again.changed_anything
    assert kept(again) == kept(changes)


def test_a_tool_keeps_its_identity_and_an_editors_words_when_its_names_change(clone):
    tool = Tool.objects.get(source_id=GPT)
    tool.rename("best-gpt")
    other = Category.objects.create(slug="chat", name="Chat")
    Tool.objects.filter(pk=tool.pk).update(category=other)
    clone.change(GPT_PRICES, '"GPT-5.4"', '"GPT Five"')
    clone.change(GPT_PRICES, "output = 128_000", "output = 256_000")
    clone.commit()
    changes = clone.load()
    assert changes.counts["tools"].created == 0
    tool.refresh_from_db()
    assert (tool.slug, tool.name, tool.category) == ("best-gpt", "GPT-5.4", other)
    assert fact("output-tokens").number == 256_000
    assert kept(changes) == [
        "tools: best-gpt (name: “GPT-5.4” → “GPT Five”; category: “chat” → “models”)"
    ]
    # The facts that its new category does not ask are not made again.
    Fact.objects.filter(tool=tool).delete()
    assert not clone.load().changed_anything


def test_a_tool_of_an_editor_is_found_by_its_slug_and_gets_the_id(tmp_path):
    chat = Category.objects.create(slug="models", name="Models")
    Tool.objects.create(slug="gpt-5-4", name="My GPT", category=chat, maker="OpenAI")
    changes = Clone(tmp_path / "models.dev").load()
    tool = Tool.objects.get(slug="gpt-5-4")
    assert (tool.name, tool.source_id) == ("My GPT", GPT)
    assert len(kept(changes)) == 1
    assert tool.facts.filter(unconfirmed=True).count() == 9


@pytest.mark.both_databases
def test_a_tool_that_is_gone_is_marked_and_one_that_an_editor_deleted_stays_deleted(clone):
    for path in (GPT_FILE, GPT_PRICES):
        (clone.folder / path).rename(clone.folder / f"{path}.old")
    clone.commit()
    changes = clone.load()
    tool, today = Tool.objects.get(source_id=GPT), changes.save.now.date()
    assert (tool.gone_from_source_on, tool.facts.count()) == (today, 9)
    (change,) = changes.changed.entries
    assert str(change) == f"tools: gpt-5-4 (gone_from_source: none → {today})"
    assert not clone.load().changed_anything
    for path in (GPT_FILE, GPT_PRICES):
        (clone.folder / f"{path}.old").rename(clone.folder / path)
    clone.commit()
    clone.load()
    tool = Tool.objects.get(source_id=GPT)
    assert tool.gone_from_source_on is None
    tool.remove(timezone.now())
    changes = clone.load()
    assert not changes.changed_anything
    assert kept(changes) == ["tools: gpt-5-4 (published: “deleted here” → none)"]


def test_faults_of_an_imported_document_have_their_place(clone, snapshot):
    document = {"format": "shipskip-catalogue/3", "imported_from": "models.dev"}
    tool = {"slug": "new", "name": "New", "category": "models", "source_id": "models.dev:new"}
    no_id = {key: value for key, value in tool.items() if key != "source_id"}
    cases = [
        document | {"imported_from": "No Name", "tools": [tool]},
        document | {"imported_from": 3, "tools": [tool]},
        document | {"format": "shipskip-catalogue/2", "tools": [tool]},
        document | {"tools": [tool | {"source_id": "gpt"}]},
        document | {"tools": [tool | {"source_id": "other:gpt"}]},
        document | {"tools": [no_id]},
        document | {"tools": [tool | {"published": "2026-05-01T09:00:00Z"}]},
        document | {"tools": [tool | {"slug": "fugu-ultra"}]},
        {"format": document["format"], "tools": [tool, tool | {"slug": "two"}]},
    ]
    assert [faults_of(case) for case in cases] == snapshot


def test_other_documents_use_the_slugs_of_the_site_and_mark_nothing_as_gone(clone):
    Tool.objects.get(source_id=GPT).rename("best-gpt")
    tools = [
        {"slug": "gpt", "name": "GPT-5.4", "category": "models", "source_id": GPT},
        {"slug": "new", "name": "New", "category": "models"},
    ]
    pair = {"tools": ["gpt", "new"], "choose_if": {"gpt": "you like it"}}
    document = {"format": "shipskip-catalogue/3", "tools": tools, "comparisons": [pair]}
    assert load(as_file(document)).counts["comparisons"].created == 1
    assert not load(as_file(document)).changed_anything
    other = {"slug": "x", "name": "X", "category": "models", "source_id": "other:x"}
    load(as_file(document | {"imported_from": "other", "tools": [other], "comparisons": []}))
    assert not Tool.objects.exclude(gone_from_source_on=None).exists()
