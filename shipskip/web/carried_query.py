"""Carry a part of a page's query along its links, in the address alone: no cookie, no storage."""

import re
from collections.abc import Callable, Collection, Sequence
from urllib.parse import urlencode

from django.utils.html import escape, format_html_join

Pairs = Sequence[tuple[str, str]]
"""Keys and values of a query."""

STAYS = "data-carries-nothing"
"""The attribute of a link or form that stays as it is."""


def with_pairs(address: str, pairs: Pairs) -> str:
    """An address with these pairs at the end of its query."""
    if not pairs:
        return address
    rest, mark, fragment = address.partition("#")
    return f"{rest}{'&' if '?' in rest else '?'}{urlencode(pairs)}{mark}{fragment}"


def carried(html: str, pairs: Pairs, places: Collection[str]) -> str:
    """A page whose links, forms that search and `next` fields lead on with these pairs.

    That is so for addresses of `places` (`/tools/`) and of what lies one level below them, and for
    links that change only the page's query. The page is one that our templates rendered: attributes
    are in double quotes and escaped.
    """
    if not pairs:
        return html
    place = f"(?:{'|'.join(map(re.escape, places))})(?:[a-z0-9-]+/)?"
    hidden = format_html_join("", '<input type="hidden" name="{}" value="{}">', pairs)
    link = rf'(<a\b(?![^>]*{STAYS})[^>]*\shref=")((?:{place}|\.)?(?:\?[^"#]*)?)(#[^"]*)?"'
    form = rf'<form\b(?![^>]*{STAYS})[^>]*\saction="{place}" method="get"[^>]*>'
    back = rf'(<input type="hidden" name="next" value=")({place})()"'
    html = re.sub(link, _extended(pairs), html)
    html = re.sub(back, _extended(pairs), html)
    return re.sub(form, lambda found: found[0] + hidden, html)


def _extended(pairs: Pairs) -> Callable[[re.Match[str]], str]:
    """What replaces an attribute that ends in an address and perhaps a fragment."""
    query = escape(urlencode(pairs))

    def replace(found: re.Match[str]) -> str:
        start, address, fragment = found[1], found[2], found[3] or ""
        if not address:
            return found[0]
        address = "" if address == "." else address
        joint = "&amp;" if "?" in address else "?"
        return f'{start}{address}{joint}{query}{fragment}"'

    return replace
