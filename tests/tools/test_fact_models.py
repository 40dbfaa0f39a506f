"""What attributes, facts and plans refuse, in forms and in the database."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from tests import factories as make
from tools.fact_changes import record_changes, stated_facts
from tools.fact_values import AttributeKind
from tools.models import Attribute, Fact, FactChange, Plan

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

VALUES = {
    "number": Decimal("1.5"),
    "yes-no": False,
    "choice": "A",
    "choices": ["A", "B"],
    "text": "A, B",
    "date": date(2026, 11, 3),
}
CHOICES = {"choices": ["A", "B"]}


def question(kind: str) -> Attribute:
    return make.attribute(kind=kind, **(CHOICES if kind in ("choice", "choices") else {}))


COLUMNS = {"number": "number", "yes-no": "yes_no", "date": "date"}
"""The columns of values that are no texts."""


def test_a_fact_keeps_a_value_of_its_kind_and_the_database_refuses_another_kind():
    for kind, value in VALUES.items():
        row = make.fact(value, on=make.tool(), to=question(kind))
        row.full_clean()
        assert Fact.objects.get(pk=row.pk).value == value
        for other in VALUES:
            if COLUMNS.get(kind, "text") != COLUMNS.get(other, "text"):
                with pytest.raises(IntegrityError), transaction.atomic():
                    Fact.objects.filter(pk=row.pk).update(kind=other)


SIX_DECIMALS = [
    Decimal("123456789.123456"),
    Decimal("0.000001"),
    Decimal("999999999999.999"),
]


def test_numbers_and_prices_of_fifteen_digits_are_stored_as_they_are_and_no_sixteenth():
    for number in SIX_DECIMALS:
        fact = make.fact(number, on=make.tool(), to=make.attribute())
        fact.full_clean()
        plan = make.plan(on=make.tool(), amount=number)
        plan.full_clean()
        assert Fact.objects.get(pk=fact.pk).number == number
        assert Plan.objects.get(pk=plan.pk).amount == number
    plan.amount = Decimal("1234567890.123456")
    with pytest.raises(ValidationError, match="at most 15 digits"):
        plan.full_clean()


def test_the_database_refuses_a_value_where_the_question_does_not_apply():
    row = make.fact(True, on=make.tool(), to=question("yes-no"))
    with pytest.raises(IntegrityError), transaction.atomic():
        Fact.objects.filter(pk=row.pk).update(applies=False)


def test_a_tool_answers_a_question_once():
    tool, attribute = make.tool(), question("text")
    make.fact("A", on=tool, to=attribute)
    with pytest.raises(IntegrityError), transaction.atomic():
        make.fact("B", on=tool, to=attribute)


def test_a_question_that_tools_answer_cannot_be_deleted_or_change_its_kind_and_choices():
    attribute = question("choices")
    make.fact(["B"], on=make.tool(), to=attribute)
    with pytest.raises(ProtectedError):
        attribute.delete()
    attribute.choices = ["A"]
    with pytest.raises(ValidationError, match="Tools answer “B”"):
        attribute.full_clean()
    attribute.choices, attribute.kind = [], AttributeKind.TEXT
    with pytest.raises(ValidationError, match="its kind cannot change"):
        attribute.full_clean()


def test_a_category_cannot_be_removed_from_a_question_that_its_tools_answer():
    tool = make.tool()
    attribute = make.attribute(kind="yes-no", asked_in=[tool.category])
    make.fact(None, on=tool, to=attribute)
    attribute.category_ids = [make.category().pk]
    with pytest.raises(ValidationError, match="Tools of other categories answer it"):
        attribute.full_clean()


def test_an_answer_to_a_question_that_is_not_asked_is_refused():
    attribute = make.attribute(kind="yes-no", asked_in=[make.category()])
    row = make.fact(True, on=make.tool(), to=attribute)
    with pytest.raises(ValidationError, match="is not asked of tools in"):
        row.full_clean()


def test_questions_are_asked_in_their_categories_or_everywhere():
    first, second = make.category(), make.category()
    everywhere, here = make.attribute(position=1), make.attribute(position=2, asked_in=[first])
    assert Attribute.objects.all().asked_in([first.pk]) == [everywhere, here]
    assert Attribute.objects.all().asked_in([second.pk]) == [everywhere]


def test_a_plan_refuses_invalid_values():
    row = make.plan(on=make.tool())
    for name, value, fault in (
        ("amount", Decimal(-1), "greater than or equal to 0"),
        ("currency", "XYZ", "is no currency"),
        ("source", "ftp://example.org/", "Begin the address"),
        ("checked_on", timezone.now().date() + timedelta(days=2), "in the future"),
    ):
        valid = getattr(row, name)
        setattr(row, name, value)
        with pytest.raises(ValidationError, match=fault) as refusal:
            row.full_clean()
        assert list(refusal.value.message_dict) == [name]
        setattr(row, name, valid)


def test_two_plans_differ_in_name_currency_or_period():
    tool = make.tool()
    make.plan(on=tool, per="month")
    make.plan(on=tool, per="year")
    with pytest.raises(IntegrityError), transaction.atomic():
        make.plan(on=tool, per="year")
    assert Plan.objects.all().on([tool]).count() == 2


def test_a_fact_is_old_after_half_a_year():
    now = timezone.now()
    row = make.fact(True, on=make.tool(), to=question("yes-no"), checked_on=now.date())
    assert not row.is_old(now)
    assert row.is_old(now + timedelta(days=182))
    assert not Fact().is_old(now)


def test_the_entry_prices_of_tools_follow_from_their_plans():
    free, both, none = make.tool(), make.tool(), make.tool()
    make.plan(on=free, amount="0")
    make.plan(on=both, amount="0")
    make.plan(on=both, amount="20", name="Team")
    prices = Plan.objects.all().entry_prices([free.pk, both.pk, none.pk])
    assert prices == {free.pk: "free", both.pk: "freemium"}


def test_changed_answers_and_prices_that_readers_saw_are_recorded():
    now, window = timezone.now(), make.attribute(name="Window", unit="tokens")
    public, draft = make.tool(), make.tool(published_at=None)
    for tool in (public, draft):
        make.fact(Decimal(8000), on=tool, to=window)
        make.plan(on=tool, amount="20")
    before = stated_facts([public.pk, draft.pk])
    Fact.objects.update(number=Decimal(128000))
    Plan.objects.all().delete()
    make.fact(True, on=public, to=make.attribute(kind="yes-no"))
    record_changes(before, now)
    rows = FactChange.objects.order_by("subject").values_list("tool", "subject", "before", "after")
    assert list(rows) == [
        (public.pk, "Pro, per month, in USD", "$20 per month", ""),
        (public.pk, "Window", "8,000 tokens", "128,000 tokens"),
    ]
    assert record_changes(stated_facts([public.pk]), now) == []


def test_a_choice_that_a_cell_would_read_as_something_else_is_refused():
    attribute = question("choices")
    for choice in ("A; B", "n/a", "Not said", "The maker does not say", " A"):
        attribute.choices = ["Fine", choice]
        with pytest.raises(ValidationError, match="cannot be typed in a cell"):
            attribute.full_clean()
