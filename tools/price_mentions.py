"""Prices in texts about a tool that none of its plans asks. No database here."""

import re
from collections.abc import Collection, Iterable
from decimal import Decimal
from typing import NamedTuple

from tools.currencies import SYMBOLS, amount_in_words


class Amount(NamedTuple):
    """An amount of a currency."""

    amount: Decimal
    currency: str

    @property
    def words(self) -> str:
        """As readers see it."""
        return amount_in_words(self.amount, self.currency)


_NUMBER = r"(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?"
_SIGNS = {sign: code for code, sign in SYMBOLS.items()}
_WRITTEN = re.compile(
    rf"(?<![\w.])(?:(?P<sign>[{''.join(_SIGNS)}]|[A-Z]{{3}})\s?)?{_NUMBER}(?:\s?(?P<code>[A-Z]{{3}}\b|€))?"
)


def amounts_in(text: str) -> set[Amount]:
    """The amounts of money that a text names: `$10`, `10 USD`, `9.50 €`."""
    found = set()
    for match in _WRITTEN.finditer(text):
        unit = match["sign"] or match["code"]
        if unit:
            number = Decimal(match[2].replace(",", "") + (match[3] or ""))
            found.add(Amount(number, _SIGNS.get(unit, unit)))
    return found


def unasked_amounts(
    places: Iterable[tuple[str, str]],
    pricing: str,
    asked: Collection[Amount],
    before: Collection[Amount],
) -> dict[Amount, list[str]]:
    """Amounts that texts name and no plan asks, with the places.

    Of the `places` (place, text) only amounts that plans asked `before` count: a take may name the
    price of another tool. The text *Pricing* is about this tool, so that every amount of the plans'
    currencies counts.
    """
    currencies = {each.currency for each in asked}
    wrong = {each for each in amounts_in(pricing) if each.currency in currencies} - {*asked}
    found = {amount: ["Pricing"] for amount in sorted(wrong)}
    gone = {*before} - {*asked}
    for place, text in places:
        for amount in sorted(amounts_in(text) & gone):
            found.setdefault(amount, []).append(place)
    return found
