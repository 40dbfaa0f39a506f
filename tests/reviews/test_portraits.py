"""The portraits of reviewers: small, distinct, in tints that the style sheet has."""

import re
from itertools import pairwise

import pytest

from reviews.portraits import Sign, letter, portrait
from shipskip.web.tints import Tint
from tests.source_files import ROOT


def test_each_sign_is_a_small_drawing_of_its_own():
    drawings = {portrait(sign, "violet", "Ann", 64) for sign in Sign}
    assert len(drawings) == len(Sign)
    for html in drawings:
        assert len(html) < 1000
        assert html.startswith('<svg class="portrait portrait--violet" width="64" height="64"')
        assert "portrait__letter" not in html


def test_a_reviewer_without_a_sign_has_the_first_letter_of_their_name():
    assert portrait("", "", "<the> Builder", 32) == (
        '<svg class="portrait portrait--plain" width="32" height="32" viewBox="0 0 32 32"'
        ' aria-hidden="true">'
        '<text class="portrait__letter" x="16" y="22">T</text></svg>'
    )
    names = ["émile", "“4 eyes”", "ßeta", "…", ""]
    assert [letter(name) for name in names] == ["É", "4", "S", "?", "?"]


def luminance(colour: str) -> float:
    """The relative luminance of a `#rrggbb` by WCAG."""
    parts = [int(colour[at:end], 16) / 255 for at, end in pairwise((1, 3, 5, 7))]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    dark, light = sorted([luminance(first), luminance(second)])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("tint", Tint)
@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_a_tint_has_enough_contrast_in_both_schemes(tint: Tint, scheme: int):
    css = (ROOT / "static/css/tokens.css").read_text()
    rules = re.split(r"@media [^{]*\{", css)[scheme]
    colours = dict(re.findall(r"--([\w-]+): (#\w{6});", rules))
    ground, ink = colours[f"tint-{tint}"], colours[f"tint-{tint}-ink"]
    assert contrast(ground, ink) >= 4.5
    assert contrast(colours["paper"], ink) >= 4.5
    assert f".portrait--{tint}, " in (ROOT / "static/css/portrait.css").read_text()
