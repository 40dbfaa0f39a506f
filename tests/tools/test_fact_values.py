"""Values of facts: what each kind accepts, how they read, and which of two is better."""

from datetime import date
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from tools.currencies import amount_in_words
from tools.fact_values import (
    AttributeKind,
    FactAnswer,
    answer_as_text,
    as_text,
    in_words,
    parse,
    parse_answer,
    places_of_best,
    value_fault,
)
from tools.models import EntryPrice, Plan, entry_in_words, entry_price

WORDS = [
    (Decimal(128000), "tokens", "128,000 tokens"),
    (Decimal("1.920"), "tokens", "1.92 tokens"),
    (Decimal("1E+3"), "tokens", "1,000 tokens"),
    (Decimal("0.000"), "tokens", "0 tokens"),
    (Decimal(2021), "", "2021"),
    (Decimal("9999.5"), "", "9999.5"),
    (Decimal(10000), "", "10,000"),
    (Decimal(-2021), "", "-2021"),
    (Decimal(2021), "stars", "2,021 stars"),
    (True, "tokens", "Yes"),
    (False, "tokens", "No"),
    ("Apache 2.0", "tokens", "Apache 2.0"),
    (["Linux", "macOS"], "tokens", "Linux, macOS"),
    (date(2026, 11, 3), "tokens", "3 November 2026"),
    (None, "tokens", "Not stated"),
]


@pytest.mark.parametrize(("value", "unit", "words"), WORDS)
def test_a_value_reads_as_words_and_a_number_without_unit_may_be_a_year(value, unit, words):
    assert in_words(value, unit) == words


@pytest.mark.parametrize(
    ("value", "kind", "sentence"),
    [
        (Decimal("NaN"), AttributeKind.NUMBER, "This is not a number."),
        (Decimal("Infinity"), AttributeKind.NUMBER, "This is not a number."),
        (Decimal(10**12), AttributeKind.NUMBER, "Give a number below 1,000,000,000,000."),
        (Decimal("0.0000001"), AttributeKind.NUMBER, "Give at most 6 decimal places."),
        (
            Decimal("1234567890.123456"),
            AttributeKind.NUMBER,
            "Give at most 15 digits, apart from zeros at either end.",
        ),
        (Decimal("999999999999.999"), AttributeKind.NUMBER, ""),
        ("C", AttributeKind.CHOICE, "“C” is not one of the choices: A, B."),
        ("A", AttributeKind.CHOICE, ""),
        (None, AttributeKind.CHOICE, ""),
        (["A", "C"], AttributeKind.CHOICES, "“C” is not one of the choices: A, B."),
        (["A", "A"], AttributeKind.CHOICES, "Give each choice once."),
        ([], AttributeKind.CHOICES, "Give at least one choice."),
        (["B", "A"], AttributeKind.CHOICES, ""),
        (True, AttributeKind.YES_NO, ""),
        ("any", AttributeKind.TEXT, ""),
    ],
)
def test_only_a_value_that_the_question_does_not_accept_has_a_fault(value, kind, sentence):
    assert value_fault(value, kind, ["A", "B"]) == sentence


@pytest.mark.parametrize(
    ("numbers", "better", "best"),
    [
        ([8, None, 128, 128], "higher", {2, 3}),
        ([8, None, 128, 128], "lower", {0}),
        ([8, 9], "", set()),
        ([8, Decimal("8.0")], "higher", set()),
        ([8, None], "higher", set()),
    ],
)
def test_the_better_number_is_the_greater_or_smaller_one_if_they_differ(numbers, better, best):
    values = [None if number is None else Decimal(number) for number in numbers]
    assert places_of_best(values, better) == best


@pytest.mark.parametrize(
    ("amounts", "entry"),
    [
        ([], None),
        (["0"], EntryPrice.FREE),
        (["0", "0.0000"], EntryPrice.FREE),
        (["20", "0"], EntryPrice.FREEMIUM),
        (["0.0001"], EntryPrice.PAID),
    ],
)
def test_the_entry_price_follows_from_the_plans(amounts, entry):
    assert entry_price(map(Decimal, amounts)) == entry


