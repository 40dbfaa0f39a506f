"""What the database and the forms refuse of tools, categories, attributes, facts and plans, and
the methods of their querysets.
"""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Model, ProtectedError
from django.utils import timezone

from tests import factories as make
from tests.desk.forms import errors, page_of, tool_form
from tools.fact_values import AttributeKind
from tools.models import Attribute, Fact, FormerSlug, Plan, Tool

pytestmark = pytest.mark.django_db
both_databases = pytest.mark.both_databases
MINUTE = timedelta(minutes=1)
VALUES = {
    "number": Decimal("1.5"),
    "yes-no": False,
    "choice": "A",
    "choices": ["A", "B"],
    "text": "A, B",
    "date": date(2026, 11, 3),
}
OF_TEXTS = ("choice", "choices", "text")
"""The kinds whose values are in one column."""


def question(kind: str) -> Attribute:
    choices = ["A", "B"] if kind in ("choice", "choices") else []
    return make.attribute(kind=kind, choices=choices)


def faults(row: Model, **values: Any) -> dict[str, list[str]]:
    """Why the row is refused with these values, by field."""
    for name, value in values.items():
        setattr(row, name, value)
    with pytest.raises(ValidationError) as refusal:
        row.full_clean()
    return refusal.value.message_dict


@both_databases
def test_the_database_keeps_slugs_entries_facts_and_plans_valid():
    tool, category = make.tool(slug="a"), make.category(slug="b")
    FormerSlug.objects.create(slug="old", tool=tool)
    text, applies = question("text"), question("yes-no")
    make.fact("A", on=tool, to=text)
    make.fact(True, on=tool, to=applies)
    make.plan(on=tool, per="month")
    make.plan(on=tool, per="year")
    for forbidden in (
        lambda: Tool.objects.filter(pk=tool.pk).update(entry="cheap"),
        lambda: Tool.objects.filter(pk=tool.pk).update(status="dead"),
        lambda: make.tool(slug="a", in_category=category),
        lambda: make.category(slug="b"),
        lambda: FormerSlug.objects.create(slug="old", tool=make.tool()),
        lambda: make.fact("B", on=tool, to=text),
        lambda: Fact.objects.filter(attribute=applies).update(applies=False),
        lambda: make.plan(on=tool, per="year"),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            forbidden()
    for row in (tool.category, text):
        with pytest.raises(ProtectedError):
            row.delete()
    assert Plan.objects.all().on([tool]).count() == 2


@both_databases
def test_a_fact_keeps_a_value_of_its_kind_and_the_database_refuses_another_kind():
    for kind, value in VALUES.items():
        row = make.fact(value, on=make.tool(), to=question(kind))
        row.full_clean()
        assert Fact.objects.get(pk=row.pk).value == value
        for other in {"number", "yes-no", "date", "text"} - {"text" if kind in OF_TEXTS else kind}:
            with pytest.raises(IntegrityError), transaction.atomic():
                Fact.objects.filter(pk=row.pk).update(kind=other)


@both_databases
def test_numbers_and_prices_of_fifteen_digits_are_stored_as_they_are_and_no_sixteenth():
    for text in ("123456789.123456", "0.000001", "999999999999.999"):
        fact = make.fact(Decimal(text), on=make.tool(), to=make.attribute())
        plan = make.plan(on=make.tool(), amount=text)
        fact.full_clean()
        plan.full_clean()
        stored = [Fact.objects.get(pk=fact.pk).number, Plan.objects.get(pk=plan.pk).amount]
        assert stored == [Decimal(text)] * 2
    assert "at most 15 digits" in str(faults(plan, amount=Decimal("1234567890.123456")))


@both_databases
def test_a_question_that_tools_answer_keeps_its_kind_its_choices_and_their_category():
    tool, elsewhere = make.tool(), make.category()
    everywhere = question("choices")
    make.fact(["B"], on=tool, to=everywhere)
    assert "Tools answer “B”" in str(faults(everywhere, choices=["A"]))
    fault = faults(everywhere, choices=[], kind=AttributeKind.TEXT)
    assert "its kind cannot change" in str(fault)
    asked = make.attribute(kind="yes-no", asked_in=[tool.category])
    fact = make.fact(None, on=tool, to=asked)
    fault = faults(asked, category_ids=[elsewhere.pk])
    assert "Tools of other categories answer it" in str(fault)
    asked.save()
    assert "is not asked of tools in" in str(faults(Fact.objects.get(pk=fact.pk)))
    for choice in ("A; B", "n/a", "Not said", "The maker does not say", " A"):
        fault = faults(question("choices"), choices=["Fine", choice])
        assert "cannot be typed in a cell" in str(fault)
    Attribute.objects.filter(facts=None).delete()
    assert Attribute.objects.all().asked_in([tool.category_id]) == [everywhere]
    assert Attribute.objects.all().asked_in([elsewhere.pk]) == [everywhere, asked]


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [
        ("amount", Decimal(-1), "greater than or equal to 0"),
        ("currency", "XYZ", "is no currency"),
        ("source", "ftp://example.org/", "Begin the address"),
        ("checked_on", timezone.now().date() + timedelta(days=2), "in the future"),
    ],
)
def test_a_plan_refuses_invalid_values(name, value, fault):
    found = faults(make.plan(on=make.tool()), **{name: value})
    assert list(found) == [name]
    assert fault in str(found)


