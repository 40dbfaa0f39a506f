"""The facts of each entry of an issue, as plain JSON. They are stored in the issue's snapshot;
its HTML mail, text mail and archive page are rendered from them.
"""

from collections.abc import Sequence
from typing import Any

from comparisons.answer import firmness
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


def facts_of(issue: Issue) -> list[tuple[IssueEntry, Facts]]:
    """The included entries of an issue in their order, each with its present facts.

    Leaves out entries with a tool that is no longer public or has no takes, and those whose change
    is no news any more.
    """
    return from_content(lambda content: _facts_of(issue, content))


def _facts_of(issue: Issue, content: Content) -> list[tuple[IssueEntry, Facts]]:
    entries = list(issue.entries.included())
    wanted = {pk for entry in entries for pk in (entry.tool_id, entry.other_id) if pk}
    columns = with_tallies(content.full(content.having(wanted)))
    tools = {row.tool.pk: row for row in columns}
    recorded = digest_queries.verdict_changes(issue.since, issue.until)
    before = _verdicts_before(issue, list(wanted), recorded)
    changes = _changes(recorded, content)
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
            "tint": take.reviewer.tint,
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


def _verdicts_before(
    issue: Issue, tools: Sequence[int], changes: Sequence[digest.VerdictChange]
) -> dict[int, str]:
    """The panel's verdict on each tool at the start of the window."""
    net_changes = digest.net_changes(changes)
    return {
        row.tool: digest.verdict_before(
            row, [change for change in net_changes if change.tool == row.tool]
        )
        for row in digest_queries.candidates(issue.since, issue.until, tools)
    }


def _changes(changes: Sequence[digest.VerdictChange], content: Content) -> dict[int, list[Facts]]:
    """Each public reviewer's net change by tool, in panel order."""
    by_tool: dict[int, list[Facts]] = {}
    merged = digest.merged_changes(changes)
    for reviewer in content.reviewers:
        for change in merged:
            same = change.before == change.after and change.score_before == change.score_after
            if change.reviewer == reviewer.pk and not same:
                by_tool.setdefault(change.tool, []).append(
                    {
                        "reviewer": reviewer.name,
                        "tint": reviewer.tint,
                        "score_before": change.score_before,
                        "score_after": change.score_after,
                        "verdict_before": change.before,
                        "verdict_after": change.after,
                        "reason": change.reason,
                    }
                )
    return by_tool


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
