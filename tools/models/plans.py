"""Plans: the prices that a maker asks, and the entry price that follows from them."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from decimal import Decimal
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

MONTH = "month"
PERIODS = (MONTH, "year", "once", "1M input tokens", "1M output tokens")
"""Usual units of a price; an editor may enter another one as text."""
ONCE = "once"


def validate_currency(code: str) -> None:
    """Require a currency code of ISO 4217; raises ValidationError that says what to enter."""
    if code not in CURRENCIES:
        raise ValidationError(f"“{code}” is no currency: give a code such as USD or EUR.")


def entry_price(amounts: Iterable[Decimal]) -> EntryPrice | None:
    """The entry price that follows from the amounts of a tool's plans; None without plans."""
    known = list(amounts)
    if not known:
        return None
    if 0 not in known:
        return EntryPrice.PAID
    return EntryPrice.FREEMIUM if any(known) else EntryPrice.FREE


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
    """A price: `$20 per user and month`, `$0.15 per 1M input tokens`, `$99, once`, `Free`."""
    words = amount_in_words(amount, currency)
    if amount == 0:
        return words
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


def cheapest(prices: Iterable[P]) -> P | None:
    """The first currency's cheapest price above 0, since currencies are not compared; a price per
    year counts only if that currency has none per month. None without one.
    """
    found: dict[tuple[str, str], P] = {}
    for price in prices:
        key = price.currency, price.per
        if price.amount and (key not in found or price.amount < found[key].amount):
            found[key] = price
    ways = (
        price
        for (currency, per), price in found.items()
        if per != "year" or (currency, MONTH) not in found
    )
    return next(ways, None)


def monthly_prices(prices: Iterable[Price]) -> dict[str, Decimal]:
    """The lowest price per month above 0 by currency."""
    found: dict[str, Decimal] = {}
    for price in prices:
        if price.amount and price.per == MONTH:
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
        amounts: dict[int, list[Decimal]] = {}
        for key, amount in self.filter(tool__in=tools).values_list("tool_id", "amount"):
            amounts.setdefault(key, []).append(amount)
        prices = {key: entry_price(known) for key, known in amounts.items()}
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
