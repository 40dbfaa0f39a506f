"""Records of the content for tests without a database."""

from collections.abc import Sequence
from typing import Any

from shipskip.content.judged_tools import Column, JudgedTool
from shipskip.content.records import Category, FullTake, FullTool, Reviewer
from shipskip.content.side_by_side import SideBySide
from shipskip.web.publishing import ALWAYS


def reviewer(pk: int, slug: str, position: int = 1) -> Reviewer:
    """A reviewer of the panel."""
    return Reviewer(pk, slug, slug.title(), "", "", (), (), position, "", "")


def take(by: Reviewer, score: int | None = 80, verdict: str = "ship", **fields: Any) -> FullTake:
    """A take; its tool is set by `tool`."""
    texts = dict.fromkeys(["basis", "because", "body"], "")
    values = {"pk": 0, "tool_id": 0, "published_at": None} | texts | fields
    return FullTake(reviewer=by, score=score, verdict=verdict, **values)


def tool(
    pk: int, slug: str, *takes: FullTake, category: Category | None = None, **fields: Any
) -> FullTool:
    """A tool with these takes; `fields` are its other fields."""
    for each in takes:
        each.tool_id = pk
    values: dict[str, Any] = {
        **dict.fromkeys(["label", "tagline", "maker", "cheapest_plan", "website"], ""),
        **dict.fromkeys(["description", "best_for", "choose_if", "pricing"], ""),
        **dict.fromkeys(["plans", "changes"], ()),
        "name": slug.upper(),
        "shares_name": False,
        "category": category or Category(1, "category", "Category", ""),
        "family": None,
        "entry": "free",
        "status": "unknown",
        "status_on": None,
        "status_source": "",
        "status_note": "",
        "relation": "none",
        "published_at": None,
        "facts": {},
        "monthly_prices": {},
    }
    return FullTool(pk=pk, slug=slug, takes=takes, **(values | fields))


def side_by_side(tools: Sequence[FullTool], **fields: Any) -> SideBySide:
    """The page of these tools, without facts."""
    columns: list[Column] = [JudgedTool(row) for row in tools]
    return SideBySide(columns, attributes=(), reviewers=(), now=ALWAYS, **fields)
