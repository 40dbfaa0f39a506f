"""`make faults`: make the parts that the site needs fail while simulated visitors read and vote.

`python -m tests.faults [FAILURE …]`; FLOODS only by name. Two servers behind our own nginx, on a
PostgreSQL of their own; then one server on a SQLite whose disk is full. Exit status 1 if a reader
of a cached page got anything but the page, if an acknowledged vote is lost, or if requests still
fail too long after the failure has ended.
"""

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from tests.deploy.production_site import Nginx, Server, get, prepared, reload
from tests.faults.disk import SmallDisk
from tests.faults.flood import CLIENT_HEADER, KINDS, SOURCES
from tests.faults.load import Load, RequestLog, lost, stored_votes, tool_slugs
from tests.faults.postgres import Postgres, program_folder
from tests.management_commands import manage
from tests.waiting import wait_until

PAGE, EDITED = "/tools/smollm3/", "/reviewers/pm/"
TITLES = ["failure", "lasted (s)", "failing (s)", "cached pages failed", "others failed"]
TITLES += ["votes failed", "votes lost", "longest wait for a cached page (s)", "for others (s)"]
TITLES += ["99 of 100 answers within (ms): cached pages", "others", "votes"]
TITLES += ["memory of a worker (MB)"]

LASTING = 4.0
"""Seconds that a failure lasts."""

EXPIRING, HANGING = 28.0, 30.0
"""Seconds before PostgreSQL hangs, and while it does: the cached page (55 s) expires then."""

QUICK_MS = 10
"""Answers within this time are quick, however many times as long as before they take."""

MOST_MEMORY_MB = 400
"""What a worker may have after a flood."""

METRICS_TOKEN = "the-token-of-the-failures"

AFTERWARDS = 1.0
"""Seconds after the end of a failure in which requests may still fail."""


@dataclass
class Site:
    """A running site, and the parts that can fail: database or its disk, and servers."""

    store: Any
    """Postgres or SmallDisk."""
    servers: list[Server]
    nginx: Nginx
    env: dict[str, str]

    def connection(self) -> "psycopg.Connection[tuple[object, ...]]":
        """A connection of our own to PostgreSQL."""
        return psycopg.connect(self.store.url, autocommit=True)


def nothing(_: Site) -> None:
    """Nothing fails: to compare the waits."""
    time.sleep(2 * LASTING)


def database_stops(site: Site) -> None:
    """PostgreSQL is stopped and started again."""
    site.store.stop()
    time.sleep(LASTING)
    site.store.start()


def database_hangs(site: Site) -> None:
    """PostgreSQL hangs and keeps all its connections."""
    time.sleep(EXPIRING)
    site.store.pause()
    time.sleep(HANGING)
    site.store.resume()


def connections_end(site: Site) -> None:
    """PostgreSQL ends every connection, three times."""
    with site.connection() as connection:
        for _ in range(3):
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
            time.sleep(LASTING / 3)


def migration_meets_a_lock(site: Site) -> None:
    """A long transaction reads a table that a migration wants to change."""
    env = site.env | {"DJANGO_SETTINGS_MODULE": "tests.faults.lock_settings"}
    with site.connection() as reader, site.connection() as other:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM tools_tool")
        migrating = threading.Thread(target=manage, args=(env, "prepare"))
        migrating.start()
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation IS NOT NULL"
        wait_until(lambda: other.execute(waiting).fetchall())
        time.sleep(LASTING)
        reader.execute("COMMIT")
        migrating.join()
        done = "SELECT 1 FROM django_migrations WHERE app = 'lock'"
        assert other.execute(done).fetchall(), "prepare did not migrate"


def worker_is_killed(site: Site) -> None:
    """A worker of one server is killed with SIGKILL and replaced."""
    server = site.servers[0]
    server.replace(server.workers()[0])
    time.sleep(LASTING)


def reload_under_load(site: Site) -> None:
    """Both servers are replaced in turn behind nginx."""
    before = {number for server in site.servers for number in server.workers()}
    found = reload(site.env, *site.servers)
    assert found.returncode == 0, found.stderr
    assert not {number for server in site.servers for number in server.workers()} & before


def one_server_stops(site: Site) -> None:
    """One of two servers is stopped and started again."""
    site.servers[1].stop()
    time.sleep(LASTING)
    site.servers[1].__enter__()


