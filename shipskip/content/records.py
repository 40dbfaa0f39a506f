"""What readers see, as plain dataclasses; `loading.py` makes them of the rows of the database.

Attributes and methods have the names of the models', so that a template can show either. Nothing
changes them once they are made; they are not `frozen`, because that would triple the time to make
the takes of 15,000 tools. Two are equal only if they are the same object.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from django.urls import reverse

from comparisons.addresses import address
from reviews.models import TakeBasis
from shipskip.web.tints import Tint
from tools.fact_values import NOT_APPLICABLE, Value, in_words
from tools.models import EntryPrice, entry_in_words
from tools.models.public_record import corrected_after
from tools.models.sources import oldest_fresh_day
from tools.tool_names import ToolNames
from tools.tool_status import ToolStatus, status_in_words, written_before

TINTS = list(Tint)


@lru_cache(maxsize=50_000)
def _url(view: str, slug: str) -> str:
    return reverse(view, args=[slug])


class PageDates(NamedTuple):
    """When a page was published and when what it shows changed last."""

    published_at: datetime | None
    changed_at: datetime | None


@dataclass(slots=True, eq=False)
class Category:
    """A category that readers see."""

    pk: int
    slug: str
    name: str
    description: str

    @property
    def tint(self) -> Tint:
        """The colour of its tools' monograms; it stays when other categories come and go."""
        return TINTS[self.pk % len(TINTS)]

    def get_absolute_url(self) -> str:
        """The category's page."""
        return _url("tools:category", self.slug)


@dataclass(slots=True, eq=False)
class Reviewer:
    """A reviewer of the panel."""

    pk: int
    slug: str
    name: str
    motto: str
    bio: str
    likes: Sequence[str]
    dislikes: Sequence[str]
    position: int
    sign: str
    """A portrait's name (Sign); empty for a letter."""
    tint: str
    """A tint's name; empty for none."""

    @property
    def panel_order(self) -> tuple[int, str]:
        """The key by which the panel is sorted."""
        return self.position, self.slug

    def get_absolute_url(self) -> str:
        """The reviewer's page."""
        return _url("reviews:reviewer", self.slug)


@dataclass(slots=True, eq=False)
class Family:
    """Several tools that are releases of one product."""

    pk: int
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(slots=True, eq=False)
class Attribute:
    """A question that every tool of some categories answers, or every tool."""

    pk: int
    slug: str
    name: str
    group: str
    kind: str
    unit: str
    better: str
    choices: Sequence[str]
    category_ids: Sequence[int]
    help: str

    def is_asked_in(self, category_id: int) -> bool:
        """Whether it is asked of tools of this category."""
        return not self.category_ids or category_id in self.category_ids


@dataclass(slots=True, eq=False)
class Take:
    """One reviewer's score, verdict and day; a draft may lack each of them. `basis` is a TakeBasis
    or empty.
    """

    pk: int
    tool_id: int
    reviewer: Reviewer
    score: int | None
    verdict: str
    published_at: datetime | None
    basis: str

    @property
    def reviewer_id(self) -> int:
        """The reviewer's primary key."""
        return self.reviewer.pk


@dataclass(slots=True, eq=False)
class FullTake(Take):
    """A take with its text."""

    because: str
    """The reason in one sentence; empty where the editors gave none."""
    body: str

    def get_basis_display(self) -> str:
        """What the judgement rests on, in words."""
        return TakeBasis(self.basis).label if self.basis else ""


@dataclass(slots=True, eq=False)
class Sourced:
    """Something that a maker states, with its source."""

    note: str
    source: str
    quote: str
    """The source’s own words."""
    checked_on: date | None
    unconfirmed: bool = field(default=False, kw_only=True)

    def is_old(self, now: datetime) -> bool:
        """Whether it was checked too long ago; False where no day is known."""
        return self.checked_on is not None and self.checked_on < oldest_fresh_day(now)


@dataclass(slots=True, eq=False)
class Fact(Sourced):
    """A tool's answer to an attribute."""

    attribute: Attribute
    value: Value
    applies: bool
    note_only_explains: bool

    @property
    def limit(self) -> str:
        """The note, if it limits the answer."""
        return "" if self.note_only_explains or self.value is None else self.note

    @property
    def number(self) -> Decimal | None:
        """The value, if it is a number."""
        return self.value if isinstance(self.value, Decimal) else None

    @property
    def words(self) -> str:
        """The answer as readers see it."""
        return in_words(self.value, self.attribute.unit) if self.applies else NOT_APPLICABLE


@dataclass(slots=True, eq=False)
class Plan(Sourced):
    """One price that a maker asks; `price` is it in words."""

    name: str
    price: str
    amount: Decimal
    currency: str
    per: str


