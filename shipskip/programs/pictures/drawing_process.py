"""`python -m shipskip.programs.pictures.drawing_process FOLDER` draws the pictures that wait there.

Drawing a picture keeps the interpreter's lock for up to a quarter of a second, so a process of its
own does it, which needs neither Django nor the database.
"""

import sys
from pathlib import Path

import resvg_py

from shipskip.programs.pictures.lines import FONTS

MOST_BYTES = 60_000
"""Smooth letters take two thirds of a picture; above this many bytes it is drawn again without."""

WAITING = "*.svg"


def png(svg: str) -> bytes:
    """An SVG as PNG."""
    drawn = b""
    for rendering in ("optimize_legibility", "optimize_speed"):
        drawn = resvg_py.svg_to_bytes(
            svg_string=svg,
            skip_system_fonts=True,
            font_files=[str(path) for path in sorted(FONTS.glob("*.ttf"))],
            text_rendering=rendering,
        )
        if len(drawn) <= MOST_BYTES:
            break
    return bytes(drawn)


def draw_waiting(folder: Path) -> None:
    """Draw until nothing waits. A picture that ends the process is not drawn again as long as its
    draft is there.
    """
    while waiting := sorted(folder.glob(WAITING), key=lambda path: path.stat().st_mtime):
        for path in waiting:
            svg, draft = path.read_text(), path.with_suffix(".draft")
            draft.touch()
            path.unlink()
            try:
                draft.write_bytes(png(svg))
            except OSError:  # no fault of this picture: it may be drawn again at once
                draft.unlink()
                raise
            draft.replace(path.with_suffix(".png"))


if __name__ == "__main__":
    draw_waiting(Path(sys.argv[1]))
