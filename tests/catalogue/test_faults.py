"""Every fault of a document is reported with its place and the accepted values.

`samples/bad_documents.tsv` has a line for each bad document: what is changed in a good one (a JSON
object of places and values), and after a tab each fault that is reported; none: it is good too.
`"(missing)"` leaves the key out, `{"repeat": ["x", 121]}` is a long text. A list of keys is cut, so
that a new field changes no line.
"""

import io
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reviews.models import Take
from shipskip.catalogue.faults import InvalidFileError
from shipskip.catalogue.reading import MAX_MEGABYTES
from tests import factories as make
from tests.catalogue.documents import (
    ATTRIBUTES,
    FACTS,
    as_file,
    document,
    faults_of,
    load,
    rows,
    tool,
    with_facts,
)
from tools.models import Tool

pytestmark = pytest.mark.django_db
TABLE = Path(__file__).parent / "samples" / "bad_documents.tsv"
TAKE = {"reviewer": "builder", "score": 5, "verdict": "ship", "published": "2026-05-01T09:00:00Z"}


def good_document() -> dict[str, Any]:
    """A good document, of which each line of the table changes something."""
    given = with_facts()
    given["tools"].append(tool(takes=[dict(TAKE)]))
    given["reviewers"].append({"slug": "critic", "name": "Critic"})
    return given | {"comparisons": [{"tools": ["alpha", "beta"]}]}


def value_of(written: Any) -> Any:
    """A value as the table writes it, its repeated parts written out."""
    if isinstance(written, list):
        return [value_of(each) for each in written]
    if not isinstance(written, dict):
        return written
    if "repeat" not in written:
        return {key: value_of(each) for key, each in written.items()}
    part, times = written["repeat"]
    return written["after"] + part * times if "after" in written else part * times


def put(given: Any, json_path: str, written: Any) -> None:
    """Change what is at a place of the document; the place after the last of a list adds to it."""
    parts = re.findall(r"\w+", json_path)
    *parents, last = [int(part) if part.isdecimal() else part for part in parts]
    for key in parents:
        given = given[key]
    if written == "(missing)":
        del given[last]
    elif isinstance(given, list) and last == len(given):
        given.append(value_of(written))
    else:
        given[last] = value_of(written)


def test_each_bad_document_gets_its_faults_with_place_and_remedy():
    chat = make.category(slug="chat")
    make.tool(slug="old-name", in_category=chat).rename("new-name")
    make.tool(slug="known", in_category=chat).remove(datetime(2026, 6, 3, tzinfo=UTC))
    before = rows()
    assert faults_of(good_document()) == []
    for line in TABLE.read_text().splitlines():
        changes, *faults = line.split("\t")
        given = good_document()
        for json_path, written in json.loads(changes).items():
            put(given, json_path, written)
        found = [re.sub(r"(its keys are \w+, \w+).*", r"\1…", fault) for fault in faults_of(given)]
        assert sorted(found) == sorted(faults), changes
    assert rows() == before


# --- What stored rows contradict -------------------------------------------------------------

ANOTHER = "keep it, or make another attribute"
FACTS_TOO = "keep it, or change those facts in this file too"
WORDS = ATTRIBUTES[0] | {"kind": "text", "unit": "", "better": None}
CHANGED: list[tuple[str, Any, str, str]] = [
    ("attributes[0]", WORDS, "kind", ANOTHER),
    ("attributes[3].choices", ["Other"], "MIT", FACTS_TOO),
    ("attributes[4].choices", ["Linux"], "macOS", FACTS_TOO),
    ("attributes[2].categories", ["art"], "chat", FACTS_TOO),
]


def test_an_attribute_changes_against_stored_facts_only_if_the_file_changes_them_too():
    def changed(json_path: str, value: Any, facts: list[Any]) -> dict[str, Any]:
        given = with_facts(facts=facts)
        put(given, json_path, value)
        return given

    make.category(slug="art")
    load(as_file(with_facts(facts=[])))
    for json_path, value, _, _ in CHANGED:
        assert faults_of(changed(json_path, value, [])) == []
    load(as_file(with_facts()))
    for json_path, value, needed, remedy in CHANGED:
        given = changed(json_path, value, FACTS[:1])
        if remedy == FACTS_TOO:
            assert load(as_file(given), dry_run=True).counts["facts"].removed == 6
        del given["tools"][0]["facts"]
        (fault,) = faults_of(given)
        assert fault.startswith(json_path)
        assert needed in fault
        assert fault.endswith(f'which 1 tool ("alpha") needs; {remedy}')


def test_a_take_that_was_public_cannot_lose_its_score_or_come_back_without():
    load(as_file(good_document()))
    Tool.objects.filter(slug="gamma").update(published_at=make.PUBLISHED)
    bare = document(tools=[tool(takes=[{"reviewer": "builder"}])], comparisons=[])
    for change, number in (({"score": None}, 1), ({"score": None, "verdict": None}, 2)):
        for published in (TAKE["published"], None):
            take = TAKE | change | {"published": published}
            given = document(tools=[tool(takes=[take])], comparisons=[])
            assert len(faults_of(given)) == number, take
    assert not load(as_file(bare)).changed_anything
    Take.objects.get(tool__slug="gamma").remove(make.PUBLISHED)
    assert len(faults_of(bare)) == 2


# --- What is wrong with the text of a file ---------------------------------------------------