def one_network_floods(site: Site, source: str = "ipv4", *kinds: str) -> None:
    """One network requests pages that no cache holds, on 96 connections."""
    program = [sys.executable, "-m", "tests.faults.flood"]
    subprocess.run([*program, str(site.nginx.port), str(2 * LASTING), source, *kinds], check=True)


def flood_of(source: str, kind: str) -> Callable[[Site], None]:
    def breaks(site: Site) -> None:
        one_network_floods(site, source, kind)

    breaks.__doc__ = f"One network of {source} floods: {kind}."
    return breaks


def disk_is_full(site: Site) -> None:
    """The disk of SQLite is full, then has space again; a worker is replaced."""
    (server,) = site.servers
    site.store.fill()
    time.sleep(LASTING)
    server.replace(server.workers()[0])
    before = server.workers()
    for _ in range(2 * len(before)):
        found = get(server.port, "/metrics", Authorization=f"Bearer {METRICS_TOKEN}")
        assert b"shipskip_requests_total" in found.body
        time.sleep(LASTING / 2)
    assert server.workers() == before, "a worker ended"
    site.store.free()


class Failure(NamedTuple):
    """What fails, and which effects are allowed; times in seconds."""

    breaks: Callable[[Site], None]
    may_fail: bool = False
    """Whether requests for pages that are not cached may fail during the failure."""
    afterwards: float = AFTERWARDS
    longest_read: float = inf
    """The longest wait for a cached page."""
    longest: float = inf
    """The longest wait for all other answers."""
    most_times_read: float = inf
    """How many times as long 99 of 100 cached pages may take as in the seconds before, in which
    other work of the machine slows them down alike.
    """
    most_times: float = inf
    """The same of other answers."""
    searchers: int = 1


FAILURES = {
    "nothing": Failure(nothing),
    "database": Failure(database_stops, may_fail=True),
    "database-hangs": Failure(
        database_hangs, may_fail=True, afterwards=2, longest_read=1, longest=3, searchers=8
    ),
    "connections": Failure(connections_end, may_fail=True),
    "lock": Failure(migration_meets_a_lock),
    "worker": Failure(worker_is_killed, may_fail=True),
    "reload": Failure(reload_under_load),
    "server": Failure(one_server_stops),
    "flood": Failure(one_network_floods, longest_read=1, longest=2),
}
FLOODS = {
    f"flood-{kind}-{source}": Failure(
        flood_of(source, kind), most_times_read=2, most_times=3, searchers=2
    )
    for kind in KINDS
    for source in SOURCES
}
ON_SQLITE = {"disk": Failure(disk_is_full, may_fail=True)}


@contextmanager
def running_site(database: type[Postgres | SmallDisk]) -> Iterator[Site]:
    """Start two servers (one on SQLite) behind nginx, with their own database."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        store: Any = stack.enter_context(database(folder))
        is_postgres = isinstance(store, Postgres)
        more = {"DJANGO_SETTINGS_MODULE": "tests.bench.quiet", "METRICS_TOKEN": METRICS_TOKEN}
        env = prepared(store.url, **more)
        (folder / "flood.server.conf").write_text(
            f"set_real_ip_from 127.0.0.1; real_ip_header {CLIENT_HEADER};\n"
        )
        servers = [stack.enter_context(Server(env, folder)) for _ in range(1 + is_postgres)]
        names = [f"127.0.0.1:{server.port} max_fails=3 fail_timeout=2s" for server in servers]
        yield Site(store, servers, stack.enter_context(Nginx(folder, names)), env)


def cause_failure(site: Site, name: str) -> tuple[str, list[str]]:
    """Cause one failure; its row of the table, and the problems found."""
    rule = (FAILURES | FLOODS | ON_SQLITE)[name]
    tool = tool_slugs(get(site.nginx.port, "/tools/").body)[0]
    for server in site.servers:
        get(server.port, PAGE)
        renderings_of_edited_page(server)
    get(site.nginx.port, PAGE, Accept_Encoding="identity")
    with Load(site.nginx.port, PAGE, tool, searchers=rule.searchers) as load:
        if rule.most_times < inf:
            time.sleep(2 * LASTING)
        start = time.monotonic()
        rule.breaks(site)
        ended = time.monotonic()
        time.sleep(2 * rule.afterwards)
    missing = lost(load.voters, stored_votes(site.store.url))
    wrong = problems_of(load, rule, start, ended)
    if rule.most_times < inf and any(map(renderings_of_edited_page, site.servers)):
        wrong.append("an editor’s page is no longer cached")
    if rule.most_times < inf and memory_mb(site) > MOST_MEMORY_MB:
        wrong.append("a worker has too much memory")
    cells = [
        (rule.breaks.__doc__ or name).strip(),
        f"{ended - start:.1f}",
        f"{max(load.others.failing_seconds(), load.votes.failing_seconds()):.1f}",
        f"{len(load.readers.bad())} of {len(load.readers.rows)}",
        f"{len(load.others.bad())} of {len(load.others.rows)}",
        f"{len(load.votes.bad())} of {len(load.votes.rows)}",
        str(len(missing)),
        f"{load.readers.slowest():.1f}",
        f"{max(log.slowest() for log in (load.others, load.votes)):.1f}",
        *(waits(log, rule, start, ended) for log in (load.readers, load.others, load.votes)),
        f"{memory_mb(site):.0f}",
    ]
    return "| " + " | ".join(cells) + " |", missing + wrong


def waits(log: RequestLog, rule: Failure, start: float, ended: float) -> str:
    """The milliseconds of 99 of 100 answers; of a flood those before and during it."""
    if rule.most_times == inf:
        return f"{log.percentile(99):.0f}"
    parts = (log.between(0, start), log.between(start, ended))
    return " → ".join(f"{part.percentile(99):.0f}" for part in parts)


def renderings_of_edited_page(server: Server) -> int:
    """How many of some requests for an editor's page the memory of workers did not answer."""
    before = renderings(server)
    for _ in range(20):
        get(server.port, EDITED)
    return renderings(server) - before


