"""Categories, tools and bookmarks."""

from tools.models.bookmarks import MAX_BOOKMARKS, Bookmark, BookmarkQuerySet
from tools.models.categories import Category, CategoryQuerySet
from tools.models.tools import (
    DELETED,
    LINK_FIELDS,
    LONGEST_CHOOSE_IF,
    MAX_SUGGESTIONS,
    EntryPrice,
    FormerSlug,
    Tool,
    ToolQuerySet,
)

__all__ = [
    "DELETED",
    "LINK_FIELDS",
    "LONGEST_CHOOSE_IF",
    "MAX_BOOKMARKS",
    "MAX_SUGGESTIONS",
    "Bookmark",
    "BookmarkQuerySet",
    "Category",
    "CategoryQuerySet",
    "EntryPrice",
    "FormerSlug",
    "Tool",
    "ToolQuerySet",
]
