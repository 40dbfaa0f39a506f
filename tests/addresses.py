"""Every address of the site, public or private, and content for each of them.

A new address belongs in one of the lists; `test_cache_control.py` fails until it is added.
"""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise

from django.conf import settings
from django.urls import URLPattern, URLResolver, get_resolver

from reviews.models import Reviewer, Take
from tests import factories as make
from tools.models import Category, Tool

FOR_PROGRAMS = {
    "programs:tools_twin": "/tools.csv",
    "programs:tool_twin": "/tools/alpha.md",
    "programs:comparison_twin": "/compare/alpha-vs-beta.json",
    "programs:category_twin": "/categories/agents.csv",
    "programs:reviewer_twin": "/reviewers/builder.md",
    "programs:methodology_twin": "/methodology.json",
    "programs:badge": "/tools/alpha/badge.svg",
    "programs:llms": "/llms.txt",
    "programs:tool_embed": "/tools/alpha/embed/",
    "programs:comparison_embed": "/compare/alpha-vs-beta/embed/",
    "programs:badge_code": "/tools/alpha/badge.txt",
    "programs:card_code": "/tools/alpha/embed.txt",
    "programs:comparison_code": "/compare/alpha-vs-beta/embed.txt",
    "programs:api-openapi": "/api/v1/openapi.json",
    "programs:api-tools": "/api/v1/tools",
    "programs:api-tool": "/api/v1/tools/alpha",
    "programs:api-facts": "/api/v1/tools/alpha/facts",
    "programs:api-plans": "/api/v1/tools/alpha/plans",
    "programs:api-categories": "/api/v1/categories",
    "programs:api-category": "/api/v1/categories/agents",
    "programs:api-reviewers": "/api/v1/reviewers",
    "programs:api-reviewer": "/api/v1/reviewers/builder",
    "programs:api-attributes": "/api/v1/attributes",
    "programs:api-takes": "/api/v1/takes",
    "programs:api-changes": "/api/v1/changes",
    "programs:api-comparisons": "/api/v1/comparisons",
    "programs:api-comparison": "/api/v1/comparisons/alpha-vs-beta",
    "programs:api-search_everything": "/api/v1/search",
    "programs:api-methodology": "/api/v1/methodology",
}
"""Public addresses that scripts of other sites may read."""

PUBLIC = {
    "home": "/",
    "methodology": "/methodology/",
    "robots": "/robots.txt",
    "favicon": "/favicon.ico",
    "touch-icon": "/apple-touch-icon.png",
    "manifest": "/site.webmanifest",
    "sitemap": "/sitemap.xml",
    "sitemap-section": "/sitemap-tools.xml",
    "comparisons:picker": "/compare/",
    "comparisons:suggest": "/compare/suggest/",
    "comparisons:detail": "/compare/alpha-vs-beta/",
    "search:results": "/search/",
    "search:suggest": "/search/suggest/",
    "search:description": "/search/opensearch.xml",
    "tools:list": "/tools/",
    "tools:detail": "/tools/alpha/",
    "tools:changes": "/tools/alpha/changes/",
    "tools:categories": "/categories/",
    "tools:category": "/categories/agents/",
    "reviews:reviewers": "/reviewers/",
    "reviews:reviewer": "/reviewers/builder/",
    "reports:corrections": "/corrections/",
    "reports:feed": "/feeds/corrections.atom",
    "reports:suggest": "/corrections/suggest/",
    "reports:report": "/tools/alpha/report/",
    "newsletter:archive": "/newsletter/",
    "newsletter:issue": "/newsletter/2026-05-07/",
    "programs:comparison_picture": "/pictures/compare/alpha-vs-beta/-.png",
    "programs:tool_picture": "/pictures/tools/alpha/-.png",
    "programs:reviewer_picture": "/pictures/reviewers/builder/-.png",
    "programs:verdicts": "/feeds/verdicts.atom",
    "programs:changes": "/feeds/changes.json",
    "programs:issues": "/feeds/issues.atom",
    "programs:category": "/feeds/categories/agents.atom",
    "programs:reviewer": "/feeds/reviewers/builder.json",
    "programs:about": "/programs/",
    **FOR_PROGRAMS,
}
"""Public addresses: the same bytes for everybody."""

FILES = {
    "programs:document": "/data/catalogue.json",
    "programs:tables": "/data/catalogue.zip",
}
"""Public files: streamed, and made at most once an hour (tests/programs/test_bulk.py)."""

