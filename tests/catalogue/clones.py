"""Clones of models.dev for tests: a few of its real files, to which a test adds its own."""

import io
import json
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from django.core.management import call_command

from shipskip.catalogue.changes import Changes
from tests.catalogue.documents import as_file, load

REAL_FILES = Path(__file__).parent / "models_dev"
DAY = "2026-07-02T00:40:28+08:00"
"""The moment of each commit; its day in UTC is the first."""


class Clone:
    """A repository with the real files, committed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(committed(), folder)

    def put(self, path: str, text: str | bytes) -> None:
        """Write a file; what is committed next has it."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def change(self, path: str, before: str, after: str) -> None:
        """Replace a part of a file."""
        text = (self.folder / path).read_text()
        assert before in text
        self.put(path, text.replace(before, after))

    def link(self, path: str, target: str) -> None:
        """Make a symbolic link."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)

    def commit(self) -> str:
        """Commit everything; returns the id of the commit."""
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-q", "--allow-empty", "-m", "data")
        return git(self.folder, "rev-parse", "HEAD").strip()

    def document(self) -> tuple[dict[str, Any], list[str]]:
        """What the command prints, and the lines of its standard error."""
        out, err = io.StringIO(), io.StringIO()
        call_command("catalogue_from", "models.dev", self.folder, stdout=out, stderr=err)
        return json.loads(out.getvalue()), err.getvalue().splitlines()

    def load(self, *, dry_run: bool = False) -> Changes:
        """Load the document of the newest commit."""
        return load(as_file(self.document()[0]), dry_run=dry_run)


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, as always the same author on the same day; returns what it prints."""
    own = {"GIT_AUTHOR_DATE": DAY, "GIT_COMMITTER_DATE": DAY, "GIT_CONFIG_GLOBAL": os.devnull}
    for who in ("AUTHOR", "COMMITTER"):
        own |= {f"GIT_{who}_NAME": "test", f"GIT_{who}_EMAIL": "test@example.org"}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env=os.environ | own,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


@cache
def committed() -> Path:
    """A repository with the real files, committed; to be copied."""
    folder = Path(tempfile.mkdtemp()) / "clone"
    shutil.copytree(REAL_FILES, folder)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "data")
    return folder
