"""Loading takes from CSV: what a row creates, changes and records; the commands."""

import io
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reviews.models import Reviewer, Take, TakeChange
from shipskip.catalogue.applying import apply
from shipskip.catalogue.changes import RowCounts
from shipskip.catalogue.faults import InvalidFileError, SiteChangedError
from shipskip.catalogue.files import TAKES
from shipskip.editing.bulk_saves import Save
from tests import factories as make
from tests.catalogue.csv_rows import (
    HEADER,
    MOMENT,
    NOW,
    alpha_take,
    dumped,
    faults,
    load,
    row,
)
from tests.catalogue.documents import as_file, rows
from tools.models import Category, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("csv_tools")]

# --- What a load does ------------------------------------------------------------------------


def test_a_row_makes_a_new_take_and_begins_its_history():
    user = User.objects.create_user("eva")
    report = load(as_file(HEADER + row(score=" 84 ", verdict=" skip ")), Save(now=NOW, user=user))
    assert report.counts["takes"] == RowCounts(created=1)
    take = Take.objects.get()
    assert (take.tool.slug, take.reviewer.slug, take.score, take.verdict) == (
        "alpha", "builder", 84, "skip",
    )  # fmt: skip
    assert take.published_at == datetime(2026, 5, 1, 9, tzinfo=UTC)
    page = take.history.get()
    assert (page.history_type, page.history_user, page.history_change_reason) == (
        "+",
        user,
        TAKES.note,
    )


def test_a_row_changes_a_take_and_only_where_it_differs():
    take = alpha_take()
    later = NOW + timedelta(days=1)
    report = load(as_file(HEADER + row(body="Other.")), Save(now=later))
    assert report.counts["takes"] == RowCounts(changed=1)
    take.refresh_from_db()
    assert (take.body, take.score, take.checked_at) == ("Other.", 70, later)
    assert take.history.latest("history_id").body == "Other."
    assert load(as_file(HEADER + row(body="Other."))).counts["takes"] == RowCounts(left_alone=1)
    header = "tool,reviewer,score,verdict,because,body,published\n"
    load(as_file(header + f"alpha,builder,70,ship,It is quick.,Other.,{MOMENT}\n"), Save(now=NOW))
    take.refresh_from_db()
    assert (take.because, take.checked_at) == ("It is quick.", NOW), "a check too"


def test_a_changed_public_score_goes_on_the_record_with_the_reason_of_its_row():
    alpha_take()
    load(as_file(HEADER + row(score="20", verdict="skip", reason="Pricing tripled")))
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
    load(as_file(text), reason="A new panel")
    assert TakeChange.objects.get().reason == "A new panel"


def test_a_public_take_that_was_deleted_needs_a_reason_to_come_back_changed():
    alpha_take().remove(timezone.now())
    assert faults(HEADER + row(score="20"))[0].startswith("line 2, reason: is missing")
    load(as_file(HEADER + row(score="20", reason="Tested again")))
    assert (TakeChange.objects.get().score_before, Take.objects.get().score) == (70, 20)


@pytest.mark.parametrize("published", [MOMENT, ""])
def test_a_public_take_that_comes_back_unchanged_needs_a_reason_for_a_later_change(published):
    alpha_take().remove(timezone.now())
    load(as_file(HEADER + row(published=published)))
    assert not TakeChange.objects.exists()
    assert faults(HEADER + row(score="20"))[0].startswith("line 2, reason: is missing")


def test_a_reason_without_readable_text_is_missing():
    alpha_take()
    for reason in ("\u200b", "\u2060\u00ad", "\u3164", "—", " "):
        given = HEADER + row(score="20", reason=reason)
        assert faults(given)[0].startswith("line 2, reason: is missing"), repr(reason)
    load(as_file(given), reason="重新测试")
    assert TakeChange.objects.get().reason == "重新测试"


