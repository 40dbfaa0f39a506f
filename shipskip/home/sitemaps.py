"""The sitemaps: the public pages that are worth listing, by kind, with the day of their change."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from xml.sax.saxutils import escape

from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from comparisons.addresses import address
from shipskip.content.content import NEVER, Content
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


Entries = Sequence[tuple[str, datetime | None]]
"""Paths, each with the moment of the last change that readers could see, if that is known."""


def _at(view: str, slugs: Iterable[str]) -> list[str]:
    """The paths of a view's pages."""
    start, _, end = reverse(view, args=[SLUG]).partition(SLUG)
    return [f"{start}{slug}{end}" for slug in slugs]


def _tools(content: Content) -> Entries:
    changed = content.changed_at
    rows = sorted(content.tools, key=lambda row: row.pk)
    paths = _at("tools:detail", (row.slug for row in rows))
    return [(path, changed[row.pk]) for path, row in zip(paths, rows, strict=True)]


def _comparisons(content: Content) -> Entries:
    """Editors' comparisons, then the pairs that readers read."""
    changed = content.changed_at
    rows = sorted(content.comparisons, key=lambda row: row.pk)
    found = [(row.tools, row.published_at or NEVER) for row in rows if row.is_indexable]
    for key in sorted(content.read_pairs):
        tools = content.having(map(int, key.split("-")))
        if key not in content.by_tools_key and len(tools) == 2 and all(row.takes for row in tools):
            found.append((content.in_page_order(tools), NEVER))
    return [
        (
            address([tool.slug for tool in tools]),
            max(published_at, *(changed[tool.pk] for tool in tools)),
        )
        for tools, published_at in found
    ]


def _categories(content: Content) -> Entries:
    changed = content.changed_at
    newest: dict[int, datetime] = {}
    for tool in content.tools:
        newest[tool.category.pk] = max(newest.get(tool.category.pk, NEVER), changed[tool.pk])
    paths = _at("tools:category", (row.slug for row in content.categories))
    return [(path, newest.get(row.pk)) for path, row in zip(paths, content.categories, strict=True)]


def _reviewers(content: Content) -> Entries:
    paths = _at("reviews:reviewer", (row.slug for row in content.reviewers))
    dates = [content.dates_of_reviewer(row) for row in content.reviewers]
    return [(path, each and each.changed_at) for path, each in zip(paths, dates, strict=True)]


def _issues(content: Content) -> Entries:
    rows = Issue.objects.for_archive()
    return [(row.get_absolute_url(), row.changed_at) for row in rows]


SECTIONS: Mapping[str, Callable[[Content], Entries]] = {
    "pages": lambda content: [(reverse(name), None) for name in PAGES],
    "tools": _tools,
    "comparisons": _comparisons,
    "categories": _categories,
    "reviewers": _reviewers,
    "issues": _issues,
}
"""The entries of each kind of page."""


@require_safe
@public
@with_content
def sitemap_index(request: HttpRequest, content: Content) -> HttpResponse:
    """The list of sitemaps."""
    found = []
    for name, entries in SECTIONS.items():
        url = reverse("sitemap-section", args=[name])
        parts = -(-len(entries(content)) // MAX_ADDRESSES)
        found += [f"{url}?p={number}" if number > 1 else url for number in range(1, parts + 1)]
    return _document("sitemapindex", "sitemap", [(path, None) for path in found])


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


def _document(root: str, element: str, entries: Entries) -> HttpResponse:
    """The sitemap of some pages; their paths have no character that XML reads otherwise."""
    start = f"<{element}><loc>{escape(settings.SITE_URL)}"
    rows = [f"{start}{path}</loc>{_lastmod(at)}</{element}>" for path, at in entries]
    schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<{root} xmlns="{schema}">']
    text = "\n".join((*lines, *rows, f"</{root}>\n"))
    return HttpResponse(text, content_type="application/xml")


def _lastmod(at: datetime | None) -> str:
    return f"<lastmod>{at.isoformat()[:10]}</lastmod>" if at else ""
