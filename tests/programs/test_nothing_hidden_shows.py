"""What was withdrawn or deleted, and what only drafts have, is at no public address: pages, twins,
API, feeds, embeds, answers to agents.
"""

import json
import re
from datetime import timedelta
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from shipskip.search import indexing
from shipskip.web.publishing import Publishable
from tests import addresses
from tests import factories as make
from tools.models import Family, Tool

MARK = "Zyxmark"
"""In every name, slug and text that readers must not see."""
SLUG = MARK.lower()
ADDRESSES = [*addresses.PUBLIC.values()]
QUERIES = [
    f"/search/?q={MARK}",
    f"/search/suggest/?q={MARK[:4]}",
    f"/compare/suggest/?q={MARK[:4]}",
    f"/tools/?q={MARK}",
    f"/api/v1/search?q={MARK}",
    f"/api/v1/tools?category={SLUG}-0",
    f"/tools/{SLUG}-0/",
    f"/tools/{SLUG}-0.json",
    f"/api/v1/tools/{SLUG}-0",
    f"/compare/alpha-vs-{SLUG}-0/",
    f"/categories/{SLUG}-0/",
    f"/reviewers/{SLUG}-0/",
    f"/corrections/?tool={SLUG}-0",
    "/me/",
    "/me/data.json",
    "/bookmarks/",
]
CALLS = [
    {"name": "search_tools", "arguments": {"query": MARK}},
    {"name": "list_categories", "arguments": {}},
    {"name": "get_tool", "arguments": {"slug": "alpha"}},
    {"name": "compare_tools", "arguments": {"tools": ["alpha", "beta"]}},
    {"name": "explain_verdict", "arguments": {"slug": "alpha"}},
]
MAX_ADDRESSES = 400
NOT_CRAWLED = re.compile(r"/(admin|static|me|newsletter/|data)\b")


def _marked(number: int, alpha: Tool, **fields: object) -> list[Publishable]:
    """A row of each kind with the mark; what they refer to has it too."""
    name, slug = f"{MARK} {number}", f"{SLUG}-{number}"
    kind = make.category(slug=slug, name=name, description=name, **fields)
    question = make.attribute(slug=slug, name=name, asked_in=[kind], help=name)
    tool = make.tool(
        slug=slug,
        name=name,
        tagline=name,
        description=name,
        in_category=kind,
        family=Family.objects.create(slug=slug, name=name),
        **fields,
    )
    make.fact(Decimal(1), on=tool, to=question, note=name)
    make.plan(on=tool, name=name)
    make.decision(tool=tool, wrong=name, outcome=name)
    reviewer = make.reviewer(slug=slug, name=name, motto=name, **fields)
    third = make.tool(in_category=alpha.category)
    return [
        kind,
        tool,
        reviewer,
        make.take(on=tool, body=name, **fields),
        make.take(on=alpha, by=reviewer, body=name, **fields),
        make.take(on=alpha, body=name, **fields),
        make.comparison(tools=(alpha, tool), summary=name, **fields),
        make.comparison(tools=(alpha, third), summary=name, **fields),
    ]


def _all_that_is_public(client: Client) -> dict[str, str]:
    """The answers of all addresses, and of those in them, by address; and to an agent."""
    found: dict[str, str] = {}
    waiting = [*ADDRESSES, *QUERIES]
    for path in waiting:
        if path in found or len(found) > MAX_ADDRESSES:
            continue
        answer = client.get(path)
        found[path] = b"".join(answer).decode(errors="replace") + answer.get("Location", "")
        waiting += _addresses_in(found[path])
    for number, call in enumerate(CALLS):
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
        answer = client.post("/mcp/", json.dumps(message), content_type="application/json")
        found[f"agent: {call}"] = answer.text
    return found


def _addresses_in(text: str) -> list[str]:
    """The paths of this site in the attributes and values of an answer, without those that write
    or belong to one visitor.
    """
    links = re.findall(
        r"(?:href=|src=|<loc>|<link>|: )\"?((?:http://testserver)?/[a-z][^\"<\s]*)", text
    )
    paths = [urlsplit(link).path for link in links]
    return [path for path in paths if not NOT_CRAWLED.match(path)]


def _told(found: dict[str, str]) -> list[str]:
    """The addresses at which the mark is, apart from the reader's own words."""
    own = [path for path in found if "q=" in path or SLUG in path.lower()]
    echoed = {path: re.sub(rf"{MARK}(?! \d)|{SLUG}(?:-0)?(?!-\d)", "", found[path]) for path in own}
    texts = found | echoed
    return [path for path, text in texts.items() if MARK in text or SLUG in text]


@pytest.mark.parametrize("hide", [Publishable.withdraw, Publishable.remove])
def test_what_readers_no_longer_see_is_at_no_public_address(
    page_cache, client, settings, tmp_path, hide
):
    settings.VAR_DIR = tmp_path
    addresses.sample_site()
    alpha = Tool.objects.get(slug="alpha")
    rows = _marked(0, alpha)
    voter = Client()
    voter.post(f"/tools/{SLUG}-0/vote/", {"choice": "ship"})
    voter.post(f"/tools/{SLUG}-0/bookmark/", {"saved": "yes"})
    seen = _told(_all_that_is_public(client))
    assert len(seen) > 40, "the crawl finds what is public"
    for row in reversed(rows):
        hide(row, timezone.now())
    _marked(1, alpha, published_at=None)
    _marked(2, alpha, published_at=timezone.now() + timedelta(days=1))
    indexing.index_all()
    for reader in (client, voter):
        assert _told(_all_that_is_public(reader)) == []
