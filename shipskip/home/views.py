"""The site's own pages: home, methodology, and what machines ask for."""

from django import forms
from django.conf import settings
from django.contrib.sitemaps import GenericSitemap
from django.contrib.sites.requests import RequestSite
from django.db import connection
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from comparisons.addresses import MAX_TOOLS
from comparisons.models import ON_HOME_PAGE, Comparison
from comparisons.picking import OPTIONS, Field
from reviews import ballot
from reviews.judged_tools import judged_tools, with_takes
from reviews.models import Reviewer, Take
from reviews.scoring import PERCENT_FROM, Record
from shipskip.newsletter.models import Issue
from shipskip.web.cache_control import public
from tools.models import Category, Tool

NEWEST = 6


@require_safe
@public
def home(request: HttpRequest) -> HttpResponse:
    """What this is, a form to compare two tools, the newest verdicts, featured comparisons."""
    now = timezone.now()
    takes = Take.objects.published(now)
    judged = takes.on_public_tools(now).latest_tools(NEWEST)
    newest = Tool.objects.for_list_page(now).in_bulk(judged)
    featured = Comparison.objects.for_list_page(now).featured()[:ON_HOME_PAGE]
    context = {
        "fields": [Field() for _ in range(MAX_TOOLS)],
        "options": list(Tool.objects.published(now).newest()[:OPTIONS]),
        "newest": with_takes([newest[pk] for pk in judged if pk in newest], takes),
        "featured": list(featured),
        "reviewers": list(Reviewer.objects.published(now)),
    }
    return render(request, "site/home.html", context)


@require_safe
@public(tallies=True)
def methodology(request: HttpRequest) -> HttpResponse:
    """How a verdict, a percentage and a tally come about, with today's real numbers."""
    now = timezone.now()
    takes = Take.objects.published(now).on_public_tools(now)
    best = judged_tools().for_list_page(now).ranked(now).first()
    context = {
        "record": Record(**takes.totals()),
        "tools": Tool.objects.published(now).count(),
        "example": with_takes([best], takes)[0] if best else None,
        "reviewers": list(Reviewer.objects.published(now)),
        "percent_from": PERCENT_FROM,
        "votes": ballot.numbers(),
        "per_network": settings.VOTES_PER_NETWORK_PER_DAY,
    }
    return render(request, "site/methodology.html", context)


@require_safe
@public
def robots(request: HttpRequest) -> HttpResponse:
    """What crawlers may read, and where the list of pages is."""
    lines = [
        "User-agent: *",
        "Disallow: /me/",
        "Disallow: /tools/*/vote/",
        "Disallow: /tools/*/bookmark/",
        f"Sitemap: {settings.SITE_URL}{reverse('sitemap')}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@require_safe
@public
def favicon(request: HttpRequest) -> HttpResponse:
    """Where the icon is, for those who ask at its oldest address."""
    return redirect(static("icon.svg"))


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """200 while the database answers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


class _Site(RequestSite):
    """What Django's sitemaps ask of a site: its domain, from our setting."""

    def __init__(self) -> None:
        self.domain = self.name = settings.SITE_URL.partition("://")[2]


def _sections() -> "dict[str, GenericSitemap[Model]]":
    """The pages of each kind."""
    now = timezone.now()
    rows: dict[str, QuerySet[Model]] = {
        "tools": Tool.objects.published(now).only("slug").order_by("pk"),
        "comparisons": Comparison.objects.published(now).with_tools().order_by("pk"),
        "categories": Category.objects.published(now),
        "reviewers": Reviewer.objects.published(now),
        "issues": Issue.objects.for_archive(),
    }
    return {name: GenericSitemap({"queryset": each}) for name, each in rows.items()}


PAGES = (
    *("home", "comparisons:picker", "tools:list", "reviews:reviewers", "methodology"),
    "newsletter:archive",
)
"""The pages there is one of."""


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
        """The number that is asked for, or the first."""
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
