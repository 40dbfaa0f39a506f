"""Render an issue as plain text from its own layout, not from stripped HTML."""

import re
from textwrap import TextWrapper

from django.conf import settings
from django.urls import reverse

from shipskip.newsletter.issues.entry_facts import Facts
from shipskip.newsletter.issues.mail_rendering import LEAVE_PLACEHOLDER, IssueMail

WIDTH = 72
_LINK = re.compile(r"\[([^\[\]]+)\]\(\s*<?([^\s()<>]+)>?(?:\s+\"[^\"]*\")?\s*\)")


def render_text(mail: IssueMail) -> str:
    """The mail as plain text with LEAVE_PLACEHOLDER.

    Lines have at most WIDTH characters, except for URLs, which are not broken.
    """
    site = settings.SITE_URL
    day = f"{mail.date.day} {mail.date:%B %Y}"
    lines = ["SHIP OR SKIP", f"The week’s verdicts, no. {mail.number}, {day}", ""]
    if mail.introduction.strip():
        lines += [*_markdown(mail.introduction, site), ""]
    for section in mail.sections:
        lines += ["", section.heading.upper(), "-" * len(section.heading), ""]
        for facts in section.entries:
            lines += [*_entry(facts, site), ""]
    lines += ["", "All tools, newest first:", f"{site}{reverse('tools:list')}?sort=newest", ""]
    lines += ["-- ", *_wrapped("You get this mail once a week because you asked for it at")]
    lines += [f"{site} and confirmed your address.", ""]
    lines += ["Read this issue on the web:", f"{site}{mail.path}", ""]
    lines += ["Leave, or have your address forgotten:", LEAVE_PLACEHOLDER, ""]
    return "\n".join(lines)


def _wrapped(text: str, indent: str = "") -> list[str]:
    wrapper = TextWrapper(
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapper.wrap(text)


def _markdown(text: str, site: str) -> list[str]:
    """Keep the Markdown source, which is readable; write links out and wrap paragraphs."""

    def written_out(link: re.Match[str]) -> str:
        address = f"{site}{link[2]}" if link[2].startswith("/") else link[2]
        return link[1] if link[1] == address else f"{link[1]} ({address})"

    lines: list[str] = []
    for line in _LINK.sub(written_out, text.strip()).splitlines():
        lines += _wrapped(line) if len(line) > WIDTH and line[:1] not in " \t|" else [line.rstrip()]
    return lines


def _entry(facts: Facts, site: str) -> list[str]:
    """The lines of one entry."""
    tool = facts["tools"][0]
    if facts["kind"] == "closest_pair":
        names = " vs ".join(tool["title"] for tool in facts["tools"])
        return [*_wrapped(names), *_wrapped(facts["answer"]), f"{site}{facts['path']}"]
    if facts["kind"] == "most_divided":
        sentence = (
            f"The panel: {tool['share']}% ship ({tool['total']} reviewer"
            f"{'' if tool['total'] == 1 else 's'}). The community: {tool['community']}% ship "
            f"({tool['votes']:,} votes)."
        )
        return [*_wrapped(tool["title"]), *_wrapped(sentence), f"{site}{tool['path']}"]
    was = f", was {facts['before_label']}" if facts.get("verdict_changed") else ""
    lines = _wrapped(f"{tool['title']}: {tool['verdict_label'].upper()}{was}")
    count = f"{tool['ship']} of {tool['total']} ship it, {tool['score']} points of 100."
    about = f" {tool['category']}: {tool['tagline']}" if tool["tagline"] else ""
    lines += _wrapped(count + about)
    for take in facts.get("takes", []):
        quote = f": “{take['words']}”" if take["words"] else ""
        lines += _wrapped(f"{take['reviewer']}, {take['score']}, {take['verdict']}{quote}", "  ")
    for change in facts.get("changes", []):
        lines += _wrapped(
            f"{change['reviewer']}: {_score_changes(change)} “{change['reason']}”", "  "
        )
    return [*lines, f"{site}{tool['path']}"]


def _score_changes(change: Facts) -> str:
    """`78 → 64, ship → skip.`"""
    changes = [
        f"{change[f'{name}_before']} → {change[f'{name}_after']}"
        for name in ("score", "verdict")
        if change[f"{name}_before"] != change[f"{name}_after"]
    ]
    return ", ".join(changes) + "."
