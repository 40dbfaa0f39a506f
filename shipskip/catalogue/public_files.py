"""What readers see of the catalogue as files: one JSON document, and CSV files in a zip.

`manage.py work` makes a new edition once an hour if readers see something else by then. An edition
is a folder in var/data; current.json beside them describes the one that is served. The version is a
hash of the document: equal content, equal version.
"""

import csv
import fcntl
import gzip
import hashlib
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import brotli
from django.apps import apps
from django.conf import settings
from django.db.models import Count, Max

from shipskip.catalogue.csv import BYTE_ORDER_MARK, public_columns, row_of
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.entries import KINDS, PARTS, SYNONYM, TOOL, Kind
from shipskip.catalogue.rows import Values
from shipskip.page_cache.content_version import moments_around, stored_number
from shipskip.web.command_files import replacing

LIFETIME = timedelta(hours=1)
"""How often files are made at most."""

LONGEST_LIFETIME = timedelta(hours=2)
"""At this age no timer runs `manage.py work` here: a download makes the files itself."""

JSON, ZIP = "catalogue.json", "catalogue.zip"
ENCODINGS = {"br": f"{JSON}.br", "gzip": f"{JSON}.gz"}
"""The compressed copies of the document, by their content encodings."""

BROTLI_QUALITY, GZIP_LEVEL = 5, 6
PIECE = 2**20
"""How many bytes are in memory at a time."""

README = """Ship or Skip: the public catalogue as CSV
{site}/programs/

Version:  {version}
Date:     {date}
Licence:  {licence}
          Words that are quoted from sources stay their authors’.

The files are UTF-8 with a byte order mark. A list or an object is JSON in its cell. A text that
begins like a formula has an apostrophe before it. docs/catalogue.md of the site’s code explains
the columns. Reviewers are personas whose takes editors write.
"""


def _hash() -> "hashlib.blake2b":
    return hashlib.blake2b(digest_size=12)


class BusyError(Exception):
    """Another process makes the files."""


@dataclass(frozen=True)
class Edition:
    """The files of one version; `content` is the content version that they were made from."""

    name: str
    version: str
    made_at: datetime
    checked_at: datetime
    """When they were last found to be what readers see."""
    content: str
    stated: str
    """The site and the licence that README.txt names."""
    zip_hash: str
    withdrawn: str = ""
    """The last withdrawal before it was made."""

    def path(self, file: str) -> Path:
        """Where one of its files is."""
        return _folder() / self.name / file

    def etag(self, file: str, encoding: str = "") -> str:
        """The entity tag of a file in an encoding."""
        version = self.zip_hash if file == ZIP else self.version
        return f'"{version}-{encoding}"' if encoding else f'"{version}"'

    def shows_withdrawn(self, number: int) -> bool:
        """Whether it may have rows that are withdrawn or deleted in the content of this number."""
        return self.withdrawn != _last_withdrawal(number)

    def is_older_than(self, age: timedelta, now: datetime) -> bool:
        """Whether it was last checked longer ago; or later than now, by a clock that was wrong."""
        return not timedelta(0) <= now - self.checked_at <= age


def current_edition() -> Edition | None:
    """The edition that is served; None if there is none, or not all of it."""
    try:
        values: dict[str, Any] = json.loads((_folder() / "current.json").read_text())
        moments = {key: datetime.fromisoformat(values[key]) for key in ("made_at", "checked_at")}
        found = Edition(**values | moments)
    except (OSError, ValueError, KeyError, TypeError):  # none yet, or one of another release
        return None
    files = (ZIP, JSON, *ENCODINGS.values())
    return found if all(found.path(file).exists() for file in files) else None


@lru_cache(maxsize=1)
def _last_withdrawal(number: int) -> str:
    """When a row was last withdrawn, deleted ones too, and how many are, in the content of this
    number at least: clocks of machines differ, so a later withdrawal may have an earlier moment.
    """
    last, number_of_rows = "", 0
    for model in map(apps.get_model, settings.SCHEDULED_MODELS):
        found = model._base_manager.aggregate(last=Max("withdrawn_at"), rows=Count("withdrawn_at"))
        last = max(last, found["last"].isoformat() if found["last"] else "")
        number_of_rows += found["rows"]
    return f"{number_of_rows} {last}".rstrip()