@dataclass(slots=True, eq=False)
class RecordedChange:
    """A change that readers could see; `correction` says why the earlier value was an error."""

    pk: int
    at: datetime
    undone_at: datetime | None
    correction: str

    @property
    def corrected_after(self) -> str:
        """How long a slip was seen, in words; empty for other changes."""
        return corrected_after(self.at, self.undone_at) if self.undone_at else ""


@dataclass(slots=True, eq=False)
class TakeChange(RecordedChange):
    """A change of a score or verdict that readers could see."""

    reviewer: Reviewer
    score_before: int
    score_after: int
    verdict_before: str
    verdict_after: str
    reason: str


@dataclass(slots=True, eq=False)
class FactChange(RecordedChange):
    """A change of a status, fact or price that readers could see; an empty text is not recorded."""

    subject: str
    before: str
    after: str


@dataclass(slots=True, eq=False)
class Voiding:
    """Community votes on a tool that editors made void together."""

    pk: int
    at: datetime
    votes: int
    reason: str
    since: datetime | None
    until: datetime | None
    undone_at: datetime | None


PublicChange = TakeChange | FactChange | Voiding
"""An entry of a tool's public record."""


@dataclass(slots=True, eq=False)
class Tool(ToolNames):
    """A tool as lists show it, with the scores of its takes in panel order."""

    pk: int
    slug: str
    name: str
    label: str
    shares_name: bool
    """Whether another public tool has this name."""
    tagline: str
    maker: str
    category: Category
    family: Family | None
    entry: str
    """The entry price; where there are plans, the one that follows from them."""
    cheapest_plan: str
    """The lowest price above 0 in words; empty without one."""
    monthly_prices: Mapping[str, Decimal]
    """The lowest price a month above 0 by currency."""
    status: str
    status_on: date | None
    published_at: datetime | None
    takes: Sequence[Take]

    @property
    def is_discontinued(self) -> bool:
        """Whether its maker no longer maintains it."""
        return self.status == ToolStatus.DISCONTINUED

    @property
    def category_id(self) -> int:
        """The category's primary key."""
        return self.category.pk

    def __str__(self) -> str:
        return ToolNames.__str__(self)

    def get_absolute_url(self) -> str:
        """The tool's page."""
        return _url("tools:detail", self.slug)

    @property
    def price(self) -> str:
        """What it costs to start, in words."""
        return entry_in_words(EntryPrice(self.entry), self.cheapest_plan)


@dataclass(slots=True, eq=False)
class FullTool(Tool):
    """A tool with everything that its own page and a comparison show."""

    takes: Sequence[FullTake]
    website: str
    description: str
    best_for: str
    choose_if: str
    pricing: str
    status_source: str
    status_note: str
    relation: str
    """A Relation."""
    facts: Mapping[int, Fact]
    """By the attribute's primary key, in the order of the attributes."""
    plans: Sequence[Plan]
    changes: Sequence[PublicChange]
    """The public record, newest first."""

    @property
    def dates(self) -> PageDates | None:
        """The dates of its page, as the sitemap has them; None for a draft."""
        if self.published_at is None:
            return None
        changes = (change.at for change in self.changes if isinstance(change, RecordedChange))
        takes = (take.published_at for take in self.takes if take.published_at)
        return PageDates(self.published_at, max([self.published_at, *changes, *takes]))

    @property
    def status_words(self) -> str:
        """`Maintenance only since 6 April 2026`; empty if its status is not known."""
        return status_in_words(self.status, self.status_on)

    def remark_on(self, take: Take) -> str:
        """That a take was written before the tool's status changed; empty otherwise."""
        return written_before(self.status, self.status_on, take.published_at)

    def take_by(self, reviewer: Reviewer) -> FullTake | None:
        """The take of a reviewer."""
        return next((take for take in self.takes if take.reviewer is reviewer), None)

    @property
    def size_in_bytes(self) -> int:
        """About the memory that it takes besides what all tools share."""
        texts = len(self.description) + sum(
            len(take.because) + len(take.body) for take in self.takes
        )
        rows = 500 * len(self.facts) + 600 * (len(self.takes) + len(self.plans))
        return 2_000 + 2 * texts + rows + 400 * len(self.changes)


@dataclass(slots=True, eq=False)
class Comparison:
    """An editor's comparison, its tools in the editor's order."""

    pk: int
    tools_key: str
    tools: Sequence[Tool]
    summary: str
    choose_if: Mapping[int, str]
    """Texts by the tool's primary key."""
    featured: bool
    published_at: datetime | None = None

    @property
    def is_indexable(self) -> bool:
        """Whether search engines may list its page: a pair with a take on each side, or more tools
        with an editor's text.
        """
        if len(self.tools) > 2:
            return bool(self.summary)
        return all(tool.takes for tool in self.tools)

    def get_absolute_url(self) -> str:
        """The side-by-side page."""
        return address([tool.slug for tool in self.tools])
