"""The files of a clone at its newest commit, read by the `git` program.

Nothing is read from the folder itself, so uncommitted changes do not count, and a symbolic link
leads nowhere else than to another file of the commit.
"""

import os
import posixpath
import signal
import subprocess
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import NamedTuple

from shipskip.catalogue.sources.source import UnusableFolderError

MAX_BYTES = 100_000
"""The maximum size of a file that is read."""
MAX_FILES, MAX_ALL_BYTES = 50_000, 64 * 2**20
"""How many files are read, and how many bytes together; a clone with more is refused."""
MAX_OUTPUT, MAX_SECONDS = 128 * 2**20, 60
"""How many bytes one run of git may print, and how long it may take."""
MAX_LINKS = 8
GIT = "git"
_LINK, _SUBMODULE = "120000", "160000"
_ENVIRONMENT = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}


class UnreadableFileError(Exception):
    """A file of the commit cannot be read; the message says why."""


class Commit(NamedTuple):
    """The commit that changed a file last, and its day in UTC."""

    id: str
    day: date


@dataclass(frozen=True)
class _Blob:
    mode: str
    id: str
    size: int


class Clone:
    """The newest commit of a clone, limited to some of its folders."""

    def __init__(self, folder: Path, within: Sequence[str]) -> None:
        """Read the list of files; raises UnusableFolderError for a folder that is no clone."""
        self._folder, self._within = folder, within
        if not folder.is_dir():
            raise UnusableFolderError(f"{folder} is no folder")
        self._check_top()
        self._blobs = dict(self._tree())
        self._contents = dict(self._read_all())

    @cached_property
    def paths(self) -> Collection[str]:
        """The paths of all files and links, sorted; a look-up in them is fast."""
        return dict.fromkeys(sorted(self._blobs))

    def is_dirty(self) -> bool:
        """Whether the work tree has changes in these folders that are not committed."""
        if self._git("rev-parse", "--is-bare-repository").strip() == "true":
            return False
        # The same comparison as `git status`, which could run a program of the configuration.
        options = ["--name-only", "--ignore-submodules=all"]
        return bool(self._git("diff-index", *options, "HEAD", "--", *self._within).strip())

    def target_of(self, path: str) -> str:
        """The path of the file that a path leads to, itself if it is no link; raises
        UnreadableFileError.
        """
        seen = path
        for _ in range(MAX_LINKS):
            blob = self._blobs.get(seen)
            if blob is None:
                is_folder = any(each.startswith(f"{seen}/") for each in self._blobs)
                raise UnreadableFileError(
                    f"is a link to {seen}, which is {'a folder' if is_folder else 'not there'}"
                )
            if blob.mode != _LINK:
                return seen
            link = self._content_of(blob).decode("utf-8", "replace")
            seen = posixpath.normpath(posixpath.join(posixpath.dirname(seen), link))
            if seen.startswith(("/", "../")):
                raise UnreadableFileError(f"is a link out of the clone ({link[:100]})")
        raise UnreadableFileError("is a link to a link without end")

    def text(self, path: str) -> str:
        """The text of a file; raises UnreadableFileError."""
        blob = self._blobs[path]
        if blob.size > MAX_BYTES:
            raise UnreadableFileError(f"has {blob.size:,} bytes; at most {MAX_BYTES:,} are read")
        try:
            return self._content_of(blob).decode()
        except UnicodeDecodeError:
            raise UnreadableFileError("is not UTF-8") from None

    def last_commits(self, paths: Collection[str]) -> dict[str, Commit]:
        """The commit that changed each of these files last."""
        found: dict[str, Commit] = {}
        missing = set(paths)
        log = ["log", "--format=%x01%H %ct", "--name-only", "--no-renames", "HEAD", "--"]
        commit = Commit("", date.min)
        for line in self._git(*log, *self._within).splitlines():
            if line.startswith("\x01"):
                commit_id, seconds = line[1:].split()
                commit = Commit(commit_id, datetime.fromtimestamp(int(seconds), UTC).date())
            elif line in missing:
                found[line] = commit
                missing.remove(line)
            if not missing:
                break
        return found

    def _check_top(self) -> None:
        """Refuse a folder that is no clone, or a folder within one."""
        try:
            prefix = self._git("rev-parse", "--show-prefix").strip()
            self._git("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        except UnusableFolderError as error:
            raise UnusableFolderError(
                f"{self._folder} is no clone of a repository: {error}"
            ) from None
        if prefix:
            raise UnusableFolderError(
                f"{self._folder} is a folder within a clone; give its top folder"
            )

    def _tree(self) -> Iterator[tuple[str, _Blob]]:
        listed = self._git("ls-tree", "-r", "-l", "-z", "--full-tree", "HEAD", "--", *self._within)
        for line in filter(None, listed.split("\0")):
            about, path = line.split("\t", 1)
            mode, _, blob_id, size = about.split()
            if mode != _SUBMODULE:
                yield path, _Blob(mode, blob_id, int(size) if size.isdigit() else 0)

    def _read_all(self) -> Iterator[tuple[str, bytes]]:
        """The contents of all files and links that are not too large, by id; one run of git."""
        sizes = {blob.id: blob.size for blob in self._blobs.values() if blob.size <= MAX_BYTES}
        if len(self._blobs) > MAX_FILES or sum(sizes.values()) > MAX_ALL_BYTES:
            raise UnusableFolderError(
                f"{self._folder} has more than {MAX_FILES:,} files or {MAX_ALL_BYTES:,} bytes"
            )
        output = self._run("cat-file", "--batch", given="\n".join(sorted(sizes)).encode())
        start = 0
        while start < len(output):
            end = output.index(b"\n", start)
            blob_id, *about = output[start:end].decode().split()
            start = end + 1
            if len(about) == 2:  # its kind and size; otherwise it is missing
                size = int(about[1])
                yield blob_id, output[start : start + size]
                start += size + 1

    def _content_of(self, blob: _Blob) -> bytes:
        if blob.id not in self._contents:
            raise UnreadableFileError("is not in this clone, which is a partial one")
        return self._contents[blob.id]

    def _git(self, *arguments: str) -> str:
        return self._run(*arguments).decode("utf-8", "surrogateescape")

    def _run(self, *arguments: str, given: bytes = b"") -> bytes:
        """The output of git; raises UnusableFolderError with what it reports."""
        options = ["-C", str(self._folder), "-c", "core.quotePath=false"]
        # Else the configuration of a clone could name programs that git runs.
        options += ["-c", "log.showSignature=false", "-c", "core.fsmonitor=false"]
        with TemporaryFile() as stdin, TemporaryFile() as stderr:
            stdin.write(given)
            stdin.seek(0)
            try:
                process = subprocess.Popen(  # noqa: S603 - no shell, and our own arguments
                    [GIT, *options, *arguments],
                    stdin=stdin,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    env=os.environ | _ENVIRONMENT,
                )
            except FileNotFoundError:
                raise UnusableFolderError(f"the program “{GIT}” is not installed") from None
            output = _limited_output(process)
            if process.returncode:
                stderr.seek(0)
                said = stderr.read(MAX_BYTES).decode("utf-8", "replace").strip().splitlines()
                raise UnusableFolderError(said[-1] if said else "git reports an error")
            return output


def _limited_output(process: "subprocess.Popen[bytes]") -> bytes:
    """What a process prints until its end; raises UnusableFolderError above the limits."""
    timer = Timer(MAX_SECONDS, process.kill)
    timer.start()
    with process:
        output = process.stdout.read(MAX_OUTPUT + 1) if process.stdout else b""
        if len(output) > MAX_OUTPUT:
            process.kill()
    timer.cancel()
    if process.returncode == -signal.SIGKILL or len(output) > MAX_OUTPUT:
        raise UnusableFolderError(
            f"git prints more than {MAX_OUTPUT:,} bytes or takes more than {MAX_SECONDS} seconds"
        )
    return output
