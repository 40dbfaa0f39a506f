"""Files of the commands: input from a file or a pipe, a progress bar, atomic output."""

import os
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import IO, NoReturn

from django import db
from django.core.management.base import CommandError, OutputWrapper
from tqdm import tqdm


def seekable(file: IO[bytes], stack: ExitStack) -> IO[bytes]:
    """Return the file itself, or a temporary copy of a pipe, which can be read only once."""
    if file.seekable():
        return file
    copy: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - the stack closes it
    stack.callback(copy.close)
    shutil.copyfileobj(file, copy)
    return copy


class ProgressBar:
    """A progress bar for each stage on a terminal; no output elsewhere."""

    def __init__(self) -> None:
        self._bar: tqdm[NoReturn] | None = None
        self._stage, self._done = "", 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show that `done` of `total` steps of a stage are done."""
        if self._bar is None or self._stage != stage:
            self._close()
            screen = shutil.get_terminal_size()  # has a default where a terminal reports 0 by 0
            self._stage, self._done = stage, 0
            self._bar = tqdm(
                desc=stage,
                total=total,
                unit="",
                unit_scale=True,
                leave=False,
                ncols=screen.columns - 1,
                nrows=screen.lines - 1,
                file=sys.stderr,
                disable=None,
            )
        self._bar.update(done - self._done)
        self._done = done

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def put(out: OutputWrapper, file: Path | None, pieces: Generator[str, None, None]) -> None:
    """Print the pieces, or replace `file` with them once all are written.

    Raises CommandError when the file cannot be written or the database cannot be read.
    """
    try:
        with closing(pieces):
            if file:
                _replace(file.resolve(), pieces)
            else:
                _print(out, pieces)
    except BrokenPipeError:
        # The reader closed the pipe. Output that Python flushes at exit goes to /dev/null.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise CommandError(f"{file or 'output'}: {error.strerror or error}") from None
    except db.Error as error:
        message = str(error).strip().partition("\n")[0]
        raise CommandError(f"The database reports “{message}”. Has “migrate” been run?") from None


def _print(out: OutputWrapper, pieces: Iterable[str]) -> None:
    # UTF-8 with unchanged line ends, in any locale.
    reconfigure = getattr(out, "reconfigure", None)
    if reconfigure:
        reconfigure(encoding="utf-8", newline="")
    for piece in pieces:
        out.write(piece, ending="")
    out.flush()


@contextmanager
def replacing(path: Path, permissions: int) -> Iterator[IO[bytes]]:
    """A temporary file that replaces `path` once it is complete and synced to disk."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        with open(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(permissions)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _replace(path: Path, pieces: Iterable[str]) -> None:
    if path.exists() and not path.is_file():
        with path.open("w", encoding="utf-8", newline="") as device:
            device.writelines(pieces)
        return
    permissions = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    with replacing(path, permissions) as file:
        file.writelines(piece.encode() for piece in pieces)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
