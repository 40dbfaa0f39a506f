"""`make faults`: break what the site stands on, one part after another, while people read and vote.

`python -m tests.faults [FAILURE …]`. Two servers behind our own nginx, on a PostgreSQL and a Redis of
our own; then one on a SQLite whose disk is full. Exit status 1 when a reader of a cached page got
anything but the page, an acknowledged vote is gone, or the trouble outlived the fault by more
than it may.
"""

import os
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import NamedTuple

import psycopg

from tests.deploy.production_site import Front, Redis, Server, get, prepared, reload
from tests.faults.disk import SmallDisk
from tests.faults.load import Crowd, first_tool
from tests.faults.postgres import Postgres, programs
from tests.stress_site import manage

PAGE = "/tools/smollm3/"
TITLES = ["fault", "lasted (s)", "trouble (s)", "cached pages failed", "others failed"]
TITLES += ["votes failed", "votes lost", "longest wait for a cached page (s)", "for others (s)"]

LASTING = 4.0
"""Seconds that a fault lasts."""

EXPIRING, HANGING = 28.0, 30.0
"""Seconds before PostgreSQL hangs, and while: the cached page, which lives 55, expires then."""

METRICS_TOKEN = "the-token-of-the-failures"

AFTERWARDS = 1.0
"""Seconds of trouble that a fault may leave behind it."""


@dataclass
class Place:
    """What can be broken: the database's machine or disk, and all that stands on it."""

    postgres: Postgres | None
    disk: SmallDisk | None
    redis: Redis
    servers: list[Server]
    front: Front
    env: dict[str, str]

    @property
    def elephant(self) -> Postgres:
        """The PostgreSQL, in a drill that has one."""
        assert self.postgres
        return self.postgres

    def database(self) -> "psycopg.Connection[tuple[object, ...]]":
        """A connection of our own to PostgreSQL."""
        return psycopg.connect(self.elephant.url, autocommit=True)

    def standing(self) -> dict[str, str]:
        """The choice of every visitor on the tool that is voted on."""
        asked = "SELECT visitor, choice FROM reviews_vote"
        if self.postgres:
            with self.database() as connection:
                rows = connection.execute(asked).fetchall()
        else:
            with closing(
                sqlite3.connect(self.env["DATABASE_URL"].removeprefix("sqlite:///"))
            ) as it:
                rows = it.execute(asked).fetchall()
                assert it.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {str(visitor).replace("-", ""): str(choice) for visitor, choice in rows}


def database_stops(place: Place) -> None:
    """PostgreSQL is stopped and started again."""
    place.elephant.stop()
    time.sleep(LASTING)
    place.elephant.start()


def database_hangs(place: Place) -> None:
    """PostgreSQL stands still with all its connections."""
    time.sleep(EXPIRING)
    place.elephant.freeze()
    time.sleep(HANGING)
    place.elephant.thaw()


def connections_end(place: Place) -> None:
    """Every connection is ended from the other side, three times."""
    with place.database() as connection:
        for _ in range(3):
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
            time.sleep(LASTING / 3)


def migration_meets_a_lock(place: Place) -> None:
    """A long transaction reads a table that a migration wants to change."""
    env = place.env | {"DJANGO_SETTINGS_MODULE": "tests.faults.lock_settings"}
    with place.database() as reader, place.database() as other:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM tools_tool")
        migrating = threading.Thread(target=manage, args=(env, "prepare"))
        migrating.start()
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation IS NOT NULL"
        end = time.monotonic() + 120
        while time.monotonic() < end and not other.execute(waiting).fetchall():
            time.sleep(0.02)
        time.sleep(LASTING)
        reader.execute("COMMIT")
        migrating.join()
        done = "SELECT 1 FROM django_migrations WHERE app = 'lock'"
        assert other.execute(done).fetchall(), "prepare gave up"


def redis_is_killed(place: Place) -> None:
    """Redis is killed, and comes back empty."""
    place.redis.stop(signal.SIGKILL)
    time.sleep(LASTING)
    place.redis.start()


