"""The one file of a backup: a ZIP archive that holds the manifest and the database's own copy."""

import os
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shipskip.keeping.manifest import Manifest

MANIFEST, DATABASE = "manifest.json", "database"


def write(path: Path, manifest: Manifest, database: Path) -> None:
    """Put the backup in place once it is whole and on the disk, readable by its owner alone."""
    path = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)  # mkstemp makes it 0600, and it stays so: it holds addresses of people
    try:
        with open(handle, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as archive:
                archive.writestr(MANIFEST, manifest.text())
                archive.write(database, DATABASE)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def opened(path: Path) -> Iterator[tuple[Manifest, Path]]:
    """The manifest, and the database's copy unpacked into a folder that goes away again.

    Raises ValueError when the file is no whole backup, OSError when it cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="shipskip-") as folder:
        try:
            with zipfile.ZipFile(path) as archive:
                manifest = Manifest.read(archive.read(MANIFEST).decode())
                archive.extract(DATABASE, folder)  # checks the CRC of every byte
        except (zipfile.BadZipFile, KeyError, EOFError, UnicodeDecodeError) as fault:
            raise ValueError(f"it is no whole backup: {fault}") from None
        yield manifest, Path(folder) / DATABASE
