"""Takes as CSV: what goes out comes back the same, and every bad row is named."""

import csv
import io
import random
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Reviewer, Take, TakeChange
from shipskip.catalogue.changes import LoadContext, RowCounts
from shipskip.catalogue.faults import InvalidFileError, SiteChangedError
from shipskip.catalogue.takes_csv import HISTORY_NOTE, dump, load
from shipskip.catalogue.takes_csv.cells import escape_formula, unescape_formula
from tests import factories as make
from tests.catalogue.documents import as_file, rows
from tools.models import Category, Tool

pytestmark = pytest.mark.django_db
HEADER = "tool,reviewer,score,verdict,body,published,reason\n"
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
MOMENT = "2026-05-01T09:00:00Z"


@pytest.fixture(autouse=True)
def _panel():
    chat = make.category(slug="chat")
    for position, slug in enumerate(["builder", "skeptic"]):
        make.reviewer(slug=slug, position=position)
    for slug in ("alpha", "beta", "a-1", "a1"):
        make.tool(slug=slug, in_category=chat)


def alpha_take(**fields) -> Take:
    tool, reviewer = Tool.objects.get(slug="alpha"), Reviewer.objects.get(slug="builder")
    return make.take(on=tool, by=reviewer, score=70, verdict="ship", **fields)


def row(**cells: str) -> str:
    """One good row with some cells changed, quoted as it must be."""
    given = {
        "tool": "alpha",
        "reviewer": "builder",
        "score": "70",
        "verdict": "ship",
        "body": "It does what it says.",
        "published": MOMENT,
        "reason": "",
    } | cells
    text = io.StringIO()
    csv.writer(text).writerow(given.values())
    return text.getvalue()


def csv_context(**more) -> LoadContext:
    return LoadContext(**({"now": NOW, "history_note": HISTORY_NOTE, "reason": ""} | more))


def faults(content: str | bytes) -> list[str]:
    """Every fault of a file; nothing may be written."""
    before = rows()
    with pytest.raises(InvalidFileError) as refused:
        load(as_file(content), csv_context())
    assert rows() == before
    return [str(fault) for fault in refused.value.faults]


def dumped() -> str:
    return "".join(dump())


# --- Both ways -------------------------------------------------------------------------------


def test_takes_go_out_by_tool_and_panel_with_a_mark_that_excel_needs():
    for slug in ("alpha", "a1", "a-1"):
        tool = Tool.objects.get(slug=slug)
        make.take(on=tool, by=Reviewer.objects.get(slug="skeptic"), body="No.", published_at=None)
    alpha_take()
    assert dumped() == (
        "\ufefftool,reviewer,score,verdict,body,published\r\n"
        "a-1,skeptic,80,ship,No.,\r\n"
        "a1,skeptic,80,ship,No.,\r\n"
        "alpha,builder,70,ship,It does what it says.,2026-05-01T09:00:00Z\r\n"
        "alpha,skeptic,80,ship,No.,\r\n"
    )


def test_an_empty_site_goes_out_as_a_header_that_can_come_back():
    assert dumped() == "\ufefftool,reviewer,score,verdict,body,published\r\n"
    assert not load(as_file(dumped())).changed_anything


DANGERS = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "''-", "'", "'tis",
    "－１", "＝1",
    '=cmd|"/c calc"!A0', "- a list\n- of two", "a;b,c\td", 'say "so"', "line\r\nline\n", " spaces ",
    "ünï – 🚀 שלום", "\u2028", "\\N \\ud83d", "", "\ufeff", "x" * 20_000,
]  # fmt: skip


@pytest.mark.parametrize("body", DANGERS, ids=range(len(DANGERS)))
def test_every_text_comes_back_as_it_went_out(body):
    take = alpha_take(body=body)
    text = dumped()
    Take.objects.all().delete()
    load(as_file(text), csv_context())
    assert Take.objects.get().body == body
    assert dumped() == text
    assert not load(as_file(text), csv_context()).changed_anything
    assert take.score == Take.objects.get().score


@pytest.mark.parametrize("body", DANGERS, ids=range(len(DANGERS)))
def test_no_cell_begins_like_a_formula(body):
    alpha_take(body=body)
    cells = next(csv.reader(dumped().removeprefix("\ufeff").splitlines(keepends=True)[1:]))
    assert not any(cell.startswith(tuple("=+-@\t\r\n＝＋－＠")) for cell in cells)


