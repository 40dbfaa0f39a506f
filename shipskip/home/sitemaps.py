"""The sitemaps: every public page, by kind."""

from collections.abc import Callable, Mapping, Sequence
from xml.sax.saxutils import escape

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from comparisons.addresses import address
from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.newsletter.models import Issue
from shipskip.web.cache_control import public

MAX_ADDRESSES = 50_000
"""How many addresses one sitemap may list, by the protocol (sitemaps.org)."""

SLUG = "slug"
"""Stands for a slug in a path that is resolved once: resolving 15,000 takes half a second."""

PAGES = (
    *("home", "comparisons:picker", "tools:list", "reviews:reviewers", "methodology"),
    *("newsletter:archive", "reports:corrections"),
)
"""Pages that exist once, and have no model."""


def _at(view: str, slugs: Sequence[str]) -> list[str]:
    """The paths of a view's pages."""
    start, _, end = reverse(view, args=[SLUG]).partition(SLUG)
    return [f"{start}{slug}{end}" for slug in slugs]


def _tools(content: Content) -> list[str]:
    return _at("tools:detail", [row.slug for row in sorted(content.tools, key=lambda row: row.pk)])


def _comparisons(content: Content) -> list[str]:
    rows = sorted(content.comparisons, key=lambda row: row.pk)
    return [address([tool.slug for tool in row.tools]) for row in rows if row.is_indexable]


def _categories(content: Content) -> list[str]:
    return _at("tools:category", [row.slug for row in content.categories])


def _reviewers(content: Content) -> list[str]:
    return _at("reviews:reviewer", [row.slug for row in content.reviewers])


def _issues(content: Content) -> list[str]:
    return [row.get_absolute_url() for row in Issue.objects.for_archive()]


SECTIONS: Mapping[str, Callable[[Content], list[str]]] = {
    "pages": lambda content: [reverse(name) for name in PAGES],
    "tools": _tools,
    "comparisons": _comparisons,
    "categories": _categories,
    "reviewers": _reviewers,
    "issues": _issues,
}
"""The paths of each kind of page."""


@require_safe
@public
@with_content
def sitemap_index(request: HttpRequest, content: Content) -> HttpResponse:
    """The list of sitemaps."""
    found = []
    for name, paths in SECTIONS.items():
        url = reverse("sitemap-section", args=[name])
        parts = max(1, -(-len(paths(content)) // MAX_ADDRESSES))
        found += [url, *(f"{url}?p={number}" for number in range(2, parts + 1))]
    return _document("sitemapindex", "sitemap", found)


class SitemapForm(forms.Form):
    """`p` of a sitemap: the number of its part."""

    p = forms.RegexField(r"\A[1-9][0-9]{0,4}\Z", required=False)

    def clean_p(self) -> int:
        """The requested number, or 1."""
        return int(self.cleaned_data["p"] or 1)


@require_safe
@public(query=SitemapForm.base_fields)
@with_content
def sitemap_section(request: HttpRequest, content: Content, section: str) -> HttpResponse:
    """The addresses of one kind of page."""
    form = SitemapForm(request.GET)
    if section not in SECTIONS or not form.is_valid():
        raise Http404("There is no such sitemap.")
    number = form.cleaned_data["p"]
    found = SECTIONS[section](content)[(number - 1) * MAX_ADDRESSES : number * MAX_ADDRESSES]
    if number > 1 and not found:
        raise Http404("There is no such part of this sitemap.")
    return _document("urlset", "url", found)


def _document(root: str, element: str, paths: Sequence[str]) -> HttpResponse:
    """The sitemap of some paths; they have no character that XML reads otherwise."""
    start = f"<{element}><loc>{escape(settings.SITE_URL)}"
    rows = [f"{start}{path}</loc></{element}>" for path in paths]
    schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<{root} xmlns="{schema}">']
    text = "\n".join((*lines, *rows, f"</{root}>\n"))
    return HttpResponse(text, content_type="application/xml")
