"""Template tags and filters of the whole site: Markdown, monograms, query strings."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Protocol
from urllib.parse import urlsplit

from django import template
from django.conf import settings
from django.template.context import RequestContext
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.dateformat import format as format_date
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from shipskip.web import first_sentence, fragments, markdown, text
from shipskip.web.feeds import SITE_NAME
from shipskip.web.filters import query_of
from shipskip.web.integrity import checksum
from shipskip.web.static_files import SITE_PICTURE
from shipskip.web.twins import twins_of

register = template.Library()


class Titled(Protocol):
    """An object with a title that can be shortened."""

    def title_within(self, limit: int) -> str:
        """The title in at most `limit` characters."""


@register.filter
def markdown_html(written: str) -> SafeString:
    """A Markdown text as safe HTML."""
    return markdown.render(written)


@register.filter
def markdown_for_feed(written: str) -> SafeString:
    """The same with absolute links."""
    return markdown.render_with_absolute_links(written)


@register.filter
def opening(written: str) -> first_sentence.Opening:
    """A Markdown text as its first sentence (plain) and the rest (Markdown)."""
    return first_sentence.opening(written)


@register.simple_tag
def fragment(template: str, **values: str) -> SafeString:
    """A fragment that depends on these texts alone; each process renders it once for them."""
    return fragments.fragment(template, **values)


@register.simple_tag
def footer(query: str = "", in_view: str = "") -> SafeString:
    """The foot of a page; links end in `query`. `in_view` is the query of the visitor's marks: the
    tools that have a vote on the page.
    """
    return fragments.fragment_for_page("_footer.html", gap="in_view", text=in_view, query=query)


@register.filter
def monogram(name: str) -> str:
    """One or two characters of a name, in place of a logo: `Cursor Agent` is `CA`."""
    words = [word for word in name.split() if word[0].isalnum()]
    if not words:
        return name[:1]
    if len(words) == 1:
        return words[0][:2]
    return words[0][0] + words[1][0]


@register.filter
def shorten(name: str, limit: int) -> str:
    """A name in at most `limit` characters."""
    return text.shorten(name, limit)


@register.filter
def title_within(named: Titled | None, limit: int) -> str:
    """The title of a tool in at most `limit` characters; empty without a tool."""
    return named.title_within(limit) if named else ""


@register.simple_tag
def integrity(name: str) -> SafeString:
    """The `integrity` attribute of a script of ours; empty when the file is missing."""
    found = checksum(str.__str__(name))  # a path takes no SafeString
    return format_html('integrity="{}"', found) if found else SafeString("")


@register.simple_tag(takes_context=True)
def query(context: RequestContext, **changes: object) -> str:
    """The page's valid filters with `changes`, as a query string without empty values."""
    found = query_of({**(context.get("chosen") or {}), **changes})
    return f"?{found}" if found else "."


@register.simple_tag(takes_context=True)
def canonical(context: RequestContext) -> SafeString:
    """The canonical address for search engines and cards: SITE_URL and the path, without
    filters.
    """
    request = context.get("request")
    if request is None:
        return SafeString("")
    page = getattr(context.get("page"), "number", 1)
    path = request.path if page == 1 else f"{request.path}?page={page}"
    return format_html(
        '<link rel="canonical" href="{0}">\n<meta property="og:url" content="{0}">',
        f"{settings.SITE_URL}{path}",
    )


@register.simple_tag(takes_context=True)
def alternates(context: RequestContext) -> SafeString:
    """Links to the page's Markdown and to its oEmbed, if it has them."""
    request = context.get("request")
    if request is None or request.resolver_match is None:
        return SafeString("")
    links = twins_of(request.resolver_match.func).discovery(request.path)
    return format_html_join("\n", '<link rel="alternate" href="{}" type="{}">', links)


@register.simple_tag
def site_picture() -> SafeString:
    """What a card shows of a page without a picture of its own."""
    return format_html(
        '<meta property="og:image" content="{}">\n<meta name="twitter:card" content="summary">',
        f"{settings.SITE_URL}{static(SITE_PICTURE)}",
    )


@register.simple_tag
def feed_links(view: str, title: str, *args: str) -> SafeString:
    """Links to a feed in both formats, for the head of a page; `args` are in its address."""
    kinds = [("application/atom+xml", "atom"), ("application/feed+json", "json")]
    link = '<link rel="alternate" href="{}" type="{}" title="{}">'
    rows = [(reverse(view, args=[*args, name]), kind, title) for kind, name in kinds]
    return format_html_join("\n", link, rows)


_IN_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
"""No text can end a script element without these characters."""


@register.simple_tag
def json_ld(data: Mapping[str, object]) -> SafeString:
    """A script element with structured data: data, not code, so the policy does not concern it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_IN_SCRIPT)
    element = f'<script type="application/ld+json">{text}</script>'
    return mark_safe(element)  # noqa: S308 - escaped on the line above


@register.simple_block_tag
def one_line(content: str) -> SafeString:
    """What the tag encloses, in one line; `as` names it."""
    return SafeString(" ".join(content.split()))


@register.filter
def without_site(title: SafeString) -> SafeString:
    """A page's title without the site's name, which cards show apart."""
    return SafeString(title.removesuffix(f" — {SITE_NAME}"))


@register.filter
def key(mapping: Mapping[str, object], name: str) -> object:
    """The value of a mapping under a name; None if it is missing."""
    return mapping.get(name)


@register.filter
def grouped(number: int) -> str:
    """A number with thousands separators: `15,000`."""
    return f"{number:,}"


@register.filter
def host(url: str) -> str:
    """The host of an address, without `www.`."""
    return (urlsplit(url).hostname or url).removeprefix("www.")


@register.filter
def day(moment: date) -> str:
    """The day of a moment, in the current time zone, or a date: `3 May 2026`. It is plain text,
    because clippers delete `<time>` with what is in it.
    """
    return _day(timezone.localtime(moment).date() if isinstance(moment, datetime) else moment)


@lru_cache(maxsize=1024)
def _day(moment: date) -> str:
    """A page shows few dates many times, and Django formats slowly."""
    return format_date(moment, "j F Y")
