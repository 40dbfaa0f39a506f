"""The desk's menu: its screens by what editors do, each for those who may open it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

PUBLISH_ALL = ("tools.publish_tool", "reviews.publish_take", "comparisons.publish_comparison")
SEE_FACTS = ("tools.view_tool", "tools.view_fact")
SEE_TAKES = ("tools.view_tool", "reviews.view_take")

SECTIONS = (
    (
        "Write",
        [
            ("Tools", "tools_tool_changelist", ("tools.view_tool",)),
            ("Takes", "reviews_take_changelist", ("reviews.view_take",)),
            ("Comparisons", "comparisons_comparison_changelist", ("comparisons.view_comparison",)),
        ],
    ),
    (
        "Check",
        [
            ("Coverage", "coverage", SEE_TAKES),
            ("Facts", "facts-index", SEE_FACTS),
            ("Due", "due", (*SEE_FACTS, *SEE_TAKES)),
            ("Changed", "changed", SEE_TAKES),
            ("Reports", "reports_report_changelist", ("reports.view_report",)),
            ("Corrections", "reports_decision_changelist", ("reports.view_decision",)),
        ],
    ),
    (
        "Mail",
        [
            ("Issues", "newsletter_issue_changelist", ("newsletter.view_issue",)),
            ("Subscribers", "newsletter_subscriber_changelist", ("newsletter.view_subscriber",)),
        ],
    ),
    (
        "Panel",
        [
            ("Reviewers", "reviews_reviewer_changelist", ("reviews.view_reviewer",)),
            ("Categories", "tools_category_changelist", ("tools.view_category",)),
            ("Attributes", "tools_attribute_changelist", ("tools.view_attribute",)),
            ("Synonyms", "search_synonym_changelist", ("search.view_synonym",)),
        ],
    ),
    ("Exchange", [("Document and CSV", "exchange", PUBLISH_ALL)]),
    (
        "Site",
        [
            ("Votes", "reviews_vote_changelist", ("reviews.view_vote",)),
            ("Voided votes", "reviews_voiding_changelist", ("reviews.view_vote",)),
            ("Accounts", "auth_user_changelist", ("auth.view_user",)),
            ("Groups", "auth_group_changelist", ("auth.view_group",)),
            ("My password", "password_change", ()),
        ],
    ),
)
"""Sections with their screens: label, URL name in the namespace `admin:`, required permissions."""


@dataclass(frozen=True)
class MenuScreen:
    """A screen in the menu; `current` is the value of `aria-current`."""

    label: str
    url: str
    current: str


@dataclass(frozen=True)
class MenuSection:
    """A section of the menu, which links to its first screen."""

    label: str
    screens: Sequence[MenuScreen]

    @property
    def is_current(self) -> bool:
        """Whether one of its screens is open."""
        return any(screen.current for screen in self.screens)


def menu_for(request: HttpRequest) -> list[MenuSection]:
    """The menu of this editor on the requested page."""
    sections = []
    for label, entries in SECTIONS:
        screens = [
            _screen(label, reverse(f"admin:{name}"), request.path)
            for label, name, rights in entries
            if request.user.has_perms(rights)
        ]
        if screens:
            sections.append(MenuSection(label, screens))
    return sections


def _screen(label: str, url: str, path: str) -> MenuScreen:
    """A screen; the pages below its address belong to it."""
    current = "page" if path == url else "true"
    return MenuScreen(label, url, current if path.startswith(url) else "")
