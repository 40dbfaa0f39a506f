"""Plans: the prices that a maker asks, and the entry price that follows from them."""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Protocol, Self, TypeVar

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from simple_history.models import HistoricalRecords

from shipskip.web.text import line_field
from tools.currencies import CURRENCIES, amount_in_words
from tools.fact_values import DECIMAL_PLACES, MAX_DIGITS, validate_number
from tools.models.sources import Sourced, oldest_fresh_day
from tools.models.tools import EntryPrice, Tool

MONTH, YEAR, ONCE, TRIAL = "month", "year", "once", "trial"
INPUT, OUTPUT = "1M input tokens", "1M output tokens"
PERIODS = (MONTH, YEAR, ONCE, INPUT, OUTPUT, TRIAL)
"""Usual units of a price; an editor may enter another one in their own words."""
_USUAL_WORDS = {
    MONTH: "monthly mo mon months",
    YEAR: "yearly yr annual annually years",
    ONCE: "one-time one-off lifetime",
    INPUT: "1m-input 1m-tokens-input 1m-input-token million-input-tokens",
    OUTPUT: "1m-output 1m-tokens-output 1m-output-token million-output-tokens",
    TRIAL: "free-trial trial-period",
}
_USUAL = {word: period for period, words in _USUAL_WORDS.items() for word in words.split()}
_USUAL |= {re.sub(r"\W+", "-", period.casefold()): period for period in PERIODS}


PER_USER = frozenset(["user-and-month", "seat-and-month", "user-month", "seat-month"])
"""The words for a month of each user."""


@lru_cache(maxsize=1_000)
def usual_period(per: str) -> str:
    """The period of PERIODS that these words name (`Monthly`, `per month`); else the words."""
    return _USUAL.get(_key(per), per)


def is_per_user(per: str) -> bool:
    """Whether these words are a month of each user: `seat and month`."""
    return _key(per) in PER_USER


def _key(per: str) -> str:
    return re.sub(r"\W+", "-", per.casefold()).strip("-").removeprefix("per-")


def validate_currency(code: str) -> None:
    """Require a currency code of ISO 4217; raises ValidationError that says what to enter."""
    if code not in CURRENCIES:
        raise ValidationError(f"“{code}” is no currency: give a code such as USD or EUR.")


def entry_price(prices: "Iterable[Price]") -> EntryPrice | None:
    """The entry price that follows from a tool's plans; None without plans.

    A trial is not free. Of prices for use (tokens, own words) nothing is free if any of the same
    currency is not: who sends tokens for nothing pays for those that come back.
    """
    known = [(usual_period(price.per), price) for price in prices]
    if not known:
        return None
    paid_use = {price.currency for per, price in known if price.amount and per not in _FOR_TIME}
    is_free = any(
        not price.amount and per != TRIAL and (per in _FOR_TIME or price.currency not in paid_use)
        for per, price in known
    )
    if not is_free:
        return EntryPrice.PAID
    has_paid = any(price.amount and per != TRIAL for per, price in known)
    return EntryPrice.FREEMIUM if has_paid else EntryPrice.FREE


def entry_in_words(entry: EntryPrice, cheapest_price: str) -> str:
    """What it costs to start, as a price where the plans have one: `Free · from $10 per month`,
    `From $20 per month`; else `Free`, `Freemium` or `Paid`. `cheapest_price` is the lowest above 0.
    """
    if not cheapest_price or entry == EntryPrice.FREE:
        return str(entry.label)
    if entry == EntryPrice.PAID:
        return f"From {cheapest_price}"
    return f"{EntryPrice.FREE.label} · from {cheapest_price}"


def price_in_words(amount: Decimal, currency: str, per: str, *, per_user: bool) -> str:
    """A price: `$20 per user and month`, `$0.15 per 1M input tokens`, `$99, once`, `$5 for 100
    images`, `Free`, `Free trial`.
    """
    words = amount_in_words(amount, currency)
    if per == TRIAL:
        return f"{words} trial" if amount == 0 else f"{words} for a trial"
    if amount == 0:
        return words
    if per.startswith("for "):
        return f"{words} {per}"
    units = [*(["user"] if per_user else []), *([per] if per != ONCE else [])]
    words = f"{words} per {' and '.join(units)}" if units else words
    return f"{words}, once" if per == ONCE else words


