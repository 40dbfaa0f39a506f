"""Add a part of a page's query string to its links: state in the URL only, without cookies."""

import re
from collections.abc import Callable, Collection, Sequence
from urllib.parse import urlencode

from django.utils.html import escape, format_html_join

Parameters = Sequence[tuple[str, str]]
"""Keys and values of a query string."""

STAYS = "data-carries-nothing"
"""The attribute that marks a link or form whose address is not extended."""


def with_parameters(address: str, parameters: Parameters) -> str:
    """Append these parameters to the query of an address."""
    if not parameters:
        return address
    rest, mark, fragment = address.partition("#")
    return f"{rest}{'&' if '?' in rest else '?'}{urlencode(parameters)}{mark}{fragment}"


def carried(html: str, parameters: Parameters, paths: Collection[str]) -> str:
    """Return a page with these parameters in its links, GET forms and `next` fields.

    Only addresses of `paths` (`/tools/`) and one level below them change, and links that change
    only the page's query. The page must come from our templates: attributes are in double quotes
    and escaped.
    """
    if not parameters:
        return html
    path = f"(?:{'|'.join(map(re.escape, paths))})(?:[a-z0-9-]+/)?"
    hidden = format_html_join("", '<input type="hidden" name="{}" value="{}">', parameters)
    link = rf'(<a\b(?![^>]*{STAYS})[^>]*\shref=")((?:{path}|\.)?(?:\?[^"#]*)?)(#[^"]*)?"'
    form = rf'<form\b(?![^>]*{STAYS})[^>]*\saction="{path}" method="get"[^>]*>'
    back = rf'(<input type="hidden" name="next" value=")({path})()"'
    html = re.sub(link, _extended(parameters), html)
    html = re.sub(back, _extended(parameters), html)
    return re.sub(form, lambda found: found[0] + hidden, html)


def _extended(parameters: Parameters) -> Callable[[re.Match[str]], str]:
    """Return the replacement function for an attribute with an address and perhaps a fragment."""
    query = escape(urlencode(parameters))

    def replace(found: re.Match[str]) -> str:
        start, address, fragment = found[1], found[2], found[3] or ""
        if not address:
            return found[0]
        address = "" if address == "." else address
        joint = "&amp;" if "?" in address else "?"
        return f'{start}{address}{joint}{query}{fragment}"'

    return replace
