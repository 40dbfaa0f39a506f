"""Tokenise texts for the search as lowercase ASCII words. No database here.

Every script is transliterated, so that both databases sort, store and find the same words.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from anyascii import anyascii

LONGEST_WORD = 40
LONGEST_KEY = 1_000
"""Maximum letters of a whole name. PostgreSQL accepts words of at most 2,046."""
MAX_JOINED = 3
"""How many consecutive words may also be written as one."""

STOP_WORDS = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "best", "by", "for", "from", "how", "i", "in", "is"),
        *("it", "its", "me", "my", "of", "on", "or", "tool", "tools", "the", "to", "vs", "versus"),
        *("what", "which", "with"),
    }
)
"""Stop words; ignored if there are other words."""

_SYLLABLE = re.compile(
    "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
)
_WORD = re.compile(r"[a-z0-9]+")
_SHARP = re.compile(r"\b([a-z])#")
_LETTERS = re.compile(r"[a-z]+")
_SPELLINGS = (
    (re.compile(r"(?<=..)i[sz](?:e|ed|er|ers|ing|able|ation|ations)$"), "iz"),
    (re.compile(r"(?<=..)y[sz](?:e|ed|er|ers|ing)$"), "yz"),
    (re.compile(r"(?<=...)our(?=$|ed$|ing$|al$|ite$)"), "or"),
    (re.compile(r"(?<=...)tre$"), "ter"),
    (re.compile(r"(?<=..)ogue$"), "og"),
    (re.compile(r"(?<=..)ence$"), "ense"),
    (re.compile(r"(?<=...)ll(?=(?:ed|ing|er)$)"), "l"),
    (re.compile(r"(?<=...)(?:mm)(?=e$)"), "m"),
)
"""American spellings for British ones, and one ending for the forms of a verb in -ise."""

_ENDINGS = (
    (re.compile(r"(?<=....)(?:ing|ed|ly)$"), ""),
    (re.compile(r"(?<=..)([bdgmnprt])\1$"), r"\1"),
    (re.compile(r"(?<=....[st])ion$"), ""),
    (re.compile(r"(?<=....)e$"), ""),
)
"""Endings of word forms: test, tests, tested, testing; evaluate, evaluation."""


def words(text: str) -> list[str]:
    """The words of a text in order: lowercase, without accents, in Latin letters.

    Chinese characters and Japanese and Korean syllables are a word each; in a text without any
    letter or digit, so is each sign, by its number.
    """
    text = unicodedata.normalize("NFKC", text)
    plain = text if text.isascii() else anyascii(_SYLLABLE.sub(r" \g<0> ", text.casefold()))
    plain = _SHARP.sub(r"\1sharp", plain.lower().replace("'", "").replace("++", "pp"))
    found = [word[:LONGEST_WORD] for word in _WORD.findall(plain)]
    return found or [f"u{ord(sign):x}" for sign in text if not sign.isspace()]


def written_as_one(found: Iterable[str]) -> str:
    """Concatenate words, to compare whole names; truncated to the maximum length."""
    return "".join(found)[:LONGEST_KEY]


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """The stem of a word: the same for its plural, its American spelling and forms of a verb."""
    if len(word) < 4 or not _LETTERS.fullmatch(word):
        return word
    word = singular(word)
    for pattern, ending in (*_SPELLINGS, *_ENDINGS):
        word = pattern.sub(ending, word)
    return word


def singular(word: str) -> str:
    """The singular of an English word."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def with_roots(found: Iterable[str]) -> list[str]:
    """These words and their roots, each once, in order."""
    return list(dict.fromkeys(form for word in found for form in (word, root(word))))


def joined(found: Sequence[str]) -> list[str]:
    """Two or three consecutive words written as one, and all words written as one."""
    spans = [
        "".join(found[start : start + length])
        for length in range(2, MAX_JOINED + 1)
        for start in range(len(found) - length + 1)
    ]
    spans.append("".join(found))
    return [word for word in dict.fromkeys(spans) if len(word) <= LONGEST_WORD]