def test_guarding_is_undone_whatever_the_text():
    chance = random.Random(7)  # noqa: S311 - no secret
    for _ in range(20_000):
        text = "".join(chance.choices("'=+-@\t\r\n aé", k=chance.randrange(5)))
        assert unescape_formula(escape_formula(text)) == text


def test_a_moment_keeps_its_microseconds():
    alpha_take(published_at=datetime(2026, 5, 1, 9, 0, 0, 250, tzinfo=UTC))
    assert "2026-05-01T09:00:00.000250Z" in dumped()
    assert not load(as_file(dumped())).changed_anything


def test_line_ends_that_a_spreadsheet_changed_are_no_change():
    alpha_take(body="One.\r\nTwo.")
    text = dumped().replace("One.\r\nTwo.", "One.\nTwo.")
    assert not load(as_file(text), csv_context()).changed_anything
    load(as_file(text.replace(",70,", ",71,")), csv_context(reason="Better"))
    assert Take.objects.get().body == "One.\r\nTwo."
    assert Take.history.latest("history_id").body == "One.\r\nTwo."


def test_takes_on_deleted_tools_stay_out_and_cannot_be_written():
    alpha_take()
    Tool.objects.get(slug="alpha").remove(NOW)
    assert "alpha" not in dumped()
    assert faults(HEADER + row())[0].startswith('line 2, tool: "alpha" is no tool of this site')


def test_the_queries_of_a_dump_do_not_depend_on_the_number_of_takes():
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            dumped()
        return len(found)

    alpha_take()
    one = queries()
    for slug in ("a1", "a-1", "beta"):
        make.take(on=Tool.objects.get(slug=slug), by=Reviewer.objects.first())
    assert queries() == one


# --- What a load does ------------------------------------------------------------------------


def test_a_row_makes_a_new_take_and_begins_its_history():
    user = User.objects.create_user("eva")
    report = load(as_file(HEADER + row(score=" 84 ", verdict=" skip ")), csv_context(user=user))
    assert report.takes == RowCounts(created=1)
    take = Take.objects.get()
    assert (take.tool.slug, take.reviewer.slug, take.score, take.verdict) == (
        "alpha", "builder", 84, "skip",
    )  # fmt: skip
    assert take.published_at == datetime(2026, 5, 1, 9, tzinfo=UTC)
    page = take.history.get()
    assert (page.history_type, page.history_user, page.history_change_reason) == (
        "+",
        user,
        HISTORY_NOTE,
    )


def test_a_row_changes_a_take_and_only_where_it_differs():
    take = alpha_take()
    later = NOW + timedelta(days=1)
    report = load(as_file(HEADER + row(body="Other.")), csv_context(now=later))
    assert report.takes == RowCounts(changed=1)
    take.refresh_from_db()
    assert (take.body, take.score, take.checked_at) == ("Other.", 70, later)
    assert take.history.latest("history_id").body == "Other."
    assert load(as_file(HEADER + row(body="Other."))).takes == RowCounts(left_alone=1)


def test_takes_that_the_file_does_not_name_stay_as_they_are():
    alpha_take()
    load(as_file(HEADER + row(tool="beta")), csv_context())
    assert Take.objects.count() == 2


def test_a_changed_public_score_goes_on_the_record_with_the_reason_of_its_row():
    alpha_take()
    load(as_file(HEADER + row(score="20", verdict="skip", reason="Pricing tripled")), csv_context())
    change = TakeChange.objects.get()
    assert (change.score_before, change.score_after, change.reason, change.at) == (
        70, 20, "Pricing tripled", NOW,
    )  # fmt: skip
    assert "Pricing tripled" in Take.history.latest("history_id").history_change_reason


def test_a_changed_public_score_without_a_reason_is_a_fault_of_its_line():
    alpha_take()
    text = HEADER + row(tool="beta", body="two\nlines") + row(score="20")
    assert faults(text) == [
        "line 4, reason: is missing; readers could see the score or verdict: write why it changes"
    ]
    load(as_file(text), csv_context(reason="A new panel"))
    assert TakeChange.objects.get().reason == "A new panel"


