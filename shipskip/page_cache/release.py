"""A hash of the running release, so that two releases never share a cached page."""

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import django
from django.conf import settings

NO_CODE = {"__pycache__", "node_modules"}
MAX_BYTES = 2**20
"""A larger file is data, not code."""


@cache
def release() -> str:
    """Twelve characters that change with everything a page depends on: the files of the project,
    the collected static files, Django's version, and every setting that JSON can express.
    """
    digest = hashlib.blake2b(django.__version__.encode(), digest_size=6)
    for path in sorted(files()):
        digest.update(f"{path.relative_to(settings.BASE_DIR)}:".encode() + path.read_bytes())
    for name in sorted(name for name in dir(settings) if name.isupper() and "SECRET" not in name):
        try:
            value = json.dumps(getattr(settings, name), sort_keys=True)
        except TypeError:
            continue  # an object: the hash includes the code that defines it
        digest.update(f"{name}={value}".encode())
    return digest.hexdigest()


def files() -> Iterator[Path]:
    """Every file in the project's folders, except hidden folders, VAR_DIR and generated files; the
    lock file, for the libraries; the manifest of static files.
    """
    base = Path(settings.BASE_DIR)
    folders = [row for row in base.iterdir() if row.is_dir() and row.name[0] != "."]
    found = [path for row in folders if row != settings.VAR_DIR for path in row.rglob("*")]
    found += [base / "requirements.lock", Path(settings.STATIC_ROOT) / "staticfiles.json"]
    for path in found:
        code = path.is_file() and not NO_CODE & set(path.parts)
        if code and path.stat().st_size <= MAX_BYTES:
            yield path
