"""Every fault of a document is reported with its place and the accepted values.

`samples/bad_documents.tsv` has a line for each bad document: what is changed in a good one (a JSON
object of places and values), and after a tab each fault that is reported; none: it is good too.
`"(missing)"` leaves the key out, `{"repeat": ["x", 121]}` is a long text. A list of keys is cut, so
that a new field changes no line.
"""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from shipskip.catalogue.faults import Fault
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


def faults_without_writing(content: Any) -> list[str]:
    """The faults of a document; checking it must write nothing."""
    before = rows()
    faults = faults_of(content)
    assert rows() == before
    return faults


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


@pytest.mark.parametrize(("json_path", "value", "needed", "remedy"), CHANGED)
def test_an_attribute_changes_against_stored_facts_only_if_the_file_changes_them_too(
    json_path, value, needed, remedy
):
    load(as_file(with_facts()))
    make.category(slug="art")
    given = with_facts(facts=[FACTS[0]])
    put(given, json_path, value)
    if remedy == FACTS_TOO:
        assert load(as_file(given), dry_run=True).counts["facts"].removed == 6
    del given["tools"][0]["facts"]
    (fault,) = faults_without_writing(given)
    assert fault.startswith(json_path)
    assert needed in fault
    assert fault.endswith(f'which 1 tool ("alpha") needs; {remedy}')


def test_an_attribute_without_facts_may_change_its_kind():
    load(as_file(with_facts(facts=[])))
    given = with_facts(facts=[])
    given["attributes"][2]["kind"] = "date"
    assert faults_without_writing(given) == []


def test_a_take_that_was_public_cannot_lose_its_score_or_come_back_without():
    load(as_file(good_document()))
    for change in ({"score": None}, {"score": None, "verdict": None, "published": None}):
        given = document(tools=[tool(takes=[TAKE | change])], comparisons=[])
        assert len(faults_without_writing(given)) == len(change) - ("published" in change)
    bare = document(tools=[tool(takes=[{"reviewer": "builder"}])], comparisons=[])
    assert not load(as_file(bare)).changed_anything


# --- What is wrong with the text of a file ---------------------------------------------------


def test_a_key_given_twice_is_refused_at_every_level():
    text = (
        '{"format": "shipskip-catalogue/1", "categories":'
        '[{"slug": "c", "slug": "d", "name": "C"}],'
        '"reviewers": [{"slug": "r", "name": "R"}],'
        '"tools": [{"slug": "a", "name": "A", "category": "c", "takes":'
        '[{"reviewer": "r", "score": 1, "score": {"score": 2, "score": 3}, "verdict": "ship"}]}],'
        '"tools": [{"slug": "b"}], "format": "shipskip-catalogue/1"}'
    )
    faults = faults_without_writing(text)
    assert faults[0] == "categories[0].slug: is given twice; keep one"
    assert faults[1] == "tools[0].takes[0].score: is given twice; keep one"
    assert "tools: is given twice; keep one" in faults
    assert "format: is given twice; keep one" in faults


def test_a_lone_surrogate_is_refused_at_its_place():
    given = document(tools=[tool(name="QQQ", tagline="\\ud83d \U0001f680", maker="PPP")])
    text = json.dumps(given | {"comparisons": []})
    text = text.replace("QQQ", r"a \ud83d b").replace("PPP", r"\ude80\ud83d")
    assert faults_without_writing(text) == [
        "tools[0].name: contains half a character (an unpaired surrogate); remove it",
        "tools[0].maker: contains half a character (an unpaired surrogate); remove it",
    ]


def test_a_control_character_in_a_key_is_escaped_in_its_place():
    (fault,) = faults_without_writing(document() | {"x.y\u001b": 1})
    assert fault.startswith('["x.y\\u001b"]: is not a key of a catalogue; its keys are format')


def test_the_format_counts_wherever_it_stands_in_the_file():
    three = document(tools=[*document()["tools"], tool()])
    three["comparisons"] = [{"tools": ["alpha", "beta", "gamma"]}]
    first = "shipskip-catalogue/1"
    last = {key: value for key, value in three.items() if key != "format"} | {"format": first}
    for given in (three | {"format": first}, last):
        (fault,) = faults_without_writing(given)
        assert fault.startswith("comparisons[0].tools: names 3 tools; give two, or write")


def test_faults_are_listed_in_the_order_of_the_file():
    given = document(
        tools=[
            {
                "takes": [{"reviewer": "nobody", "score": 101, "verdict": "ship"}, {"score": 1.5}],
                "name": "",
                "category": "none",
                "slug": "alpha",
                "oops": 1,
            },
            {"slug": "alpha", "name": "A", "category": "chat", "entry": "x"},
        ],
        comparisons=[{"tools": ["alpha", "beta"]}],
    )
    assert [fault.split(": ")[0] for fault in faults_without_writing(given)] == [
        "tools[0].takes[0].reviewer",
        "tools[0].takes[0].score",
        "tools[0].takes[1].score",
        "tools[0].takes[1].reviewer",
        "tools[0].name",
        "tools[0].category",
        "tools[0].oops",
        "tools[1].slug",
        "tools[1].entry",
        "comparisons[0].tools[1]",
    ]


def test_the_nearest_attribute_is_named_among_hundreds():
    more = [ATTRIBUTES[2] | {"slug": f"question-{at}"} for at in range(300)]
    given = with_facts(facts=[{"attribute": "self-hostd", "value": True}])
    given["attributes"] += more
    assert faults_without_writing(given)[0].endswith('did you mean "self-hosted"?')


def test_a_fault_reads_as_its_place_and_a_sentence():
    fault = Fault("tools[17].takes[2].score", "140 is not between 0 and 100")
    assert str(fault) == "tools[17].takes[2].score: 140 is not between 0 and 100"
