"""The facts of each entry of an issue, as plain JSON. They are stored in the issue's snapshot;
its HTML mail, text mail and archive page are rendered from them.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from comparisons.answer import firmness
from reviews.models import TakeChange
from shipskip.content.content import Content
from shipskip.content.current import from_content
from shipskip.content.judged_tools import Column, with_tallies
from shipskip.content.records import FullTake
from shipskip.content.side_by_side import Pair, contenders
from shipskip.newsletter.issues import digest, digest_queries
from shipskip.newsletter.models import EntryKind, Issue, IssueEntry
from shipskip.web.first_sentence import opening
from tools.tool_status import WARNED_OF

Facts = dict[str, Any]
LONGEST_QUOTE = 180


def facts_of(issue: Issue, now: datetime) -> list[tuple[IssueEntry, Facts]]:
    """The included entries of an issue in their order, each with its facts at `now`.

    Leaves out entries with a tool that is no longer public or has no takes, and those whose change
    is no news any more.
    """
    return from_content(lambda content: _facts_of(issue, content, now))


def _facts_of(issue: Issue, content: Content, now: datetime) -> list[tuple[IssueEntry, Facts]]:
    entries = list(issue.entries.included())
    wanted = {pk for entry in entries for pk in (entry.tool_id, entry.other_id) if pk}
    columns = with_tallies(content.full(content.having(wanted)))
    tools = {row.tool.pk: row for row in columns}
    before = _verdicts_before(issue, list(wanted))
    changes = _changes(issue, list(wanted), now)
    found = []
    for entry in entries:
        own = [tools.get(pk) for pk in (entry.tool_id, entry.other_id) if pk]
        judged = [row for row in own if row is not None and row.takes]
        if len(judged) < len(own):
            continue
        facts: Facts = {"kind": entry.kind, "tools": [_tool(row) for row in judged]}
        if entry.kind == EntryKind.NEW_VERDICT:
            facts["takes"] = _quotes(judged[0].tool.takes)
        elif entry.kind == EntryKind.CHANGED_VERDICT:
            facts["before"] = before.get(judged[0].tool.pk, "none")
            facts["changes"] = changes.get(judged[0].tool.pk, [])
            if not facts["changes"] and facts["before"] == facts["tools"][0]["verdict"]:
                continue  # the change was undone, or marked as a correction, since
        elif entry.kind == EntryKind.OWN_TEXT:
            facts |= {"heading": entry.heading, "text": entry.text}
        elif entry.kind == EntryKind.CLOSEST_PAIR:
            facts |= _pair(judged, content)
        elif facts["tools"][0]["community"] is None:
            continue  # votes were removed since: the community has no share any more
        found.append((entry, facts))
    return found


def _tool(row: Column) -> Facts:
    """A tool's name, page, panel verdict and community votes, and that it is not maintained."""
    tool, panel, tally = row.tool, row.panel, row.tally
    return {
        "title": tool.title,
        "path": tool.get_absolute_url(),
        "category": tool.category.name,
        "tagline": tool.tagline,
        "status": tool.status_words if tool.status in WARNED_OF else "",
        "verdict": panel.verdict,
        "ship": panel.ship,
        "total": panel.total,
        "share": panel.share,
        "score": str(panel.score),
        "community": tally.share,
        "votes": tally.total,
    }


def _quotes(takes: Sequence[FullTake]) -> list[Facts]:
    """A sentence of the take with the highest score and of the one with the lowest."""
    ordered = sorted(takes, key=lambda take: (-(take.score or 0), take.reviewer.position))
    quotes = [ordered[0], ordered[-1]] if len(ordered) > 1 else ordered
    return [
        {
            "reviewer": take.reviewer.name,
            "score": take.score,
            "verdict": take.verdict,
            "words": take.because or quote(take.body),
        }
        for take in quotes
    ]


def quote(body: str) -> str:
    """The first sentence of a Markdown text as plain text, cut at a word if it is long."""
    sentence = opening(body).sentence
    if len(sentence) <= LONGEST_QUOTE:
        return sentence
    return sentence[: LONGEST_QUOTE - 1].rsplit(" ", 1)[0].rstrip(",;:–-") + "…"


def _verdicts_before(issue: Issue, tools: Sequence[int]) -> dict[int, str]:
    """The panel's verdict on each tool at the start of the window."""
    net_changes = digest.net_changes(digest_queries.verdict_changes(issue.since, issue.until))
    return {
        row.tool: digest.verdict_before(
            row, [change for change in net_changes if change.tool == row.tool]
        )
        for row in digest_queries.candidates(issue.since, issue.until, tools)
    }


def _changes(issue: Issue, tools: Sequence[int], now: datetime) -> dict[int, list[Facts]]:
    """Each reviewer's net change within the window, in panel order."""
    window = (
        TakeChange.objects.news()
        .by_public_reviewers(now)
        .filter(at__gte=issue.since, at__lt=issue.until)
    )
    by_reviewer: dict[tuple[int, int], list[TakeChange]] = {}
    for change in window.filter(tool__in=tools).order_by("at", "pk"):
        by_reviewer.setdefault((change.tool_id, change.reviewer_id), []).append(change)
    found: dict[int, list[Facts]] = {}
    for own in sorted(by_reviewer.values(), key=lambda rows: rows[0].reviewer.position):
        first, last = own[0], own[-1]
        same = first.verdict_before == last.verdict_after and first.score_before == last.score_after
        if not same:
            found.setdefault(first.tool_id, []).append(
                {
                    "reviewer": last.reviewer.name,
                    "score_before": first.score_before,
                    "score_after": last.score_after,
                    "verdict_before": first.verdict_before,
                    "verdict_after": last.verdict_after,
                    "reason": last.reason,
                }
            )
    return found


def _pair(judged: Sequence[Column], content: Content) -> Facts:
    """Two tools in the order of their comparison page, its path, its answer, and how firm it is."""
    by_tool = {row.tool.pk: row for row in judged}
    tools = content.in_page_order([row.tool for row in judged])
    columns = [by_tool[tool.pk] for tool in tools]
    page, firm = Pair.answered(columns), firmness(contenders(columns), content.reviewers)
    return {
        "tools": [_tool(column) for column in columns],
        "path": page.get_absolute_url(),
        "answer": page.answer,
        "firmness": firm.words if firm else "",
    }
