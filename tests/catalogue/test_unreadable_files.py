"""Files that cannot be read as a catalogue are refused with a place and a sentence."""

import io
import json

import pytest

from shipskip.catalogue.faults import InvalidFileError
from shipskip.catalogue.reading import MAX_MEGABYTES
from tests.catalogue.documents import as_file, document, faults_of, load, tool
from tools.models import Tool

pytestmark = pytest.mark.django_db
HEAD = b'{"format": "shipskip-catalogue/3",\n "tools": '


UNREADABLE = [
    (b"", "the document: is empty"),
    (b" \n\t ", "the document: is empty"),
    (b"\xef\xbb\xbf", "the document: is empty"),
    (b"[]", "the document: is a list"),
    (b"5", "the document: is a single value"),
    (b"null", "the document: is a single value"),
    (b"nonsense", "line 1, column 1: is not JSON"),
    (HEAD + b"[}", "line 2, column 12: is not JSON"),
    (HEAD + b"[", "line 2, column 12: is not JSON (the file ends before the document does)"),
    (HEAD + "[\"é\", 'x']}".encode(), "line 2, column 17: is not JSON"),
    (HEAD + b'["\xe9"]}', "line 2, column 13: is not UTF-8 (byte 0xe9)"),
    (HEAD + b'["\xc3', "line 2, column 13: is not UTF-8 (byte 0xc3)"),
    (HEAD + b'["\xed\xa0\x80"]}', "line 2, column 13: is not UTF-8 (byte 0xed)"),
    ("{}".encode("utf-16"), "line 1, column 1: is not UTF-8 (byte 0xff)"),
    (HEAD + b"[]} {}", "line 2, column 15: is not JSON (Extra data)"),
    ('{"\U0001f680": "\U0001f680\U0001f680", x'.encode(), "line 1, column 13: is not JSON"),
    (b'{"x": "\\\xf0\x9f\x9a\x80"}', "line 1, column 8: is not JSON (Invalid \\escape"),
    (HEAD + b"[" * 100_000, "line 2, column 22: is nested more than 12 levels deep"),
    (HEAD + b"[],}", "line 2, column 14: is not JSON"),
    (HEAD + b"[] // all\n}", "line 2, column 14: is not JSON"),
    (HEAD + b'["\x01"]}', "line 2, column 13: is not JSON"),
    (HEAD + b"{}" + b"]", "line 2, column 13: is not JSON"),
]


def test_an_unreadable_file_is_refused_with_its_place():
    for content, fault in UNREADABLE:
        assert faults_of(content)[-1].startswith(fault), content[:80]


def test_the_faults_before_an_unreadable_place_are_reported_too():
    whole = json.dumps(document(tools=[{"slug": "a", "name": "A", "category": "later"}, {}]))
    faults = faults_of(whole[: whole.index("{}]")] + "oops")
    assert len(faults) == 1, "a reference may be met by what could not be read"
    whole = json.dumps(document(tools=[{"slug": "A", "name": "A", "category": "later"}, {}]))
    faults = faults_of(whole[: whole.index("{}]")] + "oops")
    assert [fault.split(":")[0].split(",")[0] for fault in faults] == ["tools[0].slug", "line 1"]


NUMBERS = [
    (b"1" + b"0" * 30, "a number that does not fit 64 bits is not an address"),
    (b"1" + b"0" * 5000, "a number that does not fit 64 bits is not an address"),
    (b"1e999", "a number that does not fit 64 bits is not an address"),
    (b"-Infinity", "a number that does not fit 64 bits is not an address"),
    (b"NaN", "NaN is not an address"),
    (b"9223372036854775807", "9223372036854775807 is not an address"),
]


def test_a_number_outside_the_accepted_range_is_refused_at_its_place():
    for number, message in NUMBERS:
        faults = faults_of(HEAD + b'[{"slug": ' + number + b', "name": "A", "category": "c"}]}')
        assert faults[0].startswith(f"tools[0].slug: {message}"), number[:20]


def test_a_file_is_read_in_pieces_without_its_byte_order_mark_with_the_same_result(monkeypatch):
    monkeypatch.setattr("shipskip.catalogue.reading.PIECE", 7)
    text = json.dumps(document(), ensure_ascii=False, indent=3)
    assert faults_of("\ufeff" + text) == []
    assert faults_of(text[:-5])[-1].endswith(
        "ends before the document does); the rest was not read"
    )
    load(as_file(text))
    assert not load(as_file(json.dumps(document()))).changed_anything


FOUR_BYTES = ["\U0001f680", "\\U0001f680", 'n\\"\U0001f680\\', "\U0001f680\U00010348é€"]


def test_characters_of_four_bytes_are_read_as_they_are():
    for name in FOUR_BYTES:
        load(as_file(document(tools=[tool(name=name)], comparisons=[])))
        assert Tool.objects.get().name == name


SOME = 200_000
LARGE_INVALID_FILES = [
    (b"[" * SOME, "is nested more than 12 levels deep"),
    (HEAD + b"[" * SOME, "is nested more than 12 levels deep"),
    (HEAD + b'[{"a":' * (SOME // 6), "is nested more than 12 levels deep"),
    (b'"' + b"a" * SOME + b'"', "the document: is a single value"),
    (HEAD + b'[{"slug": "' + b"a" * SOME + b'"}]}', "tools[0].slug:"),
    (HEAD + b'[{"slug": "' + rb"\ud800" * (SOME // 6) + b'"}]}', "tools[0].slug:"),
    (HEAD + b'[{"slug": "' + b"\\" * SOME + b'"}]}', "is 100000 characters long"),
    (HEAD + b'[{"slug": "' + b"a" * SOME, "line 2, column 21: is not JSON (the file ends before"),
    (HEAD + b'[{"slug": ' + b"9" * SOME + b"}]}", "tools[0].slug: a number that does not fit"),
    (
        HEAD + b'[{"takes": [' + b"{}," * (SOME // 3) + b"{}]}]}",
        "tools[0]: has 66,669 values; at most",
    ),
    (HEAD + b"[" + b"{}," * 50_000 + b"{}]}", "has at least 500 faults; 49,834 entries were not"),
]


def test_large_invalid_files_are_explained():
    for content, fault in LARGE_INVALID_FILES:
        assert any(fault in each for each in faults_of(content)), content[:80]


def test_a_file_above_the_limit_is_refused_before_it_is_read():
    class Large(io.BytesIO):
        def seek(self, offset: int, whence: int = 0) -> int:
            return MAX_MEGABYTES * 1024**2 + 1 if whence == io.SEEK_END else super().seek(offset)

        def read(self, *_: object) -> bytes:
            raise AssertionError("the file is read")

    with pytest.raises(InvalidFileError) as refused:
        load(Large())
    assert [str(fault) for fault in refused.value.faults] == [
        "the document: is 1,001 MB long; at most 1,000 MB are allowed: load it in several parts"
    ]
