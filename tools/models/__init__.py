"""Categories, tools, their facts and plans, and bookmarks."""

from tools.models.bookmarks import MAX_BOOKMARKS, Bookmark, BookmarkQuerySet
from tools.models.categories import Category, CategoryQuerySet
from tools.models.facts import (
    LONGEST_CHOICE,
    MAX_CHOICES,
    VALUE_COLUMNS,
    Attribute,
    AttributeQuerySet,
    Fact,
    FactChange,
    FactQuerySet,
    columns_of,
)
from tools.models.families import Family
from tools.models.plans import (
    PERIODS,
    Plan,
    PlanQuerySet,
    cheapest,
    entry_in_words,
    entry_price,
    monthly_prices,
    price_in_words,
)
from tools.models.source_checks import Outcome, SourceCheck, SourceCheckQuerySet
from tools.models.tools import (
    LINK_FIELDS,
    LONGEST_CHOOSE_IF,
    SLUG_OF_DELETED,
    EntryPrice,
    FormerSlug,
    Tool,
    ToolQuerySet,
)

__all__ = [
    "LINK_FIELDS",
    "LONGEST_CHOICE",
    "LONGEST_CHOOSE_IF",
    "MAX_BOOKMARKS",
    "MAX_CHOICES",
    "PERIODS",
    "SLUG_OF_DELETED",
    "VALUE_COLUMNS",
    "Attribute",
    "AttributeQuerySet",
    "Bookmark",
    "BookmarkQuerySet",
    "Category",
    "CategoryQuerySet",
    "EntryPrice",
    "Fact",
    "FactChange",
    "FactQuerySet",
    "Family",
    "FormerSlug",
    "Outcome",
    "Plan",
    "PlanQuerySet",
    "SourceCheck",
    "SourceCheckQuerySet",
    "Tool",
    "ToolQuerySet",
    "cheapest",
    "columns_of",
    "entry_in_words",
    "entry_price",
    "monthly_prices",
    "price_in_words",
]
