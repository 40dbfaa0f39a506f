"""The feeds: newest verdicts, changed verdicts, each category, each reviewer, past issues."""

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import cast

from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from reviews.scoring import VERDICT_WORDS
from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.content.judged_tools import Column, judged
from shipskip.content.page_objects import public_category, public_reviewer
from shipskip.content.records import FullTake, FullTool, TakeChange, Tool
from shipskip.newsletter.issues.mail_rendering import issue_mail
from shipskip.newsletter.models import Issue, IssueEntry
from shipskip.web.cache_control import public
from shipskip.web.feeds import MAX_ENTRIES, SITE_NAME, Entry, EntryList, feed_response
from shipskip.web.text import bidi_isolated


@require_safe
@public
@with_content
def verdicts(request: HttpRequest, content: Content, feed_format: str) -> HttpResponse:
    """The tools with the newest takes."""
    listed = EntryList(
        title=f"{SITE_NAME}: newest verdicts",
        description="What the panel judged last, tool by tool.",
        path=reverse("home"),
        entries=_judged_entries(content, content.newest_judged()),
    )
    return feed_response(request, listed, feed_format)


@require_safe
@public
@with_content
def changes(request: HttpRequest, content: Content, feed_format: str) -> HttpResponse:
    """The newest changes of takes, each with its reason."""
    listed = EntryList(
        title=f"{SITE_NAME}: changed verdicts",
        description="Scores and verdicts that a reviewer changed, with the reason.",
        path=reverse("home"),
        entries=[_change_entry(*each) for each in content.newest_take_changes(MAX_ENTRIES)],
    )
    return feed_response(request, listed, feed_format)


@require_safe
@public
@with_content
def category(request: HttpRequest, content: Content, slug: str, feed_format: str) -> HttpResponse:
    """The tools of a category with the newest takes."""
    row = public_category(content, slug)
    listed = EntryList(
        title=f"{SITE_NAME}: {row.name}",
        description=f"What the panel judged last in {bidi_isolated(row.name)}.",
        path=row.get_absolute_url(),
        entries=_judged_entries(
            content, (tool for tool in content.newest_judged() if tool.category is row)
        ),
    )
    return feed_response(request, listed, feed_format)


@require_safe
@public
@with_content
def reviewer(request: HttpRequest, content: Content, slug: str, feed_format: str) -> HttpResponse:
    """The newest takes of a reviewer."""
    row = public_reviewer(content, slug)
    takes = content.takes_by_reviewer.get(row.pk, ())[:MAX_ENTRIES]
    tools = content.full([content.tool_of(take) for take in takes])
    listed = EntryList(
        title=f"{SITE_NAME}: {row.name}",
        description=row.motto,
        path=row.get_absolute_url(),
        entries=[_take_entry(tool, take) for tool in tools if (take := tool.take_by(row))],
    )
    return feed_response(request, listed, feed_format)


@require_safe
@public
def issues(request: HttpRequest, feed_format: str) -> HttpResponse:
    """The newest past issues of the weekly mail."""
    included = Prefetch("entries", IssueEntry.objects.included())
    rows = Issue.objects.for_archive().prefetch_related(included)[:MAX_ENTRIES]
    listed = EntryList(
        title=f"{SITE_NAME}: the weekly verdicts",
        description="Every issue of the weekly mail.",
        path=reverse("newsletter:archive"),
        entries=[_issue_entry(row) for row in rows],
    )
    return feed_response(request, listed, feed_format)


def _judged_entries(content: Content, tools: Iterable[Tool]) -> list[Entry]:
    """An entry for each of the first tools, which have takes."""
    rows = content.full(list(islice(tools, MAX_ENTRIES)))
    return [_tool_entry(column) for column in judged(rows)]


def _tool_entry(column: Column) -> Entry:
    tool = column.tool
    moments = [take.published_at for take in tool.takes if take.published_at]
    return Entry(
        key=f"tool-{tool.pk}",
        path=tool.get_absolute_url(),
        title=f"{bidi_isolated(tool.title)}: {VERDICT_WORDS[column.panel.verdict]}",
        html=render_to_string("feeds/_tool.html", {"column": column}),
        published_at=min(moments),
        updated_at=max(moments),
        tags=[tool.category.name],
    )


def _take_entry(tool: FullTool, take: FullTake) -> Entry:
    published_at = cast(datetime, take.published_at)  # a public take has one
    return Entry(
        key=f"take-{take.pk}",
        path=f"{tool.get_absolute_url()}#by-{take.reviewer.slug}",
        title=f"{bidi_isolated(tool.title)}: {take.score}/100 · {take.verdict}",
        html=render_to_string("feeds/_take.html", {"take": take}),
        published_at=published_at,
        updated_at=published_at,
        tags=[tool.category.name],
    )


def _change_entry(tool: Tool, change: TakeChange) -> Entry:
    steps = []
    if change.verdict_before != change.verdict_after:
        steps.append(f"{change.verdict_before} → {change.verdict_after}")
    if change.score_before != change.score_after:
        steps.append(f"{change.score_before} → {change.score_after}")
    who = bidi_isolated(change.reviewer.name)
    return Entry(
        key=f"change-{change.pk}",
        path=f"{tool.get_absolute_url()}#change-{change.pk}",
        title=f"{who} on {bidi_isolated(tool.title)}: {', '.join(steps)}",
        html=format_html("<p>{}</p>", change.reason),
        published_at=change.at,
        updated_at=change.at,
        tags=[tool.category.name],
    )


def _issue_entry(issue: Issue) -> Entry:
    frozen_at = cast(datetime, issue.frozen_at)  # an issue in the archive has a snapshot
    mail = issue_mail(issue, [entry.facts for entry in issue.entries.all()])
    return Entry(
        key=f"issue-{issue.number}",
        path=issue.get_absolute_url(),
        title=mail.subject,
        html=format_html("{}<p>{}</p>", mail.introduction_html, mail.summary),
        published_at=frozen_at,
        updated_at=issue.corrected_at or frozen_at,
    )
