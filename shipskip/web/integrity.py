"""Subresource integrity: browsers run a script only if its checksum is right."""

import base64
import hashlib
from functools import lru_cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage


def checksum(name: str) -> str:
    """The SHA-256 of a static file for the `integrity` attribute; empty without the file.

    It is computed from the bytes that are served: those of the collected file when file names
    contain a hash.
    """
    collected = getattr(staticfiles_storage, "stored_name", None)
    found = staticfiles_storage.path(collected(name)) if collected else finders.find(name)
    try:
        return _of(found, Path(found).stat().st_mtime_ns) if found else ""
    except FileNotFoundError:
        return ""


@lru_cache(maxsize=64)
def _of(path: str, changed: int) -> str:
    digest = hashlib.sha256(Path(path).read_bytes()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
