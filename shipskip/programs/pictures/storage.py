"""Drawn pictures: files in var/pictures of each machine, and the queue of those to be drawn."""

import hashlib
import os
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from threading import get_ident
from time import time

from django.conf import settings

from shipskip.content.share_picture import SharePicture
from shipskip.programs.pictures import drawing_process
from shipskip.programs.pictures.drawing import svg
from shipskip.web.background import start_once

MAX_WAITING = 50
"""How many pictures wait to be drawn at most; no others are taken."""

MAX_STORED_BYTES = 512 * 2**20
"""How many bytes `tidy` leaves: those of some 15,000 pictures."""

DRAFT_LIFETIME = timedelta(hours=1)
"""After this time a picture that ended its process is drawn once more."""


def path_of(picture: SharePicture) -> Path:
    """Where a picture is stored once it is drawn; its address may be longer than a file's name."""
    name = hashlib.blake2b(picture.address.encode(), digest_size=16).hexdigest()
    return _folder() / f"{name}.png"


def draw_later(picture: SharePicture) -> None:
    """Have a picture drawn by the one process of this machine that draws, unless too many wait."""
    path = path_of(picture)
    waiting, draft = path.with_suffix(".svg"), path.with_suffix(".draft")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        if time() - draft.stat().st_mtime < DRAFT_LIFETIME.total_seconds():
            return
    if not waiting.exists():
        if len(list(path.parent.glob(drawing_process.WAITING))) >= MAX_WAITING:
            return
        written = waiting.with_suffix(f".{os.getpid()}-{get_ident()}")
        written.write_text(svg(picture))
        written.replace(waiting)
    start_once(_folder() / "lock", "-m", drawing_process.__name__, str(_folder()))


def delete_oldest(now: datetime) -> int:
    """Delete the pictures that were drawn first, until MAX_STORED_BYTES are left, and old drafts;
    return how many files.
    """
    old_draft = (now - DRAFT_LIFETIME).timestamp()
    files = []
    for path in _folder().glob("*.*"):
        with suppress(FileNotFoundError):  # it was just drawn
            files.append((path.stat(), path))
    left, deleted = MAX_STORED_BYTES, 0
    for about, path in sorted(files, key=lambda file: file[0].st_mtime, reverse=True):
        left -= about.st_size
        if left < 0 or (path.suffix != ".png" and about.st_mtime < old_draft):
            path.unlink(missing_ok=True)
            deleted += 1
    return deleted


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "pictures"
