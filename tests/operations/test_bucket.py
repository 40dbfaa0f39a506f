"""Backups are copied into a bucket of a real S3 server, and deleted there by age."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from shipskip.operations.backups import bucket
from tests.free_port import free_port, is_listening
from tests.waiting import wait_until

WEED = Path(sys.executable).parent / "weed"
pytestmark = pytest.mark.skipif(not WEED.exists(), reason="SeaweedFS has no wheel for this system")
ACCESS_KEY, SECRET = "access", "secret/with+signs"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an S3 server that checks signatures."""
    folder = tmp_path_factory.mktemp("s3")
    identity = {
        "name": "site",
        "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET}],
        "actions": ["Admin", "Read", "List", "Write"],
    }
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    ports = {name: str(free_port()) for name in ("master.port", "volume.port", "filer.port")}
    ports |= {f"{name}.grpc": str(free_port()) for name in ports}
    s3 = free_port()
    options = [f"-{name}={port}" for name, port in ports.items()]
    options += ["-s3", f"-s3.port={s3}", f"-s3.port.grpc={free_port()}", "-ip=127.0.0.1"]
    options += [f"-s3.config={folder}/s3.json", f"-dir={folder}", "-master.volumeSizeLimitMB=8"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([WEED, "server", *options], stdout=log, stderr=log)
    try:
        wait_until(lambda: is_listening(s3))  # a backup that is refused tries again seconds later
        yield f"http://{ACCESS_KEY}:secret%2Fwith%2Bsigns@127.0.0.1:{s3}/backups"
    finally:
        process.kill()
        process.wait()


def test_a_backup_is_copied_and_old_copies_are_deleted(server, tmp_path, settings):
    settings.BACKUP_S3 = f"{server}/site"
    old, new = tmp_path / "shipskip-20260101-000000.zip", tmp_path / "shipskip-20260601-000000.zip"
    old.write_bytes(b"old" * 1000)
    new.write_bytes(b"new" * 1000)
    wait_until(lambda: stores(old))
    month = datetime(2026, 5, 1, tzinfo=UTC)
    assert bucket.store(new, delete_before=month) == [old.name]
    assert bucket.store(new, delete_before=month) == []


def stores(file: Path) -> bool:
    """Whether the server has begun and stores this file."""
    try:
        bucket.store(file, delete_before=None)
    except bucket.BucketError:
        return False
    return True


def test_a_refusal_of_the_bucket_is_a_sentence(server, tmp_path, settings):
    settings.BACKUP_S3 = server.replace("secret%2F", "wrong%2F")
    file = tmp_path / "shipskip-20260101-000000.zip"
    file.write_bytes(b"some bytes")
    with pytest.raises(bucket.BucketError, match=r"(?s)403|SignatureDoesNotMatch|PermissionDenied"):
        bucket.store(file, delete_before=None)
