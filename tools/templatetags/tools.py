"""Template tags of a tool in lists, and of its bookmark."""

from collections.abc import Collection
from functools import lru_cache
from typing import Protocol

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from shipskip.web.fragments import fragment, fragment_for_page
from shipskip.web.way_back import way_back
from tools.tool_status import WARNED_OF, ToolStatus

register = template.Library()


class Savable(Protocol):
    """A tool to save."""

    slug: str

    @property
    def title(self) -> str:
        """Its name, distinguished from others."""


class Listed(Protocol):
    """A tool in a list."""

    slug: str
    name: str
    tagline: str
    maker: str

    @property
    def category(self) -> "HasName":
        """Its category."""

    @property
    def labelled_name(self) -> str:
        """Its name with its label."""

    def get_absolute_url(self) -> str:
        """Its page."""

    @property
    def price(self) -> str:
        """What it costs to start using it."""


class Named(Protocol):
    """A tool in a heading."""

    name: str

    @property
    def distinction(self) -> str:
        """What distinguishes it from another tool of its name."""


class HasName(Protocol):
    """Anything with a name."""

    name: str


@register.simple_tag
def distinct_name(tool: Named) -> SafeString:
    """Its name, and in small what distinguishes it from another tool of that name."""
    return _distinct_name(tool.name, tool.distinction)


@lru_cache(maxsize=4096)
def _distinct_name(name: str, distinction: str) -> SafeString:
    html = "<bdi>{}</bdi> <small><bdi>{}</bdi></small>" if distinction else "<bdi>{}</bdi>"
    return format_html(html, name, distinction)


@register.simple_tag
@lru_cache
def status_badge(status: str) -> SafeString:
    """A warning beside the name of a tool that is not maintained; empty for others."""
    if status not in WARNED_OF:
        return SafeString("")
    return format_html('<span class="status">{}</span>', ToolStatus(status).label)


@register.simple_tag(takes_context=True)
def bookmark_form(context: Context, tool: Savable) -> SafeString:
    """The form that saves a tool, as public pages have it: not saved."""
    values = {"slug": tool.slug, "title": tool.title}
    return fragment_for_page("_bookmark.html", gap="next", text=way_back(context), **values)


@register.simple_tag
def listed_actions(tool: Savable, *, with_bookmark: bool = True) -> SafeString:
    """What can be done with a tool in a list: tick it to compare it, or save it."""
    return fragment(
        "_tool_row_actions.html", slug=tool.slug, title=tool.title, with_bookmark=with_bookmark
    )


@register.simple_tag
def listed_names(tool: Listed, query: str = "", shared: Collection[str] = ()) -> SafeString:
    """What a list says of a tool itself; the link to it ends in `query`. What all rows share
    ("price", "category", "maker") stands above the list and not here.
    """
    maker = tool.maker if tool.maker.lower() != tool.name.lower() else ""
    parts = {"price": tool.price, "category": tool.category.name, "maker": maker}
    return fragment(
        "_tool_row_names.html",
        url=tool.get_absolute_url(),
        query=query,
        name=tool.labelled_name,
        tagline=tool.tagline or tool.slug,
        parts=tuple(part for key, part in parts.items() if part and key not in shared),
    )


_REPORT_LINK = (
    '<a class="report-link" href="{}?about={}" rel="nofollow">{}'
    '<span class="visually-hidden"> {}</span></a>'
)


@register.simple_tag
def report_link(slug: str, about: str, name: str, words: str = "Something wrong?") -> SafeString:
    """The link to report that the subject `about` of a tool is wrong; `name` is its name."""
    return format_html(_REPORT_LINK, _report_path(slug), about, words, name)


@lru_cache(maxsize=1024)
def _report_path(slug: str) -> str:
    return reverse("reports:report", args=[slug])
