"""Inline the mail's style sheet, with the site's design tokens resolved to values.

Mail clients do not support CSS custom properties, and many remove style sheets; some support a
media query for dark mode. So tokens are resolved, the light rules are inlined into the elements
(css-inline), and only the rules that differ in dark mode stay in a small style sheet.
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


def css_tokens(css: str) -> tuple[dict[str, str], dict[str, str]]:
    """The tokens of a style sheet: all for light mode, and those that differ in dark mode."""
    light, dark = _ROOT.search(css), _DARK.search(css)
    return (
        dict(_TOKEN.findall(light[1])) if light else {},
        dict(_TOKEN.findall(dark[1])) if dark else {},
    )


def resolve_tokens(css: str, values: dict[str, str]) -> str:
    """A style sheet with tokens replaced by their values and rem lengths by pixels."""
    plain = _USE.sub(lambda use: values[use[1]], css)
    return _REM.sub(lambda size: f"{round(float(size[1]) * PIXELS_PER_REM)}px", plain)


def dark_rules(css: str, light: dict[str, str], dark: dict[str, str]) -> str:
    """The rules that change in dark mode, `!important` to override inline styles."""
    rules = []
    for selector, block in _RULE.findall(css):
        declarations = [part.strip() for part in block.split(";")]
        changed = [
            f"{resolve_tokens(part, light | dark)} !important"
            for part in declarations
            if any(name in dark for name in _USE.findall(part))
        ]
        if changed:
            rules.append(f"{selector.strip()} {{ {'; '.join(changed)} }}")
    return "@media (prefers-color-scheme: dark) {\n" + "\n".join(rules) + "\n}\n"


@cache
def _style_sheets() -> tuple[str, str]:
    """The mail's light style sheet, and its dark mode rules."""
    base = Path(settings.BASE_DIR)
    css = (base / "templates" / "emails" / "mail.css").read_text()
    css = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    light, dark = css_tokens((base / "static" / "css" / "tokens.css").read_text())
    return resolve_tokens(css, light), dark_rules(css, light, dark)


def with_styles(html: str) -> str:
    """An HTML mail with its styles inlined."""
    light, dark = _style_sheets()
    inlined = css_inline.CSSInliner(extra_css=light, load_remote_stylesheets=False).inline(html)
    # Keep lines short: a mail with a line of more than 998 bytes must be encoded again for each
    # recipient, which takes longer than everything else.
    short = inlined.replace(' style="', '\nstyle="')
    return short.replace("</head>", f"<style>\n{dark}</style>\n</head>", 1)
