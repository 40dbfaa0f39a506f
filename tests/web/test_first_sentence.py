"""The first sentence of a text, which readers see before they open the rest."""

import pytest

from shipskip.web.first_sentence import opening


@pytest.mark.parametrize(
    ("text", "sentence", "rest", "kind"),
    [
        ("One. Two *more*.", "One.", "Two *more*.", "flows"),
        ("One. Two.\n\nThree.", "One.", "Two.\n\nThree.", "flows"),
        ("One.\nTwo.", "One.", "Two.", "flows"),
        ("One.\n\nTwo.", "One.", "Two.", "follows"),
        ("*Across* it, they say. It is not.", "Across it, they say.", "It is not.", "flows"),
        ("Use v0.50 of `llama.cpp`. Upgrade.", "Use v0.50 of llama.cpp.", "Upgrade.", "flows"),
        ("Models, e.g. Gemma vs. Phi. Now.", "Models, e.g. Gemma vs. Phi.", "Now.", "flows"),
        ("It ended … quietly. Yes.", "It ended … quietly.", "Yes.", "flows"),
        ("Bring these:\n- a shell\n- a limit", "Bring these:", "- a shell\n- a limit", "follows"),
        ("Bring these. Now:\n- a shell", "Bring these.", "Now:\n- a shell", "flows"),
        ("See [docs](/b). Now.", "See docs.", "See [docs](/b). Now.", "repeats"),
        ("One [sentence](/b)", "One sentence", "One [sentence](/b)", "repeats"),
        ("  One sentence.  ", "One sentence.", "", "follows"),
        ("", "", "", "follows"),
        ("**Fast. And** small.", "Fast.", "**Fast. And** small.", "repeats"),
        ("- first\n- second", "first", "- second", "follows"),
        ("אחת. שתיים.", "אחת.", "שתיים.", "flows"),
    ],
)
def test_a_text_opens_with_its_first_sentence_and_the_rest_goes_on_follows_or_repeats_it(
    text: str, sentence: str, rest: str, kind: str
):
    assert opening(text) == (sentence, rest, kind)
