"""Files that wait between the look at what they would change and the change itself.

A file is put into var/uploads under a random name, readable by the site alone, and goes as soon
as it is loaded or found faulty, or after an hour. The page that shows its changes carries a signed
ticket: the file's name and digest, whose it is, and the fingerprint of what was shown. So nobody
loads another editor's file, the bytes cannot be swapped, and every worker of the machine finds
them. (On a machine that has no such file the editor is asked to choose it again; nothing is lost.)
"""

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core import signing
from django.core.files.uploadedfile import UploadedFile

MAX_BODY = 5 * 1024 * 1024
KEPT_FOR = timedelta(hours=1)
_SALT = "shipskip.desk.uploads"
_NAME = re.compile(r"[0-9a-f]{32}", re.ASCII)


class GoneError(Exception):
    """The file is not there any more, not this editor's, or not the one that was looked at."""


@dataclass(frozen=True)
class Ticket:
    """What a page knows of a file that waits: `title` is the name it had on the editor's disk."""

    name: str
    digest: str
    title: str
    owner: int
    fingerprint: str = ""
    reason: str = ""
    asks_reason: bool = False

    def signed(self) -> str:
        """The ticket as text for a form."""
        return signing.dumps(asdict(self), salt=_SALT, compress=True)

    @classmethod
    def read(cls, text: str, owner: int) -> "Ticket":
        """The ticket in a form that `owner` sent; raises GoneError for any other text."""
        try:
            found = cls(**signing.loads(text, salt=_SALT, max_age=KEPT_FOR))
        except (signing.BadSignature, TypeError):
            raise GoneError from None
        if found.owner != owner:
            raise GoneError
        return found


def keep(upload: "UploadedFile[bytes]", owner: int, now: datetime) -> Ticket:
    """Put an upload aside, and sweep away what others left an hour ago."""
    sweep(now)
    name = secrets.token_hex(16)
    digest = hashlib.sha256()
    descriptor = os.open(_folder() / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        for piece in upload.chunks():
            digest.update(piece)
            file.write(piece)
    return Ticket(name, digest.hexdigest(), Path(upload.name or "file").name, owner)


@contextmanager
def claimed(ticket: Ticket) -> Iterator[IO[bytes]]:
    """The file of a ticket, for this request alone: a second one at the same time finds nothing.

    It waits again afterwards, unless it was thrown away meanwhile. Raises GoneError.
    """
    path = _path(ticket.name)
    mine = path.with_suffix(".claimed")
    try:
        path.rename(mine)
    except FileNotFoundError:
        raise GoneError from None
    try:
        with mine.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != ticket.digest:
                mine.unlink()
                raise GoneError
            yield file
    finally:
        with suppress(FileNotFoundError):
            mine.rename(path)


def throw_away(ticket: Ticket) -> None:
    """Remove a file, waiting or claimed; one that is gone already is no fault."""
    for path in (_path(ticket.name), _path(ticket.name).with_suffix(".claimed")):
        path.unlink(missing_ok=True)


def sweep(now: datetime) -> None:
    """Remove every file that has waited for more than an hour."""
    for path in _folder().iterdir():
        with suppress(FileNotFoundError):  # another worker sweeps too
            if path.stat().st_mtime < (now - KEPT_FOR).timestamp():
                path.unlink()


def _folder() -> Path:
    folder = Path(settings.VAR_DIR) / "uploads"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _path(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise GoneError
    return _folder() / name
