"""The look of a mail: its own style sheet with the site's colours and sizes written out.

Mail clients know no custom properties, many drop style sheets, and the dark ones read a media
query if anything. So the tokens are put into the rules, the light rules into the elements (by
css-inline), and what differs in the dark stays behind as one small style sheet.
"""

import re
from functools import cache
from pathlib import Path

import css_inline
from django.conf import settings

_TOKEN = re.compile(r"(--[\w-]+)\s*:\s*([^;]+);")
_USE = re.compile(r"var\((--[\w-]+)\)")
_REM = re.compile(r"([\d.]+)rem\b")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_DARK = re.compile(r"@media \(prefers-color-scheme: dark\)\s*\{\s*:root\s*\{([^}]*)\}")
_ROOT = re.compile(r":root\s*\{([^}]*)\}")
PIXELS_PER_REM = 16


def tokens(css: str) -> tuple[dict[str, str], dict[str, str]]:
    """The tokens that a style sheet sets: in the light, and where they differ in the dark."""
    light, dark = _ROOT.search(css), _DARK.search(css)
    return (
        dict(_TOKEN.findall(light[1])) if light else {},
        dict(_TOKEN.findall(dark[1])) if dark else {},
    )


def resolved(css: str, values: dict[str, str]) -> str:
    """A style sheet with its tokens written out, and lengths in pixels."""
    plain = _USE.sub(lambda use: values[use[1]], css)
    return _REM.sub(lambda size: f"{round(float(size[1]) * PIXELS_PER_REM)}px", plain)


def in_the_dark(css: str, light: dict[str, str], dark: dict[str, str]) -> str:
    """The rules of a style sheet that change in the dark, stronger than what stands in elements."""
    rules = []
    for selector, block in _RULE.findall(css):
        declarations = [part.strip() for part in block.split(";")]
        changed = [
            f"{resolved(part, light | dark)} !important"
            for part in declarations
            if any(name in dark for name in _USE.findall(part))
        ]
        if changed:
            rules.append(f"{selector.strip()} {{ {'; '.join(changed)} }}")
    return "@media (prefers-color-scheme: dark) {\n" + "\n".join(rules) + "\n}\n"


@cache
def _sheets() -> tuple[str, str]:
    """The mail's style sheet for the light, and what changes in the dark."""
    base = Path(settings.BASE_DIR)
    css = (base / "templates" / "emails" / "letter.css").read_text()
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    light, dark = tokens((base / "static" / "css" / "tokens.css").read_text())
    return resolved(css, light), in_the_dark(css, light, dark)


def dressed(html: str) -> str:
    """A whole HTML mail, bare until now, with its look in it."""
    light, dark = _sheets()
    inlined = css_inline.CSSInliner(extra_css=light, load_remote_stylesheets=False).inline(html)
    # Short lines: a mail with one of more than 998 bytes has to be encoded again for each reader,
    # which takes longer than all else about it.
    short = inlined.replace(' style="', '\nstyle="')
    return short.replace("</head>", f"<style>\n{dark}</style>\n</head>", 1)
