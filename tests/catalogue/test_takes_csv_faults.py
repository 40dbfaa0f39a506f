"""Takes as CSV: every bad row is named with its line and column."""

import pytest

from reviews.models import Take
from tests.catalogue.csv_rows import HEADER, MOMENT, faults, load, row
from tests.catalogue.documents import as_file
from tools.models import Category, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("csv_tools")]


CELLS = [
    ({"tool": "aplha"}, 'tool: "aplha" is no tool of this site'),
    ({"tool": ""}, 'tool: "" is not an address'),
    ({"tool": "=1+1"}, 'tool: "=1+1" is not an address'),
    ({"tool": "al\0pha"}, 'tool: "al\\u0000pha" is not an address'),
    ({"reviewer": "\0"}, 'reviewer: "\\u0000" is not an address'),
    ({"tool": "a" * 9_999}, "is 9999 characters long; at most 100 fit an address"),
    ({"reviewer": "bilder"}, 'reviewer: "bilder" is no reviewer of this site; did you mean'),
    ({"score": "101"}, "score: 101 is not between 0 and 100"),
    ({"score": "-1"}, "score: -1 is not between 0 and 100"),
    ({"score": "84.5"}, 'score: "84.5" is not a whole number between 0 and 100'),
    ({"score": ""}, "score: is missing or empty; give it"),
    ({"score": "٨٤"}, "is not a whole number"),
    ({"score": "9" * 5000}, "is not a whole number"),
    ({"score": "=1+1"}, 'score: "=1+1" is not a whole number'),
    ({"verdict": "Ship"}, 'verdict: "Ship" is not "ship" or "skip"'),
    ({"verdict": ""}, "verdict: is missing or empty; give it"),
    ({"body": "x" * 20_001}, "body: is 20,001 characters long; at most 20,000 are allowed"),
    ({"body": "a\0b"}, "body: Remove the character U+0000"),
    ({"body": "\u202e"}, "body: Remove the character U+202E"),
    ({"body": "=HYPERLINK(1)"}, "body: starts with “=” like a formula"),
    ({"body": "@SUM(1)"}, "body: starts with “@”"),
    ({"body": "-1+1"}, "body: starts with “-”"),
    ({"body": "\t=1"}, "body: starts with “=”"),
    ({"published": "yesterday"}, 'published: "yesterday" is not a date and time such as'),
    ({"published": "2026-05-01"}, ", or an empty cell"),
    ({"published": "2026-05-01T09:00:00"}, "has no time zone"),
    ({"published": "2026-13-01T09:00:00Z"}, "is not a valid date"),
    ({"reason": "x" * 201}, "reason: is 201 characters long"),
    ({"reason": "two\nlines"}, "reason: Remove the line break"),
    ({"reason": "=1"}, "reason: starts with “=”"),
]


def test_a_bad_cell_is_named_with_its_line_and_column():
    for cells, fault in CELLS:
        (found,) = faults(HEADER + row(tool="beta") + row(**cells))
        assert found.startswith("line 3, "), cells
        assert fault in found, cells


def test_every_bad_row_is_named_in_one_run():
    text = HEADER + row(score="x", verdict="y") + row(tool="none") + row(tool="beta")
    assert [fault.partition(":")[0] for fault in faults(text)] == [
        "line 2, score", "line 2, verdict", "line 3, tool",
    ]  # fmt: skip


def test_lines_are_counted_as_an_editor_s_program_counts_them():
    text = (
        HEADER + "\n" + row(body='three\n"lines"\nlong', tool="beta") + "\n,,,,,,\n" + row(score="")
    )
    assert [fault.partition(",")[0] for fault in faults(text)] == ["line 8"]


def test_a_list_in_markdown_is_no_formula():
    load(as_file(HEADER + row(body="- one\n- two") + row(tool="beta", body="+ one")))
    assert set(Take.objects.values_list("body", flat=True)) == {"- one\n- two", "+ one"}


def test_an_earlier_slug_says_where_the_tool_is_now():
    Tool.objects.get(slug="alpha").rename("omega")
    assert 'it is "omega" now' in faults(HEADER + row())[0]


