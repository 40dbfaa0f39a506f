"""What changed between two texts, word by word."""

import random
from difflib import SequenceMatcher
from typing import Any

import pytest

from shipskip.editing import diffs
from shipskip.editing.diffs import difference

MARKS = {"same": "{}", "removed": "[-{}-]", "added": "[+{}+]", "skipped": " {} "}


def marked(before, after):
    """The difference in one line."""
    return "".join(MARKS[p.kind].format(p.shown) for p in difference(before, after))


MANY = " ".join(f"w{number}" for number in range(100))
FIRST, LAST = "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 ", "w88 w89 w90 w91 w92 w93 w94 w95 w96 w97"
SOME = " ".join(f"w{number}" for number in range(30))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        # Words and marks
        ("Costs $20/mo.", "Costs $30/mo.", "Costs $[-20-][+30+]/mo."),
        ("one two three", "one two three four", "one two three[+ four+]"),
        ("", "All new.", "[+All new.+]"),
        ("a  b", "a b", "a[- -] b"),
        ("naïve café", "naïve cafés", "naïve [-café-][+cafés+]"),
        ("don't stop", "don't start", "don't [-stop-][+start+]"),
        ("v1.5 is out", "v1.6 is out", "[-v1.5-][+v1.6+] is out"),
        # Ends of lines do not count
        ("one\ntwo\n", "one\r\ntwo\r\n", ""),
        # Line breaks and paragraphs are shown by themselves
        ("One. Two.", "One.\n\nTwo.", "One.[- -][+¶\n¶\n+]Two."),
        ("One.", "One.\n\nTwo.", "One.\n[+¶\nTwo.+]"),
        ("Two.", "One.\n\nTwo.", "[+One.¶\n¶\n+]Two."),
        ("A one.", "The one.\n\nAnd two.", "[-A-][+The+] one.[+¶\n¶\nAnd two.+]"),
        # Only the line that changed is compared by words
        (
            "first line\nsecond line\nthird",
            "first line\nsecond row\nthird",
            "first line\nsecond [-line-][+row+]\nthird",
        ),
        # Sentences that share their spaces alone are shown whole
        (
            "The quick brown fox jumps.",
            "My slow red hen walks.",
            "[-The quick brown fox jumps-][+My slow red hen walks+].",
        ),
        # A long part without a change is shortened, a short one is not
        (
            f"old {MANY} old",
            f"new {MANY} new",
            f"[-old-][+new+] {FIRST} … {LAST} w98 w99 [-old-][+new+]",
        ),
        (f"{MANY} old", f"{MANY} new", f" … {LAST} w98 w99 [-old-][+new+]"),
        (f"old {MANY}", f"new {MANY}", f"[-old-][+new+] {FIRST} … "),
        (f"old {SOME} old", f"new {SOME} new", f"[-old-][+new+] {SOME} [-old-][+new+]"),
    ],
)
def test_two_texts_are_compared_by_words(before, after, expected):
    assert marked(before, after) == expected


def test_before_and_after_can_be_read_from_the_pieces():
    words = random.Random(1)  # noqa: S311
    vocabulary = ["a", "b", "word", "other", "\n", ".", "  ", "don't", "日本", "🙂"]
    for _ in range(20):
        before = words.choices(vocabulary, k=25)
        after = [word for word in before if words.random() > 0.2]
        after.insert(3, "added")
        texts = {"added": " ".join(before), "removed": " ".join(after)}
        pieces = difference(texts["added"], texts["removed"])
        for other, text in texts.items():
            shown = "".join(piece.text for piece in pieces if piece.kind != other)
            assert shown.rstrip("\n") == text.rstrip("\n")


def random_text(seed, vocabulary):
    words = random.Random(seed)  # noqa: S311
    return " ".join(words.choices(vocabulary, k=10_000))[:20_000]


HAN = [chr(0x4E00 + number) for number in range(99)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (random_text(1, "abcdefghij"), random_text(2, "abcdefghij")),
        (random_text(1, HAN), random_text(2, HAN)),
        (random_text(1, HAN).replace(" ", "\n"), random_text(2, HAN).replace(" ", "\n")),
        ("\n" * 20_000, "a\n" * 10_000),
        ("[" * 20_000, "[(" * 10_000),
    ],
)
def test_the_longest_texts_are_compared_by_few_pairs_of_words(monkeypatch, before, after):
    """The work of difflib grows with the pairs of equal words that it is given."""
    given = [0]

    def counted(junk, one, two):
        matcher: Any = SequenceMatcher(junk, one, two)
        given.append(sum(len(matcher.b2j.get(word, ())) for word in one))
        return matcher

    monkeypatch.setattr(diffs, "SequenceMatcher", counted)
    pieces = difference(before, after)
    assert "".join(p.text for p in pieces if p.kind in ("removed", "added"))
    assert max(given) <= diffs.MAX_PAIRS