PRIVATE = {
    "programs:oembed": "/oembed",
    "livez": "/livez",
    "readyz": "/readyz",
    "metrics": "/metrics",
    "security": "/.well-known/security.txt",
    "tools:preview": "/preview/tools/damaged/",
    "comparisons:preview": "/preview/comparisons/damaged/",
    "tools:bookmark": "/tools/alpha/bookmark/",
    "tools:bookmark_in_place": "/tools/alpha/bookmark/in-place/",
    "tools:bookmarks": "/bookmarks/",
    "reviews:vote": "/tools/alpha/vote/",
    "reviews:vote_in_place": "/tools/alpha/vote/in-place/",
    "reviews:me": "/me/",
    "reviews:data": "/me/data.json",
    "reviews:marks": "/me/marks/?tools=alpha",
    "reviews:forget": "/me/forget/",
    "reports:send": "/tools/alpha/report/send/",
    "reports:send_suggestion": "/corrections/suggest/send/",
    "reports:follow": "/corrections/follow/damaged/",
    "reports:delete": "/corrections/follow/damaged/delete/",
    "programs:mcp": "/mcp/",
    "programs:api-root": "/api/v1/",
    "programs:api-unknown": "/api/v1/none/of/these/four",
    "newsletter:join": "/newsletter/join/",
    "newsletter:join_in_place": "/newsletter/join/in-place/",
    "newsletter:confirm": f"/newsletter/confirm/{'c' * 32}/",
    "newsletter:leave": f"/newsletter/leave/{'k' * 32}/",
    "newsletter:forget": f"/newsletter/forget/{'k' * 32}/",
    "newsletter:allow": f"/newsletter/allow/{'k' * 32}/",
}
"""Private addresses: of one visitor, or valid for a moment; never cached. So is the whole desk."""

NOT_HTML = {
    *"""
    touch-icon manifest robots favicon sitemap sitemap-section livez readyz security
    comparisons:suggest reviews:marks reviews:data search:suggest search:description reports:feed
    programs:verdicts programs:changes programs:issues programs:category programs:reviewer
    programs:comparison_picture programs:tool_picture programs:reviewer_picture
    programs:oembed programs:api-root programs:api-unknown programs:mcp
    """.split(),
    *FOR_PROGRAMS,
}
PAGES = {name: path for name, path in PUBLIC.items() if name not in NOT_HTML}
"""The public pages that readers see."""

REDIRECTS = {
    "favicon",
    "touch-icon",
    "programs:comparison_picture",
    "programs:tool_picture",
    "programs:reviewer_picture",
}
"""The public addresses that answer with another one."""

MINUTE = timedelta(minutes=1)


def sample_site(
    *, name: str = "Alpha", tagline: str = "Quick", panel_name: str = "", kind_name: str = ""
) -> None:
    """Create content for every address; `name`, `panel_name` and `kind_name` are those of the tool
    `alpha`, its first reviewer and its category.
    """
    agents = make.category(slug="agents", name=kind_name or "Agents", description="They act.")
    alpha = make.tool(
        slug="alpha",
        name=name,
        tagline=tagline,
        maker=name,
        description=f"Writes **code** for `you`.\n\n{name}",
        website="https://alpha.example/",
        best_for=tagline,
        pricing=tagline,
        in_category=agents,
        published_at=make.PUBLISHED + MINUTE,
    )
    beta = make.tool(slug="beta", name="Beta", in_category=agents)
    make.tool(slug="gamma", name="Gamma", in_category=agents)
    builder = make.reviewer(
        slug="builder", name=panel_name or "Builder", motto="Ship it.", likes=["tests"], position=1
    )
    make.take(on=alpha, by=builder, score=84)
    make.take(on=alpha, score=41, verdict="skip", by=make.reviewer(slug="skeptic", position=2))
    make.take(on=beta, by=builder)
    make.decision(tool=alpha)
    make.comparison(tools=(alpha, beta), summary=f"Choose *well*. {name}", featured=True)
    make.sent_issue(about=alpha)
    make.confirmation(to=make.subscriber(state="waiting", key="k" * 32), key="c" * 32)


def crowd(*, tools: int, reviewers: int = 4) -> None:
    """Create this number of tools in the category `agents`, each with a take of every new
    reviewer, and a comparison of each pair of neighbours.
    """
    agents = Category.objects.get(slug="agents")
    panel = [make.reviewer() for _ in range(reviewers)]
    number = Tool.objects.count()
    rows = Tool.objects.bulk_create(
        Tool(
            slug=f"many-{n}",
            name=f"Many {n}",
            category=agents,
            published_at=make.PUBLISHED + n * MINUTE,
        )
        for n in range(number, number + tools)
    )
    everybody = [*panel, Reviewer.objects.get(slug="builder")]
    Take.objects.bulk_create(
        Take(tool=row, reviewer=by, score=50, verdict="ship", published_at=make.PUBLISHED)
        for row in rows
        for by in everybody
    )
    for first, second in pairwise(rows):
        make.comparison(tools=(first, second))


def patterns() -> Iterator[tuple[str, URLPattern]]:
    """Every pattern of the site with its full name."""
    yield from _patterns(get_resolver(settings.ROOT_URLCONF), "")


def _patterns(resolver: URLResolver, space: str) -> Iterator[tuple[str, URLPattern]]:
    for row in resolver.url_patterns:
        if isinstance(row, URLResolver):
            yield from _patterns(row, f"{space}{row.namespace}:" if row.namespace else space)
        else:
            yield f"{space}{row.name}", row
