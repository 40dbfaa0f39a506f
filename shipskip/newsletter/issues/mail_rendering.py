"""Render an issue as HTML, complete except for each recipient's own leave link."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import groupby

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from shipskip.newsletter.issues.entry_facts import Facts
from shipskip.newsletter.issues.mail_styles import with_styles
from shipskip.newsletter.models import EntryKind, Issue
from shipskip.web import markdown

LEAVE_PLACEHOLDER = "%leave-link%"
"""Placeholder in the snapshot for each recipient's own leave link."""

HEADINGS = {
    EntryKind.NEW_VERDICT.value: "New verdicts",
    EntryKind.CHANGED_VERDICT.value: "Changed verdicts",
    EntryKind.CLOSEST_PAIR.value: "The closest pair",
    EntryKind.MOST_DIVIDED.value: "Where panel and community differ most",
}
VERDICTS = {"ship": "Ship", "skip": "Skip", "split": "Split", "none": "No verdict"}


@dataclass(frozen=True)
class Section:
    """Consecutive entries of one kind under their heading."""

    heading: str
    entries: Sequence[Facts]


@dataclass(frozen=True)
class IssueMail:
    """The content of an issue's mail and archive page; makes no queries."""

    number: int
    date: date
    subject: str
    introduction: str
    path: str
    parts: Sequence[Facts]

    @cached_property
    def sections(self) -> list[Section]:
        """The entries under their headings, in the editor's order."""
        parts = [_with_verdict_labels(part) for part in self.parts]
        groups = groupby(parts, key=lambda part: str(part["kind"]))
        return [Section(HEADINGS[kind], list(group)) for kind, group in groups]

    @cached_property
    def introduction_html(self) -> SafeString:
        """The introduction with absolute links, which a mail needs."""
        html = markdown.render(self.introduction)
        return mark_safe(re.sub(r'href="(?=[/#?])', f'href="{settings.SITE_URL}', html))  # noqa: S308 - sanitised by render

    @property
    def summary(self) -> str:
        """The preview text that mail programs show after the subject."""
        names = [tool["title"] for part in self.parts for tool in part["tools"][:1]]
        return ", ".join(dict.fromkeys(names))


def issue_mail(issue: Issue, parts: Sequence[Facts]) -> IssueMail:
    """The mail of an issue with these entry facts."""
    path = issue.get_absolute_url()
    subject, introduction = issue.frozen_subject or issue.subject, issue.introduction
    return IssueMail(issue.number, issue.date, subject, introduction, path, parts)


def render_html(mail: IssueMail) -> str:
    """The mail as HTML with inline styles and LEAVE_PLACEHOLDER."""
    context = {"mail": mail, "site": settings.SITE_URL, "leave": LEAVE_PLACEHOLDER}
    return with_styles(render_to_string("emails/_issue.html", context))


def with_leave_link(body: str, leave: str) -> str:
    """A body with the recipient's own leave link in place of LEAVE_PLACEHOLDER."""
    return body.replace(LEAVE_PLACEHOLDER, leave)


def _with_verdict_labels(part: Facts) -> Facts:
    """Facts with display labels for their verdicts."""
    tools = [{**tool, "verdict_label": VERDICTS[tool["verdict"]]} for tool in part["tools"]]
    labelled = {**part, "tools": tools}
    if before := part.get("before"):
        labelled["before_label"] = VERDICTS[before].lower()
        labelled["verdict_changed"] = before not in ("none", tools[0]["verdict"])
    return labelled
