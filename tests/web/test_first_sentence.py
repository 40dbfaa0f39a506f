"""The first sentence of a text, which readers see before they open the rest."""

import pytest

from shipskip.web.first_sentence import opening


@pytest.mark.parametrize(
    ("text", "sentence", "rest"),
    [
        ("One. Two *more*.", "One.", "Two *more*."),
        ("*Across* it, they say. It is not.", "Across it, they say.", "It is not."),
        ("Use v0.50 of `llama.cpp`. Upgrade.", "Use v0.50 of llama.cpp.", "Upgrade."),
        ("Models, e.g. Gemma vs. Phi, fit. Now.", "Models, e.g. Gemma vs. Phi, fit.", "Now."),
        ("It ended … quietly. Yes.", "It ended … quietly.", "Yes."),
        ("Bring these:\n\n- a shell\n- a limit", "Bring these:", "- a shell\n- a limit"),
        ("Bring these. Now:\n- a shell", "Bring these.", "Now:\n- a shell"),
        ("See [docs](/b). Now.", "See docs.", "See [docs](/b). Now."),
        ("One [sentence](/b)", "One sentence", "One [sentence](/b)"),
        ("  One sentence.  ", "One sentence.", ""),
        ("", "", ""),
        ("**Fast. And** small.", "Fast.", "**Fast. And** small."),
        ("- first\n- second", "first", "- second"),
        ("אחת. שתיים.", "אחת.", "שתיים."),
    ],
)  # fmt: skip
def test_a_text_opens_with_its_first_sentence(text: str, sentence: str, rest: str):
    assert opening(text)[:2] == (sentence, rest)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("One. Two.\n\nThree.", "flows"),
        ("One.\nTwo.", "flows"),
        ("One.\n\nTwo.", "follows"),
        ("One. \n\nTwo.", "follows"),
        ("Bring these:\n- a shell", "follows"),
        ("One.", "follows"),
        ("**Fast. And** small.", "repeats"),
        ("See [docs](/b). Now.", "repeats"),
    ],
)
def test_the_rest_goes_on_in_the_paragraph_follows_it_or_is_the_whole_text(text: str, kind: str):
    assert opening(text).kind == kind
