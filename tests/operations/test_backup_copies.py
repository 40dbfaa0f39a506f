"""The recipe for copies of backups in docs/operations.md, with Debian's restic."""

import os
import re
import shutil
import subprocess

import pytest

from tests.source_files import ROOT

RECIPE = r"<!-- the test of this recipe runs it -->\n```sh\n(.*?)```"
pytestmark = pytest.mark.skipif(not shutil.which("restic"), reason="restic is not installed")


def test_the_script_copies_a_backup_encrypted_and_it_comes_back_the_same(tmp_path):
    """Into a folder instead of S3: the script is the same but for the address."""
    (script,) = re.findall(RECIPE, (ROOT / "docs/operations.md").read_text(), re.S)
    script = script.replace("/srv/shipskip", str(tmp_path))
    script = re.sub(r"s3:https://\S+", f"{tmp_path}/repository", script)
    program = tmp_path / "copy-backup"
    program.write_text(script)
    program.chmod(0o700)
    (tmp_path / "restic-password").write_text("a long passphrase\n")
    env = os.environ | {
        "RESTIC_REPOSITORY": f"{tmp_path}/repository",
        "RESTIC_PASSWORD_FILE": f"{tmp_path}/restic-password",
        "RESTIC_CACHE_DIR": f"{tmp_path}/cache",
    }

    def restic(*arguments: str) -> str:
        command = ["restic", "--quiet", *arguments]
        return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout

    restic("init")
    for day in ("01", "02"):
        backup = tmp_path / f"shipskip-202601{day}-000000.zip"
        backup.write_bytes(f"an address: reader@example.org, {day}".encode())
        subprocess.run([program, backup], check=True, env={"PATH": os.environ["PATH"]})
    restic("restore", "latest", "--tag", "shipskip", "--target", str(tmp_path / "back"))
    (back,) = (tmp_path / "back").rglob("shipskip-20260102-000000.zip")
    assert back.read_bytes() == backup.read_bytes()
    stored = [path for path in (tmp_path / "repository").rglob("*") if path.is_file()]
    assert not any(b"reader@example.org" in path.read_bytes() for path in stored)
