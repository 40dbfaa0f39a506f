"""The paths of our pages. No database here."""

from functools import lru_cache

from django.urls import reverse


@lru_cache(maxsize=4096)
def path_of(name: str, *words: str) -> str:
    """The path of the page of this name, kept in memory: a page links to dozens, and to find one
    among all addresses takes ten times as long. Raises NoReverseMatch.
    """
    return reverse(name, args=words)
