"""The commands `load_catalogue` and `dump_catalogue`: output, exit status and files."""

import io
import json
import os
import stat
import threading
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from reviews.models import TakeChange
from shipskip.catalogue.files import CATALOGUE
from shipskip.catalogue.management.commands import dump_catalogue
from tests.catalogue.documents import document, rows, tool, with_facts
from tools.models import Tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(tmp_path):
    """A file with a good document."""
    path = tmp_path / "catalogue.json"
    path.write_text(json.dumps(document()))
    return path


def run(*arguments) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def refused(*arguments) -> tuple[str, list[str]]:
    """The last sentence and the lines above it; the command must end with status 1."""
    err = io.StringIO()
    with pytest.raises(CommandError) as error:
        call_command(*arguments, stdout=io.StringIO(), stderr=err)
    assert error.value.returncode == 1
    return str(error.value), err.getvalue().splitlines()


def test_a_load_reports_what_it_created_changed_and_left_alone(path):
    out, err = run("load_catalogue", path)
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["created", "changed", "removed", "left", "alone"]
    assert ["takes", "2", "0", "0", "0"] in lines
    assert err == ""
    out, _ = run("load_catalogue", path)
    assert out.splitlines()[-1] == "Nothing changed."


def test_a_load_counts_what_it_removed_and_names_overruled_entry_prices(path):
    run("load_catalogue", path)
    path.write_text(json.dumps(with_facts()))
    run("load_catalogue", path)
    path.write_text(json.dumps(with_facts(facts=[], entry="free")))
    dry, _ = run("load_catalogue", path, "--dry-run")
    assert "Removed:\n  facts: context-window of alpha (value: “128,000” → none)\n" in dry
    out, _ = run("load_catalogue", path)
    assert ["facts", "0", "0", "7", "0"] in [line.split() for line in out.splitlines()]
    assert out.endswith(
        "Entry prices that contradict the plans; the price of the plans is stored:\n"
        "  tools: alpha (entry: “free” → “freemium”)\n\n"
    )


def test_every_fault_is_printed_and_counted_and_nothing_is_written(path):
    given = document()
    given["tools"][0]["takes"][0]["score"] = 140
    given["tools"][1]["name"] = ""
    path.write_text(json.dumps(given))
    sentence, lines = refused("load_catalogue", path)
    assert sentence == f"{path}: 2 faults, nothing written"
    assert lines[0] == "tools[0].takes[0].score: 140 is not between 0 and 100"
    assert lines[1].startswith("tools[1].name: is empty")
    assert not any(rows().values())


def test_after_some_hundred_faults_reading_stops_and_the_rest_is_counted(path):
    path.write_text(json.dumps(document(tools=[{}] * 2_000, comparisons=[{}])))
    sentence, lines = refused("load_catalogue", path)
    assert sentence.endswith("502 faults, nothing written")
    assert lines[-2].startswith("tools[166].category: is missing")
    assert lines[-1] == ("the document: has at least 500 faults; 1,834 entries were not looked at")


def test_a_missing_file_is_explained(tmp_path):
    sentence, lines = refused("load_catalogue", tmp_path / "none.json")
    assert sentence == f"{tmp_path / 'none.json'}: No such file or directory; nothing written"
    assert lines == []


def test_a_folder_instead_of_a_file_is_explained(tmp_path):
    assert "Is a directory" in refused("load_catalogue", tmp_path)[0]


def test_an_empty_file_is_explained(path):
    path.write_bytes(b"")
    sentence, lines = refused("load_catalogue", path)
    assert sentence.endswith("1 fault, nothing written")
    assert lines[0].startswith("the document: is empty")


def test_if_empty_loads_only_into_an_empty_site(path):
    assert "takes" in run("load_catalogue", path, "--if-empty")[0]
    Tool.objects.filter(slug="beta").delete()
    out, _ = run("load_catalogue", path, "--if-empty")
    assert out == f"The site has tools already; {path} was not loaded.\n"
    assert Tool.objects.count() == 1


def test_a_dry_run_says_that_nothing_was_written(path):
    out, _ = run("load_catalogue", path, "--dry-run")
    assert "tools                2" in out
    assert out.splitlines()[-1] == "This was a dry run: nothing was written."
    assert not any(rows().values())


def test_a_dry_run_lists_what_would_change_before_it_does(path):
    run("load_catalogue", path)
    given = document()
    given["tools"][0]["takes"][0]["score"] = 40
    given["tools"][0]["tagline"] = "Last"
    given["tools"].append(tool())
    path.write_text(json.dumps(given))
    out, _ = run("load_catalogue", path, "--dry-run")
    assert out.splitlines()[:8] == [
        "Scores and verdicts that readers could see:",
        "  takes: skeptic on alpha (score: 72 → 40)",
        "",
        "Changed:",
        "  tools: alpha (tagline: “First of all” → “Last”)",
        "",
        "New:",
        "  tools: gamma",
    ]
    assert "for the public record: 1" in out
    assert TakeChange.objects.count() == 0


@pytest.mark.parametrize(
    ("options", "reason"),
    [([], CATALOGUE.reason), (["--reason", " Pricing tripled "], "Pricing tripled")],
)
def test_a_changed_public_score_gets_the_reason_that_is_given(path, options, reason):
    run("load_catalogue", path)
    path.write_text(path.read_text().replace('"score": 72', '"score": 40'))
    run("load_catalogue", path, *options)
    assert TakeChange.objects.get().reason == reason


@pytest.mark.parametrize("reason", ["", " ", "\u200b", "x" * 201, "two\nlines"])
def test_an_invalid_reason_is_refused(path, reason):
    with pytest.raises(CommandError, match="--reason"):
        run("load_catalogue", path, "--reason", reason)
    assert not any(rows().values())


def test_a_database_error_is_explained(path, monkeypatch):
    def refuse(*_, **__):
        raise OperationalError("database is locked")

    monkeypatch.setattr("shipskip.catalogue.management.load_command.apply", refuse)
    assert (
        "the database reports “database is locked”; nothing written"
        in (refused("load_catalogue", path)[0])
    )


def test_a_document_may_be_read_from_a_pipe(path, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(path.read_bytes()))
    writer.start()
    run("load_catalogue", pipe)
    writer.join()
    assert Tool.objects.count() == 2


def test_a_dump_is_printed_or_written_to_a_file(path, tmp_path):
    run("load_catalogue", path)
    printed, _ = run("dump_catalogue")
    target = tmp_path / "dump.json"
    assert run("dump_catalogue", target) == ("", "")
    assert target.read_text() == printed
    assert json.loads(printed)["tools"][0]["slug"] == "alpha"
    assert sorted(tmp_path.iterdir()) == [path, target]


def test_a_dump_replaces_a_file_and_keeps_its_mode(path):
    run("load_catalogue", path)
    path.chmod(0o640)
    before = path.stat().st_ino
    run("dump_catalogue", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.stat().st_ino != before


def test_a_dump_that_fails_leaves_the_old_file_as_it_was(path, monkeypatch):
    def fail():
        yield "{"
        raise OperationalError("connection lost")

    monkeypatch.setattr(dump_catalogue.Command, "kind", replace(CATALOGUE, dump=fail))
    before = path.read_bytes()
    assert "connection lost" in refused("dump_catalogue", path)[0]
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_dump_into_a_missing_folder_is_explained(tmp_path):
    target = tmp_path / "none" / "dump.json"
    assert refused("dump_catalogue", target)[0] == f"{target}: No such file or directory"
