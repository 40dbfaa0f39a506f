"""What reads a text takes time in proportion to its length, also for the worst text of its kind."""

from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import partial
from time import thread_time

import pytest
from django.core.exceptions import ValidationError

from comparisons import addresses
from shipskip.catalogue import cells
from shipskip.catalogue.entries import TAKE
from shipskip.editing.diffs import difference
from shipskip.editing.fields import count_words
from shipskip.newsletter.issues.mail_rendering import IssueMail
from shipskip.operations.observability.logs import scrubbed
from shipskip.search import words
from shipskip.web import first_sentence, mail_addresses, slugs, text
from shipskip.web.mail_refusals import refusal_from
from shipskip.web.markdown_limits import markdown_fault
from tools import fact_values, page_text, source_names

LENGTH, TIMES = 20_000, 10
MOST_TIMES_AS_LONG = 3 * TIMES
"""Of linear time it is about TIMES, of quadratic time the square of TIMES."""
TOO_SHORT_TO_COMPARE = 0.01
"""Seconds of processor time for LENGTH characters; a quadratic reader takes fifty times as long."""

Reader = Callable[[str], object]
WORST: dict[str, tuple[Reader, list[str]]] = {
    "the first sentence": (
        first_sentence.opening.__wrapped__,
        ["a.\n", "a. ", "e.g. ", ".'", "!", ". a", "\n \n", "x.\n- "],
    ),
    "limits of Markdown": (markdown_fault, ["[", "](", "<", "- ", "> ", "1. ", " \n", "*"]),
    "the number of words": (count_words, ["a", "a ", "<a", "&", "'"]),
    "two versions": (lambda kind: difference(f"x{kind}", f"{kind}y"), ["a ", "a", ",", "a\n", " "]),
    "an answer of a mail server": (
        lambda reply: refusal_from(OSError(reply)) and mail_addresses.without_addresses(reply),
        ["a", "@", "a@", "a,", "5.1", " "],
    ),
    "a mail address": (mail_addresses.parse, ["a", "a.", "a@", "a@b.", '"', "é"]),
    "a line of the log": (
        scrubbed,
        ["a", "A-", "a@", "%40", "1.", "1:", "::", "?", "/preview/a", "/newsletter/leave/", "-"],
    ),
    "the introduction of an issue": (
        lambda kind: IssueMail(1, date(2026, 5, 7), "", kind, "", ()).introduction_text,
        ["[", "[a", "[a](", "[a](b ", '[a](b "', "[a](<", "(", " "],
    ),
    "words": (words.words, ["a", "a ", "a#", "++", "中", "é", "-"]),
    "names in a text": (words.names_in_text, ["a", "A", "Aa", "A'", "a/", "@ ", "_"]),
    "joined words": (lambda kind: words.joined(words.words(kind)), ["a ", "a", "1-"]),
    "a proposed slug": (partial(slugs.propose_slug, kind="tool"), ["a", "-", "vs-", "é", "_"]),
    "a slug": (slugs.slug_fault, ["a", "a-", "-", "vs-"]),
    "the path of a comparison": (addresses.parse, ["a", "-vs-", "a-vs-", "vs"]),
    "a cell": (
        lambda cell: cells.value_of(cell, TAKE, "body"),
        ["'", "\t", "'=", "+ ", "\n", " ", "1", "1,"],
    ),
    "a number": (partial(fact_values.parse, kind="number", choices=()), ["1", "1,", "1,000", " "]),
    "a source": (source_names.source_name, ["a", "/", "http://", "?", "a/"]),
    "a source's query": (source_names.without_tracking, ["?", "a&", "http://a?utm_=&", "="]),
    "a page that is a source": (
        lambda page: page_text.has_quote(page_text.visible_text(page), "128k tokens … 3"),
        ["<", "<!--", "<script", "<b><div>", "</x>", "&", "&#x", "[](", "](", "\u0300\u0316", "ﷺ"],
    ),
    "an address on the web": (text.validate_web_address, ["http://a", "a.", "-", "/", "a"]),
    "a text": (text.validate_text, ["a", "é", "a ", "\u202e"]),
    "the order of names": (text.sort_key, ["é", "a", "\u0301"]),
}


def seconds(read: Reader, kind: str, length: int) -> float:
    """The processor time that a text of the kind takes."""
    worst = (kind * (length // len(kind) + 1))[:length] + "\x01"
    began = thread_time()
    with suppress(ValueError, ValidationError):
        read(worst)
    return thread_time() - began


def is_linear(read: Reader, kind: str) -> bool:
    """Compare two lengths; again if something else seems to have used the processor's caches."""
    for _ in range(3):
        longer = seconds(read, kind, LENGTH)
        if longer < TOO_SHORT_TO_COMPARE:
            return True
        if longer < MOST_TIMES_AS_LONG * seconds(read, kind, LENGTH // TIMES):
            return True
    return False


@pytest.mark.parametrize(("read", "kinds"), WORST.values(), ids=WORST)
def test_the_worst_text_is_read_in_linear_time(read: Reader, kinds: list[str]):
    assert [kind for kind in kinds if not is_linear(read, kind)] == []
