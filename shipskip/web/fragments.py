"""Fragments of pages that depend on a few values alone, and are rendered once for them."""

from collections.abc import Hashable
from functools import lru_cache

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

MAX_FRAGMENTS = 8192

_GAP = "\ue000"
"""Stands for the text that differs from page to page; no text of ours contains it."""


def fragment(template: str, **values: Hashable) -> SafeString:
    """Render a template with these values; this process keeps the HTML, except with DEBUG, so that
    developers see their changes.

    Values are texts, numbers, dates or tuples of them. A row of the database would not do: it
    equals every version of itself, so its first HTML would stay.
    """
    return (_rendered if settings.DEBUG else _kept)(template, **values)


def _rendered(template: str, **values: Hashable) -> SafeString:
    return render_to_string(template, values)


_kept = lru_cache(maxsize=MAX_FRAGMENTS, typed=True)(_rendered)


def fragment_for_page(template: str, *, gap: str, text: str, **values: Hashable) -> SafeString:
    """The same, where one value (`gap`) is a text that differs from page to page: only what stands
    before and after it is kept.
    """
    before, _, after = fragment(template, **{gap: _GAP}, **values).partition(_GAP)
    return mark_safe(f"{before}{escape(text)}{after}")  # noqa: S308 - the parts are escaped