def edition_of(now: datetime, age: timedelta) -> Edition:
    """An edition that is not older than `age` and shows nothing withdrawn; made now if there is
    none.

    Raises BusyError while another process makes it.
    """

    def is_good(edition: Edition) -> bool:
        return not (edition.is_older_than(age, now) or edition.shows_withdrawn(stored_number()))

    found = current_edition()
    if found and is_good(found):
        return found
    with _alone():
        found = current_edition()  # another process may have made it meanwhile
        if found and is_good(found):
            return found
        made = _made(now, found)
        with replacing(_folder() / "current.json", 0o600) as file:
            file.write(json.dumps(asdict(made), default=datetime.isoformat).encode())
        # The edition before it stays: a download may be about to open its files.
        kept = {made.name, found.name if found else ""}
        for path in _folder().iterdir():
            if path.is_dir() and path.name not in kept:
                shutil.rmtree(path)
        return made


def _made(now: datetime, before: Edition | None) -> Edition:
    """A new edition, or the one before if readers see the same."""
    number = stored_number()
    content = f"{number}-{moments_around(now)[0].isoformat()}"
    withdrawn = _last_withdrawal(number)  # before the texts, which may then lack more
    stated = f"{settings.SITE_URL} {settings.DATA_LICENCE}"
    if before and before.stated != stated:
        before = None
    if before and before.content == content:
        return replace(before, checked_at=now, withdrawn=withdrawn)
    with tempfile.TemporaryDirectory(dir=_folder(), prefix="draft-") as name:
        draft = Path(name)
        version = _write_texts(draft, now)
        if before and before.version == version:
            return replace(before, content=content, checked_at=now, withdrawn=withdrawn)
        _compress(draft / JSON)
        _write_readme(draft, version, now)
        _zip(draft, now)
        with (draft / ZIP).open("rb") as file:
            zip_hash = hashlib.file_digest(file, _hash).hexdigest()
        edition = f"{now.astimezone(UTC):%Y%m%dT%H%M%S}-{version}"
        shutil.rmtree(_folder() / edition, ignore_errors=True)
        draft.rename(_folder() / edition)
    return Edition(edition, version, now, now, content, stated, zip_hash, withdrawn)


def _write_texts(draft: Path, now: datetime) -> str:
    """Write the document and the CSV files in one pass; return the document's hash."""
    document_hash = _hash()
    with ExitStack() as stack:
        tables = {}
        columns = {kind: public_columns(kind) for kind in KINDS.values() if kind is not SYNONYM}
        for kind, names in columns.items():
            path = draft / f"{kind.name}.csv"
            file = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
            file.write(BYTE_ORDER_MARK)
            tables[kind] = csv.writer(file)
            tables[kind].writerow(names)

        def write_rows(kind: Kind, values: Values) -> None:
            tables[kind].writerow(row_of(values, columns[kind]))
            if kind is TOOL:
                for part in PARTS.values():
                    rows = ({**each, "tool": values["slug"]} for each in values[part.name])
                    tables[part].writerows(row_of(row, columns[part]) for row in rows)

        document = stack.enter_context((draft / JSON).open("wb"))
        for text in stack.enter_context(closing(dump(now, write_rows))):
            piece = text.encode()
            document_hash.update(piece)
            document.write(piece)
    return document_hash.hexdigest()


def _compress(path: Path) -> None:
    """Write the compressed copies of a file beside it."""
    brotli_copy = path.with_name(ENCODINGS["br"])
    gzip_copy = path.with_name(ENCODINGS["gzip"])
    compressor = brotli.Compressor(mode=brotli.MODE_TEXT, quality=BROTLI_QUALITY)
    with path.open("rb") as file, brotli_copy.open("wb") as copy:
        while piece := file.read(PIECE):
            copy.write(compressor.process(piece))
        copy.write(compressor.finish())
    with (
        path.open("rb") as file,
        gzip_copy.open("wb") as raw,
        gzip.GzipFile("", "wb", GZIP_LEVEL, raw, mtime=0) as zipped,
    ):
        shutil.copyfileobj(file, zipped, PIECE)


def _write_readme(draft: Path, version: str, now: datetime) -> None:
    text = README.format(
        site=settings.SITE_URL,
        version=version,
        date=f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        licence=settings.DATA_LICENCE,
    )
    (draft / "README.txt").write_text(text, encoding="utf-8")


def _zip(draft: Path, now: datetime) -> None:
    """Move the texts into the zip."""
    moment = now.astimezone(UTC)
    with zipfile.ZipFile(draft / ZIP, "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in [draft / "README.txt", *sorted(draft.glob("*.csv"))]:
            member = zipfile.ZipInfo(path.name, moment.timetuple()[:6])
            member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with path.open("rb") as file, zipped.open(member, "w") as target:
                shutil.copyfileobj(file, target, PIECE)
            path.unlink()


@contextmanager
def _alone() -> Iterator[None]:
    """Be the one that makes files; raises BusyError while another process or thread does."""
    _folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    with (_folder() / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError from None
        yield


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "data"