def redis_pauses(place: Place) -> None:
    """Redis takes connections and answers nothing."""
    place.redis.send(signal.SIGSTOP)
    time.sleep(LASTING)
    place.redis.send(signal.SIGCONT)


def worker_is_killed(place: Place) -> None:
    """A worker of one server is killed with -9; it is replaced."""
    replace_worker(place.servers[0])
    time.sleep(LASTING)


def replace_worker(server: Server) -> None:
    """Kill a worker and wait for the next."""
    victim = server.workers()[0]
    os.kill(victim, signal.SIGKILL)
    end = time.monotonic() + 120
    while time.monotonic() < end and (victim in server.workers() or len(server.workers()) < 2):
        time.sleep(0.1)


def reload_under_load(place: Place) -> None:
    """Both servers are replaced in turn behind nginx."""
    before = {number for server in place.servers for number in server.workers()}
    found = reload(place.env, *place.servers)
    assert found.returncode == 0, found.stderr
    assert not {number for server in place.servers for number in server.workers()} & before


def one_server_stops(place: Place) -> None:
    """One of two servers is stopped and started again."""
    place.servers[1].stop()
    time.sleep(LASTING)
    place.servers[1].__enter__()


def disk_is_full(place: Place) -> None:
    """The disk under SQLite and the metrics is full, then has room again; a worker is replaced."""
    assert place.disk
    (server,) = place.servers
    place.disk.fill()
    time.sleep(LASTING)
    replace_worker(server)
    before = server.workers()
    for _ in range(2 * len(before)):
        found = get(server.port, "/metrics", Authorization=f"Bearer {METRICS_TOKEN}")
        assert b"shipskip_requests_total" in found.body
        time.sleep(LASTING / 2)
    assert server.workers() == before, "a worker ended"
    place.disk.free()


class Drill(NamedTuple):
    """What breaks, and what may become of it; times in seconds."""

    breaks: Callable[[Place], None]
    may_fail: bool = False
    """Whether what is not kept may fail meanwhile."""
    afterwards: float = AFTERWARDS
    longest_read: float = inf
    """The longest wait for a cached page."""
    longest: float = inf
    """The longest wait for all else."""
    searchers: int = 1


FAILURES = {
    "database": Drill(database_stops, may_fail=True),
    "database-hangs": Drill(
        database_hangs, may_fail=True, afterwards=2, longest_read=1, longest=3, searchers=8
    ),
    "connections": Drill(connections_end, may_fail=True),
    "lock": Drill(migration_meets_a_lock),
    "redis-killed": Drill(redis_is_killed),
    "redis-frozen": Drill(redis_pauses),
    "worker": Drill(worker_is_killed, may_fail=True),
    "reload": Drill(reload_under_load),
    "server": Drill(one_server_stops),
}
ON_SQLITE = {"disk": Drill(disk_is_full, may_fail=True)}


