"""Pages as JSON-LD (schema.org), by the rules that Google's search has for reviews and products.

Reviewers are personas, so the author of a take is the site, and takes never become an aggregate
rating. Prices are those of plans, never of an entry price in words. The rating that counts is the
community's, from as many votes as the page needs to show a per cent.
"""

from typing import Any

from django.conf import settings
from django.urls import reverse

from shipskip.content.judged_tools import Column
from shipskip.content.records import FullTake, Plan
from shipskip.content.side_by_side import SideBySide
from shipskip.web.feeds import SITE_NAME
from shipskip.web.first_sentence import opening

Data = dict[str, Any]
"""A JSON object."""


def website() -> Data:
    """The site and its search."""
    search = f"{settings.SITE_URL}{reverse('search:results')}?q={{search_term_string}}"
    return _document(
        {
            "@type": "WebSite",
            "name": SITE_NAME,
            "url": f"{settings.SITE_URL}/",
            "potentialAction": {
                "@type": "SearchAction",
                "target": {"@type": "EntryPoint", "urlTemplate": search},
                "query-input": "required name=search_term_string",
            },
        }
    )


def side_by_side(page: SideBySide) -> Data:
    """The tools of a comparison in their order, and where the page stands."""
    tools = [
        {"@type": "ListItem", "position": position, "name": tool.title, "url": _url(tool)}
        for position, tool in enumerate(page.tools, 1)
    ]
    above = [("Compare", reverse("comparisons:picker"))]
    return _document(
        {"@type": "ItemList", "itemListElement": tools},
        _breadcrumbs(above, " vs ".join(page.titles)),
    )


def tool(column: Column) -> Data:
    """A tool with its prices, takes and votes."""
    row = column.tool
    found: Data = {
        "@type": "SoftwareApplication",
        "name": row.title,
        "url": _url(row),
        "applicationCategory": row.category.name,
    }
    if row.tagline:
        found["description"] = row.tagline
    if row.plans:
        found["offers"] = [_offer(plan) for plan in row.plans]
    if row.takes:
        found["review"] = [_review(take) for take in row.takes]
    if column.tally.share is not None:
        rating = {"ratingValue": column.tally.share, "ratingCount": column.tally.total}
        found["aggregateRating"] = {"@type": "AggregateRating"} | rating | _SCALE
    above = [
        ("Tools", reverse("tools:list")),
        (row.category.name, row.category.get_absolute_url()),
    ]
    return _document(found, _breadcrumbs(above, row.title))


_SCALE = {"bestRating": 100, "worstRating": 0}


def _document(*things: Data) -> Data:
    return {"@context": "https://schema.org"} | (
        things[0] if len(things) == 1 else {"@graph": list(things)}
    )


def _url(row: Any) -> str:
    return f"{settings.SITE_URL}{row.get_absolute_url()}"


def _breadcrumbs(above: list[tuple[str, str]], name: str) -> Data:
    """The pages above, by name and path, and the page itself, which needs no address."""
    items: list[Data] = [
        {"name": title, "item": f"{settings.SITE_URL}{path}"} for title, path in above
    ]
    items.append({"name": name})
    listed = [
        {"@type": "ListItem", "position": position} | item for position, item in enumerate(items, 1)
    ]
    return {"@type": "BreadcrumbList", "itemListElement": listed}


def _offer(plan: Plan) -> Data:
    return {
        "@type": "Offer",
        "name": plan.name,
        "price": f"{plan.amount.normalize():f}",
        "priceCurrency": plan.currency,
    }


def _review(take: FullTake) -> Data:
    found: Data = {
        "@type": "Review",
        "name": take.reviewer.name,
        "author": {"@type": "Organization", "name": SITE_NAME, "url": f"{settings.SITE_URL}/"},
        "reviewRating": {"@type": "Rating", "ratingValue": take.score} | _SCALE,
        "reviewBody": take.because or opening(take.body).sentence,
    }
    if take.published_at:
        found["datePublished"] = f"{take.published_at:%Y-%m-%d}"
    return found
