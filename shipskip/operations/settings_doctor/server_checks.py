"""Checks of what settings refer to: the database, files, the mail server.

Each function returns a sentence for each fault: what is wrong and how to correct it.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from smtplib import SMTPAuthenticationError, SMTPException

import psycopg
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import get_connection
from django.db import DatabaseError, connection

from shipskip.folders import DATA_DIR

PATIENCE = 5
"""Seconds to wait for a server."""


def database() -> Iterator[str]:
    """Check that PostgreSQL answers, is new enough and stores UTF-8, or that SQLite can write."""
    if connection.vendor == "sqlite":
        folder = Path(settings.DATABASES["default"]["NAME"]).absolute().parent
        if not os.access(folder, os.W_OK):
            yield f"SQLite cannot write to {folder}: make this user its owner."
        elif Path(settings.DATABASES["default"]["NAME"]).is_file():
            yield from _damage()
        return
    # Connect without the pool: its error does not contain the server's reason.
    parameters = connection.get_connection_params() | {"connect_timeout": PATIENCE}
    try:
        with psycopg.connect(**parameters) as server:
            encoding = server.info.parameter_status("server_encoding")
            version = server.info.server_version // 10_000
    except psycopg.Error as error:
        reason = str(error).strip().splitlines()[-1]
        yield f"DATABASE_URL: no connection to PostgreSQL ({reason}). Correct the address."
        return
    oldest = (connection.features.minimum_database_version or (0,))[0]
    if encoding != "UTF8":
        yield (
            f"The database's encoding is {encoding}, so it cannot compare or shorten texts: create"
            " one with `createdb --encoding=UTF8 --template=template0 NAME`, and restore a backup"
            " into it."
        )
    if version < oldest:
        yield f"PostgreSQL {version} is too old: upgrade it to {oldest} or newer."


def _damage() -> Iterator[str]:
    """Check that SQLite's file is not damaged; it reads the whole file."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA quick_check(1)")
            found = cursor.fetchone()[0]
    except DatabaseError as error:
        found = str(error)
    finally:
        connection.close()  # which removes SQLite's files beside this one
    if found != "ok":
        yield (
            f"The database's file is damaged ({found.splitlines()[-1]}): stop the site, keep the"
            " file, and restore the newest backup."
        )


def files() -> Iterator[str]:
    """Check that other users cannot read files with secrets or mail addresses."""
    private = [DATA_DIR / ".env", settings.VAR_DIR / "secret_key"]
    if connection.vendor == "sqlite":
        name = str(settings.DATABASES["default"]["NAME"])
        private += [Path(name + end) for end in ("", "-wal", "-shm")]
    for folder in ("backups", "mail", "uploads"):
        private += sorted((settings.VAR_DIR / folder).glob("*"))
    for path in filter(Path.is_file, private):
        status = path.stat()
        # If another user, such as root, owns the file, this user reads it through its group.
        mode = 0o600 if status.st_uid == os.geteuid() else 0o640
        if status.st_mode & 0o777 & ~mode:
            yield f"{path} is not private: chmod {mode:o} {path}"


NGINX_CONF = Path("/etc/nginx/nginx.conf")

FEWEST_IN_NGINX = {"worker_connections": 8192, "worker_rlimit_nofile": 16_384}
"""Connections of one nginx process, which 1,700 half-sent requests of one client used up with
Debian's 768; and open files, two for each connection.
"""


def nginx() -> Iterator[str]:
    """Check that an nginx on this machine with our configuration accepts enough connections."""
    if not (NGINX_CONF.parent / "shipskip").is_dir() or not os.access(NGINX_CONF, os.R_OK):
        return
    text = NGINX_CONF.read_text()
    for name, least in FEWEST_IN_NGINX.items():
        found = re.search(rf"^[^#\n]*\b{name}\s+(\d+)", text, re.M)
        if int(found[1] if found else 0) < least:
            yield (
                f"One client can use up all connections of nginx: set `{name}` in {NGINX_CONF}"
                f" to {least} or more."
            )


def mail() -> Iterator[str]:
    """Check that the mail server accepts a connection and the login, without sending mail."""
    name = "MAIL_PROVIDER" if settings.MAIL_PROVIDER else "EMAIL_URL"
    try:
        backend = get_connection(timeout=PATIENCE)
        if not settings.MAIL_PROVIDER:
            backend.open()
            backend.close()
    except ImproperlyConfigured as error:
        yield f"ANYMAIL: {str(error).strip().splitlines()[0]}."
    except SMTPAuthenticationError as error:
        yield f"{name}: the mail server refuses the user or the password ({error.smtp_code})."
    except (SMTPException, OSError) as error:
        yield f"{name}: no connection to the mail server ({error}). Correct host, port or scheme."


ALL = (database, files, nginx, mail)
