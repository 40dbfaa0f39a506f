"""Numbers and prices of six decimals, and the migration to them and back."""

from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from shipskip.page_cache.version_triggers import installed
from shipskip.search.index_triggers import change_triggers
from tests import factories as make
from tools.models import Fact, Plan

pytestmark = pytest.mark.both_databases

BEFORE = "0012_notes_that_only_explain"
WATCHED = {"tools_fact", "tools_plan"}
NUMBERS = [Decimal("999999999999.123"), Decimal("-0.001"), Decimal(128000)]
SIX = [Decimal("123456789.123456"), Decimal("0.000001"), Decimal("999999999999.999")]


def is_watched() -> bool:
    """Whether all triggers of facts and plans exist."""
    expected = {name for name, table, *_ in change_triggers._triggers() if table in WATCHED}
    return installed(connection) >= WATCHED and expected <= change_triggers.installed(connection)


@pytest.mark.django_db
@pytest.mark.parametrize("number", SIX)
def test_a_number_and_a_price_of_fifteen_digits_are_stored_as_they_are(number):
    fact = make.fact(number, on=make.tool(), to=make.attribute())
    fact.full_clean()
    plan = make.plan(on=make.tool(), amount=number)
    plan.full_clean()
    assert Fact.objects.get().number == number
    assert Plan.objects.get().amount == number


@pytest.mark.django_db
def test_a_sixteenth_digit_is_refused():
    plan = make.plan(on=make.tool(), amount=Decimal("1"))
    plan.amount = Decimal("1234567890.123456")
    with pytest.raises(ValidationError, match="at most 15 digits"):
        plan.full_clean()


def test_the_migration_and_its_reverse_keep_numbers_histories_and_triggers(migrate):
    """The reverse refuses to lose digits too: all in one test, because the way takes seconds."""
    tool = make.tool()
    for number in NUMBERS:
        make.fact(number, on=tool, to=make.attribute())
    make.plan(on=tool, amount=Decimal("0.0001"))
    versions = list(Fact.history.order_by("history_id").values_list("number", flat=True))
    small = make.fact(Decimal("0.000001"), on=make.tool(), to=make.attribute())
    assert is_watched()
    for model in ("Fact", "HistoricalFact"):
        with pytest.raises(ValueError, match=f"0.000001 in {model}.number has more than 3"):
            migrate("tools", BEFORE)
        delete_from(f"tools_{model.lower()}", small.pk)
    migrate("tools", BEFORE)
    assert installed(connection) >= WATCHED
    migrate.to_newest()
    assert is_watched()
    assert list(Fact.objects.order_by("pk").values_list("number", flat=True)) == NUMBERS
    assert Plan.objects.get().amount == Decimal("0.0001")
    found = Fact.history.order_by("history_id").values_list("number", flat=True)
    assert list(found) == versions


def delete_from(table: str, pk: int) -> None:
    """Delete the rows of that fact, whatever columns the table has now."""
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {table} WHERE id = %s", [pk])  # noqa: S608
