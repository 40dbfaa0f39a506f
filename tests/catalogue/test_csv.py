"""Takes and facts as CSV: what is dumped loads back; what a row creates, changes and records; its
faults.
"""

import csv
import io
import random
from contextlib import redirect_stderr
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from reviews.models import Reviewer, Take, TakeChange
from shipskip.catalogue.cells import escape_formula, unescape_formula
from shipskip.catalogue.changes import Changes, RowCounts
from shipskip.catalogue.comparing import compare
from shipskip.catalogue.faults import InvalidFileError
from shipskip.catalogue.files import FACTS, TAKES, FileKind
from shipskip.editing.bulk_saves import Save
from shipskip.web.typed_values import DayOrder, DecimalSign
from tests import factories as make
from tests.catalogue.documents import as_file, queries, rows
from tests.catalogue.documents import load as load_file
from tools.fact_values import AttributeKind, in_words
from tools.models import Category, Fact, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("tools")]

HEADER = "tool,reviewer,score,verdict,body,published,reason\n"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
MOMENT = "2026-05-01T09:00:00Z"


@pytest.fixture
def tools(db):
    """Four tools and two reviewers, for files to name."""
    chat = make.category(slug="chat")
    for position, slug in enumerate(["builder", "skeptic"]):
        make.reviewer(slug=slug, position=position)
    for slug in ("alpha", "beta", "a-1", "a1"):
        make.tool(slug=slug, in_category=chat)


def take(tool: str = "alpha", by: str = "builder", **fields) -> Take:
    on, reviewer = Tool.objects.get(slug=tool), Reviewer.objects.get(slug=by)
    return make.take(**{"on": on, "by": reviewer, "score": 70} | fields)


def row(**cells: str) -> str:
    """One good row with some cells changed, quoted as it must be."""
    given = {"tool": "alpha", "reviewer": "builder", "score": "70", "verdict": "ship"}
    given |= {"body": "It does what it says.", "published": MOMENT, "reason": ""} | cells
    text = io.StringIO()
    csv.writer(text).writerow(given.values())
    return text.getvalue()


def load(text: str, save: Save | None = None, *, kind: FileKind = TAKES, **more) -> Changes:
    return load_file(as_file(text), save or Save(now=NOW), kind=kind, **more)


def load_row(**cells: str) -> RowCounts:
    return load(HEADER + row(**cells)).counts["takes"]


def faults(content: str | bytes, *, kind: FileKind = TAKES) -> list[str]:
    """Every fault of a file; nothing may be written."""
    before = rows()
    with pytest.raises(InvalidFileError) as refused:
        load_file(as_file(content), Save(now=NOW), kind=kind)
    assert rows() == before
    return [str(fault) for fault in refused.value.faults]


def dumped(*, kind: FileKind = TAKES) -> str:
    return "".join(kind.dump())


# --- What is dumped --------------------------------------------------------------------------


@pytest.mark.both_databases
def test_takes_are_dumped_by_tool_and_panel_with_a_byte_order_mark_for_excel(tmp_path):
    header = "\ufefftool,reviewer,score,verdict,because,body,published,basis\r\n"
    assert dumped() == header, "an empty site"
    assert not load(dumped()).changed_anything
    for slug in ("alpha", "a1"):
        take(slug, "skeptic", body="No.", published_at=None)
    take("a-1", "skeptic", body="No.", published_at=None, score=None, verdict="")
    one = queries(dumped)
    take(basis="tried")
    assert queries(dumped) == one, "however many takes"
    assert dumped() == header + (
        "a-1,skeptic,,,,No.,,\r\n"
        "a1,skeptic,70,ship,,No.,,\r\n"
        "alpha,builder,70,ship,,It does what it says.,2026-05-01T09:00:00Z,tried\r\n"
        "alpha,skeptic,70,ship,,No.,,\r\n"
    )
    assert not load(dumped()).changed_anything
    call_command("dump_takes", tmp_path / "takes.csv")
    assert (tmp_path / "takes.csv").read_bytes().decode() == dumped()
    (tmp_path / "takes.csv").write_text(dumped().replace("tried", "read-about"), newline="")
    call_command("load_takes", tmp_path / "takes.csv")
    load_row(score="71", reason="Slower")
    changed = Take.objects.get(tool__slug="alpha", score=71)
    assert changed.basis == "read-about", "a file without that column leaves it"
    Tool.objects.get(slug="alpha").remove(NOW)
    assert "alpha" not in dumped()
    assert faults(HEADER + row())[0].startswith('line 2, tool: "alpha" is no tool of this site')


