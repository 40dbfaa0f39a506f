"""Template words of the whole site: Markdown, monograms, query strings."""

from typing import Any
from urllib.parse import urlsplit

from django import template
from django.conf import settings
from django.http import QueryDict
from django.template.base import VariableNode
from django.template.context import RequestContext
from django.template.loader_tags import BlockNode
from django.utils.html import format_html
from django.utils.safestring import SafeString

from shipskip.web import markdown
from shipskip.web.integrity import checksum

register = template.Library()


class _Once(template.Node):
    """What is the same on every page."""

    def __init__(self, nodes: template.NodeList) -> None:
        self.nodelist = nodes
        self.html: SafeString | None = None

    def render(self, context: template.Context) -> SafeString:
        """The text made by the first page of the process."""
        if self.html is None:
            self.html = self.nodelist.render(context.new())
        return self.html


@register.tag
def once(parser: Any, token: Any) -> _Once:
    """Render what stands up to `endonce` once a process. It sees no variable of the page, so that
    nothing of one visitor gets into the page of another; to hold one, or a block, is a fault.
    """
    nodes = parser.parse(("endonce",))
    parser.delete_first_token()
    if nodes.get_nodes_by_type((BlockNode, VariableNode)):
        raise template.TemplateSyntaxError("What is rendered once holds no variable and no block.")
    return _Once(nodes)


@register.filter
def markdown_html(text: str) -> SafeString:
    """A Markdown text as safe HTML."""
    return markdown.render(text)


@register.filter
def monogram(name: str) -> str:
    """One or two characters that stand for a name where a logo would: `Cursor Agent` is `CA`."""
    words = [word for word in name.split() if word[0].isalnum()]
    if not words:
        return name[:1]
    if len(words) == 1:
        return words[0][:2]
    return words[0][0] + words[1][0]


@register.simple_tag
def integrity(name: str) -> SafeString:
    """The `integrity` attribute of a script of ours; nothing where the file is not to be had."""
    found = checksum(str.__str__(name))  # a path takes no SafeString
    return format_html('integrity="{}"', found) if found else SafeString("")


@register.simple_tag(takes_context=True)
def query(context: RequestContext, **changes: Any) -> str:
    """The page's good filters as a query string with `changes` made; empty values drop out."""
    values: dict[str, Any] = {**(context.get("chosen") or {}), **changes}
    if values.get("page") == 1:
        del values["page"]
    data = QueryDict(mutable=True)
    data.update({key: str(value) for key, value in values.items() if value not in (None, "")})
    return "?" + data.urlencode() if data else "."


@register.simple_tag(takes_context=True)
def canonical(context: RequestContext) -> SafeString:
    """The page's one address as a link element: from the setting, without filters."""
    request = context.get("request")
    if request is None:
        return SafeString("")
    page = getattr(context.get("page"), "number", 1)
    path = request.path if page == 1 else f"{request.path}?page={page}"
    return format_html('<link rel="canonical" href="{}{}">', settings.SITE_URL, path)


@register.filter
def key(mapping: dict[str, Any], name: str) -> Any:
    """The value of a mapping under a name; None without one."""
    return mapping.get(name)


@register.filter
def grouped(number: int) -> str:
    """A number as people read it: `15,000`."""
    return f"{number:,}"


@register.filter
def as_list(value: Any) -> list[Any]:
    """A list of this one value, for a fragment that shows a list."""
    return [value]


@register.filter
def host(url: str) -> str:
    """The host of an address, without `www.`."""
    return (urlsplit(url).hostname or url).removeprefix("www.")
