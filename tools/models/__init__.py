"""Categories, tools and bookmarks."""

from tools.models.bookmarks import MAX_BOOKMARKS, Bookmark, BookmarkQuerySet
from tools.models.categories import Category, CategoryQuerySet
from tools.models.tools import (
    DELETED,
    LIKELIEST,
    LINK_FIELDS,
    Entry,
    FormerSlug,
    Tool,
    ToolQuerySet,
)

__all__ = [
    "DELETED",
    "LIKELIEST",
    "LINK_FIELDS",
    "MAX_BOOKMARKS",
    "Bookmark",
    "BookmarkQuerySet",
    "Category",
    "CategoryQuerySet",
    "Entry",
    "FormerSlug",
    "Tool",
    "ToolQuerySet",
]
