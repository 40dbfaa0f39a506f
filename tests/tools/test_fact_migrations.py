"""The migrations to licences as facts and to six decimals, and their reverses."""

from datetime import UTC, datetime
from decimal import Decimal
from importlib import import_module

import pytest
from django.db import connection, transaction

from shipskip.page_cache.version_triggers import installed
from shipskip.search.index_triggers import change_triggers

pytestmark = pytest.mark.both_databases

THREE_DECIMALS = "0012_notes_that_only_explain"
BEFORE, AFTER = "0013_six_decimals", "0015_remove_licence_field"
WATCHED = {"tools_fact", "tools_plan"}
NUMBERS = [Decimal("999999999999.123"), Decimal("-0.001"), Decimal(128000)]
NAMES = ("fact", "historicalfact", "attribute", "historicalattribute", "tool", "historicaltool")
TABLES = [f"tools_{name}" for name in (*NAMES, "category", "factchange")]


def old_tool(model, slug, *licences):
    """A tool of the old models with a version for each of these licences, the last its own."""
    category, _ = model("Category").objects.get_or_create(slug="chat", name="Chat")
    about = {"slug": slug, "name": slug, "category": category}
    row = model("Tool").objects.create(**about, license=licences[-1])
    for month, licence in enumerate(licences, 1):
        moment = datetime(2026, month, 1, tzinfo=UTC)
        versions = {"history_date": moment, "history_type": "~", "license": licence}
        model("HistoricalTool").objects.create(id=row.pk, **about, **versions)
    return row


def old_tools(model):
    tools = {"kept": ["GPL"], "changed": ["", "MIT", "GPL 3"], "emptied": ["MIT", ""], "none": [""]}
    return {slug: old_tool(model, slug, *licences) for slug, licences in tools.items()}


def assert_are_facts(model, tools, own):
    attribute = model("Attribute").objects.get()
    assert (attribute.slug, attribute.kind, attribute.choices) == ("licence", "text", [])
    assert attribute.category_ids == []
    facts = model("Fact").objects.order_by("tool__slug")
    expected = [("changed", "text", "GPL 3"), ("kept", "text", own)]
    assert list(facts.values_list("tool__slug", "kind", "text")) == expected
    versions = model("HistoricalFact").objects.order_by("history_id")
    columns = ("history_type", "text", "history_date__month")
    for slug, changes in (
        ("changed", [("+", "MIT", 2), ("~", "GPL 3", 3)]),
        ("emptied", [("+", "MIT", 1), ("-", "MIT", 2)]),
    ):
        assert list(versions.filter(tool=tools[slug].pk).values_list(*columns)) == changes


def assert_are_fields(model, own):
    licences = dict(model("Tool").objects.values_list("slug", "license"))
    assert licences == {"changed": "GPL 3", "emptied": "", "kept": own, "none": ""}
    of_changed = model("HistoricalTool").objects.filter(slug="changed").order_by("history_id")
    assert list(of_changed.values_list("license", flat=True)) == ["", "MIT", "GPL 3"]


def empty_tables() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - our own tables


def is_watched() -> bool:
    expected = {name for name, table, *_ in change_triggers._triggers() if table in WATCHED}
    return installed(connection) >= WATCHED and expected <= change_triggers.installed(connection)


def test_licences_and_decimals_migrate_and_come_back(migrate):
    """All in one test, because the way to that state takes seconds."""
    model = migrate("tools", BEFORE)
    tools = old_tools(model)
    model = migrate("tools", AFTER)
    assert_are_facts(model, tools, "GPL")
    of_kept = model("Fact").objects.filter(tool=tools["kept"].pk)
    of_kept.update(text="x" * 121)
    with pytest.raises(ValueError, match="licence of “kept” has more than 120 characters"):
        migrate("tools", BEFORE)
    of_kept.update(text="GPL")
    model = migrate("tools", BEFORE)
    assert_are_fields(model, "GPL")
    licences = import_module("tools.migrations.0014_licence_as_fact")
    licences.make_facts(model("Tool")._meta.apps, None)
    texts = model("Fact").objects.order_by("text").values_list("text", flat=True)
    assert list(texts) == ["GPL", "GPL 3"], "they stay"
    an_attribute_that_is_there_becomes_a_text(model, licences)
    six_decimals_keep_numbers_histories_and_triggers(migrate, model)


def an_attribute_that_is_there_becomes_a_text(model, licences):
    """The functions of the migration alone: the field and the facts are both there."""
    apps = model("Tool")._meta.apps
    for kind, text, own in (
        ("choice", "MIT", "MIT"),
        ("choices", "\nMIT\nBSD\n", "MIT, BSD"),
        ("yes-no", "", "Yes"),
    ):
        empty_tables()
        tools = old_tools(model)
        elsewhere = model("Category").objects.create(slug="elsewhere", name="Elsewhere")
        about = {"slug": "licence", "kind": kind, "choices": ["MIT"]}
        asked = model("Attribute").objects.create(category_ids=[elsewhere.pk], **about)
        fact = {"attribute": asked, "tool": tools["kept"], "kind": kind, "note": "Of the code."}
        model("Fact").objects.create(**fact, text=text, yes_no=None if text else True)
        licences.make_facts(apps, None)
        assert_are_facts(model, tools, own)
        licences.fill_fields(apps, None)
        assert_are_fields(model, own)
    empty_tables()


def six_decimals_keep_numbers_histories_and_triggers(migrate, model):
    """The reverse refuses to lose digits too."""
    tool = old_tool(model, "kept", "")
    for number in (*NUMBERS, Decimal("0.000001")):
        asked = model("Attribute").objects.create(slug=f"size-{number}", kind="number")
        values = {"tool": tool, "attribute": asked, "kind": "number", "number": number}
        row = model("Fact").objects.create(**values)
        versions = {"history_date": datetime(2026, 1, 1, tzinfo=UTC), "history_type": "+"}
        model("HistoricalFact").objects.create(id=row.pk, **values, **versions)
    model("Plan").objects.create(tool=tool, name="Pro", amount=Decimal("0.0001"))
    assert is_watched()
    for name in ("Fact", "HistoricalFact"):
        with pytest.raises(ValueError, match=f"0.000001 in {name}.number has more than 3"):
            migrate("tools", THREE_DECIMALS)
        model(name).objects.filter(id=row.pk).delete()
    migrate("tools", THREE_DECIMALS)
    assert installed(connection) >= WATCHED
    model = migrate("tools", BEFORE)
    assert is_watched()
    for name in ("Fact", "HistoricalFact"):
        found = model(name).objects.order_by("pk").values_list("number", flat=True)
        assert list(found) == NUMBERS, name
    assert model("Plan").objects.get().amount == Decimal("0.0001")