FIRST = "shipskip-catalogue/1"
THREE = document(tools=[*document()["tools"], tool()])
THREE["comparisons"] = [{"tools": ["alpha", "beta", "gamma"]}]
TEXTS = {
    "keys given twice": (
        f'{{"format": "{FIRST}", "categories": [{{"slug": "c", "slug": "d", "name": "C"}}],'
        '"reviewers": [{"slug": "r", "name": "R"}],'
        '"tools": [{"slug": "a", "name": "A", "category": "c", "takes":'
        '[{"reviewer": "r", "score": 1, "score": {"score": 2, "score": 3}, "verdict": "ship"}]}],'
        f'"tools": [{{"slug": "b"}}], "format": "{FIRST}"}}'
    ),
    "half a character": json.dumps(
        document(
            tools=[tool(name="QQQ", tagline="\\ud83d \U0001f680", maker="PPP")], comparisons=[]
        )
    )
    .replace("QQQ", r"a \ud83d b")
    .replace("PPP", r"\ude80\ud83d"),
    "a control character in a key": document() | {"x.y\u001b": 1},
    "the first format at the end": dict(reversed(THREE.items())) | {"format": FIRST},
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_faults_of_a_text_have_their_place(text, snapshot):
    assert faults_of(text) == snapshot


def test_faults_are_listed_in_the_order_of_the_file():
    first = {
        "takes": [{"reviewer": "nobody", "score": 101, "verdict": "ship"}, {"score": 1.5}],
        "name": "",
        "category": "none",
        "slug": "alpha",
        "oops": 1,
    }
    given = document(tools=[5, first, {"slug": "alpha", "name": "A", "category": "chat"}])
    given["tools"][2]["entry"] = "x"
    given["comparisons"] = [{"tools": ["alpha", "beta"]}]
    assert [fault.split(": ")[0] for fault in faults_of(given)] == [
        "tools[0]",
        "tools[1].takes[0].reviewer",
        "tools[1].takes[0].score",
        "tools[1].takes[1].score",
        "tools[1].takes[1].reviewer",
        "tools[1].name",
        "tools[1].category",
        "tools[1].oops",
        "tools[2].slug",
        "tools[2].entry",
        "comparisons[0].tools[1]",
    ]


# --- What cannot be read ---------------------------------------------------------------------


HEAD = b'{"format": "shipskip-catalogue/3",\n "tools": '
SLUG = HEAD + b'[{"name": "A", "category": "c", "slug": '
MANY = 200_000
NOT_64_BITS = "tools[0].slug: a number that does not fit 64 bits is not an address"
UNREADABLE = [
    (b" \n\t ", "the document: is empty"),
    (b"\xef\xbb\xbf", "the document: is empty"),
    (b"[]", "the document: is a list"),
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
    (HEAD + b"[],}", "line 2, column 14: is not JSON"),
    (HEAD + b'["\x01"]}', "line 2, column 13: is not JSON"),
    (SLUG + b"1" + b"0" * 30 + b"}]}", NOT_64_BITS),
    (SLUG + b"9" * MANY + b"}]}", NOT_64_BITS),
    (SLUG + b"1e999}]}", NOT_64_BITS),
    (SLUG + b"-Infinity}]}", NOT_64_BITS),
    (SLUG + b"NaN}]}", "tools[0].slug: NaN is not an address"),
    (SLUG + b"9223372036854775807}]}", "tools[0].slug: 9223372036854775807 is not an address"),
    (HEAD + b"[" * MANY, "line 2, column 22: is nested more than 12 levels deep"),
    (HEAD + b'[{"a":' * (MANY // 6), "line 2, column 42: is nested more than 12 levels deep"),
    (b'"' + b"a" * MANY + b'"', "the document: is a single value"),
    (SLUG + b'"' + rb"\ud800" * (MANY // 6) + b'"}]}', "tools[0].slug:"),
    (SLUG + b'"' + b"\\" * MANY + b'"}]}', 'tools[0].slug: "\\\\'),
    (HEAD + b'[{"slug": "' + b"a" * MANY, "line 2, column 21: is not JSON (the file ends before"),
    (
        HEAD + b'[{"takes": [' + b"{}," * (MANY // 3) + b"{}]}]}",
        "tools[0]: has 66,669 values; at most",
    ),
    (
        HEAD + b"[" + b"{}," * 50_000 + b"{}]}",
        "the document: has at least 500 faults; 49,834 entries were not",
    ),
]


def test_an_unreadable_file_is_refused_with_its_place():
    for content, fault in UNREADABLE:
        assert any(each.startswith(fault) for each in faults_of(content)), content[:80]


def test_the_faults_before_an_unreadable_place_are_reported_too():
    whole = json.dumps(document(tools=[{"slug": "a", "name": "A", "category": "later"}, {}]))
    faults = faults_of(whole[: whole.index("{}]")] + "oops")
    assert len(faults) == 1, "a reference may be met by what could not be read"
    whole = json.dumps(document(tools=[{"slug": "A", "name": "A", "category": "later"}, {}]))
    faults = faults_of(whole[: whole.index("{}]")] + "oops")
    assert [fault.split(":")[0].split(",")[0] for fault in faults] == ["tools[0].slug", "line 1"]


def test_a_file_is_read_in_pieces_without_its_byte_order_mark_with_the_same_result(monkeypatch):
    monkeypatch.setattr("shipskip.catalogue.reading.PIECE", 7)
    text = json.dumps(document(), ensure_ascii=False, indent=3)
    assert faults_of("\ufeff" + text) == []
    assert faults_of(text[:-5])[-1].endswith(
        "ends before the document does); the rest was not read"
    )
    load(as_file(text))
    assert not load(as_file(json.dumps(document()))).changed_anything


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
