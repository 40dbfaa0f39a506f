"""Uploaded files, stored between the preview of their changes and the load.

A file is stored in var/uploads under a random name, readable only by the site. It is deleted when
it was loaded or has faults, or after an hour. The page that shows its changes contains a signed
ticket: the file's name and digest, its owner, and the fingerprint of the changes. So no editor can
load another's file, the content cannot be replaced, and every worker of the machine can load it.
(On another machine the page asks the editor to choose the file again; nothing is lost.)
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

from shipskip.catalogue.spreadsheet_columns import Spelling
from shipskip.web.typed_values import DayOrder, DecimalSign

MAX_BYTES = 5 * 1024 * 1024
MAX_AGE = timedelta(hours=1)
_SALT = "shipskip.desk.uploads"
_NAME = re.compile(r"[0-9a-f]{32}", re.ASCII)


class UploadMissingError(Exception):
    """The file was deleted, belongs to another editor, or is not the one that was previewed."""


@dataclass(frozen=True)
class Ticket:
    """A page's reference to a stored file; `title` is the name on the editor's disk."""

    name: str
    digest: str
    title: str
    owner: int
    fingerprint: str = ""
    reason: str = ""
    asks_reason: bool = False
    decimal_sign: str = ""
    day_order: str = ""

    @property
    def spelling(self) -> Spelling:
        """What the editor said of the file's numbers and days."""
        sign = DecimalSign(self.decimal_sign) if self.decimal_sign else None
        return Spelling(sign, DayOrder(self.day_order) if self.day_order else None)

    def signed(self) -> str:
        """The ticket as text for a form."""
        return signing.dumps(asdict(self), salt=_SALT, compress=True)

    @classmethod
    def read(cls, text: str, owner: int) -> "Ticket":
        """The ticket in a form that `owner` submitted; raises UploadMissingError."""
        try:
            found = cls(**signing.loads(text, salt=_SALT, max_age=MAX_AGE))
        except (signing.BadSignature, TypeError):
            raise UploadMissingError from None
        if found.owner != owner:
            raise UploadMissingError
        return found


def store(upload: "UploadedFile[bytes]", owner: int, now: datetime) -> Ticket:
    """Store an upload, and delete expired ones."""
    delete_expired(now)
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
    """Claim the file of a ticket for this request: concurrent requests get UploadMissingError.

    The file is available again afterwards, unless it was discarded.
    """
    path = _path(ticket.name)
    mine = path.with_suffix(".claimed")
    try:
        path.rename(mine)
    except FileNotFoundError:
        raise UploadMissingError from None
    try:
        with mine.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != ticket.digest:
                mine.unlink()
                raise UploadMissingError
            yield file
    finally:
        with suppress(FileNotFoundError):
            mine.rename(path)


def discard(ticket: Ticket) -> None:
    """Delete a file, stored or claimed; a missing one is not an error."""
    for path in (_path(ticket.name), _path(ticket.name).with_suffix(".claimed")):
        path.unlink(missing_ok=True)


def delete_expired(now: datetime) -> int:
    """Delete every file older than an hour; return how many."""
    deleted = 0
    for path in _folder().iterdir():
        with suppress(FileNotFoundError):  # another worker may have deleted it
            if path.stat().st_mtime < (now - MAX_AGE).timestamp():
                path.unlink()
                deleted += 1
    return deleted


def _folder() -> Path:
    folder = Path(settings.VAR_DIR) / "uploads"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _path(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise UploadMissingError
    return _folder() / name
