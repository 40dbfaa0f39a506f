"""The licence of a tool as a fact: the migration from the field, its reverse, and the search."""

from datetime import UTC, datetime

import pytest

from shipskip.search.indexing import index_all
from shipskip.search.searching import Scope, search
from tests import factories as make
from tools.models import Attribute, Fact

pytestmark = pytest.mark.both_databases

BEFORE, NEWEST = "0013_six_decimals", "0018_keep_deleted_categories"


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


@pytest.mark.parametrize("kind", [None, "choice", "choices", "yes-no"])
def test_fields_become_facts_with_their_history_and_come_back(kind, migrate):
    model = migrate("tools", BEFORE)
    kept, changed = old_tool(model, "kept", "GPL"), old_tool(model, "changed", "", "MIT", "GPL 3")
    emptied = old_tool(model, "emptied", "MIT", "")
    old_tool(model, "none", "")
    if kind:
        elsewhere = model("Category").objects.create(slug="elsewhere", name="Elsewhere")
        asked = model("Attribute").objects.create(
            slug="licence", kind=kind, choices=["MIT"], category_ids=[elsewhere.pk]
        )
        value = {"yes_no": True} if kind == "yes-no" else {}
        value |= {"choice": {"text": "MIT"}, "choices": {"text": "\nMIT\nBSD\n"}}.get(kind, {})
        fact = {"attribute": asked, "tool": kept, "kind": kind, "note": "Of the code."} | value
        model("Fact").objects.create(**fact)
    own = {None: "GPL", "choice": "MIT", "choices": "MIT, BSD", "yes-no": "Yes"}[kind]
    migrate("tools", NEWEST)
    attribute = Attribute.objects.get()
    assert (attribute.slug, attribute.kind, attribute.choices) == ("licence", "text", [])
    assert attribute.category_ids == []
    facts = Fact.objects.order_by("tool__slug")
    assert [(each.tool.slug, each.kind, each.value) for each in facts] == [
        ("changed", "text", "GPL 3"),
        ("kept", "text", own),
    ]
    found = Fact.history.filter(tool=changed.pk).order_by("history_id")
    columns = ("history_type", "text", "history_date__month")
    assert list(found.values_list(*columns)) == [("+", "MIT", 2), ("~", "GPL 3", 3)]
    gone = Fact.history.filter(tool=emptied.pk).order_by("history_id")
    assert list(gone.values_list(*columns)) == [("+", "MIT", 1), ("-", "MIT", 2)]
    model = migrate("tools", BEFORE)
    licences = model("Tool").objects.order_by("slug").values_list("slug", "license")
    assert dict(licences) == {"changed": "GPL 3", "emptied": "", "kept": own, "none": ""}
    versions = model("HistoricalTool").objects.filter(slug="changed").order_by("history_id")
    assert list(versions.values_list("license", flat=True)) == ["", "MIT", "GPL 3"]
    migrate("tools", NEWEST)
    assert list(Fact.objects.filter(tool=changed.pk).values_list("text", flat=True)) == ["GPL 3"]


def test_the_reverse_refuses_to_cut_a_licence(migrate):
    migrate("tools", NEWEST)
    make.fact("x" * 121, on=make.tool(name="Alpha"), to=make.attribute(slug="licence", kind="text"))
    with pytest.raises(ValueError, match="licence of “Alpha” has more than 120 characters"):
        migrate("tools", BEFORE)
    migrate("tools", NEWEST)
    Fact.objects.all().delete()


@pytest.mark.django_db
def test_the_search_finds_tools_by_licence():
    row = make.tool(name="Alpha")
    make.tool(name="Beta")
    make.fact("Mozilla Public License", on=row, to=make.attribute(slug="licence", kind="text"))
    index_all()
    found = search("mozilla", Scope(datetime.now(UTC))).ranks
    assert [each.candidate.object_id for each in found] == [row.pk]