def test_a_public_take_that_was_deleted_needs_a_reason_to_come_back_otherwise():
    alpha_take().delete()
    assert faults(HEADER + row(score="20"))[0].startswith("line 2, reason: is missing")
    load(as_file(HEADER + row(score="20", reason="Tested again")), csv_context())
    assert (TakeChange.objects.get().score_before, Take.objects.get().score) == (70, 20)


@pytest.mark.parametrize("published", [MOMENT, ""])
def test_a_public_take_that_was_deleted_is_remembered_though_it_comes_back_as_it_was(published):
    alpha_take().delete()
    load(as_file(HEADER + row(published=published)), csv_context())
    assert not TakeChange.objects.exists()
    assert faults(HEADER + row(score="20"))[0].startswith("line 2, reason: is missing")


@pytest.mark.parametrize("reason", ["\u200b", "\u2060\u00ad", "\u3164", "—", " "])
def test_a_reason_in_which_there_is_nothing_to_read_is_none(reason):
    alpha_take()
    given = HEADER + row(score="20", reason=reason)
    assert faults(given)[0].startswith("line 2, reason: is missing")
    load(as_file(given), csv_context(reason="重新测试"))
    assert TakeChange.objects.get().reason == "重新测试"


@pytest.mark.parametrize("cells", [{"body": "Typo mended."}, {"published": ""}])
def test_other_changes_of_a_public_take_need_no_reason(cells):
    alpha_take()
    load(as_file(HEADER + row(**cells)), csv_context())
    assert not TakeChange.objects.exists()


def test_a_score_nobody_could_see_needs_no_reason():
    alpha_take(published_at=None)
    load(as_file(HEADER + row(score="20", published="")), csv_context())
    assert not TakeChange.objects.exists()


def test_an_emptied_moment_withdraws_a_public_take():
    alpha_take()
    report = load(as_file(HEADER + row(published="")), csv_context())
    take = Take.objects.get()
    assert (take.published_at, take.withdrawn_at) == (None, NOW)
    assert report.change_log.changed.entries[0].withdrawn


def test_a_dry_run_writes_nothing():
    alpha_take()
    before, history = rows(), Take.history.count()
    text = HEADER + row(score="20", reason="Why") + row(tool="beta")
    report = load(as_file(text), csv_context(), dry_run=True)
    assert report.takes == RowCounts(created=1, changed=1)
    assert (rows(), Take.history.count(), TakeChange.objects.count()) == (before, history, 0)
    expected = report.change_log.fingerprint
    assert load(as_file(text), csv_context(), expected_fingerprint=expected).written


def test_a_dry_run_only_reads():
    alpha_take()
    with CaptureQueriesContext(connection) as queries:
        load(as_file(HEADER + row(body="Other.") + row(tool="beta")), csv_context(), dry_run=True)
    verbs = {query["sql"].split()[0] for query in queries.captured_queries}
    assert verbs.isdisjoint({"INSERT", "UPDATE", "DELETE"})


def test_a_tool_that_is_deleted_while_the_file_is_read_ends_in_a_conflict():
    def delete(*_):
        Tool.objects.get(slug="alpha").remove(NOW)

    text = HEADER + row() + row(tool="gone") * 500  # of which the first 500 are judged by then
    with pytest.raises(SiteChangedError):
        load(as_file(text), csv_context(), progress=lambda _, done, size: done == size and delete())


def test_more_rows_than_asked_for_are_refused_before_any_is_judged():
    alpha_take()
    text = HEADER + row() + "\n" + row(tool="beta")
    assert load(as_file(text), csv_context(), dry_run=True, max_rows=2).takes.created == 1
    with pytest.raises(InvalidFileError) as refused:
        load(as_file(text + row(tool="aplha")), csv_context(), max_rows=2)
    assert [str(fault) for fault in refused.value.faults] == [
        "the file: has more than 2 rows, the maximum here: load it on the server with "
        "“python manage.py load_takes FILE.csv”"
    ]


def test_two_loads_that_create_the_same_take_end_in_a_conflict(monkeypatch):
    def lose(*_):
        raise IntegrityError("UNIQUE constraint failed")

    monkeypatch.setattr("shipskip.catalogue.merging.Merger.merge", lose)
    with pytest.raises(SiteChangedError):
        load(as_file(HEADER + row()), csv_context())


