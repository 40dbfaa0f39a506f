"""Render an issue as HTML and as plain text, complete except for each recipient's own leave link.

Mail programs remove style sheets, so css-inline copies the rules of `emails/mail.css` into the
elements. Only its rules for dark mode stay in a style element.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

import css_inline
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.functional import cached_property
from django.utils.safestring import SafeString

from shipskip.newsletter.issues.entry_facts import Facts
from shipskip.newsletter.models import EntryKind, Issue
from shipskip.web import markdown

LEAVE_PLACEHOLDER = "%leave-link%"
"""Placeholder in the snapshot for each recipient's own leave link."""

HEADINGS = {
    EntryKind.NEW_VERDICT.value: "New verdicts",
    EntryKind.CHANGED_VERDICT.value: "Changed verdicts",
    EntryKind.CLOSEST_PAIR.value: "The closest pair",
    EntryKind.MOST_DIVIDED.value: "Where panel and community differ most",
    EntryKind.OWN_TEXT.value: "From the editors",
}
_LINK = re.compile(r"\[([^\[\]]+)\]\(\s*<?([^\s()<>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
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
        return markdown.render_with_absolute_links(self.introduction)

    @property
    def introduction_text(self) -> str:
        """The introduction's Markdown source, which is readable, with its links written out."""
        return _with_links_written_out(self.introduction)

    @property
    def summary(self) -> str:
        """The preview text that mail programs show after the subject."""
        names = [
            name
            for part in self.parts
            for name in (part.get("heading"), *(tool["title"] for tool in part["tools"][:1]))
            if name
        ]
        return ", ".join(dict.fromkeys(names)) or self.subject


def issue_mail(issue: Issue, parts: Sequence[Facts]) -> IssueMail:
    """The mail of an issue with these entry facts."""
    path = issue.get_absolute_url()
    subject, introduction = issue.frozen_subject or issue.subject, issue.introduction
    return IssueMail(issue.number, issue.date, subject, introduction, path, parts)


def render(mail: IssueMail) -> tuple[str, str]:
    """The mail as HTML with inline styles and as plain text, both with LEAVE_PLACEHOLDER."""
    context = {"mail": mail, "site": settings.SITE_URL, "leave": LEAVE_PLACEHOLDER}
    html = css_inline.CSSInliner(
        extra_css=render_to_string("emails/mail.css"),
        keep_at_rules=True,
        load_remote_stylesheets=False,
    ).inline(render_to_string("emails/_issue.html", context))
    # Keep lines short: a mail with a line of more than 998 bytes must be encoded again for each
    # recipient, which takes longer than everything else.
    return html.replace(' style="', '\nstyle="'), render_to_string("emails/_issue.txt", context)


def with_leave_link(body: str, leave: str) -> str:
    """A body with the recipient's own leave link in place of LEAVE_PLACEHOLDER."""
    return body.replace(LEAVE_PLACEHOLDER, leave)


def _with_links_written_out(text: str) -> str:
    """A Markdown source for a mail in plain text."""

    def written_out(link: re.Match[str]) -> str:
        url = f"{settings.SITE_URL}{link[2]}" if link[2].startswith("/") else link[2]
        return link[1] if link[1] == url else f"{link[1]} ({url})"

    return _LINK.sub(written_out, text.strip())


def _with_verdict_labels(part: Facts) -> Facts:
    """Facts with display labels for their verdicts, and an editor's own text as a mail needs it."""
    if part["kind"] == EntryKind.OWN_TEXT:
        text = part["text"]
        return {
            **part,
            "html": markdown.render_with_absolute_links(text),
            "plain": _with_links_written_out(text),
        }
    tools = [{**tool, "verdict_label": VERDICTS[tool["verdict"]]} for tool in part["tools"]]
    labelled = {**part, "tools": tools}
    if before := part.get("before"):
        labelled["before_label"] = VERDICTS[before].lower()
        labelled["verdict_changed"] = before not in ("none", tools[0]["verdict"])
    return labelled
