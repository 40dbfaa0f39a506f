"""Editors' Markdown as safe HTML: rendered, then sanitised by our own allow-list, then kept."""

from functools import lru_cache

import markdown
import nh3
from django.utils.safestring import SafeString, mark_safe

TAGS = {
    "p", "br", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "a", "hr",
    "h3", "h4", "table", "thead", "tbody", "tr", "th", "td", "del", "sup", "sub", "bdi",
}  # fmt: skip
ATTRIBUTES = {"a": {"href", "title"}, "th": {"align"}, "td": {"align"}, "ol": {"start"}}
_HEADINGS = {"h1": "h3", "h2": "h3"}


def _attribute(_tag: str, attribute: str, value: str) -> str | None:
    """Drop links that leave out the scheme to take a stranger's host (`//host`, `/\\host`)."""
    if attribute == "href" and value.replace("\\", "/").lstrip().startswith("//"):
        return None
    return value


@lru_cache(maxsize=8192)
def render(text: str) -> SafeString:
    """HTML of a Markdown text, safe to put into a page.

    Kept in memory by its text, so a text is rendered once per change and process, however
    often it is shown. Tags and attributes outside the allow-list are removed, never escaped
    into view; pictures are not allowed; links keep http, https, mailto and our own paths.
    """
    if not text.strip():
        return SafeString("")
    html = markdown.markdown(text, extensions=["tables", "sane_lists"], output_format="html")
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
