"""Views read request input only through forms."""

import re

from tests.source_files import ROOT

PAST_A_FORM = re.compile(r"request\.(?:GET|POST)(?![,)])|\bin request\.(?:GET|POST)\b")


def test_the_newsletter_s_views_hand_all_input_to_a_form():
    found = {
        str(path): PAST_A_FORM.findall(path.read_text())
        for path in sorted((ROOT / "shipskip/newsletter").rglob("*.py"))
    }
    assert {name for name, lines in found.items() if lines} == set()


def test_the_rule_finds_input_that_is_read_without_a_form():
    for line in ('request.POST["a"]', 'request.GET.get("a")', 'bool("a" in request.GET)'):
        assert PAST_A_FORM.search(line), line
    assert not PAST_A_FORM.search("JoinForm(request.POST, now=now), PageForm(request.GET)")
