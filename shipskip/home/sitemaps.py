"""The sitemaps: every public page, by kind."""

from collections.abc import Sequence
from typing import Protocol

from django import forms
from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.contrib.sites.requests import RequestSite
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.content.records import Comparison, Tool
from shipskip.newsletter.models import Issue
from shipskip.web.cache_control import public


class HasPage(Protocol):
    """Anything with a page of its own."""

    def get_absolute_url(self) -> str:
        """The address of the page."""


class _Rows(Sitemap):  # type: ignore[type-arg]  # it takes none at run time
    """The pages of some rows."""

    def __init__(self, rows: Sequence[HasPage]) -> None:
        self._rows = rows

    def items(self) -> Sequence[HasPage]:
        """The rows, which Django divides into pages."""
        return self._rows


class _Site(RequestSite):
    """The site object that Django's sitemaps need: the domain of SITE_URL."""

    def __init__(self) -> None:
        self.domain = self.name = settings.SITE_URL.partition("://")[2]


def _by_key(rows: Sequence[Tool] | Sequence[Comparison]) -> Sequence[HasPage]:
    return sorted(rows, key=lambda row: row.pk)


def _sections(content: Content) -> dict[str, _Rows]:
    """The pages of each kind."""
    rows: dict[str, Sequence[HasPage]] = {
        "tools": _by_key(content.tools),
        "comparisons": _by_key([row for row in content.comparisons if row.is_indexable]),
        "categories": content.categories,
        "reviewers": content.reviewers,
        "issues": list(Issue.objects.for_archive()),
    }
    return {name: _Rows(each) for name, each in rows.items()}


PAGES = (
    *("home", "comparisons:picker", "tools:list", "reviews:reviewers", "methodology"),
    "newsletter:archive",
)
"""Pages that exist once, and have no model."""


@require_safe
@public
@with_content
def sitemap_index(request: HttpRequest, content: Content) -> HttpResponse:
    """The list of sitemaps."""
    base = settings.SITE_URL
    places = [{"location": f"{base}{reverse('sitemap-section', args=['pages'])}"}]
    for name, section in _sections(content).items():
        url = f"{base}{reverse('sitemap-section', args=[name])}"
        pages = section.paginator.num_pages
        places += [{"location": url + (f"?p={n}" if n > 1 else "")} for n in range(1, pages + 1)]
    context = {"sitemaps": places}
    return render(request, "sitemap_index.xml", context, content_type="application/xml")


class SitemapForm(forms.Form):
    """`p` of a sitemap: the number of its page."""

    p = forms.RegexField(r"\A[1-9][0-9]{0,4}\Z", required=False)

    def clean_p(self) -> int:
        """The requested number, or 1."""
        return int(self.cleaned_data["p"] or 1)


@require_safe
@public(query=SitemapForm.base_fields)
@with_content
def sitemap_section(request: HttpRequest, content: Content, section: str) -> HttpResponse:
    """The addresses of one kind of page."""
    base = settings.SITE_URL
    if section == "pages":
        urls = [{"location": base + reverse(name)} for name in PAGES]
    else:
        sitemap = _sections(content).get(section)
        form = SitemapForm(request.GET)
        if sitemap is None or not form.is_valid():
            raise Http404("There is no such sitemap.")
        number = form.cleaned_data["p"]
        if number not in sitemap.paginator.page_range:
            raise Http404("There is no such page of this sitemap.")
        urls = sitemap.get_urls(number, _Site(), base.partition("://")[0])
    return render(request, "sitemap.xml", {"urlset": urls}, content_type="application/xml")