def test_other_changes_and_a_score_that_was_never_public_need_no_reason():
    alpha_take()
    make.take(
        on=Tool.objects.get(slug="beta"),
        by=Reviewer.objects.get(slug="builder"),
        score=70,
        published_at=None,
    )
    draft = row(tool="beta", score="20", published="")
    load(as_file(HEADER + row(body="Typo corrected.") + draft))
    load(as_file(HEADER + row(body="Typo corrected.", published="") + draft))
    assert set(Take.objects.values_list("score", flat=True)) == {70, 20}
    assert not TakeChange.objects.exists()


def test_an_emptied_publication_time_withdraws_a_public_take():
    alpha_take()
    load(as_file(HEADER + row(tool="beta")))
    report = load(as_file(HEADER + row(published="")))
    assert Take.objects.count() == 2, "a take that the file does not name stays"
    take = Take.objects.get(tool__slug="alpha")
    assert (take.published_at, take.withdrawn_at) == (None, NOW)
    assert report.changed.entries[0].withdrawn


def test_a_dry_run_lists_what_a_load_does_and_only_reads():
    alpha_take()
    before, history = rows(), Take.history.count()
    text = HEADER + row(score="20", reason="Why") + row(tool="beta")
    with CaptureQueriesContext(connection) as queries:
        report = load(as_file(text), dry_run=True)
    verbs = {query["sql"].split()[0] for query in queries.captured_queries}
    assert verbs.isdisjoint({"INSERT", "UPDATE", "DELETE"})
    assert report.counts["takes"] == RowCounts(created=1, changed=1)
    assert (rows(), Take.history.count(), TakeChange.objects.count()) == (before, history, 0)
    apply(report)
    assert load(as_file(text)).counts["takes"] == RowCounts(left_alone=2)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_tool_that_is_deleted_after_the_comparison_ends_in_a_fault():
    changes = load(as_file(HEADER + row()), dry_run=True)
    Tool.objects.get(slug="alpha").remove(NOW)
    with pytest.raises(InvalidFileError):
        apply(changes)


@pytest.mark.both_databases
def test_two_loads_that_create_the_same_take_end_in_a_conflict(monkeypatch):
    def lose(*_):
        raise IntegrityError("UNIQUE constraint failed")

    monkeypatch.setattr("shipskip.catalogue.applying.write_takes", lose)
    with pytest.raises(SiteChangedError):
        load(as_file(HEADER + row()))


def test_an_error_of_the_program_is_not_reported_as_a_fault_of_the_file(monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("shipskip.catalogue.document.faults_of", fail)
    with pytest.raises(ZeroDivisionError):
        load(as_file(HEADER + row(score="x")))


def test_two_thousand_rows_are_loaded_in_some_hundred_queries():
    chat = Category.objects.get(slug="chat")
    Tool.objects.bulk_create(Tool(slug=f"t-{at}", name="T", category=chat) for at in range(1_000))
    both = ("builder", "skeptic")
    text = HEADER + "".join(row(tool=f"t-{at}", reviewer=by) for at in range(1_000) for by in both)
    with CaptureQueriesContext(connection) as queries:
        assert load(as_file(text)).counts["takes"] == RowCounts(created=2_000)
    assert len(queries) < 4 * 40
    assert load(as_file(text)).counts["takes"] == RowCounts(left_alone=2_000)


def test_the_queries_of_some_rows_do_not_depend_on_their_number():
    chat = Category.objects.get(slug="chat")
    Tool.objects.bulk_create(Tool(slug=f"t-{at}", name="T", category=chat) for at in range(40))

    def queries(number: int, **cells) -> int:
        text = HEADER + "".join(row(tool=f"t-{at}", **cells) for at in range(number))
        with CaptureQueriesContext(connection) as found:
            load(as_file(text))
        return len(found)

    assert queries(2) == queries(30, reviewer="skeptic")
    assert queries(2, body="b") == queries(30, reviewer="skeptic", body="b")
    assert queries(2, body="b") == queries(30, reviewer="skeptic", body="b")


# --- The commands ----------------------------------------------------------------------------


def run(*arguments) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


@pytest.mark.both_databases
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
