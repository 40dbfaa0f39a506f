"""A backup is written, all content is lost, and the backup restores it."""

import re
import shutil
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import StringIO
from pathlib import Path
from threading import Barrier, Event
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.utils import timezone

from reviews import voting
from shipskip.page_cache.version_triggers import installed
from tests import factories as make
from tests.deploy.production_site import database
from tests.faults.disk import SmallDisk
from tests.operations.sites import Site, altered_backup, temporary_site
from tools.models import Tool

VOTERS = 4

pytestmark = pytest.mark.both_databases

PAGE = "/compare/cursor-background-agent-vs-smollm3/"


def delete_a_tool() -> None:
    Tool.objects.filter(slug="smollm3").delete()


@pytest.fixture(scope="module", autouse=True)
def _unblocked(django_db_setup, django_db_blocker) -> Iterator[None]:
    """These tests use the suite's own connection only to find its server."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("backups")


@pytest.fixture(scope="module")
def site(_unblocked, folder) -> Iterator[Site]:
    with temporary_site(folder) as site_with_content:
        yield site_with_content


@pytest.fixture(scope="module")
def backup(site: Site, folder: Path) -> Path:
    path = folder / "backup.zip"
    assert "rows" in site.manage("backup", str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return path


@pytest.fixture(scope="module")
def content_before(site: Site, backup: Path) -> dict[str, list[str]]:
    return site.content()


OLD = ("shipskip-20260101-000000.zip", "shipskip-20260102-000000.zip.age")


def test_a_backup_in_a_folder_is_copied_and_restores_everything_that_was_lost(
    site, content_before, tmp_path, settings
):
    """Backups that are older than it by some days are deleted, and no other files."""
    page = site.page(PAGE)
    assert "SmolLM3" in page
    kept = {"shipskip-29990101-000000.zip", "shipskip-notes.zip"}
    for name in (*OLD, *kept):
        (tmp_path / name).touch()
    copies = tmp_path / "copies"
    copies.mkdir()
    settings.BACKUP_COPY = "false"
    assert "was made, but not copied" in site.refused("backup", str(tmp_path), "--days", "2")
    (file,) = [path for path in tmp_path.glob("*.zip") if path.name not in {*OLD, *kept}]
    assert (tmp_path / OLD[0]).exists(), "nothing is deleted before the new one is copied"
    file.unlink()
    settings.BACKUP_COPY = f"cp --target-directory={copies}"
    assert "Copied by BACKUP_COPY" in site.manage("backup", str(tmp_path), "--days", "2")
    (file,) = [path for path in tmp_path.iterdir() if path.name not in {*kept, "copies"}]
    assert (copies / file.name).read_bytes() == file.read_bytes()
    site.run(delete_a_tool)
    site.run(lambda: User.objects.create_user("later"))
    assert "SmolLM3" not in site.page(PAGE)
    assert "auth_user: 1 more rows" in site.manage("restore", str(file), "--lost")
    assert "the row counts are the same" in site.manage("restore", str(file), "--replace")
    assert site.content() == content_before
    assert site.page(PAGE) == page
    assert "Every tally agrees" in site.manage("recount", "--check")


def test_a_site_that_copied_its_backups_by_an_earlier_release_is_told_what_to_set(
    site, tmp_path, settings
):
    settings.RETIRED_SETTINGS = {"BACKUP_S3": "BACKUP_S3 is no longer a setting."}
    told = site.refused("backup", str(tmp_path))
    assert "was made, but not copied" in told
    assert "BACKUP_S3 is no longer a setting." in told
    encrypted = tmp_path / "old.zip.age"
    encrypted.write_bytes(b"age-encryption.org/v1 and so on")
    assert "age --decrypt" in site.refused("restore", str(encrypted), "--replace")


def test_a_backup_restores_everything_on_a_new_machine_and_a_new_site(
    site, backup, content_before, folder
):
    """Into an empty database; and, of an earlier release, without confirmation into a migrated one:
    its manifest also contains checksums of the catalogue and of a page.
    """
    more = {"catalogue": "0" * 64, "page": "/", "page_bytes": "0" * 64}
    earlier = altered_backup(
        backup, folder / "earlier.zip", manifest=lambda content: content.update(more)
    )
    with database(folder, connection.vendor) as url, temporary_site(folder, full=False) as new:
        for other, file in ((Site(url), backup), (new, earlier)):
            assert "the row counts are the same" in other.manage("restore", str(file))
            assert other.content() == content_before
            assert other.page(PAGE) == site.page(PAGE)
            triggers = site.run(lambda: installed(connection))
            assert other.run(lambda: installed(connection)) == triggers
            other.run(lambda: make.tool())  # the sequences are restored too


def overwritten(content: bytes) -> bytes:
    return content[: len(content) // 3] + b"\0" * (len(content) // 3)


DAMAGES = {
    "cut off": lambda backup, to: to.write_bytes(backup.read_bytes()[:-5000]),
    "no archive": lambda backup, to: to.write_bytes(b"once upon a time"),
    "empty": lambda backup, to: to.write_bytes(b""),
    "another kind of database": lambda backup, to: altered_backup(
        backup, to, manifest=lambda content: content.update(vendor="oracle")
    ),
    "a newer version": lambda backup, to: altered_backup(
        backup, to, manifest=lambda content: content["migrations"].append("tools.9999_later")
    ),
    "a newer format": lambda backup, to: altered_backup(
        backup, to, manifest=lambda content: content.update(format="shipskip-backup/2")
    ),
    "a manifest without its counts": lambda backup, to: altered_backup(
        backup, to, manifest=lambda content: content.pop("rows")
    ),
    "a damaged database in a whole archive": lambda backup, to: altered_backup(
        backup, to, database=overwritten
    ),
}


def test_a_backup_that_cannot_be_restored_completely_changes_nothing(
    site, backup, content_before, tmp_path
):
    assert "--replace" in site.refused("restore", str(backup))
    for name, damage in DAMAGES.items():
        damage(backup, tmp_path / "damaged.zip")
        output = site.refused("restore", str(tmp_path / "damaged.zip"), "--replace")
        assert "Nothing was restored" in output, name
    wrong = {"tools_tool": 31, "reviews_vote": 0, "unheard_of": 1}
    other = altered_backup(
        backup, tmp_path / "b.zip", manifest=lambda content: content["rows"].update(wrong)
    )
    output = site.refused("restore", str(other), "--replace")
    for table, number in wrong.items():
        assert f"{table}: {number} rows in the backup" in output
    assert site.content() == content_before


def test_a_failed_backup_deletes_nothing_and_leaves_no_partial_file(site, tmp_path):
    missing = str(tmp_path / "missing" / "b.zip")
    assert "There is no folder" in site.refused("backup", missing)
    folder = f"{tmp_path}/copies"
    assert f"There is no folder {folder}: make it" in site.refused("backup", folder)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not SmallDisk.possible(), reason="only root may mount a small disk")
def test_a_full_disk_is_a_sentence(site, tmp_path):
    with SmallDisk(tmp_path) as disk:
        disk.fill()
        output = site.refused("backup", str(disk.place / "b.zip"))
        assert re.search(r"may need \d+ MB in .* while it runs, and only 0 MB are free", output)
        assert [path.name for path in disk.place.iterdir()] == ["filler"]


def test_the_newest_backup_is_tried_in_a_scratch_database(site, backup, tmp_path, settings):
    """The site stays as it is. The nightly run's test proves one that can be restored."""
    settings.BACKUP_DIR = tmp_path
    before = site.content()
    shutil.copy(backup, tmp_path / "shipskip-20260101-000000.zip")
    newest = tmp_path / "shipskip-20260102-000000.zip"
    altered_backup(backup, newest, manifest=lambda content: content["rows"].update(tools_tool=1))
    assert "tools_tool: 1 rows in the backup" in site.refused("restore", "--check")
    assert site.content() == before
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite needs no program")
def test_a_backup_without_its_programs_says_what_to_install(site, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "pg_dump is missing" in site.refused("backup", str(tmp_path / "b.zip"))


def network_of(number: int) -> str:
    """A network whose wider networks reach no limit of votes, however long a backup takes."""
    return f"{1 + number % 200}.{number // 200 % 250}.0.0/24"


def test_a_backup_and_a_restore_beside_voters_find_no_difference(site, folder):
    """Copy and counts of a backup come from one snapshot; otherwise votes in between would be
    missing. Votes come again before the restored rows could be counted from outside of their
    transaction. A voter who holds one table and waits for another is no deadlock. The last test:
    its votes stay.
    """
    begun, done = Barrier(VOTERS + 1), Event()

    def vote(voter: int) -> int:
        cast = 0
        try:
            while not done.is_set():
                with suppress(DatabaseError):
                    tool = Tool.objects.get(slug="smollm3")
                    network = network_of(VOTERS * cast + voter)
                    voting.cast(tool, uuid4(), "ship", network, timezone.now())
                    cast += 1
                    if cast == 1:
                        begun.wait(300)
        finally:
            connection.close()
        return cast

    with site.use(), ThreadPoolExecutor(VOTERS) as pool:
        votes = [pool.submit(vote, voter) for voter in range(VOTERS)]
        try:
            begun.wait(300)
            output = StringIO()
            call_command("backup", str(folder / "busy.zip"), stdout=output)
            call_command("restore", str(folder / "busy.zip"), replace=True, stdout=output)
        finally:
            done.set()
        assert all(each.result() > 0 for each in votes)
    assert "the row counts are the same" in output.getvalue()
