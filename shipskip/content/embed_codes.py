"""What people paste into their own pages: the code of a badge and of a frame."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.utils.html import format_html

from shipskip.content.records import Tool

WIDTH, CARD_HEIGHT, ROW_HEIGHT = 480, 190, 64
"""The size of a frame in px: a card, and how much each tool of a comparison adds."""


@dataclass(frozen=True)
class EmbedCode:
    """What shows a tool elsewhere: in words, as code, and the paths at which each is alone."""

    words: str
    code: str
    path: str
    code_path: str


def codes_of(tool: Tool) -> list[EmbedCode]:
    """The badge and the card of a tool."""
    names = [("badge", "badge_code"), ("tool_embed", "card_code")]
    paths = [[reverse(f"programs:{name}", args=[tool.slug]) for name in row] for row in names]
    return [
        EmbedCode("A badge, in Markdown", badge_code(tool), *paths[0]),
        EmbedCode("A card, in HTML", card_code(tool), *paths[1]),
    ]


def badge_code(tool: Tool) -> str:
    """The badge of a tool as Markdown, with a link to its page."""
    badge = f"{settings.SITE_URL}{reverse('programs:badge', args=[tool.slug])}"
    return f"[![Ship or Skip]({badge})]({settings.SITE_URL}{tool.get_absolute_url()})"


def card_code(tool: Tool) -> str:
    """The card of a tool as HTML."""
    return frame_code(tool.title, tool.get_absolute_url(), WIDTH, CARD_HEIGHT)


def comparison_code(titles: Sequence[str], path: str) -> str:
    """The frame of a comparison as HTML."""
    return frame_code(" vs ".join(titles), path, WIDTH, comparison_height(len(titles)))


def comparison_height(tools: int) -> int:
    """The height in px of the frame of this number of tools."""
    return CARD_HEIGHT + ROW_HEIGHT * tools


def frame_code(title: str, path: str, width: int, height: int) -> str:
    """The element that shows a page of ours in a frame."""
    return format_html(
        '<iframe src="{}embed/" title="{}" width="{}" height="{}" loading="lazy"></iframe>',
        f"{settings.SITE_URL}{path}",
        title,
        width,
        height,
    )
