"""Tokenise texts for the search as lowercase ASCII words. No database here.

Every script is transliterated, so that both databases sort, store and find the same words.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from anyascii import anyascii
from snowballstemmer import stemmer

LONGEST_WORD = 40
LONGEST_KEY = 1_000
"""Maximum letters of a whole name. PostgreSQL accepts words of at most 2,046."""
MAX_JOINED = 3
"""How many consecutive words may also be written as one."""

SEPARATORS = frozenset({"against", "and", "or", "than", "versus", "vs"})
"""Words that stand between the names of tools to compare."""

NEGATIONS = frozenset({"no", "non", "not", "without"})
"""Words that turn the answer after them into its opposite."""

WEAK_WORDS = frozenset(
    {
        *SEPARATORS,
        *NEGATIONS,
        *("a", "about", "ai", "all", "alternative", "alternatives", "am", "an", "any", "anything"),
        *("are", "as", "at", "be", "been", "best", "better", "between", "but", "by", "can"),
        *("cheaper", "choose", "compare", "compared", "comparison", "cost", "costs", "could"),
        *("difference", "do", "does", "for", "from", "get", "give", "good", "great", "had", "has"),
        *("have", "how", "i", "if", "in", "into", "is", "it", "its", "just", "let", "lets", "like"),
        *("me", "more", "most", "much", "my", "need", "needs", "of", "on", "one", "our", "pick"),
        *("price", "prices", "pricing", "product", "products", "recommend", "should", "so", "some"),
        *("something", "than", "that", "the", "their", "them", "there", "these", "they", "thing"),
        *("think", "this", "those", "to", "tool", "tools", "top", "us", "use", "using", "want"),
        *("was", "way", "we", "what", "when", "where", "which", "who", "whom", "whose", "why"),
        *("will", "with", "works", "worth", "would", "you", "your"),
    }
)
"""Words that say little about what is wanted; ignored if there are other words."""

_SYLLABLE = re.compile(
    "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"
)
_WORD = re.compile(r"[a-z0-9]+")
_SHARP = re.compile(r"\b([a-z])#")
_LETTERS = re.compile(r"[a-z]+")
_UNSPACED = re.compile(r"\S+")
_CAPITALISED = re.compile(r"\b(?=\w*[a-z])\w*[A-Z][\w'’]*")
"""A word with a capital, but not an abbreviation in capitals."""
_SPELLINGS = (
    (re.compile(r"(?<=..)is(?=e|ed|er|ers|es|ing|able|ation|ations)"), "iz"),
    (re.compile(r"(?<=..)ys(?=e|ed|er|ers|es|ing)"), "yz"),
    (re.compile(r"(?<=...)our(?=$|s|ed|ing|al|ite)"), "or"),
    (re.compile(r"(?<=...)tre(?=$|s)"), "ter"),
    (re.compile(r"(?<=..)ogue(?=$|s)"), "og"),
    (re.compile(r"(?<=..)ence(?=$|s)"), "ense"),
    (re.compile(r"(?<=...)ll(?=ed|ing|er)"), "l"),
    (re.compile(r"(?<=...)mme(?=$|s)"), "m"),
)
"""American spellings for British ones."""


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


def names_in_text(text: str) -> frozenset[str]:
    """The words that a running text only writes with a capital: names, and beginnings of sentences.
    Words in addresses do not count.
    """
    text = " ".join(part for part in _UNSPACED.findall(text) if not {"/", "@"} & set(part))
    capitalised = frozenset(words(" ".join(_CAPITALISED.findall(text))))
    return capitalised - frozenset(words(_CAPITALISED.sub(" ", text)))


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """The stem of a word: the same for its plural, its American spelling and forms of a verb."""
    if not _LETTERS.fullmatch(word):
        return word
    for pattern, ending in _SPELLINGS:
        word = pattern.sub(ending, word)
    return str(stemmer("english").stemWord(word))  # each its own: a stemmer is not thread-safe


def with_roots(found: Iterable[str]) -> list[str]:
    """These words and their roots, each once, in order."""
    return list(dict.fromkeys(form for word in found for form in (word, root(word))))


def spans(number: int, longest: int) -> Iterator[tuple[int, int]]:
    """All runs of 1 to `longest` of this many consecutive words, as half-open intervals."""
    for start in range(number):
        for end in range(start + 1, min(start + longest, number) + 1):
            yield start, end


def joined(found: Sequence[str]) -> set[str]:
    """Two or three consecutive words written as one, and all words written as one."""
    runs = [*spans(len(found), MAX_JOINED), (0, len(found))]
    several = {"".join(found[start:end]) for start, end in runs if end - start > 1}
    return {word for word in several if len(word) <= LONGEST_WORD}