def test_a_fault_of_the_program_is_not_taken_for_a_fault_of_the_file(monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("shipskip.catalogue.takes_csv.row.CellField.clean", fail)
    with pytest.raises(ZeroDivisionError):
        load(as_file(HEADER + row()), csv_context())


# --- Bad files and bad rows ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
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
        ({"score": ""}, 'score: "" is not a whole number'),
        ({"score": "٨٤"}, "is not a whole number"),
        ({"score": "9" * 5000}, "is not a whole number"),
        ({"score": "=1+1"}, 'score: "=1+1" is not a whole number'),
        ({"verdict": "Ship"}, 'verdict: "Ship" is not "ship" or "skip"'),
        ({"verdict": ""}, 'verdict: "" is not'),
        ({"body": "x" * 20_001}, "body: is 20,001 characters long; at most 20,000 are allowed"),
        ({"body": "a\0b"}, "body: contains U+0000"),
        ({"body": "\u202e"}, "body: contains U+202E"),
        ({"body": "=HYPERLINK(1)"}, "body: begins with “=” as a formula does"),
        ({"body": "@SUM(1)"}, "body: begins with “@”"),
        ({"body": "-1+1"}, "body: begins with “-”"),
        ({"body": "\t=1"}, "body: begins with “=”"),
        ({"published": "yesterday"}, 'published: "yesterday" is not a date and time such as'),
        ({"published": "2026-05-01"}, "or nothing for a draft"),
        ({"published": "2026-05-01T09:00:00"}, "has no time zone"),
        ({"published": "2026-13-01T09:00:00Z"}, "is not a valid date"),
        ({"reason": "x" * 201}, "reason: is 201 characters long"),
        ({"reason": "two\nlines"}, "reason: contains a line break"),
        ({"reason": "=1"}, "reason: begins with “=”"),
    ],
)
def test_a_bad_cell_is_named_with_its_line_and_column(cells, fault):
    (found,) = faults(HEADER + row(tool="beta") + row(**cells))
    assert found.startswith("line 3, ")
    assert fault in found


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
    load(as_file(HEADER + row(body="- one\n- two") + row(tool="beta", body="+ one")), csv_context())
    assert set(Take.objects.values_list("body", flat=True)) == {"- one\n- two", "+ one"}


def test_an_earlier_slug_says_where_the_tool_is_now():
    Tool.objects.get(slug="alpha").rename("omega")
    assert 'it is "omega" now' in faults(HEADER + row())[0]


def test_the_same_tool_and_reviewer_twice_is_a_fault_wherever_it_stands():
    more = "".join(row(tool=f"t-{at}") for at in range(600))
    chat = Category.objects.get(slug="chat")
    Tool.objects.bulk_create(Tool(slug=f"t-{at}", name="T", category=chat) for at in range(600))
    assert faults(HEADER + row() + more + row(score="1")) == [
        "line 603, reviewer: has a take on this tool in line 2 already; keep one"
    ]


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (
            HEADER.replace("score", "scoer"),
            [
                'line 1, column 3: "scoer" is not a column of takes; did you mean "score"?',
                'line 1: the column "score" is missing',
            ],
        ),
        (
            HEADER.replace("score", "tool"),
            [
                'line 1, column 3: "tool" is given twice; keep one',
                'line 1: the column "score" is missing',
            ],
        ),
        ("tool,reviewer,score,verdict,body\n", ['line 1: the column "published" is missing']),
        (
            HEADER.replace("reason", "reason,id"),
            [
                'line 1, column 8: "id" is not a column of takes; the columns are tool, reviewer, '
                "score, verdict, body, published, reason"
            ],
        ),
    ],
)
def test_wrong_columns_are_named_and_no_row_is_read(header, told):
    assert faults(header + row()) == told


def test_a_first_line_of_very_many_cells_is_soon_told():
    found = faults("," * 2_000_000 + "\n")
    assert "line 1: has 2,000,001 columns; takes have 7" in found
    assert len(found) == 50 + 1 + 6


def test_a_file_without_a_header_is_told_what_is_missing():
    found = faults(row())
    assert 'line 1: the column "tool" is missing' in found