DANGERS = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "''-", "'", "'tis",
    "－１", "＝1",
    '=cmd|"/c calc"!A0', "- a list\n- of two", "a;b,c\td", 'say "so"', "line\r\nline\n", " spaces ",
    "ünï – 🚀 שלום", "\u2028", "\\N \\ud83d", "", "\ufeff", "x" * 20_000,
]  # fmt: skip


def test_every_text_is_loaded_as_it_was_dumped_and_no_cell_begins_like_a_formula():
    chat, builder = Category.objects.get(), Reviewer.objects.get(slug="builder")
    for at, body in enumerate(DANGERS):
        make.take(on=make.tool(slug=f"tool-{at:02}", in_category=chat), by=builder, body=body)
    text = dumped()
    for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")):
        assert not any(cell.startswith(tuple("=+-@\t\r\n＝＋－＠")) for cell in row), row
    Take.objects.all().delete()
    load(text)
    assert [*Take.objects.order_by("tool__slug").values_list("body", flat=True)] == DANGERS
    assert dumped() == text
    assert not load(text).changed_anything
    chance = random.Random(7)  # noqa: S311 - no secret
    for _ in range(1_000):
        text = "".join(chance.choices("'=+-@\t\r\n aé", k=chance.randrange(5)))
        assert unescape_formula(escape_formula(text)) == text


def test_microseconds_and_line_ends_that_a_spreadsheet_changed_are_no_change():
    take(body="One.\r\nTwo.", published_at=datetime(2026, 5, 1, 9, 0, 0, 250, tzinfo=UTC))
    assert "2026-05-01T09:00:00.000250Z" in dumped()
    text = dumped().replace("One.\r\nTwo.", "One.\nTwo.")
    assert not load(text).changed_anything
    load(text.replace(",70,", ",71,"), reason="Better")
    assert Take.objects.get().body == "One.\r\nTwo."
    assert Take.history.latest("history_id").body == "One.\r\nTwo."


# --- What a load does ------------------------------------------------------------------------


def test_a_row_makes_a_take_or_changes_it_only_where_it_differs():
    user = User.objects.create_user("eva")
    changes = load(HEADER + row(score=" 84 ", verdict=" skip "), Save(now=NOW, user=user))
    assert changes.counts["takes"] == RowCounts(created=1)
    made = Take.objects.get()
    found = (made.tool.slug, made.reviewer.slug, made.score, made.verdict)
    assert found == ("alpha", "builder", 84, "skip")
    assert made.published_at == datetime(2026, 5, 1, 9, tzinfo=UTC)
    page = made.history.get()
    begun = (page.history_type, page.history_user, page.history_change_reason)
    assert begun == ("+", user, TAKES.note)
    other, later = row(score="84", verdict="skip", body="Other."), NOW + timedelta(days=1)
    assert load(HEADER + other, Save(now=later)).counts["takes"] == RowCounts(changed=1)
    made.refresh_from_db()
    assert (made.body, made.score, made.checked_at) == ("Other.", 84, later)
    assert made.history.latest("history_id").body == "Other."
    assert load(HEADER + other).counts["takes"] == RowCounts(left_alone=1)
    header = "tool,reviewer,score,verdict,because,body,published\n"
    load(header + f"alpha,builder,84,skip,It is quick.,Other.,{MOMENT}\n")
    made.refresh_from_db()
    assert (made.because, made.checked_at) == ("It is quick.", NOW), "a check too"


