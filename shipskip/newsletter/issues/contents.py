"""What an issue tells of each of its tools, as plain facts: they are frozen with the issue, and
its mail, its text and its page in the archive are all made of them.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from html import unescape
from typing import Any

from django.utils.html import strip_tags

from comparisons.addresses import address
from comparisons.answer import Contender, answer
from comparisons.models import Comparison
from reviews.judged_tools import JudgedTool, judged_tools, with_takes
from reviews.models import Take, TakeChange
from shipskip.newsletter.issues import digest, digest_queries
from shipskip.newsletter.models import EntryKind, Issue, IssueEntry
from shipskip.web import markdown
from shipskip.web.text import bidi_isolated

Facts = dict[str, Any]
LONGEST_QUOTE = 180
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\S)")


def facts_of(issue: Issue, now: datetime) -> list[tuple[IssueEntry, Facts]]:
    """The kept entries of an issue in their order, each with its facts at `now`.

    An entry is left out when a tool of it is not public, or not judged, any more. Seven queries
    at most.
    """
    entries = list(issue.entries.kept())
    wanted = {pk for entry in entries for pk in (entry.tool_id, entry.other_id) if pk}
    rows = list(judged_tools().for_detail_page(now).with_tally().filter(pk__in=wanted))
    tools = {row.tool.pk: row for row in with_takes(rows, Take.objects.published(now))}
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
            facts["takes"] = _voices(judged[0].takes)
        elif entry.kind == EntryKind.CHANGED_VERDICT:
            facts["before"] = before.get(entry.tool_id, "none")
            facts["changes"] = changes.get(entry.tool_id, [])
        elif entry.kind == EntryKind.CLOSEST_PAIR:
            facts |= _pair(judged, now)
        elif facts["tools"][0]["community"] is None:
            continue  # votes were taken back since: there is no share to differ from any more
        found.append((entry, facts))
    return found


def _tool(row: JudgedTool) -> Facts:
    """A tool: what it is called, where it stands, what panel and community say."""
    tool, panel, tally = row.tool, row.panel, row.tally
    return {
        "title": tool.title,
        "path": tool.get_absolute_url(),
        "category": tool.category.name,
        "tagline": tool.tagline,
        "verdict": panel.verdict,
        "ship": panel.ship,
        "total": panel.total,
        "share": panel.share,
        "score": str(panel.score),
        "community": tally.share,
        "votes": tally.total,
    }


def _voices(takes: Sequence[Take]) -> list[Facts]:
    """The kindest take and the hardest, a sentence of each; one where there is but one."""
    ordered = sorted(takes, key=lambda take: (-take.score, take.reviewer.position))
    voices = [ordered[0], ordered[-1]] if len(ordered) > 1 else ordered
    return [
        {
            "reviewer": take.reviewer.name,
            "score": take.score,
            "verdict": take.verdict,
            "words": first_sentence(take.body),
        }
        for take in voices
    ]


def first_sentence(body: str) -> str:
    """The first sentence of a text in Markdown, as readers see it; cut at a word if it is long."""
    seen = " ".join(unescape(strip_tags(markdown.render(body))).split())
    sentence = _SENTENCE.split(seen, maxsplit=1)[0]
    if len(sentence) <= LONGEST_QUOTE:
        return sentence
    return sentence[: LONGEST_QUOTE - 1].rsplit(" ", 1)[0].rstrip(",;:–-") + "…"


def _verdicts_before(issue: Issue, tools: Sequence[int]) -> dict[int, str]:
    """The panel's verdict on each tool when the window opened."""
    turns = digest.net(digest_queries.turns(issue.since, issue.until))
    return {
        row.tool: digest.verdict_before(row, [turn for turn in turns if turn.tool == row.tool])
        for row in digest_queries.judged(issue.since, issue.until, tools)
    }


def _changes(issue: Issue, tools: Sequence[int], now: datetime) -> dict[int, list[Facts]]:
    """What each reviewer changed within the window, from first to last, in panel order."""
    window = TakeChange.objects.for_record(now).filter(at__gte=issue.since, at__lt=issue.until)
    steps: dict[tuple[int, int], list[TakeChange]] = {}
    for change in window.filter(tool__in=tools).order_by("at", "pk"):
        steps.setdefault((change.tool_id, change.reviewer_id), []).append(change)
    found: dict[int, list[Facts]] = {}
    for own in sorted(steps.values(), key=lambda rows: rows[0].reviewer.position):
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


def _pair(judged: Sequence[JudgedTool], now: datetime) -> Facts:
    """Two tools in the order of their page, its address, and the sentence that answers it."""
    keys = [row.tool.pk for row in judged]
    own = Comparison.objects.published(now).filter(first__in=keys, second__in=keys).first()
    order = [own.first_id, own.second_id] if own else []
    ordered = sorted(
        judged, key=lambda row: (order.index(row.tool.pk) if own else 0, row.tool.slug)
    )
    namesakes = len({row.tool.name.casefold() for row in ordered}) < len(ordered)
    contenders = [
        Contender(bidi_isolated(row.tool.title if namesakes else row.tool.name), row.panel)
        for row in ordered
    ]
    return {
        "tools": [_tool(row) for row in ordered],
        "path": address([row.tool.slug for row in ordered]),
        "answer": answer(contenders),
    }
