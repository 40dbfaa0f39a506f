"""Values of facts: what each kind accepts, how they read, and which of two is better."""

from datetime import date
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from tools.currencies import amount_in_words
from tools.fact_values import (
    FactAnswer,
    answer_as_text,
    as_text,
    in_words,
    parse,
    parse_answer,
    places_of_best,
    value_fault,
)
from tools.models import EntryPrice, Plan, cheapest, entry_in_words, entry_price
from tools.models.plans import usual_period
from tools.price_mentions import amounts_in


def test_values_and_prices_read_as_words(snapshot):
    """A number without a unit may be a year: it has no separator below 10,000."""
    numbers = ["128000", "1.920", "1E+3", "0.000", "2021"]
    values = [True, False, "Apache 2.0", ["Linux", "macOS"], date(2026, 11, 3), None]
    assert snapshot == {
        "with a unit": [in_words(Decimal(number), "tokens") for number in numbers],
        "without": [in_words(Decimal(n), "") for n in ("2021", "9999.5", "10000", "-2021")],
        "no numbers": [in_words(value, "tokens") for value in values],
        "amounts": [
            amount_in_words(Decimal(amount), currency)
            for amount, currency in [
                ("20.0000", "USD"),
                ("19.5", "EUR"),
                ("0.0750", "USD"),
                ("1500", "JPY"),
                ("0.000001", "USD"),
                ("0", "USD"),
            ]
        ],
        "plans": [
            Plan(amount=Decimal(20), currency="USD", per=per, per_user=per_user).price
            for per in ("month", "once", "1M input tokens")
            for per_user in (False, True)
        ],
        "entry prices": [
            entry_in_words(entry, cheapest)
            for entry in EntryPrice
            for cheapest in ("", "$10 per user and month")
        ],
    }


def test_only_a_value_that_the_question_does_not_accept_has_a_fault(snapshot):
    numbers = ["NaN", "Infinity", "1e12", "0.0000001", "1234567890.123456", "999999999999.999"]
    cases: dict[str, list] = {
        "number": [Decimal(number) for number in numbers],
        "choice": ["C", "A", None],
        "choices": [["A", "C"], ["A", "A"], [], ["B", "A"]],
        "yes-no": [True],
        "text": ["any"],
    }
    assert snapshot == {
        kind: [f"{value}: {value_fault(value, kind, ['A', 'B'])}" for value in values]
        for kind, values in cases.items()
    }


@pytest.mark.parametrize(
    ("numbers", "better", "best"),
    [
        ([8, None, 128, 128], "higher", {2, 3}),
        ([8, None, 128, 128], "lower", {0}),
        ([8, 9], "", set()),
        ([8, Decimal("8.0"), None], "higher", set()),
    ],
)
def test_the_better_number_is_the_greater_or_smaller_one_if_they_differ(numbers, better, best):
    values = [None if number is None else Decimal(number) for number in numbers]
    assert places_of_best(values, better) == best


def plan(amount: str, per: str = "month", currency: str = "USD") -> Plan:
    return Plan(amount=Decimal(amount), currency=currency, per=per)


def test_the_entry_price_follows_from_the_plans():
    """A trial is not free, and tokens are not if those of the other direction are paid."""
    for plans, entry in [
        ([], None),
        ([plan("0"), plan("0.0000")], EntryPrice.FREE),
        ([plan("20"), plan("0")], EntryPrice.FREEMIUM),
        ([plan("0.0001")], EntryPrice.PAID),
        ([plan("0", "trial"), plan("20")], EntryPrice.PAID),
        ([plan("0", "free trial")], EntryPrice.PAID),
        ([plan("0", "1M input tokens"), plan("2", "1M output tokens")], EntryPrice.PAID),
        ([plan("0", "1M input tokens"), plan("0", "1M output tokens")], EntryPrice.FREE),
        ([plan("0"), plan("2", "1M output tokens")], EntryPrice.FREEMIUM),
        ([plan("0", "once"), plan("0.33", "GiB and month")], EntryPrice.FREEMIUM),
    ]:
        assert entry_price(plans) == entry, plans