def test_a_changed_public_score_needs_the_reason_of_its_row_or_of_the_file():
    take()
    missing = "reason: is missing; readers could see the score or verdict: write why it changes"
    for reason in ("", "\u200b", "\u2060\u00ad", "\u3164", "—", " "):
        text = HEADER + row(tool="beta", body="two\nlines") + row(score="20", reason=reason)
        assert faults(text) == [f"line 4, {missing}"], repr(reason)
    assert faults(HEADER + row(verdict="skip")) == [f"line 2, {missing}"], "a verdict alone"
    load(text, reason="重新测试")
    load_row(score="21", verdict="skip", reason="Pricing tripled")
    assert "Pricing tripled" in Take.history.latest("history_id").history_change_reason
    record = TakeChange.objects.order_by("pk")
    assert [(row.score_before, row.score_after, row.reason, row.at) for row in record] == [
        (70, 20, "重新测试", NOW),
        (20, 21, "Pricing tripled", NOW),
    ]


# --- What is wrong with a file ---------------------------------------------------------------


CELLS = [
    ({"tool": "aplha"}, 'tool: "aplha" is no tool of this site'),
    ({"tool": ""}, 'tool: "" is not an address'),
    ({"tool": "al\0pha"}, 'tool: "al\\u0000pha" is not an address'),
    ({"reviewer": "bilder"}, 'reviewer: "bilder" is no reviewer of this site; did you mean'),
    ({"score": "101"}, "score: 101 is not between 0 and 100"),
    ({"score": "84.5"}, 'score: "84.5" is not a whole number between 0 and 100'),
    ({"score": ""}, "score: is missing or empty; give it"),
    ({"score": "٨٤"}, "is not a whole number"),
    ({"score": "9" * 5000}, "is not a whole number"),
    ({"score": "=1+1"}, 'score: "=1+1" is not a whole number'),
    ({"verdict": "Ship"}, 'verdict: "Ship" is not "ship" or "skip"'),
    ({"verdict": ""}, "verdict: is missing or empty; give it"),
    ({"body": "a\0b"}, "body: Remove the character U+0000"),
    ({"body": "-1+1"}, "body: starts with “-” like a formula"),
    ({"body": "\t=1"}, "body: starts with “=”"),
    ({"published": "yesterday"}, 'published: "yesterday" is not a date and time such as'),
    ({"published": "2026-05-01"}, ", or an empty cell"),
    ({"reason": "x" * 201}, "reason: is 201 characters long"),
    ({"reason": "two\nlines"}, "reason: Remove the line break"),
]


def test_every_bad_cell_is_named_with_its_line_and_column(monkeypatch):
    chat, text = Category.objects.get(), HEADER
    for at, (cells, _) in enumerate(CELLS):
        tool, reviewer = make.tool(slug=f"t-{at}", in_category=chat), make.reviewer(slug=f"r-{at}")
        text += row(**{"tool": tool.slug, "reviewer": reviewer.slug} | cells)
    for (cells, fault), found in zip(CELLS, faults(text), strict=True):
        assert found.startswith("line "), cells
        assert fault in found, cells
    text = HEADER + row(score="x", verdict="y") + row(tool="none") + row(tool="beta")
    unreadable = text.encode() + b"\xff\n" + text.encode()
    for content, more in ((text, []), (unreadable, ["line 5, character 1"])):
        places = [fault.partition(":")[0] for fault in faults(content)]
        assert places == ["line 2, score", "line 2, verdict", "line 3, tool", *more]

    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("shipskip.catalogue.document.faults_of", fail)
    with pytest.raises(ZeroDivisionError):  # an error of the program is none of the file
        load(text)


