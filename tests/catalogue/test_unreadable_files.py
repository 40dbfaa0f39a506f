"""Files that are no catalogue at all: one sentence with a place, in little memory."""

import json
import tracemalloc

import pytest

from shipskip.catalogue import check
from shipskip.catalogue.decoding import CHUNK, pieces
from tests.catalogue.documents import as_file, document

pytestmark = pytest.mark.django_db
HEAD = b'{"format": "shipskip-catalogue/1",\n "tools": '


def told(content) -> list[str]:
    return [str(fault) for fault in check(as_file(content))]


UNREADABLE = [
    (b"", "the document: is empty"),
    (b" \n\t ", "the document: is empty"),
    (b"\xef\xbb\xbf", "the document: is empty"),
    (b"[]", "the document: is a list"),
    (b"5", "the document: is a single value"),
    (b"null", "the document: is a single value"),
    (b"nonsense", "line 1, column 2: is not JSON"),
    (HEAD + b"[}", "line 2, column 12: is not JSON"),
    (HEAD + b"[", "line 2, column 12: is not JSON (the file ends before the document does)"),
    (HEAD + "[\"é\", 'x']}".encode(), "line 2, column 17: is not JSON"),
    (HEAD + b'["\xe9"]}', "line 2, column 13: is not UTF-8 (byte 0xe9)"),
    (HEAD + b'["\xc3', "line 2, column 13: is not UTF-8 (byte 0xc3)"),
    (HEAD + b'["\xed\xa0\x80"]}', "line 2, column 13: is not UTF-8 (byte 0xed)"),
    ("{}".encode("utf-16"), "line 1, column 1: is not UTF-8 (byte 0xff)"),
    (HEAD + b"[]} {}", "line 2, column 15: is not JSON (trailing garbage)"),
    (HEAD + b"[NaN]}", "line 2, column 12: is not JSON"),
    (HEAD + b"[Infinity]}", "line 2, column 12: is not JSON"),
    (HEAD + b"[],}", "line 2, column 14: is not JSON"),
    (HEAD + b"[] // all\n}", "line 2, column 14: is not JSON"),
    (HEAD + b'["\x01"]}', "line 2, column 13: is not JSON"),
    (HEAD + b'[{"slug": 1' + b"0" * 30 + b"}]}", "tools[0].slug: is a number that does not fit"),
    (HEAD + b'[{"slug": 1' + b"0" * 5000 + b"}]}", "tools[0].slug: is a number that does not fit"),
    (HEAD + b'[{"a": [1, 1e999]}]}', "tools[0].a[1]: is a number that does not fit 64 bits"),
]


@pytest.mark.parametrize(("content", "fault"), UNREADABLE)
def test_a_file_that_cannot_be_read_gets_a_sentence_with_a_place(content, fault):
    faults = told(content)
    assert faults[-1].startswith(fault)


def test_the_faults_ahead_of_a_break_are_told_too():
    whole = json.dumps(document(tools=[{"slug": "a", "name": "A", "category": "later"}, {}]))
    faults = told(whole[: whole.index("{}]")] + "oops")
    assert len(faults) == 1, "a reference may be met by what could not be read"
    whole = json.dumps(document(tools=[{"slug": "A", "name": "A", "category": "later"}, {}]))
    faults = told(whole[: whole.index("{}]")] + "oops")
    assert [fault.split(":")[0].split(",")[0] for fault in faults] == ["tools[0].slug", "line 1"]


def test_a_byte_order_mark_is_passed_over():
    assert told(b"\xef\xbb\xbf" + json.dumps(document()).encode()) == []


SOME = 4_000_000
NONSENSE = [
    (b"[" * SOME, "the document: is a list"),
    (HEAD + b"[" * SOME, "is nested more than 12 deep"),
    (HEAD + b'[{"a":' * (SOME // 6), "is nested more than 12 deep"),
    (b'"' + b"a" * SOME + b'"', "the document: is a text, number or gap of more than"),
    (HEAD + b'[{"slug": "' + b"a" * SOME + b'"}]}', "tools[0].slug: is a text, number or gap"),
    (HEAD + b'[{"slug": "' + rb"\ud800" * (SOME // 6) + b'"}]}', "tools[0].slug: is a text"),
    (HEAD + b'[{"slug": "' + b"\\" * SOME + b'"}]}', "tools[0].slug: is a text"),
    (HEAD + b'[{"slug": ' + b"9" * SOME + b"}]}", "tools[0].slug: is a text, number"),
    (HEAD + b'[{"takes": [' + b"{}," * (SOME // 3) + b"{}]}]}", "is too much for one entry"),
    (HEAD + b'[{"x": [' + b'"%b",' % (b"a" * 9999) * 1100 + b"1]}]}", "is too much for one entry"),
    (b'{"x": [' + b"0," * (SOME // 2) + b"0]}", "x[250000]: is one too many"),
    (HEAD + b"[" + b"{}," * 50_000 + b"{}]}", "has more than 100,000 faults"),
]


@pytest.mark.parametrize(("content", "fault"), NONSENSE, ids=range(len(NONSENSE)))
def test_large_nonsense_ends_with_a_sentence(content, fault):
    faults = check(as_file(content))
    assert any(fault in str(each) for each in faults)


def test_memory_does_not_grow_with_the_file():
    def peak(size: int) -> int:
        file = as_file(HEAD + b'[{"slug": "' + b"a" * size)
        tracemalloc.start()
        list(check(file))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(8 * SOME) < peak(SOME) + 1_000_000


@pytest.mark.parametrize("cut", range(CHUNK - 14, CHUNK + 2))
def test_an_escape_across_two_pieces_is_read_as_one(cut):
    escapes = rb"\\\ud83d\ude80\ud83d\\ud83d\u0041\ude80\n"
    start = b"a" * (cut - 1) + b"\\" + b"n"
    joined = b"".join(pieces(as_file(start + escapes)))
    assert joined == start + rb"\\\ud83d\ude80\ufdd0\\ud83d\u0041\ufdd0\n"
