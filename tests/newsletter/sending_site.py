"""A database shared by processes, subscribers in it, and senders as processes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

from shipskip.newsletter.models import Subscriber, SubscriberState
from tests.postgres import address
from tests.shared_database import use
from tests.source_files import ROOT


@pytest.fixture
def database_url(transactional_db: None, sqlite_file: Path | None) -> Iterator[str]:
    """The URL of this test's empty database, for other processes."""
    if sqlite_file is None:
        yield address(connection.settings_dict["NAME"])
        return
    url = f"sqlite:///{sqlite_file}"
    with use(url):
        yield url
        call_command("flush", interactive=False, verbosity=0)


def subscribers(number: int, *, at: str = "reader.example") -> list[Subscriber]:
    """Create `number` confirmed subscribers."""
    now = datetime(2026, 6, 1, tzinfo=UTC)
    return Subscriber.objects.bulk_create(
        Subscriber(
            address=f"r{n}@{at}",
            normalised=f"r{n}@{at}",
            state=SubscriberState.CONFIRMED,
            joined_at=now,
            confirmed_at=now,
        )
        for n in range(number)
    )


def command(database_url: str, port: int, *words: str, **settings: str) -> subprocess.Popen[str]:
    """Start a management command as a process that sends mail to this port of 127.0.0.1."""
    env = os.environ | {
        "DATABASE_URL": database_url,
        "EMAIL_URL": f"smtp://127.0.0.1:{port}",
        "MAILS_PER_SECOND": "0",
        **settings,
    }
    return subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(database_url: str, port: int, *words: str, **settings: str) -> str:
    """Run a management command and return its output; fails if the command fails."""
    process = command(database_url, port, *words, **settings)
    output, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    return output
