"""A picture as SVG: 1200 × 630 pixels in the colours of the site's light pages."""

import re
from functools import cache
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string

from reviews.scoring import VERDICT_WORDS
from shipskip.content.share_picture import PictureRow, SharePicture
from shipskip.programs.pictures.lines import drawable, in_lines, runs, width

WIDTH, HEIGHT = 1200, 630
LEFT, RIGHT = 64, 1136
TOP, BOTTOM = 130, 440
"""The edges of the rows; the text stands below them."""

TEXT_SIZE, TEXT_LINES = 38, 3

BADGE_LEFT, STRIP_LEFT, STRIP_RIGHT = 540, 730, 1010
"""The columns of a row: the name, the verdict, the scores from 0 to 100, and their mean."""

TALL = 80
"""A row with more pixels has a name in lines, and figures under its verdict."""


def svg(picture: SharePicture) -> str:
    """The picture as SVG."""
    height = (BOTTOM - TOP) / len(picture.rows)
    text = picture.text
    for row in picture.rows:
        if not drawable(row.name):
            text = text.replace(row.name, row.slug)
    lines = in_lines(drawable(text), TEXT_SIZE, RIGHT - LEFT, TEXT_LINES)
    context = {
        "colours": colours(),
        "date": picture.date,
        "rows": [
            _row(row, TOP + height * place, height, is_only=len(picture.rows) == 1)
            for place, row in enumerate(picture.rows)
        ],
        "bottom": BOTTOM,
        "lines": [
            (runs(line, TEXT_SIZE, LEFT), 505 + 46 * place) for place, line in enumerate(lines)
        ],
        "text_size": TEXT_SIZE,
    }
    return render_to_string("pictures/picture.svg", context)


def _row(row: PictureRow, top: float, height: float, *, is_only: bool) -> dict[str, object]:
    """The positions and sizes of one row, which is `height` pixels high. The name of an only one
    has the whole width, and its figures stand below.
    """
    is_tall = height > TALL
    size, room, most = min(height * 0.6, 38.0), BADGE_LEFT - LEFT - 24, 1
    if is_only:
        size, room, most = 76.0, RIGHT - LEFT, 2
    elif is_tall:
        size, most = min(46.0, height * 0.32), 3 if height > 1.5 * TALL else 2
    lines = in_lines(drawable(row.name, row.slug), size, room, most)
    middle = top + height * (0.78 if is_only else 0.5)
    last = middle - 70 if is_only else middle + size * (0.3 + 0.55 * (len(lines) - 1))
    first = last - 1.1 * size * (len(lines) - 1)
    small = min(30.0, height * 0.55)
    radius = min(14.0, height * 0.3)
    word = VERDICT_WORDS[row.verdict] if row.verdict not in (None, "none") else ""
    figures_beside = is_tall and word
    return {
        "lines": [
            (runs(line, size, LEFT), round(first + 1.1 * size * n, 1))
            for n, line in enumerate(lines)
        ],
        "size": round(size, 1),
        "top": round(top, 1),
        "middle": round(middle, 1),
        "small": round(small, 1),
        "word": word,
        "verdict": row.verdict,
        "badge": {
            "x": BADGE_LEFT if not is_only else LEFT,
            "y": round(middle - small * (1.35 if figures_beside else 0.7), 1),
            "width": round(width(word, small) + small),
            "height": round(small * 1.4, 1),
            "text_x": (BADGE_LEFT if not is_only else LEFT) + round(small / 2, 1),
            "baseline": round(middle - small * (0.35 if figures_beside else -0.3), 1),
        },
        "figures": row.figures if is_tall or not word else "",
        "figures_x": BADGE_LEFT if not is_only else LEFT,
        "figures_baseline": round(middle + (small * 1.05 if figures_beside else small * 0.3), 1),
        "score": row.score,
        "score_size": 46 if is_tall else round(small, 1),
        "score_baseline": round(middle + (15 if is_tall else small * 0.33), 1),
        "radius": round(radius, 1),
        "side": round(1.8 * radius, 1),
        "marks": [
            {
                "x": round(_on_strip(score), 1),
                "corner_x": round(_on_strip(score) - 0.9 * radius, 1),
                "corner_y": round(middle - 0.9 * radius, 1),
                "verdict": verdict,
            }
            for score, verdict in sorted(row.marks)
        ],
    }


def _on_strip(score: float) -> float:
    return STRIP_LEFT + (STRIP_RIGHT - STRIP_LEFT) * score / 100


@cache
def colours() -> dict[str, str]:
    """The colours of light pages by their names, without dashes."""
    tokens = (Path(settings.BASE_DIR) / "static/css/tokens.css").read_text().partition("@media")[0]
    found = re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6});", tokens)
    return {name.replace("-", "_"): colour for name, colour in found}