def test_the_same_tool_and_reviewer_twice_is_a_fault_even_in_distant_lines():
    more = "".join(row(tool=f"t-{at}") for at in range(600))
    chat = Category.objects.get(slug="chat")
    Tool.objects.bulk_create(Tool(slug=f"t-{at}", name="T", category=chat) for at in range(600))
    assert faults(HEADER + row() + more + row(score="1")) == [
        "line 603, reviewer: has the tool and reviewer of line 2 already; keep one"
    ]


MISSING = 'line 1: the column "score" is missing'
HEADERS = [
    (
        HEADER.replace("score", "scoer"),
        ['line 1, column 3: "scoer" is not a column of takes; did you mean "score"?', MISSING],
    ),
    (
        HEADER.replace("score", "tool"),
        ['line 1, column 3: "tool" is given twice; keep one', MISSING],
    ),
    ("tool,reviewer,score,verdict,body\n", ['line 1: the column "published" is missing']),
    (
        HEADER.replace("reason", "reason,id"),
        [
            'line 1, column 8: "id" is not a column of takes; the columns are tool, reviewer, '
            "score, verdict, because, body, published, basis, reason"
        ],
    ),
]


def test_wrong_columns_are_named_and_no_row_is_read():
    for header, expected in HEADERS:
        assert faults(header + row()) == expected
    assert 'line 1: the column "tool" is missing' in faults(row()), "there is no header"
    found = faults("," * 200_000 + "\n")
    assert "line 1: has 200,001 columns; takes have 9" in found
    assert len(found) == 50 + 1 + 6


def test_columns_may_be_in_any_order_and_reason_may_be_missing():
    text = "Verdict, SCORE ,published,body,reviewer,tool\nskip,5,,Hm.,builder,alpha\n"
    load(as_file(text))
    assert (Take.objects.get().score, Take.objects.get().published_at) == (5, None)


def test_semicolons_and_tabs_are_separators_too():
    semicolons = f'"alpha";builder;5;ship;"a;\tb, c";{MOMENT};\n'
    tabs = f'beta\tbuilder\t5\tship\t"a;\tb, c"\t{MOMENT}\t\n'
    load(as_file(HEADER.replace(",", ";") + semicolons))
    load(as_file("\ufeff" + HEADER.replace(",", "\t") + tabs))
    assert list(Take.objects.values_list("body", flat=True)) == ["a;\tb, c"] * 2


def test_too_many_or_too_few_cells_are_reported():
    for cells in ("alpha,builder,5,ship,a, b,,\n", "alpha,builder,5\n"):
        (found,) = faults(HEADER + cells)
        assert found.startswith("line 2: has ")
        assert "the first line has 7" in found


UNREADABLE: list[tuple[str | bytes, str]] = [
    (b"", "the file: is empty"),
    (b"\n\n", "the file: is empty"),
    (
        (HEADER + row(body="F-rst")).encode().replace(b"F-", b"F\xfc"),
        "line 2, character 24: is not UTF-8 (byte 0xfc): save it as “CSV UTF-8”",
    ),
    ((HEADER + row()).encode("utf-16"), "line 1, character 1: is not UTF-8 (byte 0xff)"),
    (b"PK\x03\x04 and so on", "is a spreadsheet, not CSV"),
    (b'{"format": "shipskip-catalogue/1"}', 'the column "tool" is missing'),
    (HEADER + 'alpha,builder,5,ship,"open,,\n', "double quotes are not closed"),
    (HEADER + 'alpha,builder,5,ship,"a"b,,\n', "has a double quote within a text"),
    (
        HEADER + 'alpha,builder,5,ship,"' + "x\n" * 70_000,
        "line 2: contains a text of more than",
    ),
    (HEADER + "alpha,builder,5,ship,a\rb,,\n", "line 2: is not CSV"),
    ("\0" * 50, "is not a column of takes"),
]


def test_a_file_that_is_not_csv_is_explained():
    for content, fault in UNREADABLE:
        assert any(fault in each for each in faults(content)), content[:50]


def test_rows_before_an_unreadable_place_are_checked_too():
    found = faults((HEADER + row(score="x")).encode() + b"\xff\n" + row(score="y").encode())
    assert [each.partition(":")[0] for each in found] == [
        "line 2, score", "line 3, character 1",
    ]  # fmt: skip
