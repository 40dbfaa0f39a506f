"""The portraits of reviewers: line drawings of our own, each with one feature. No database here.

A drawing is 32 units wide and high; a circle cuts it. `portrait__face` covers what is behind the
face, and `portrait__cut` is a line in the colour of the ground.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from django.db import models
from django.utils.html import format_html
from django.utils.safestring import SafeString

SIZE = 32
"""The width and height of a drawing, in its own units."""


class Sign(models.TextChoices):
    """The portraits, by their feature."""

    HARD_HAT = "hard-hat", "Hard hat"
    GLASSES = "glasses", "Glasses"
    VISOR = "visor", "Visor"
    BOB = "bob", "Bob"
    QUIFF = "quiff", "Quiff and tie"
    CAP = "cap", "Cap"
    BUN = "bun", "Bun"
    BEARD = "beard", "Beard"


_BODY = '<path d="M3 33q2-7.5 13-7.5t13 7.5"/>'
_FACE = '<path class="portrait__face" d="M9 13a7 7 0 0 1 14 0v3a7 7 0 0 1-14 0z"/>'
_EYES = '<path d="M13 15.5v.3m6-.3v.3"/>'
_SMILE = '<path stroke-width="1.5" d="M13.5 19q2.5 2 5 0"/>'
_FILLED = '<path fill="currentColor"'

_DRAWINGS: Final[Mapping[str, str]] = {
    Sign.HARD_HAT: (
        f'{_BODY}{_FACE}<path d="M13 16v.3m6-.3v.3"/>'
        '<path stroke-width="1.5" d="M13.5 19.5q2.5 2 5 0"/>'
        f'{_FILLED} d="M8 11.5q0-5.5 5.5-7v-1.5h5v1.5q5.5 1.5 5.5 7z"/>'
        '<path d="M5 12h22"/><path class="portrait__cut" d="M13.2 5v3.5m5.6-3.5v3.5"/>'
    ),
    Sign.GLASSES: (
        f'{_BODY}<path class="portrait__face" d="M8 13a8 8 0 0 1 16 0v2a8 8 0 0 1-16 0z"/>'
        '<g stroke-width="1.6"><circle cx="12.3" cy="15" r="2.8"/>'
        '<circle cx="19.7" cy="15" r="2.8"/><path d="M15.2 14.7q.8-.5 1.6 0M8.5 14h1M22.5 14h1'
        'M10.5 10.3h3.5M18 8.8q2-1.5 4 .7M14.5 20l3.5-.7"/></g>'
    ),
    Sign.VISOR: (
        f'{_BODY}{_FACE}{_FILLED} d="M7.5 12h17v2.5q0 2.5-2.5 2.5h-3.5l-2.5-1.5-2.5 1.5h-3.5'
        'q-2.5 0-2.5-2.5z"/><path stroke-width="1.5" d="M13.8 19.8q2.2 1.5 4.4 0"/>'
        f'{_FILLED} stroke-width=".8" d="M25.3 3.2q.4 3 3 3.4-2.6.4-3 3.4-.4-3-3-3.4 2.6-.4 '
        '3-3.4z"/>'
    ),
    Sign.BOB: (
        '<path d="M3 33q2-6.5 13-6.5t13 6.5"/>'
        f'{_FILLED} d="M6.5 22.5v-9.5a9.5 9.5 0 0 1 19 0v9.5z"/>'
        '<path class="portrait__face" d="M10 13q5.5-.5 8-4 1 3 4 4v4a6 6 0 0 1-12 0z"/>'
        '<path d="M13.3 15.5v.3m5.4-.3v.3"/><path stroke-width="1.5" d="M14 19q2 1.6 4 0"/>'
    ),
    Sign.QUIFF: (
        f"{_BODY}{_FACE}{_EYES}{_SMILE}"
        f'{_FILLED} d="M9 13q-2-4 .5-7.5 2.5-3 7-2.5 3.5-.8 6 1 2.5 3.5.5 9-1.5-.5-1.5-3-6 '
        f'1-10-1-2 1-2.5 4z"/>{_FILLED} d="M15 26.5h2l1 6h-4z"/>'
    ),
    Sign.CAP: (
        f"{_BODY}{_FACE}{_EYES}{_SMILE}"
        f'{_FILLED} d="M8.5 11.5a7.5 7.5 0 0 1 15 0z"/><path d="M9 12h19"/>'
    ),
    Sign.BUN: (
        f"{_BODY}{_FACE}{_EYES}{_SMILE}"
        '<circle fill="currentColor" cx="16" cy="4" r="2.5"/>'
        f'{_FILLED} d="M9 14.5v-1.5a7 7 0 0 1 14 0v1.5q-5-.5-7-4.5-2 4-7 4.5z"/>'
    ),
    Sign.BEARD: (
        f'<path d="M3 33q2-6 13-6t13 6"/>{_FACE}<path d="M13 12.3v.3m6-.3v.3"/>'
        f'{_FILLED} d="M9 15q.5 2.5 3 2.5t4-1 4 1 3-2.5v3q0 8-7 8t-7-8z"/>'
        '<path class="portrait__cut" d="M14 20.5q2 1.2 4 0"/>'
    ),
}


@lru_cache(maxsize=4096)
def portrait(sign: str, tint: str, name: str, size: int) -> SafeString:
    """The portrait with this sign (Sign) as an SVG of `size` pixels; without a sign, the first
    letter of the name. A tint (Tint) colours it.
    """
    html = '<svg width="{0}" height="{0}" aria-hidden="true" {1}</svg>'
    return format_html(html, size, _drawing(sign, tint, letter(name)))


@lru_cache(maxsize=4096)
def face(sign: str, tint: str, letters: str) -> SafeString:
    """The same within another drawing: a disc of 18 units, whose centre is the origin; `letters`
    stand for those without a sign.
    """
    html = '<svg x="-9" y="-9" width="18" height="18" {}</svg>'
    return format_html(html, _drawing(sign, tint, letters))


def _drawing(sign: str, tint: str, letters: str) -> SafeString:
    """The rest of the element: a page has each several times, which so compresses best."""
    return format_html(
        'viewBox="0 0 {0} {0}" class="portrait portrait--{1}">'
        '<circle class="portrait__ground" cx="16" cy="16" r="16"/>{2}',
        SIZE,
        tint or "plain",
        SafeString(_DRAWINGS[sign])
        if sign in _DRAWINGS
        else format_html('<text class="portrait__letter" x="16" y="22">{}</text>', letters),
    )


def letter(name: str) -> str:
    """The first letter or digit of a name as a capital; `?` for a name of signs."""
    return next(filter(str.isalnum, name), "?").upper()[:1]