@pytest.mark.parametrize(
    ("entry", "cheapest", "words"),
    [
        ("free", "", "Free"),
        ("freemium", "", "Freemium"),
        ("paid", "", "Paid"),
        ("freemium", "$10 per month", "Free · from $10 per month"),
        ("paid", "$20 per user and month", "From $20 per user and month"),
    ],
)
def test_the_entry_price_reads_as_a_price_where_plans_have_one(entry, cheapest, words):
    assert entry_in_words(EntryPrice(entry), cheapest) == words


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [
        ("20.0000", "USD", "$20"),
        ("19.5", "EUR", "€19.50"),
        ("0.0750", "USD", "$0.075"),
        ("1500", "JPY", "1,500 JPY"),
        ("0.000001", "USD", "$0.000001"),
        ("2.500000", "USD", "$2.50"),
        ("0", "USD", "Free"),
    ],
)
def test_an_amount_reads_as_money(amount, currency, words):
    assert amount_in_words(Decimal(amount), currency) == words


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"per": "month"}, "$20 per month"),
        ({"per": "month", "per_user": True}, "$20 per user and month"),
        ({"per": "once"}, "$20, once"),
        ({"per": "once", "per_user": True}, "$20 per user, once"),
        ({"per": "1M input tokens"}, "$20 per 1M input tokens"),
    ],
)
def test_a_price_says_for_whom_and_for_which_period_it_is(fields, words):
    assert Plan(amount=Decimal(20), currency="USD", **fields).price == words


CHOICES = ["Apache 2.0", "MIT"]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("  ", AttributeKind.NUMBER, None),
        ("128,000", AttributeKind.NUMBER, Decimal(128000)),
        ("128 000.5", AttributeKind.NUMBER, Decimal("128000.5")),
        ("-3", AttributeKind.NUMBER, Decimal(-3)),
        ("Yes", AttributeKind.YES_NO, True),
        ("FALSE", AttributeKind.YES_NO, False),
        ("mit", AttributeKind.CHOICE, "MIT"),
        ("mit; ;Apache 2.0;", AttributeKind.CHOICES, ["MIT", "Apache 2.0"]),
        (" by phone ", AttributeKind.TEXT, "by phone"),
        ("2026-11-20", AttributeKind.DATE, date(2026, 11, 20)),
    ],
)
def test_a_text_is_read_and_written_again(text, kind, value):
    assert parse(text, kind, CHOICES) == value
    assert parse(as_text(value), kind, CHOICES) == value


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        ("1,5", AttributeKind.NUMBER, "“1,5” is no number: give one such as 128,000 or 1.5."),
        ("1e3", AttributeKind.NUMBER, "“1e3” is no number: give one such as 128,000 or 1.5."),
        ("1.2345678", AttributeKind.NUMBER, "Give at most 6 decimal places."),
        ("maybe", AttributeKind.YES_NO, "“maybe” is neither yes nor no."),
        ("GPL", AttributeKind.CHOICE, "“GPL” is not one of the choices: Apache 2.0, MIT."),
        ("MIT;mit", AttributeKind.CHOICES, "Give each choice once."),
        (";", AttributeKind.CHOICES, "Give at least one choice."),
        ("x" * 201, AttributeKind.TEXT, "Give at most 200 characters; this has 201."),
        ("20.11.2026", AttributeKind.DATE, "“20.11.2026” is no date: give one such as 2026-11-20."),
        ("2026-02-30", AttributeKind.DATE, "“2026-02-30” is no date: give one such as 2026-11-20."),
    ],
)
def test_a_text_that_is_no_value_is_refused_with_the_remedy(text, kind, sentence):
    with pytest.raises(ValidationError) as refused:
        parse(text, kind, CHOICES)
    assert refused.value.messages == [sentence]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", None),
        ("not stated", FactAnswer()),
        ("N/A", FactAnswer(applies=False)),
        ("7", FactAnswer(Decimal(7))),
    ],
)
def test_a_cell_states_an_answer_or_why_there_is_none(text, answer):
    assert parse_answer(text, AttributeKind.NUMBER, []) == answer
    assert answer_as_text(answer) == text.lower()


def test_words_of_earlier_releases_still_mean_not_stated():
    for text in ("Not stated", "not said", "The maker does not say"):
        assert parse_answer(text, AttributeKind.TEXT, []) == FactAnswer(), text