@contextmanager
def running_site(database: type[Postgres | SmallDisk]) -> Iterator[Place]:
    """Two servers behind nginx, on a database and a Redis of our own; on SQLite it is one."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        mine = database(folder)
        stack.enter_context(mine)
        redis = stack.enter_context(Redis(folder))
        more = {"CACHE_URL": redis.url, "LOG_FORMAT": "text", "METRICS_TOKEN": METRICS_TOKEN}
        more["METRICS_DIR"] = str(mine.place if isinstance(mine, SmallDisk) else folder)
        env = prepared(mine.url, **more)
        postgres = mine if isinstance(mine, Postgres) else None
        disk = mine if isinstance(mine, SmallDisk) else None
        servers = [stack.enter_context(Server(env, folder)) for _ in range(2 if postgres else 1)]
        names = [f"127.0.0.1:{server.port} max_fails=3 fail_timeout=2s" for server in servers]
        front = stack.enter_context(Front(folder, names))
        yield Place(postgres, disk, redis, servers, front, env)


def drill(place: Place, name: str) -> tuple[str, list[str]]:
    """One fault: its row of the table, and what should not have been."""
    rule = (FAILURES | ON_SQLITE)[name]
    tool = first_tool(get(place.front.port, "/tools/").body)
    for server in place.servers * 2:
        get(server.port, PAGE)
    get(place.front.port, PAGE, Accept_Encoding="identity")
    with Crowd(place.front.port, PAGE, tool, searchers=rule.searchers) as crowd:
        start = time.monotonic()
        rule.breaks(place)
        ended = time.monotonic()
        time.sleep(2 * rule.afterwards)
    lost = crowd.lost(place.standing())
    cells = [
        (rule.breaks.__doc__ or name).strip(),
        f"{ended - start:.1f}",
        f"{max(crowd.others.trouble(), crowd.votes.trouble()):.1f}",
        f"{len(crowd.readers.bad())} of {len(crowd.readers.rows)}",
        f"{len(crowd.others.bad())} of {len(crowd.others.rows)}",
        f"{len(crowd.votes.bad())} of {len(crowd.votes.rows)}",
        str(len(lost)),
        f"{crowd.readers.slowest():.1f}",
        f"{max(notes.slowest() for notes in (crowd.others, crowd.votes)):.1f}",
    ]
    return "| " + " | ".join(cells) + " |", lost + faults_of(crowd, rule, ended)


def faults_of(crowd: Crowd, rule: Drill, ended: float) -> list[str]:
    """What should not have been in a drill whose fault ended at that moment."""
    wrong = []
    if crowd.readers.bad():
        wrong.append(f"readers of a cached page got {dict(crowd.readers.statuses())}")
    if crowd.readers.slowest() > rule.longest_read:
        wrong.append(f"a reader of a cached page waited {crowd.readers.slowest():.1f} s")
    for notes in (crowd.others, crowd.votes):
        bad = notes.bad()
        late = [row for row in bad if row[0] > ended + rule.afterwards]
        if late or (bad and not rule.may_fail):
            wrong.append(f"got {dict(notes.statuses())}, {len(late)} of it late")
        if set(notes.statuses()) & {500}:
            wrong.append("a fault of ours (500)")
        if notes.slowest() > rule.longest:
            wrong.append(f"an answer took {notes.slowest():.1f} s")
    if unexplained := sum(one.unexplained for one in crowd.people):
        wrong.append(f"{unexplained} of 503 without Retry-After or not in our own look")
    return wrong


def run(database: type[Postgres | SmallDisk], names: list[str]) -> dict[str, list[str]]:
    """These drills on one site, printed row by row: what should not have been, by drill."""
    wrong: dict[str, list[str]] = {}
    with running_site(database) as place:
        for name in names:
            row, wrong[name] = drill(place, name)
            print(row, flush=True)
        if manage(place.env, "recount", "--check", must=False).returncode:
            wrong["recount"] = ["the tallies differ from the votes"]
    return wrong


def main() -> int:
    """Run the drills; the process's exit status."""
    wanted = sys.argv[1:] or [*FAILURES, *ON_SQLITE]
    missing: list[str] = []
    wrong: dict[str, list[str]] = {}
    print("| " + " | ".join(TITLES) + " |\n" + "|---" * len(TITLES) + "|", flush=True)
    if names := [name for name in FAILURES if name in wanted]:
        if programs():
            wrong |= run(Postgres, names)
        else:
            missing.append("PostgreSQL is not installed here (package postgresql)")
    if names := [name for name in ON_SQLITE if name in wanted]:
        if SmallDisk.possible():
            wrong |= run(SmallDisk, names)
        else:
            missing.append("only root can mount a disk that may be filled")
    for name, lines in wrong.items():
        for line in lines:
            print(f"FAILED   {name}: {line}")
    for line in missing:
        print(f"NOT RUN  {line}")
    failed = any(wrong.values()) or (missing and os.environ.get("CI") == "true")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