COLUMNS = [
    HEADER.replace("score", "scoer"),
    HEADER.replace("score", "tool"),
    HEADER.replace(",published", ""),
    HEADER.replace("reason", "reason,id"),
]
UNREADABLE: list[tuple[str | bytes, str]] = [
    (b"\n\n", "the file: is empty"),
    (row(), 'line 1: the column "tool" is missing'),
    (
        (HEADER + row(body="F-rst")).encode().replace(b"F-", b"F\xfc"),
        "line 2, character 24: is not UTF-8 (byte 0xfc): save it as “CSV UTF-8”",
    ),
    ((HEADER + row()).encode("utf-16"), "line 1, character 1: is not UTF-8 (byte 0xff)"),
    (b"\xef\xbb\xbfF\xfc", "line 1, character 2: is not UTF-8 (byte 0xfc)"),
    (b"PK\x03\x04 and so on", "is a spreadsheet, not CSV"),
    (HEADER + 'alpha,builder,5,ship,"open,,\n', "double quotes are not closed"),
    (HEADER + 'alpha,builder,5,ship,"a"b,,\n', "has a double quote within a text"),
    (HEADER + 'alpha,builder,5,ship,"' + "x\n" * 70_000, "line 2: contains a text of more than"),
    (HEADER + "alpha,builder,5,ship,a\rb,,\n", "line 2: is not CSV"),
    (HEADER + "alpha,builder,5,ship,a, b,,\n", "line 2: has 8 cells, the first line has 7"),
    (HEADER + "alpha,builder,5\n", "line 2: has 3 cells, the first line has 7"),
    ("\0" * 50, "is not a column of takes"),
]


def test_wrong_columns_and_what_is_no_csv_are_explained_and_no_row_is_read(snapshot):
    assert [faults(header + row()) for header in COLUMNS] == snapshot
    for content, fault in UNREADABLE:
        assert any(fault in each for each in faults(content)), content[:50]
    found = faults("x," * 200_000 + "x\n")
    assert "line 1: has 200,001 columns; takes have 9" in found
    assert len(found) == 50 + 1 + 6


def test_columns_may_be_in_any_order_without_a_reason_and_separated_by_semicolons_or_tabs():
    load("Verdict, SCORE ,published,body,reviewer,tool\n\n ,,,,,\nskip,5,,Hm.,builder,alpha\n")
    assert (Take.objects.get().score, Take.objects.get().published_at) == (5, None)
    Take.objects.all().delete()
    semicolons = f'"alpha";builder;5;ship;"a;\tb, c";{MOMENT};\n'
    tabs = f'beta\tbuilder\t5\tship\t"a;\tb, c"\t{MOMENT}\t\n'
    load(HEADER.replace(",", ";") + semicolons)
    load("\ufeff" + HEADER.replace(",", "\t") + tabs)
    assert list(Take.objects.values_list("body", flat=True)) == ["a;\tb, c"] * 2
    Take.objects.all().delete()
    header = f"sep=;\n{HEADER.replace(',', ';').rstrip()};;\n"
    load(f"{header}{semicolons.rstrip()};;\n")
    assert Take.objects.get().score == 5, "Excel’s first line and its empty last columns"
    assert faults(f"{header}{semicolons.rstrip()};more\n")[0].startswith("line 3: has 8 cells")


# --- Facts -----------------------------------------------------------------------------------


FACT_HEADER = "tool,attribute,value,applies,note,source,checked\n"


@pytest.fixture
def alpha(tools):
    return Tool.objects.get(slug="alpha")


@pytest.fixture
def size(db):
    return make.attribute(slug="size")


def test_every_kind_of_value_is_restored_unchanged(alpha, tmp_path):
    values = {
        AttributeKind.NUMBER: Decimal("-1.5"),
        AttributeKind.YES_NO: False,
        AttributeKind.CHOICE: "=MIT",
        AttributeKind.CHOICES: ["Text", "Images"],
        AttributeKind.TEXT: '=HYPERLINK("x"), said',
        AttributeKind.DATE: date(2026, 4, 3),
    }
    choices = {AttributeKind.CHOICE: ["=MIT"], AttributeKind.CHOICES: ["Text", "Images"]}
    about = {"note": "+ more", "quote": "=1 “said”", "checked_on": date(2026, 5, 1)}
    for kind, value in values.items():
        row = make.attribute(kind=kind, slug=f"of-{kind}", choices=choices.get(kind, []))
        make.fact(value, on=alpha, to=row, **about)
    make.fact(None, on=alpha, to=make.attribute(slug="unsaid"), source="https://a.example")
    make.fact(None, on=alpha, to=make.attribute(slug="no-question"), applies=False)
    text = dumped(kind=FACTS)
    call_command("dump_facts", str(tmp_path / "facts.csv"))
    Fact.objects.all().delete()
    call_command("load_facts", str(tmp_path / "facts.csv"))
    assert dumped(kind=FACTS) == text
    assert {fact.kind: fact.value for fact in Fact.objects.exclude(note="")} == values
    changes = load(text, kind=FACTS)
    assert (changes.counts["facts"].left_alone, changes.changed_anything) == (8, False)


