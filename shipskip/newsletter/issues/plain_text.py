"""The letter as plain text: written for who reads it so, not the HTML with its tags taken out."""

import re
from textwrap import TextWrapper

from django.conf import settings
from django.urls import reverse

from shipskip.newsletter.issues.contents import Facts
from shipskip.newsletter.issues.letters import LEAVE, Letter

WIDTH = 72
_LINK = re.compile(r"\[([^\[\]]+)\]\(\s*<?([^\s()<>]+)>?(?:\s+\"[^\"]*\")?\s*\)")


def text_of(letter: Letter) -> str:
    """The letter as plain text, with LEAVE where the recipient's link goes.

    In lines of at most WIDTH characters, but for addresses, which stay whole.
    """
    site = settings.SITE_URL
    day = f"{letter.date.day} {letter.date:%B %Y}"
    lines = ["SHIP OR SKIP", f"The week’s verdicts, no. {letter.number}, {day}", ""]
    if letter.introduction.strip():
        lines += [*_markdown(letter.introduction, site), ""]
    for section in letter.sections:
        lines += ["", section.heading.upper(), "-" * len(section.heading), ""]
        for facts in section.entries:
            lines += [*_entry(facts, site), ""]
    lines += ["", "All tools, the newest first:", f"{site}{reverse('tools:list')}?sort=newest", ""]
    lines += ["-- ", *_wrapped("You get this mail once a week because you asked for it at")]
    lines += [f"{site} and confirmed your address.", ""]
    lines += ["Read this issue on the web:", f"{site}{letter.path}", ""]
    lines += ["Leave, or have your address forgotten:", LEAVE, ""]
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
    """Markdown is made to be read as it is; its links are written out, its paragraphs wrapped."""

    def whole(link: re.Match[str]) -> str:
        address = f"{site}{link[2]}" if link[2].startswith("/") else link[2]
        return link[1] if link[1] == address else f"{link[1]} ({address})"

    lines: list[str] = []
    for line in _LINK.sub(whole, text.strip()).splitlines():
        lines += _wrapped(line) if len(line) > WIDTH and line[:1] not in " \t|" else [line.rstrip()]
    return lines


def _entry(facts: Facts, site: str) -> list[str]:
    """One entry, by its kind."""
    tool = facts["tools"][0]
    if facts["kind"] == "closest_pair":
        names = " vs ".join(tool["title"] for tool in facts["tools"])
        return [*_wrapped(names), *_wrapped(facts["answer"]), f"{site}{facts['path']}"]
    if facts["kind"] == "most_divided":
        said = (
            f"The panel: {tool['share']}% ship ({tool['total']} reviewer"
            f"{'' if tool['total'] == 1 else 's'}). The community: {tool['community']}% ship "
            f"({tool['votes']:,} votes)."
        )
        return [*_wrapped(tool["title"]), *_wrapped(said), f"{site}{tool['path']}"]
    was = f", was {facts['before_word']}" if facts.get("turned") else ""
    lines = _wrapped(f"{tool['title']}: {tool['verdict_word'].upper()}{was}")
    count = f"{tool['ship']} of {tool['total']} ship it, {tool['score']} points of 100."
    about = f" {tool['category']}: {tool['tagline']}" if tool["tagline"] else ""
    lines += _wrapped(count + about)
    for take in facts.get("takes", []):
        words = f": “{take['words']}”" if take["words"] else ""
        lines += _wrapped(f"{take['reviewer']}, {take['score']}, {take['verdict']}{words}", "  ")
    for change in facts.get("changes", []):
        lines += _wrapped(f"{change['reviewer']}: {_steps(change)} “{change['reason']}”", "  ")
    return [*lines, f"{site}{tool['path']}"]


def _steps(change: Facts) -> str:
    """`78 → 64, ship → skip.`"""
    steps = [
        f"{change[f'{name}_before']} → {change[f'{name}_after']}"
        for name in ("score", "verdict")
        if change[f"{name}_before"] != change[f"{name}_after"]
    ]
    return ", ".join(steps) + "."