@both_databases
def test_a_website_is_an_http_or_https_address_and_namesakes_share_no_label():
    for website in ("javascript:alert(1)", "ftp://example.com", "example.com"):
        assert list(faults(make.tool(website=website))) == ["website"], website
    make.tool(name="Twin", label="first")
    other = make.tool(name="TWIN", label="First")
    assert list(faults(other)) == ["label"]
    other.label = "second"
    other.full_clean()


def test_a_tool_is_public_from_its_publication_time_and_that_of_its_category_on():
    now = timezone.now()
    draft = make.tool(published_at=None)
    scheduled = make.tool(published_at=now + MINUTE)
    public = make.tool(published_at=now)
    waiting = make.tool(in_category=make.category(published_at=now + MINUTE))
    tools = Tool.objects.order_by("pk")
    expected = [[], [public], [scheduled, public, waiting]]
    moments = (now - MINUTE, now, now + MINUTE)
    assert [list(tools.published(moment)) for moment in moments] == expected
    states = [row.state(now) for row in (draft, scheduled, public)]
    assert states == ["draft", "scheduled", "public"]
    assert (tools.draft().get(), tools.scheduled(now).get()) == (draft, scheduled)


@both_databases
def test_a_renamed_tool_keeps_its_earlier_address_and_no_other():
    tool = make.tool(slug="old")
    make.tool(slug="taken")
    tool.rename("old")
    with pytest.raises(IntegrityError), transaction.atomic():
        tool.rename("taken")
    assert not FormerSlug.objects.exists()
    tool = Tool.objects.get(slug="old")
    tool.rename("new")
    tool.refresh_from_db()
    assert (tool.slug, tool.get_absolute_url()) == ("new", "/tools/new/")
    assert Tool.objects.at("old") == tool
    assert Tool.objects.at("other") is None
    assert list(faults(make.tool(), slug="old")) == ["slug"]
    tool.rename("old")
    assert [row.slug for row in FormerSlug.objects.all()] == ["new"]


@both_databases
def test_a_slug_that_only_a_draft_had_becomes_no_address(clock):
    clock(now := timezone.now().replace(microsecond=0))
    tool = make.tool(slug="secret", published_at=None)
    tool.rename("planned")
    tool.published_at = now + MINUTE
    tool.save()
    tool.rename("soon")
    tool.publish(now)
    clock(now + MINUTE)
    tool.rename("public")
    assert [row.slug for row in FormerSlug.objects.all()] == ["soon"]
    tool.withdraw(now + MINUTE)
    clock(now + 2 * MINUTE)
    tool.rename("hidden")
    clock(now + 3 * MINUTE)
    tool.rename("last")
    assert {row.slug for row in FormerSlug.objects.all()} == {"soon", "public"}


