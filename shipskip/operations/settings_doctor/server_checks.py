"""Checks of what settings refer to: the database, files, the mail server.

Each function returns a sentence for each fault: what is wrong and how to correct it.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from email.utils import parseaddr
from pathlib import Path
from smtplib import SMTPAuthenticationError, SMTPException
from typing import Any

import psycopg
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import get_connection
from django.db import DatabaseError, connection

from shipskip.checks import LOCAL_HOSTS, is_local
from shipskip.folders import DATA_DIR
from shipskip.web.connections import DATABASE_POOL
from shipskip.web.postgresql import pooler

PATIENCE = 5
"""Seconds to wait for a server."""


def database() -> Iterator[str]:
    """Check that PostgreSQL answers, is new enough and stores UTF-8, or that SQLite can write."""
    if connection.vendor == "sqlite":
        file = Path(settings.DATABASES["default"]["NAME"]).absolute()
        closed = [path for path in (file.parent, file) if path.exists()]
        closed = [path for path in closed if not os.access(path, os.W_OK)]
        for path in closed:
            yield f"SQLite cannot write to {path}: make this user its owner."
        if file.is_file() and not closed:
            yield from _damage()
        return
    # Connect without the pool: its error does not contain the server's reason.
    parameters = connection.get_connection_params() | {"connect_timeout": PATIENCE}
    try:
        with psycopg.connect(**parameters) as server:
            encoding = server.info.parameter_status("server_encoding")
            version = server.info.server_version // 10_000
            limit = _number(server, "max_connections")
            reserved = _number(server, "superuser_reserved_connections")
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
    if pooler.separates_transactions():
        yield pooler.ADVICE
    yield from pg_dump(version)
    yield from connections(limit - reserved)


def _number(server: "psycopg.Connection[Any]", name: str) -> int:
    found = server.execute("SELECT current_setting(%s)", [name]).fetchone()
    return int(found[0]) if found else 0


def pg_dump(server_version: int) -> Iterator[str]:
    """Check that backups can be made: `pg_dump` is there and no older than the server."""
    program = shutil.which("pg_dump")
    if program is None:
        yield "pg_dump is missing, so no backup can be made: install postgresql-client."
        return
    text = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    found = re.search(r"(\d+)", text.stdout)
    if found and int(found[1]) < server_version:
        yield (
            f"pg_dump {found[1]} is older than PostgreSQL {server_version}, so no backup can be"
            f" made: install postgresql-client-{server_version}."
        )


FOR_JOBS = 10
"""Connections for commands, jobs and people."""


def connections(available: int) -> Iterator[str]:
    """Check that the pools of all workers fit into PostgreSQL's connections."""
    workers = _workers()
    needed = workers * DATABASE_POOL + FOR_JOBS
    if needed > available:
        yield (
            f"{workers} workers open up to {workers * DATABASE_POOL} connections, and commands"
            f" {FOR_JOBS}, but PostgreSQL accepts {available}: set max_connections to"
            f" {needed + 10} or more in postgresql.conf, or WORKERS to fewer."
        )


def _workers() -> int:
    """The workers of the servers that run here; those of one server if none runs."""
    running = 0
    for file in settings.VAR_DIR.glob("serve-*.pid"):
        number = file.read_text().strip()
        with suppress(OSError):
            running += len(Path(f"/proc/{number}/task/{number}/children").read_text().split())
    return running or int(os.environ.get("WORKERS") or os.cpu_count() or 1)


def proxies() -> Iterator[str]:
    """Check that a site behind a proxy knows it: the server itself speaks no HTTPS."""
    if settings.SECURE_SITE and not is_local() and not settings.TRUSTED_PROXIES:
        yield (
            "TRUSTED_PROXIES is empty, but HTTPS ends in a proxy: all readers count as one"
            " network, which soon reaches the limit of votes. Set TRUSTED_PROXIES=127.0.0.1 for an"
            " nginx on this machine."
        )


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
    """Check that mails of a public site have a sender's address, and that the mail server accepts a
    connection and the login, without sending mail. A site may do without (operator_notes.py).
    """
    is_file = settings.EMAIL_BACKEND.endswith(".mail_files.EmailBackend")
    sender = parseaddr(settings.MAIL_FROM)[1]
    if not is_file and not is_local() and sender.rpartition("@")[2] in LOCAL_HOSTS:
        yield f"MAIL_FROM is {sender}: give an address that the mail server may send for."
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


ALL = (files, proxies, nginx, mail)
