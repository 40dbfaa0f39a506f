"""The page of results, the suggestions under a search field, and the OpenSearch description."""

from urllib.parse import urljoin

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.content.starting_points import starting_points
from shipskip.search.models import SearchKind
from shipskip.search.offers import Offers, offers
from shipskip.search.query_string import SearchForm
from shipskip.search.results import public_results, suggestions
from shipskip.search.searching import Scope, search
from shipskip.web.cache_control import not_cached, public


@require_safe
@public(query=["q", "literal"])
@with_content
def results(request: HttpRequest, content: Content) -> HttpResponse:
    """The results page: all public rows that match the query, by kind."""
    form = SearchForm(request.GET)
    chosen = form.validate()
    text, scope = chosen["q"] or "", Scope(content.now)
    is_literal = bool(chosen["literal"])
    found = search(text, scope, is_literal=is_literal)
    offered = Offers() if is_literal else offers(text, found, scope, content)
    answer = public_results(found, content, offered.named)
    is_empty = not (answer.kinds or offered.pair or offered.tools)
    context = {
        "q": text,
        "literal": chosen["literal"],
        "found": found,
        "offers": offered,
        "results": answer,
        "start": starting_points(content) if is_empty else None,
        "notices": form.notices,
    }
    # Not cached: anyone could fill a cache with random searches, and the index may be a second old.
    return not_cached(render(request, "search/results.html", context), when=str(context["q"]))


@require_safe
@public(query=["q"])
@with_content
def suggest(request: HttpRequest, content: Content) -> HttpResponse:
    """The options under a search field, for the text typed so far."""
    text = SearchForm(request.GET).validate()["q"] or ""
    found = search(
        text, Scope(content.now, [SearchKind.TOOL, SearchKind.REVIEWER, SearchKind.CATEGORY])
    )
    context = {"options": suggestions(found, content)}
    return not_cached(render(request, "_suggestions.html", context), when=text)


@require_safe
@public
def description(request: HttpRequest) -> HttpResponse:
    """The OpenSearch description, with which browsers offer this search."""
    context = {"url": urljoin(settings.SITE_URL, reverse("search:results"))}
    answer = render(request, "search/opensearch.xml", context)
    answer["Content-Type"] = "application/opensearchdescription+xml"
    return answer
