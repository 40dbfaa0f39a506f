"""Editors' Markdown as safe HTML: rendered, sanitised by an allow-list, and cached."""

import re
from functools import lru_cache

import markdown
import nh3
from django.conf import settings
from django.utils.html import linebreaks
from django.utils.safestring import SafeString, mark_safe

from shipskip.web.markdown_limits import markdown_fault
from shipskip.web.markdown_lists import ListsAfterSentences

TAGS = {
    "p", "br", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "a", "hr",
    "h3", "h4", "table", "thead", "tbody", "tr", "th", "td", "del", "sup", "sub", "bdi",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "th": {"align"}, "td": {"align"}, "ol": {"start"}}
_HEADINGS = {"h1": "h3", "h2": "h3"}
_TWO_SLASHES = ("//", "/\\", "\\/", "\\\\")


def _attribute(_tag: str, attribute: str, value: str) -> str | None:
    """Drop links without a scheme that name another host (`//host`, `/\\host`)."""
    # Browsers read a backslash as a slash and skip control characters between the slashes.
    if attribute == "href" and re.sub(r"[\x00-\x20]", "", value[:100]).startswith(_TWO_SLASHES):
        return None
    return value


def _parsed(text: str) -> str:
    return markdown.markdown(
        text,
        extensions=["fenced_code", "sane_lists", "tables", ListsAfterSentences()],
        output_format="html",
    )


@lru_cache(maxsize=8192)
def render(text: str) -> SafeString:
    """Render a Markdown text as HTML that is safe to put into a page.

    The result is cached: each process renders a text once. Tags and attributes that are not in the
    allow-list are removed, not escaped; images are not allowed; links may use http, https,
    mailto and paths of this site. A text with a fault, stored before there were limits, is shown
    as plain text.
    """
    if not text.strip():
        return SafeString("")
    try:
        html = linebreaks(text, autoescape=True) if markdown_fault(text) else _parsed(text)
    except RecursionError:  # lists nested too deeply, line by line
        html = linebreaks(text, autoescape=True)
    for tag, lower in _HEADINGS.items():
        html = html.replace(f"<{tag}>", f"<{lower}>").replace(f"</{tag}>", f"</{lower}>")
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener nofollow",
    )
    return mark_safe(clean)  # noqa: S308 - sanitised on the line above


def render_with_absolute_links(text: str) -> SafeString:
    """The same with absolute links to this site, for mails and feeds."""
    html = re.sub(r'href="(?=[/#?])', f'href="{settings.SITE_URL}', render(text))
    return mark_safe(html)  # noqa: S308 - sanitised by render
