"""Takes as CSV: what is dumped loads back the same."""

import csv
import random
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Reviewer, Take
from shipskip.catalogue.cells import escape_formula, unescape_formula
from tests import factories as make
from tests.catalogue.csv_rows import HEADER, NOW, alpha_take, dumped, faults, load, row
from tests.catalogue.documents import as_file
from tools.models import Tool

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("csv_tools"),
]


def test_takes_are_dumped_by_tool_and_panel_with_a_byte_order_mark_for_excel():
    header = "\ufefftool,reviewer,score,verdict,because,body,published,basis\r\n"
    assert dumped() == header, "an empty site"
    assert not load(as_file(dumped())).changed_anything
    for slug in ("alpha", "a1", "a-1"):
        tool = Tool.objects.get(slug=slug)
        make.take(on=tool, by=Reviewer.objects.get(slug="skeptic"), body="No.", published_at=None)
    alpha_take()
    Take.objects.filter(score=70).update(basis="tried")
    assert dumped() == header + (
        "a-1,skeptic,80,ship,,No.,,\r\n"
        "a1,skeptic,80,ship,,No.,,\r\n"
        "alpha,builder,70,ship,,It does what it says.,2026-05-01T09:00:00Z,tried\r\n"
        "alpha,skeptic,80,ship,,No.,,\r\n"
    )


def test_a_basis_is_loaded_and_a_file_without_that_column_does_not_change_it():
    alpha_take()
    load(as_file(dumped().replace("Z,\r", "Z,read-about\r")))
    assert Take.objects.get().basis == "read-about"
    load(as_file(HEADER + row(score="71", reason="Slower")))
    assert (Take.objects.get().score, Take.objects.get().basis) == (71, "read-about")


DANGERS = [
    "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "''-", "'", "'tis",
    "－１", "＝1",
    '=cmd|"/c calc"!A0', "- a list\n- of two", "a;b,c\td", 'say "so"', "line\r\nline\n", " spaces ",
    "ünï – 🚀 שלום", "\u2028", "\\N \\ud83d", "", "\ufeff", "x" * 20_000,
]  # fmt: skip


def test_every_text_is_loaded_as_it_was_dumped_and_no_cell_begins_like_a_formula():
    for body in DANGERS:
        Take.objects.all().delete()
        alpha_take(body=body)
        text = dumped()
        cells = next(csv.reader(text.removeprefix("\ufeff").splitlines(keepends=True)[1:]))
        assert not any(cell.startswith(tuple("=+-@\t\r\n＝＋－＠")) for cell in cells), body
        Take.objects.all().delete()
        load(as_file(text))
        take = Take.objects.get()
        assert (take.body, take.score) == (body, 70)
        assert dumped() == text
        assert not load(as_file(text)).changed_anything, body


def test_escaping_and_unescaping_a_formula_returns_the_text():
    chance = random.Random(7)  # noqa: S311 - no secret
    for _ in range(20_000):
        text = "".join(chance.choices("'=+-@\t\r\n aé", k=chance.randrange(5)))
        assert unescape_formula(escape_formula(text)) == text


def test_microseconds_and_line_ends_that_a_spreadsheet_changed_are_no_change():
    alpha_take(body="One.\r\nTwo.", published_at=datetime(2026, 5, 1, 9, 0, 0, 250, tzinfo=UTC))
    assert "2026-05-01T09:00:00.000250Z" in dumped()
    text = dumped().replace("One.\r\nTwo.", "One.\nTwo.")
    assert not load(as_file(text)).changed_anything
    load(as_file(text.replace(",70,", ",71,")), reason="Better")
    assert Take.objects.get().body == "One.\r\nTwo."
    assert Take.history.latest("history_id").body == "One.\r\nTwo."


def test_takes_on_deleted_tools_are_neither_dumped_nor_loaded():
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