def test_the_column_unconfirmed_says_what_no_editor_has_confirmed(alpha, size):
    make.fact(Decimal(1), on=alpha, to=size, unconfirmed=True)
    other = make.fact(Decimal(2), on=alpha, to=make.attribute(slug="other"))
    text = dumped(kind=FACTS)
    assert [row.rpartition(",")[2] for row in text.split()] == ["unconfirmed", "no", "yes"]
    assert not load(text, kind=FACTS).changed_anything
    load(text.replace(",yes\r", ",no\r").replace(",2,", ",3,"), kind=FACTS)
    assert not Fact.objects.unconfirmed().exists()
    load("tool,attribute,value,unconfirmed\nalpha,other,3,yes\nalpha,size,1,\n", kind=FACTS)
    assert [fact.pk for fact in Fact.objects.unconfirmed()] == [other.pk]
    load("tool,attribute,value\nalpha,other,4\n", kind=FACTS)
    assert not Fact.objects.unconfirmed().exists()


def test_faults_name_line_column_and_remedy(alpha, size, snapshot):
    make.attribute(slug="elsewhere", asked_in=[make.category()])
    make.attribute(slug="terms", kind=AttributeKind.CHOICE, choices=["MIT"])
    assert faults(
        FACT_HEADER + "alhpa,size,1,,,,\n"
        "alpha,sise,1,,,,\n"
        "alpha,elsewhere,1,,,,\n"
        "alpha,size,many,,,,\n"
        "alpha,size,2,,,,\n"
        "alpha,terms,GPL,,,,\n"
        "alpha,terms,MIT,no,,example.org,2199-01-01\n",
        kind=FACTS,
    ) == snapshot(name="rows")
    assert faults("tool,reviewer,score\n", kind=FACTS)[0] == snapshot(name="a column of takes")


SPELLINGS = [
    (",", [], ["1.5", "1.625", '"0,135"', "128000"], ["1.5", "1.625", "0.135", "128000"]),
    (",", [], ['"1,234"', "1.5"], ["1234", "1.5"]),
    (",", [], ['"1,234,567"', '"1,234.5"', "1 234"], ["1234567", "1234.5", "1234"]),
    (",", ["decimal_sign"], ['"1,234"', "128.000"], None),
    (";", [], ["0,135", "128.000", "1.234,5"], ["0.135", "128000", "1234.5"]),
    (";", [], ["1,234", "2,5"], ["1.234", "2.5"]),
    (";", [], ["1.000", "2.5"], ["1", "2.5"]),
    (";", ["decimal_sign"], ["1,234", "1.000", "7"], None),
    (";", ["decimal_sign"], ["1,234", "2,5", "2.5"], None),
]


@pytest.mark.parametrize(("separator", "asks", "cells", "values"), SPELLINGS)
def test_all_numbers_of_a_file_say_which_decimal_sign_it_has(alpha, separator, asks, cells, values):
    text = "tool,attribute,value\n".replace(",", separator)
    for at, cell in enumerate(cells):
        make.attribute(slug=f"n-{at}")
        text += separator.join(("alpha", f"n-{at}", cell)) + "\n"
    if values is None:
        with pytest.raises(InvalidFileError) as refused:
            load(text, kind=FACTS)
        assert refused.value.asks == asks
        assert not Fact.objects.exists()
    else:
        load(text, kind=FACTS)
        found = Fact.objects.order_by("attribute__slug").values_list("number", flat=True)
        assert [*found] == [Decimal(value) for value in values]


