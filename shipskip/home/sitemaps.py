"""The sitemaps: every public page, by kind."""

from django import forms
from django.conf import settings
from django.contrib.sitemaps import GenericSitemap
from django.contrib.sites.requests import RequestSite
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from comparisons.models import Comparison
from reviews.models import Reviewer
from shipskip.newsletter.models import Issue
from shipskip.web.cache_control import public
from tools.models import Category, Tool


class _Site(RequestSite):
    """The site object that Django's sitemaps need: the domain of SITE_URL."""

    def __init__(self) -> None:
        self.domain = self.name = settings.SITE_URL.partition("://")[2]


def _sections() -> "dict[str, GenericSitemap[Model]]":
    """The pages of each kind."""
    now = timezone.now()
    rows: dict[str, QuerySet[Model]] = {
        "tools": Tool.objects.published(now).only("slug").order_by("pk"),
        "comparisons": Comparison.objects.for_sitemap(now),
        "categories": Category.objects.published(now),
        "reviewers": Reviewer.objects.published(now),
        "issues": Issue.objects.for_archive(),
    }
    return {name: GenericSitemap({"queryset": each}) for name, each in rows.items()}


PAGES = (
    *("home", "comparisons:picker", "tools:list", "reviews:reviewers", "methodology"),
    "newsletter:archive",
)
"""Pages that exist once, and have no model."""


@require_safe
@public
def sitemap_index(request: HttpRequest) -> HttpResponse:
    """The list of sitemaps."""
    base = settings.SITE_URL
    places = [{"location": f"{base}{reverse('sitemap-section', args=['pages'])}"}]
    for name, section in _sections().items():
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
def sitemap_section(request: HttpRequest, section: str) -> HttpResponse:
    """The addresses of one kind of page."""
    base = settings.SITE_URL
    if section == "pages":
        urls = [{"location": base + reverse(name)} for name in PAGES]
    else:
        sitemap = _sections().get(section)
        form = SitemapForm(request.GET)
        if sitemap is None or not form.is_valid():
            raise Http404("There is no such sitemap.")
        number = form.cleaned_data["p"]
        if number not in sitemap.paginator.page_range:
            raise Http404("There is no such page of this sitemap.")
        urls = sitemap.get_urls(number, _Site(), base.partition("://")[0])
    return render(request, "sitemap.xml", {"urlset": urls}, content_type="application/xml")
