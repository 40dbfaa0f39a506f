"""Django's `migrate`, patient on PostgreSQL: it waits shortly for a lock and tries again."""

from collections.abc import Callable
from random import uniform
from time import monotonic, sleep
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from psycopg.errors import DeadlockDetected, LockNotAvailable

ONE_AT_A_TIME = 0x5_41_9_5_41_9
"""The advisory lock that two runs of `migrate` share; any number that nobody else uses."""

LONGEST_PAUSE = 2.0


class Command(migrate.Command):
    """`manage.py migrate`, which never makes readers queue behind it for longer than a moment.

    A change of a table waits until those who read it are done, and all who come later wait behind
    it. So it waits for a moment only, gives its place up, and comes again.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        """Django's own, `--lock-timeout` and `--patience`."""
        super().add_arguments(parser)
        parser.add_argument(
            "--lock-timeout",
            type=float,
            default=0.5,
            metavar="SECONDS",
            help="PostgreSQL: how long one try waits for a lock, and readers behind it",
        )
        parser.add_argument(
            "--patience",
            type=float,
            default=120,
            metavar="SECONDS",
            help="PostgreSQL: how long to try again before giving up",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; what was migrated before a lock was not to be had stays so.

        Raises CommandError when the locks were not to be had in time.
        """
        connection = connections[options["database"]]
        if connection.vendor != "postgresql":
            super().handle(*args, **options)
            return
        migrate_now: Callable[..., Any] = super().handle
        end = monotonic() + options["patience"]
        pause = 0.1
        while True:
            try:
                self._hold(connection, options["lock_timeout"])
                migrate_now(*args, **options)
                return
            except OperationalError as fault:
                if not isinstance(fault.__cause__, LockNotAvailable | DeadlockDetected):
                    raise
                if monotonic() >= end:
                    raise CommandError(
                        f"A lock was not to be had in {options['patience']:g} seconds. What was "
                        "migrated stays; run it again when the longest query is done."
                    ) from fault
            finally:
                self._release(connection)
            self.stderr.write("Others hold a lock; trying again.")
            sleep(uniform(pause / 2, pause))  # noqa: S311 - no secret
            pause = min(2 * pause, LONGEST_PAUSE)

    def _hold(self, connection: Any, seconds: float) -> None:
        """Wait no longer than that for any lock, and be the only one who migrates."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config('lock_timeout', %s, false)", [f"{seconds * 1000:.0f}"]
            )
            cursor.execute("SELECT pg_advisory_lock(%s)", [ONE_AT_A_TIME])

    def _release(self, connection: Any) -> None:
        """Leave the connection as it was found: others of this process may use it next."""
        if connection.connection is None or connection.connection.closed:
            return
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
            cursor.execute("SELECT pg_advisory_unlock_all()")