def test_a_tool_starts_at_the_price_that_a_reader_would_name():
    for plans, expected in [
        ([plan("99", "once"), plan("10"), plan("9")], "$9 per month"),
        ([plan("99", "once"), plan("100", "yearly")], "$100 per yearly"),
        ([plan("2", "1M output tokens"), plan("3", "1M input tokens")], "$3 per 1M input tokens"),
        ([plan("2.5", "GiB written"), plan("0.1", "query")], "$2.50 per GiB written"),
        ([plan("1", "trial"), plan("10", currency="EUR"), plan("5")], "€10 per month"),
        ([plan("0")], None),
    ]:
        found = cheapest(plans)
        assert (found.price if found else None) == expected


@pytest.mark.parametrize(
    ("typed", "period"),
    [
        ("Monthly", "month"),
        ("per month", "month"),
        ("/mo", "month"),
        ("annually", "year"),
        ("one-time", "once"),
        ("1M tokens, input", "1M input tokens"),
        ("image", "image"),
        ("for 100 images", "for 100 images"),
    ],
)
def test_usual_periods_are_known_in_other_words(typed, period):
    assert usual_period(typed) == period


def test_own_words_of_a_price_are_shown_as_they_are():
    words = [plan("5", per).price for per in ("image", "for 100 images", "trial", "once")]
    assert words == ["$5 per image", "$5 for 100 images", "$5 for a trial", "$5, once"]
    assert plan("0", "trial").price == "Free trial"


def test_amounts_in_a_text_are_found_however_they_are_written():
    text = "Pro is $10/mo (was $1,200.50 or USD 7), 9.50 € or 8 EUR; $10, v1.5 and 20 users."
    found = {f"{each.currency} {each.amount}" for each in amounts_in(text)}
    assert found == {"USD 10", "USD 1200.50", "USD 7", "EUR 9.50", "EUR 8"}


CHOICES = ["Apache 2.0", "MIT"]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("  ", "number", None),
        ("128 000.5", "number", Decimal("128000.5")),
        ("-3,000.5", "number", Decimal("-3000.5")),
        ("1.234.567", "number", Decimal(1234567)),
        ("1.234,5", "number", Decimal("1234.5")),
        ("1’234’567", "number", Decimal(1234567)),
        ("0,135", "number", Decimal("0.135")),
        ("12,5", "number", Decimal("12.5")),
        ("1.625", "number", Decimal("1.625")),
        ("Yes", "yes-no", True),
        ("FALSE", "yes-no", False),
        ("mit", "choice", "MIT"),
        ("mit; ;Apache 2.0;", "choices", ["MIT", "Apache 2.0"]),
        (" by phone ", "text", "by phone"),
        ("2026-11-20", "date", date(2026, 11, 20)),
        ("22.05.2026", "date", date(2026, 5, 22)),
        ("05/22/2026", "date", date(2026, 5, 22)),
        ("05/05/2026", "date", date(2026, 5, 5)),
    ],
)
def test_a_text_is_read_and_written_again(text, kind, value):
    assert parse(text, kind, CHOICES) == value
    assert parse(as_text(value), kind, CHOICES) == value


def test_a_text_that_is_no_value_is_refused_with_the_remedy(snapshot):
    found = {}
    for kind, texts in {
        "number": ["1,234", "128.000", "0,135,000", "1,23,456", "1e3", "1.2345678"],
        "yes-no": ["maybe"],
        "choice": ["GPL"],
        "choices": ["MIT;mit", ";"],
        "text": ["x" * 201],
        "date": ["05/06/2026", "31.02.2026", "20.11.26", "2026-02-30"],
    }.items():
        for text in texts:
            with pytest.raises(ValidationError) as refused:
                parse(text, kind, CHOICES)
            found[f"{kind} {text}"] = refused.value.messages
    assert found == snapshot


def test_a_cell_states_an_answer_or_why_there_is_none():
    for text, answer in [
        ("", None),
        ("not stated", FactAnswer()),
        ("N/A", FactAnswer(applies=False)),
        ("7", FactAnswer(Decimal(7))),
    ]:
        assert parse_answer(text, "number", []) == answer
        assert answer_as_text(answer) == text.lower()
    for text in ("Not stated", "not said", "The maker does not say"):
        assert parse_answer(text, "text", []) == FactAnswer(), text