def renderings(server: Server) -> int:
    """How many pages a server has rendered."""
    text = get(server.port, "/metrics", Authorization=f"Bearer {METRICS_TOKEN}").body.decode()
    found = re.search(r'^shipskip_memory_total\{outcome="miss"\} ([\d.]+)', text, re.M)
    return int(float(found[1])) if found else 0


def memory_mb(site: Site) -> float:
    """The most memory that a worker has had."""
    numbers = [number for server in site.servers for number in server.workers()]
    states = [Path(f"/proc/{number}/status").read_text() for number in numbers]
    return max(int(re.findall(r"VmHWM:\s+(\d+) kB", state)[0]) for state in states) / 1024


def problems_of(load: Load, rule: Failure, start: float, ended: float) -> list[str]:
    """The problems during and after a failure between these times."""
    wrong = []
    logs = (load.readers, load.others, load.votes)
    for log in logs:
        most = rule.most_times_read if log is load.readers else rule.most_times
        before, during = log.between(0, start), log.between(start, ended)
        if during.percentile(99) > max(most * before.percentile(99), QUICK_MS) and most < inf:
            times = during.percentile(99) / before.percentile(99)
            wrong.append(f"99 of 100 answers took {times:.1f} times as long")
    if load.readers.bad():
        wrong.append(f"readers of a cached page got {dict(load.readers.statuses())}")
    if load.readers.slowest() > rule.longest_read:
        wrong.append(f"a reader of a cached page waited {load.readers.slowest():.1f} s")
    for log in logs[1:]:
        bad = log.bad()
        late = [row for row in bad if row[0] > ended + rule.afterwards]
        if late or (bad and not rule.may_fail):
            wrong.append(f"got {dict(log.statuses())}, {len(late)} of them too late")
        if set(log.statuses()) & {500}:
            wrong.append("an error of the site (500)")
        if log.slowest() > rule.longest:
            wrong.append(f"an answer took {log.slowest():.1f} s")
    if unexplained := sum(one.unexplained for one in load.people):
        wrong.append(f"{unexplained} × 503 without Retry-After or without the site's own page")
    return wrong


def run(database: type[Postgres | SmallDisk], names: list[str]) -> dict[str, list[str]]:
    """Cause these failures on one site and print a row for each; the problems by failure."""
    wrong: dict[str, list[str]] = {}
    with running_site(database) as site:
        for name in names:
            row, wrong[name] = cause_failure(site, name)
            print(row, flush=True)
        if manage(site.env, "recount", "--check", must=False).returncode:
            wrong["recount"] = ["the tallies differ from the votes"]
    return wrong


def main() -> int:
    """Cause the failures; the process's exit status."""
    wanted = sys.argv[1:] or [*FAILURES, *ON_SQLITE]
    missing: list[str] = []
    wrong: dict[str, list[str]] = {}
    print("| " + " | ".join(TITLES) + " |\n" + "|---" * len(TITLES) + "|", flush=True)
    if names := [name for name in FAILURES | FLOODS if name in wanted]:
        if program_folder():
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
