"""The address of tools side by side: `/compare/a-vs-b/`. No database here."""

from collections.abc import Sequence
from functools import cache
from urllib.parse import urlencode

from django.urls import reverse

from shipskip.web.slugs import slug_fault

SEPARATOR = "-vs-"
MAX_TOOLS = 10
TOO_MANY_TOOLS = "At most ten tools can be compared at once."


def address(slugs: Sequence[str]) -> str:
    """The path of the page that shows these tools in this order."""
    return _comparison_path().format(SEPARATOR.join(slugs))


def picker_address(slugs: Sequence[str]) -> str:
    """The path of the picker with these tools filled in."""
    return f"{_picker_path()}?{urlencode([('tools', slug) for slug in slugs])}"


@cache
def _comparison_path() -> str:
    """The path of a comparison, with `{}` for the slugs: a page has ten of them, and `reverse`
    takes 20 µs.
    """
    return reverse("comparisons:detail", args=["slugs"]).replace("slugs", "{}")


@cache
def _picker_path() -> str:
    return reverse("comparisons:picker")


def parse(pair: str) -> list[str] | None:
    """The slugs in an address, in order, lowercased; None if one is not a slug.

    A slug never contains `vs` as a word, so parsing is unambiguous. The view removes duplicates and
    limits the number of tools (`MAX_TOOLS`).
    """
    if len(pair) > 2_000 or not pair.isascii():
        return None
    slugs = pair.lower().split(SEPARATOR)
    if any(slug_fault(slug) for slug in slugs):
        return None
    return slugs