@both_databases
def test_str_and_titles_distinguish_namesakes_and_only_them():
    now = timezone.now()
    first = make.tool(slug="a", name="Twin", label="one")
    later = make.tool(slug="z", name="Twin", published_at=now + MINUTE)
    named = make.tool(name="Code Llama 4", tagline="The open one")
    names = ["Twin (one)", "Twin (z)", "Code Llama 4 (The open one)"]
    assert [str(tool) for tool in (first, later, named)] == names
    named.delete()
    rows = Tool.objects.with_namesakes(now).order_by("slug")
    assert rows[0].title == "Twin"
    assert Tool.objects.with_namesakes(now + MINUTE).get(slug="a").title == "Twin (one)"
    make.tool(slug="b", name="TWIN", tagline="Two")
    make.tool(slug="c-" + "long-" * 5 + "slug", name="twin")
    make.tool(slug="d", name="Lone", label="three")
    titles = ["Twin (one)", "TWIN (b)", "twin (…ong-long-long-long-slug)", "Lone"]
    assert [tool.title for tool in rows.all() if tool != later] == titles
    # A shortened title keeps what distinguishes a namesake.
    tool = Tool(name="Cursor – Background Agent", label="v0.50")
    assert (tool.title_within(30), tool.title_within(10)) == (tool.name, "Cursor…")
    tool.shares_name = True
    assert (tool.title_within(21), tool.title_within(8)) == ("Cursor – Bac… (v0.50)", "Cursor…")


def test_a_slug_in_use_names_the_other_tool():
    make.tool(slug="taken", name="Other", tagline="The first")
    make.tool(slug="old", name="Renamed").rename("new")
    gone = make.tool(slug="gone", name="Gone", tagline="Once public")
    gone.rename("gone-too")
    gone.remove(datetime(2026, 5, 3, tzinfo=UTC))
    separates = "contains the word “vs”, which separates tools"
    advice = "choose another, such as one with its maker or version."
    deleted = "the public tool “Gone (Once public)”, which was deleted on 3 May 2026"
    for slug, fault in (
        ("taken", f"“taken” is the address of “Other (The first)”: {advice}"),
        ("old", "is an earlier address of “Renamed (new)”, and old links still use it"),
        ("a-vs-b", separates),
        ("a-vs", separates),
        ("gone", deleted),
        ("gone-too", deleted),
    ):
        for tool in (make.tool(), Tool(name="New", category=gone.category)):
            [[field, [sentence]]] = faults(tool, slug=slug).items()
            assert (field, fault in sentence) == ("slug", True)


def test_the_tool_s_form_leads_from_the_slug_of_a_deleted_tool_to_deleted_tools(editor_client):
    make.tool(slug="gone").remove(timezone.now())
    tool = make.tool(slug="own", published_at=None)
    response = editor_client.post(page_of(tool), tool_form(tool, slug="gone"))
    [sentence] = errors(response)["slug"]
    assert '<a href="/admin/tools/tool/deleted/">Deleted tools</a>' in sentence
    tool.refresh_from_db()
    assert tool.slug == "own"


def test_its_own_slugs_and_those_of_tools_deleted_as_drafts_are_free():
    deleted = make.tool(slug="gone", published_at=None)
    deleted.rename("gone-too")
    deleted.remove(timezone.now())
    tool = make.tool(slug="first")
    tool.rename("second")
    for slug in ("second", "first", "gone", "gone-too"):
        tool.slug = slug
        tool.full_clean()
    # A tool that has the slug of a deleted one already keeps it.
    deleted = make.tool(slug="same")
    deleted.remove(timezone.now())
    other = make.tool(slug="same", published_at=None)
    other.full_clean()
    other.remove(timezone.now())
    deleted.full_clean()
