"""The page for people who write programs: what there is, with examples."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from shipskip.catalogue.public_files import current_edition
from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.content.embed_codes import codes_of
from shipskip.programs import agent_tools, mcp_protocol
from shipskip.programs.api import VERSIONS
from shipskip.programs.data import absolute
from shipskip.web.cache_control import public


@require_safe
@public(tallies=True)  # lives shortly: its bytes change with the files too
@with_content
def about(request: HttpRequest, content: Content) -> HttpResponse:
    """What programs can read, with addresses of tools that exist."""
    context = {
        "examples": examples_of(content),
        "versions": VERSIONS,
        "snippets": snippets_of(content),
        "mcp_url": absolute(reverse("programs:mcp")),
        "mcp_versions": mcp_protocol.VERSIONS,
        "agent_tools": agent_tools.described_tools(),
        "edition": current_edition(),
        "licence": settings.DATA_LICENCE,
    }
    return render(request, "programs/about.html", context)


def snippets_of(content: Content) -> list[tuple[str, str]]:
    """What shows the newest tool elsewhere: a badge in Markdown and a card in HTML; empty without
    tools.
    """
    if not content.newest:
        return []
    return [(row.words, row.code) for row in codes_of(content.newest[0])]


def examples_of(content: Content) -> list[tuple[str, str]]:
    """Addresses to try, each with what it answers; those of tools need two tools."""
    found = [
        ("/api/v1/tools?verdict=ship&sort=newest&limit=5", "The five newest tools that ship"),
        ("/api/v1/tools?fields=slug,panel&limit=100", "Slugs and verdicts alone"),
        ("/api/v1/changes?limit=10", "The ten newest changes of scores and verdicts"),
        ("/api/v1/methodology", "The numbers of the rules"),
        ("/tools.csv", "Tools as a table"),
        ("/feeds/verdicts.json", "A feed of the newest verdicts"),
    ]
    tools = content.in_page_order(content.newest[:2])
    if len(tools) == 2:
        pair = "-vs-".join(tool.slug for tool in tools)
        found += [
            (f"/api/v1/tools/{tools[0].slug}", "A tool with its takes, facts and prices"),
            (f"/api/v1/comparisons/{pair}", "Two tools side by side, with the answer"),
            (f"/compare/{pair}.md", "The same page as Markdown"),
        ]
    return found
