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
from tests.catalogue.documents import FACTS, document, rows, tool, with_facts
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


def test_a_dry_run_lists_what_the_load_then_does_and_counts(path, snapshot):
    out, err = run("load_catalogue", path)
    assert err == ""
    assert ["takes", "2", "0", "0", "0"] in [line.split() for line in out.splitlines()]
    assert run("load_catalogue", path)[0].splitlines()[-1] == "Nothing changed."
    path.write_text(json.dumps(with_facts()))
    run("load_catalogue", path)
    given = with_facts(facts=FACTS[1:], entry="free", tagline="Last")
    given["tools"][0]["takes"][0]["score"] = 40
    given["tools"].append(tool())
    path.write_text(json.dumps(given))
    before = rows()
    dry, _ = run("load_catalogue", path, "--dry-run")
    assert (rows(), TakeChange.objects.count()) == (before, 0)
    assert dry == snapshot
    out, _ = run("load_catalogue", path)
    counts = dry[dry.index("created") : dry.index("This was a dry run")]
    assert counts in out
    assert out.rstrip().endswith("tools: alpha (entry: “free” → “freemium”)")
    assert TakeChange.objects.get().reason == CATALOGUE.reason


def test_every_fault_is_printed_and_counted_and_nothing_is_written(path):
    given = document()
    given["tools"][0]["takes"][0]["score"] = 140
    given["tools"][1]["name"] = ""
    path.write_text(json.dumps(given))
    sentence, lines = refused("load_catalogue", path)
    assert sentence == f"{path}: 2 faults, nothing written"
    assert lines[0] == "tools[0].takes[0].score: 140 is not between 0 and 100"
    assert lines[1].startswith("tools[1].name: is empty")
    for reason in ("", "\u200b", "x" * 201, "two\nlines"):
        assert "--reason" in refused("load_catalogue", path, "--reason", reason)[0]
    assert not any(rows().values())


def test_a_file_that_is_missing_a_folder_or_empty_is_explained(path, tmp_path):
    sentence, lines = refused("load_catalogue", tmp_path / "none.json")
    assert sentence == f"{tmp_path / 'none.json'}: No such file or directory; nothing written"
    assert lines == []
    assert "Is a directory" in refused("load_catalogue", tmp_path)[0]
    path.write_bytes(b"")
    sentence, lines = refused("load_catalogue", path)
    assert sentence.endswith("1 fault, nothing written")
    assert lines[0].startswith("the document: is empty")
    target = tmp_path / "none" / "dump.json"
    assert refused("dump_catalogue", target)[0] == f"{target}: No such file or directory"


def test_if_empty_loads_only_into_an_empty_site_and_a_changed_score_gets_the_reason(path):
    assert "takes" in run("load_catalogue", path, "--if-empty")[0]
    Tool.objects.filter(slug="beta").delete()
    out, _ = run("load_catalogue", path, "--if-empty")
    assert out == f"The site has tools already; {path} was not loaded.\n"
    assert Tool.objects.count() == 1
    path.write_text(path.read_text().replace('"score": 72', '"score": 40'))
    run("load_catalogue", path, "--reason", " Pricing tripled ")
    assert TakeChange.objects.get().reason == "Pricing tripled"


def test_a_database_error_is_explained(path, monkeypatch):
    def refuse(*_, **__):
        raise OperationalError("database is locked")

    monkeypatch.setattr("shipskip.catalogue.management.load_command.apply", refuse)
    sentence, _ = refused("load_catalogue", path)
    assert "the database reports “database is locked”; nothing written" in sentence


def test_a_document_may_be_read_from_a_pipe(path, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(path.read_bytes()))
    writer.start()
    run("load_catalogue", pipe)
    writer.join()
    assert Tool.objects.count() == 2


def test_a_dump_is_printed_or_replaces_a_file_and_keeps_its_mode(path, tmp_path):
    run("load_catalogue", path)
    printed, _ = run("dump_catalogue")
    target = tmp_path / "dump.json"
    assert run("dump_catalogue", target) == ("", "")
    assert target.read_text() == printed
    assert json.loads(printed)["tools"][0]["slug"] == "alpha"
    target.chmod(0o640)
    before = target.stat().st_ino
    run("dump_catalogue", target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.stat().st_ino != before
    assert sorted(tmp_path.iterdir()) == [path, target]


def test_a_dump_that_fails_leaves_the_old_file_as_it_was(path, monkeypatch):
    def fail():
        yield "{"
        raise OperationalError("connection lost")

    monkeypatch.setattr(dump_catalogue.Command, "kind", replace(CATALOGUE, dump=fail))
    before = path.read_bytes()
    assert "connection lost" in refused("dump_catalogue", path)[0]
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