def test_columns_may_stand_in_any_order_and_reason_may_be_missing():
    text = "Verdict, SCORE ,published,body,reviewer,tool\nskip,5,,Hm.,builder,alpha\n"
    load(as_file(text), csv_context())
    assert (Take.objects.get().score, Take.objects.get().published_at) == (5, None)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_semicolons_and_tabs_separate_as_well(separator):
    text = HEADER.replace(",", separator) + f'"alpha";builder;5;ship;"a;\tb, c";{MOMENT};\n'
    if separator == "\t":
        text = HEADER.replace(",", "\t") + f'alpha\tbuilder\t5\tship\t"a;\tb, c"\t{MOMENT}\t\n'
    load(as_file(text), csv_context())
    assert Take.objects.get().body == "a;\tb, c"


@pytest.mark.parametrize("cells", ["alpha,builder,5,ship,a, b,,\n", "alpha,builder,5\n"])
def test_too_many_cells_or_too_few_are_named(cells):
    (found,) = faults(HEADER + cells)
    assert found.startswith("line 2: has ")
    assert "the first line has 7" in found


def test_a_mark_of_the_byte_order_is_no_part_of_the_first_column():
    load(as_file("\ufeff" + HEADER + row()), csv_context())
    assert Take.objects.count() == 1


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "the file: is empty"),
        (b"\n\n", "the file: is empty"),
        ((HEADER + row(body="F-rst")).encode().replace(b"F-", b"F\xfc"),
         "line 2, character 24: is not UTF-8 (byte 0xfc): save it as “CSV UTF-8”"),
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
    ],
    ids=range(11),
)  # fmt: skip
def test_what_is_no_csv_is_a_sentence(content, fault):
    assert any(fault in each for each in faults(content))


def test_rows_before_the_place_where_reading_ends_are_judged_too():
    found = faults((HEADER + row(score="x")).encode() + b"\xff\n" + row(score="y").encode())
    assert [each.partition(":")[0] for each in found] == [
        "line 2, score", "line 3, character 1",
    ]  # fmt: skip


def test_ten_thousand_rows_are_loaded_in_queries_by_the_hundred():
    chat = Category.objects.get(slug="chat")
    Tool.objects.bulk_create(Tool(slug=f"t-{at}", name="T", category=chat) for at in range(5_000))
    both = ("builder", "skeptic")
    text = HEADER + "".join(row(tool=f"t-{at}", reviewer=by) for at in range(5_000) for by in both)
    with CaptureQueriesContext(connection) as queries:
        assert load(as_file(text), csv_context()).takes == RowCounts(created=10_000)
    assert len(queries) < 20 * 40
    assert load(as_file(text), csv_context()).takes == RowCounts(left_alone=10_000)


def test_the_queries_of_some_rows_do_not_depend_on_their_number():
    chat = Category.objects.get(slug="chat")
    Tool.objects.bulk_create(Tool(slug=f"t-{at}", name="T", category=chat) for at in range(40))

    def queries(number: int, **cells) -> int:
        text = HEADER + "".join(row(tool=f"t-{at}", **cells) for at in range(number))
        with CaptureQueriesContext(connection) as found:
            load(as_file(text), csv_context())
        return len(found)

    assert queries(2) == queries(30, reviewer="skeptic")
    assert queries(2, body="b") == queries(30, reviewer="skeptic", body="b")
    assert queries(2, body="b") == queries(30, reviewer="skeptic", body="b")


# --- The commands ----------------------------------------------------------------------------


def run(*arguments) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_commands_write_a_file_and_load_it_again(tmp_path):
    alpha_take(body="One.\r\nTwo.")
    path = tmp_path / "takes.csv"
    assert run("dump_takes", path) == ""
    assert path.read_bytes().decode() == dumped() == run("dump_takes")
    assert run("load_takes", path).endswith("Nothing changed.\n")
    path.write_bytes(path.read_bytes().replace(b",70,", b",71,"))
    out = run("load_takes", path, "--dry-run", "--reason", "Better")
    assert "takes: builder on alpha (score: 70 → 71)" in out
    assert Take.objects.get().score == 70
    run("load_takes", path, "--reason", "Better")
    assert TakeChange.objects.get().reason == "Better"


def test_the_command_names_every_bad_row_and_ends_with_status_1(tmp_path):
    path = tmp_path / "takes.csv"
    path.write_text(HEADER + row(score="x") + row(tool="none"))
    err = io.StringIO()
    with pytest.raises(CommandError, match="2 faults, nothing written") as error:
        call_command("load_takes", path, stdout=io.StringIO(), stderr=err)
    assert error.value.returncode == 1
    assert err.getvalue().startswith("line 2, score: ")
