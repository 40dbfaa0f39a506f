"""An issue as a letter: HTML and text, whole but for the one link that differs for everybody."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import groupby

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from shipskip.newsletter.issues.contents import Facts
from shipskip.newsletter.issues.mail_styles import dressed
from shipskip.newsletter.models import EntryKind, Issue
from shipskip.web import markdown

LEAVE = "%leave-link%"
"""What stands in a frozen letter where each recipient's own link goes."""

HEADINGS = {
    EntryKind.NEW_VERDICT.value: "New verdicts",
    EntryKind.CHANGED_VERDICT.value: "Changed verdicts",
    EntryKind.CLOSEST_PAIR.value: "The closest pair",
    EntryKind.MOST_DIVIDED.value: "Where panel and community differ most",
}
VERDICTS = {"ship": "Ship", "skip": "Skip", "split": "Split", "none": "No verdict"}


@dataclass(frozen=True)
class Section:
    """Entries of one kind that follow one another, under their heading."""

    heading: str
    entries: Sequence[Facts]


@dataclass(frozen=True)
class Letter:
    """All that a mail of an issue, or its page in the archive, shows; it asks no database."""

    number: int
    date: date
    subject: str
    introduction: str
    path: str
    parts: Sequence[Facts]

    @cached_property
    def sections(self) -> list[Section]:
        """The parts under their headings, in the editor's order."""
        worded = [_worded(part) for part in self.parts]
        groups = groupby(worded, key=lambda part: str(part["kind"]))
        return [Section(HEADINGS[kind], list(parts)) for kind, parts in groups]

    @cached_property
    def introduction_html(self) -> SafeString:
        """The introduction with whole links, since a mail has no site around it."""
        html = markdown.render(self.introduction)
        return mark_safe(re.sub(r'href="(?=[/#?])', f'href="{settings.SITE_URL}', html))  # noqa: S308 - sanitised by render

    @property
    def summary(self) -> str:
        """What a list of mails shows after the subject."""
        names = [tool["title"] for part in self.parts for tool in part["tools"][:1]]
        return ", ".join(dict.fromkeys(names))


def letter_of(issue: Issue, parts: Sequence[Facts]) -> Letter:
    """The letter of an issue with these facts."""
    path = issue.get_absolute_url()
    subject, introduction = issue.frozen_subject or issue.subject, issue.introduction
    return Letter(issue.number, issue.date, subject, introduction, path, parts)


def html_of(letter: Letter) -> str:
    """The letter as HTML, dressed, with LEAVE where the recipient's link goes."""
    context = {"letter": letter, "site": settings.SITE_URL, "leave": LEAVE}
    return dressed(render_to_string("emails/_issue.html", context))


def filled(body: str, leave: str) -> str:
    """A frozen body with the recipient's own link to leave."""
    return body.replace(LEAVE, leave)


def _worded(part: Facts) -> Facts:
    """Facts with the words for their verdicts."""
    tools = [{**tool, "verdict_word": VERDICTS[tool["verdict"]]} for tool in part["tools"]]
    worded = {**part, "tools": tools}
    if before := part.get("before"):
        worded["before_word"] = VERDICTS[before].lower()
        worded["turned"] = before not in ("none", tools[0]["verdict"])
    return worded