def test_a_file_that_can_be_read_in_two_ways_is_read_as_the_editor_says(alpha, size, tmp_path):
    make.attribute(slug="since", kind=AttributeKind.DATE)
    file = tmp_path / "facts.csv"
    file.write_text(
        "tool;attribute;value;source;checked\n"
        "alpha;size;1.234;https://a.example;05/06/2026\n"
        "alpha;since;06/05/2026;https://a.example;22.05.2026\n"
    )
    with pytest.raises(CommandError), redirect_stderr(io.StringIO()) as printed:
        call_command("load_facts", file, stderr=printed)
    assert printed.getvalue().splitlines() == [
        'column value: has a number that can be read in two ways: "1.234" in line 2 is 1.234 or '
        "1234; say its decimal sign",
        'column value: has a day that can be read in two ways: "06/05/2026" in line 3 is '
        "2026-05-06 or 2026-06-05; say what comes first in a day",
        'column checked: has a day that can be read in two ways: "05/06/2026" in line 2 is '
        "2026-06-05 or 2026-05-06; say what comes first in a day",
    ]
    call_command("load_facts", file, decimal_sign=DecimalSign.COMMA, day_order=DayOrder.DAY_FIRST)
    number, day = Fact.objects.order_by("attribute__kind", "-pk").order_by("-attribute__kind")
    assert (number.value, number.checked_on) == (Decimal(1234), date(2026, 6, 5))
    assert (day.value, day.checked_on) == (date(2026, 5, 6), date(2026, 5, 22))
    file.write_text("tool;attribute;value\nalpha;size;1.5\n")
    with pytest.raises(CommandError):
        call_command("load_facts", file, decimal_sign=DecimalSign.COMMA, stderr=printed)
    assert 'line 2, value: "1.5" cannot be read with a decimal comma' in printed.getvalue()


def test_days_are_read_as_spreadsheets_write_them_or_refused_once_for_their_column(alpha, size):
    slugs = ["size", *(make.attribute(slug=f"n-{at}").slug for at in range(6))]

    def row(*days: str) -> str:
        rows = [f"alpha,{slugs[at]},{at},{day}" for at, day in enumerate(days)]
        return "tool,attribute,value,checked\n" + "\n".join(rows) + "\n"

    for days, first in (
        (("22.05.2026", "01.02.2026", "1.2.2026"), date(2026, 5, 22)),
        (("05/06/2026", "05/22/2026"), date(2026, 5, 6)),
        (("05/06/2026", "22/05/2026", "2026-01-01"), date(2026, 6, 5)),
    ):
        load(row(*days), kind=FACTS)
        assert Fact.objects.get(attribute=size).checked_on == first, days
    assert faults(row(*["22-May-26"] * 7), kind=FACTS) == [
        'column checked: has 7 cells that are no day, as "22-May-26" in line 2; let your '
        "spreadsheet show the column as 2026-11-20 and save it again"
    ]
    assert len(faults(row("22-May-26", "then", "2026-01-01"), kind=FACTS)) == 2


def test_a_value_a_thousand_times_the_old_one_is_marked(alpha, size):
    make.fact(Decimal(128), on=alpha, to=size)
    for value, mark in (
        ("128000", " ⚠ about a thousand times as much"),
        ("0.128", " ⚠ about a thousandth"),
        ("12800", ""),
        ("0", ""),
    ):
        document = FACTS.read(as_file(f"tool,attribute,value\nalpha,size,{value}\n"), None)
        (listed,) = compare(document, Save(now=NOW)).changed.entries
        number = in_words(Decimal(value))
        assert listed.what == (f"value: “128” → “{number}”{mark}",)


def test_an_empty_value_changes_nothing_and_silence_is_said_in_words(alpha, size):
    def row(cells: str) -> str:
        return f"{FACT_HEADER}alpha,size,{cells}\n"

    load(row(",,,,"), kind=FACTS)
    assert not Fact.objects.exists()
    make.fact(Decimal(5), on=alpha, to=size)
    load(row(",,,,"), kind=FACTS)
    for cells, fault in (
        (",yes,,,2026-05-01", "is empty: write “not said”"),
        (",,,https://a.example,", "is empty: write “not said”"),
        ("not said,,,,", "“source” is empty: give what was read"),
    ):
        assert fault in faults(row(cells), kind=FACTS)[0]
    assert Fact.objects.get().value == Decimal(5)
    load(row("Not stated,,,https://a.example,2026-05-01"), kind=FACTS)
    assert Fact.objects.get().value is None
