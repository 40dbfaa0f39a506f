"""Senders as processes, forked from one that has loaded the site, so that they start quickly."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path

import django
import pytest
from django.apps import apps

if not apps.ready:  # in the process from which the senders are forked
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shipskip.settings")
    django.setup()

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.urls import reverse
from tqdm import tqdm

import shipskip.newsletter.management.commands.newsletter  # noqa: F401 - loaded before the fork
from shipskip.newsletter.models import Subscriber
from tests import factories as make
from tests.postgres import address
from tests.shared_database import use

# Once for all senders: the views for the links in mails, and a semaphore that a killed one leaks.
reverse("home")
tqdm.get_lock()

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["__main__", __name__])


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
    values = {"state": "confirmed", "joined_at": make.PUBLISHED, "confirmed_at": make.PUBLISHED}
    return Subscriber.objects.bulk_create(
        Subscriber(address=f"r{n}@{at}", normalised=f"r{n}@{at}", **values) for n in range(number)
    )


@dataclass
class Sender:
    """A process that runs a command on this database, and sends to this port of 127.0.0.1.

    It starts when `start` has told its pid to the test.
    """

    database_url: str
    port: int

    def start(self, *words: str, on_start: Callable[[int], None] = lambda pid: None) -> "Sender":
        self.channel, theirs = FORKS.Pipe()
        arguments = (self.database_url, self.port, words, theirs)
        self.process = FORKS.Process(target=run, args=arguments)
        self.process.start()
        theirs.close()
        assert self.process.pid
        on_start(self.process.pid)
        self.channel.send("go")
        return self

    def exit_status(self) -> int | None:
        """Wait for the end; minus the number of the signal that killed it."""
        self.process.join(300)
        return self.process.exitcode

    def output(self) -> str:
        """What the command printed; fails if the command failed."""
        printed: str = self.channel.recv()
        assert self.exit_status() == 0, printed
        return printed


def run(database_url: str, port: int, words: tuple[str, ...], channel: Connection) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.MAILS_PER_SECOND = 0
    printed = StringIO()
    channel.recv()
    with use(database_url):
        call_command(*words, stdout=printed)
    channel.send(printed.getvalue())