class Price(Protocol):
    """An amount of a currency for a period."""

    @property
    def amount(self) -> Decimal: ...
    @property
    def currency(self) -> str: ...
    @property
    def per(self) -> str: ...


P = TypeVar("P", bound=Price)


_FOR_TIME = (MONTH, YEAR, ONCE, TRIAL)
"""The periods of prices that do not rise with use."""
_NAMED_FIRST = (MONTH, YEAR, INPUT, OUTPUT)
"""The periods that a reader would name before others."""


def cheapest(prices: Iterable[P]) -> P | None:
    """The price above 0 from which a tool starts: of the first currency, since currencies are not
    compared, the cheapest of the period that a reader would name: a month before a year, input
    before output, what stands first before others, and a single payment last. None without one.
    """
    asked = [price for price in prices if price.amount and usual_period(price.per) != TRIAL]
    own = [price for price in asked if price.currency == asked[0].currency]
    periods = dict.fromkeys(usual_period(price.per) for price in own)
    named = sorted(periods, key=_rank)
    of_first = [price for price in own if usual_period(price.per) == named[0]]
    return min(of_first, key=lambda price: price.amount, default=None)


def _rank(period: str) -> int:
    if period in _NAMED_FIRST:
        return _NAMED_FIRST.index(period)
    return len(_NAMED_FIRST) + (period == ONCE)


def monthly_prices(prices: Iterable[Price]) -> dict[str, Decimal]:
    """The lowest price per month above 0 by currency."""
    found: dict[str, Decimal] = {}
    for price in prices:
        if price.amount and usual_period(price.per) == MONTH:
            found[price.currency] = min(price.amount, found.get(price.currency, price.amount))
    return found


class PlanQuerySet(models.QuerySet["Plan"]):
    """Plans."""

    def on(self, tools: Sequence[Tool]) -> Self:
        """Plans of these tools, in their order."""
        return self.filter(tool__in=[tool.pk for tool in tools])

    def entry_prices(self, tools: Collection[int]) -> dict[int, EntryPrice]:
        """The entry price that follows for each of these tools (primary keys) with plans; one
        query.
        """
        plans: dict[int, list[Plan]] = {}
        for plan in self.filter(tool__in=tools).only("tool", "amount", "currency", "per"):
            plans.setdefault(plan.tool_id, []).append(plan)
        prices = {key: entry_price(known) for key, known in plans.items()}
        return {key: price for key, price in prices.items() if price}

    def on_public_tools(self, now: datetime) -> Self:
        """Plans of tools that readers see at `now`."""
        return self.filter(tool__in=Tool.objects.published(now))

    def old(self, now: datetime) -> Self:
        """Plans that were checked too long ago."""
        return self.filter(checked_on__lt=oldest_fresh_day(now))

    def unconfirmed(self) -> Self:
        """Plans from open data that no editor has confirmed."""
        return self.filter(unconfirmed=True)

    def of_existing_tools(self) -> Self:
        """Plans of tools that are not deleted."""
        return self.filter(tool__deleted_at=None)


class Plan(Sourced):
    """One price that a maker asks; 0 is free."""

    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="plans")
    name = line_field(80)
    amount = models.DecimalField(
        max_digits=MAX_DIGITS,
        decimal_places=DECIMAL_PLACES,
        validators=[MinValueValidator(0), validate_number],
        help_text="0 is free.",
    )
    currency = models.CharField(max_length=3, default="USD", validators=[validate_currency])
    per = line_field(40)
    per_user = models.BooleanField(default=False)
    position = models.PositiveSmallIntegerField(default=1)

    objects = PlanQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta:
        ordering = ["tool", "position", "pk"]
        constraints = [
            models.CheckConstraint(condition=Q(amount__gte=0), name="plan_amount_not_negative"),
            models.UniqueConstraint(
                fields=["tool", "name", "currency", "per"],
                name="plan_once_per_tool",
                violation_error_message="This tool has a plan of this name, currency and period "
                "already.",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}: {self.price}"

    @property
    def price(self) -> str:
        """The price in words."""
        return price_in_words(self.amount, self.currency, self.per, per_user=self.per_user)
