"""Template tags of a tool in lists, and of its bookmark."""

from typing import Protocol

from django import template
from django.template.context import Context
from django.utils.safestring import SafeString

from shipskip.web.fragments import fragment, fragment_for_page
from shipskip.web.way_back import way_back

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

    def get_entry_display(self) -> str:
        """What it costs to start using it."""


class HasName(Protocol):
    """Anything with a name."""

    name: str


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
def listed_names(tool: Listed, query: str = "") -> SafeString:
    """What a list says of a tool itself; the link to it ends in `query`."""
    return fragment(
        "_tool_row_names.html",
        url=tool.get_absolute_url(),
        query=query,
        name=tool.labelled_name,
        tagline=tool.tagline or tool.slug,
        entry=tool.get_entry_display(),
        category=tool.category.name,
        maker=tool.maker if tool.maker.lower() != tool.name.lower() else "",
    )
