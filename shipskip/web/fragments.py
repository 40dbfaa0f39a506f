"""Fragments of pages that depend on a few values alone, and are rendered once for them."""

from collections.abc import Hashable
from functools import lru_cache

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

MAX_FRAGMENTS = 4096
"""They take about 3 KB each."""

_GAP = "\ufdd0"
"""Stands for the text that differs from page to page: a noncharacter, which no text may contain."""


def fragment(template: str, *, query: str = "", **values: Hashable) -> SafeString:
    """Render a template with these values; this process keeps the HTML, except with DEBUG, so that
    developers see their changes, and with a reader's own weights (`query`), of which there are too
    many.

    Values are texts, numbers, dates or tuples of them. A row of the database would not do: it
    equals every version of itself, so its first HTML would stay.
    """
    render = _rendered if query or settings.DEBUG else _kept
    return render(template, query=query, **values)


def _rendered(template: str, **values: Hashable) -> SafeString:
    return render_to_string(template, values)


_kept = lru_cache(maxsize=MAX_FRAGMENTS, typed=True)(_rendered)


def fragment_for_page(
    template: str, *, gap: str, text: str, query: str = "", **values: Hashable
) -> SafeString:
    """The same, where one value (`gap`) is a text that differs from page to page: only what stands
    before and after it is kept.
    """
    values[gap] = _GAP
    before, _, after = fragment(template, query=query, **values).partition(_GAP)
    return mark_safe(f"{before}{escape(text)}{after}")  # noqa: S308 - the parts are escaped
