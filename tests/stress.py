"""200 visitors vote at once while a worker is killed; then the acknowledged votes and the rows of
the database are compared.

`python -m tests.stress` (or `make stress`), on SQLite and on PostgreSQL. Exit status 1 when an
acknowledged vote is not in the database, a vote in it was not acknowledged, a tally differs from
its votes, or any answer was an error. A missing PostgreSQL is reported (and is a failure with
`CI=true`).
"""

import argparse
import os
import random
import signal
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

from tests.deploy.production_site import Server, database, get, prepared
from tests.everything import ready_postgres
from tests.faults.load import RequestLog, Voter, lost, stored_votes, tool_slugs
from tests.management_commands import manage

TOOLS = 40
"""How many tools the visitors vote on in the rounds with many tools."""

ATTEMPTS = 10
FINE = {0, 200, 303, 429, 503}
"""Statuses that a voter may get: 0 from a killed worker, others from a busy one."""


def first_vote(visitor: Voter, tools: list[str]) -> int:
    """Cast a first vote, which makes a visitor; try again if the answer sets no cookie."""
    status = 0
    for _ in range(ATTEMPTS):
        status = visitor.vote(tools[0], "ship")
        if visitor.name:
            break
    return status


def any_vote(visitor: Voter, tools: list[str]) -> int:
    """Cast, change or withdraw a vote on one of the tools."""
    return visitor.vote(random.choice(tools), random.choice(["ship", "skip", "none"]))  # noqa: S311


def act(
    visitors: list[Voter],
    vote: Callable[[Voter, list[str]], int],
    tools: list[str],
    seconds: float = 0,
    killed: Server | None = None,
) -> RequestLog:
    """Let each visitor vote once, or again and again for some seconds; half-way, kill a worker of
    the server `killed`.
    """
    log, end = RequestLog(), monotonic() + seconds

    def keep_voting(visitor: Voter) -> None:
        while True:
            start = monotonic()
            log.rows.append((start, vote(visitor, tools), monotonic() - start))
            if monotonic() >= end:
                return

    with ThreadPoolExecutor(len(visitors)) as pool:
        done = [pool.submit(keep_voting, visitor) for visitor in visitors]
        if killed:
            sleep(seconds / 2)
            os.kill(killed.workers()[0], signal.SIGKILL)
    for each in done:
        each.result()
    return log


def report(title: str, log: RequestLog) -> str:
    """One line: votes a second, their duration, and the number of other answers."""
    seconds = max(start + wait for start, _, wait in log.rows) - log.rows[0][0]
    number = len(log.rows) - len(log.bad())
    others = ", ".join(f"{n} × {status}" for status, n in log.statuses().items() if status != 303)
    return (
        f"  {title:<34}{number:>7} votes in {seconds:4.1f} s = {number / seconds:6.0f}/s, median"
        f" {log.percentile(50):4.0f} ms, 99% under {log.percentile(99):5.0f} ms"
        + (f"; {others}" if others else "")
    )


def compare(visitors: list[Voter], url: str) -> list[str]:
    """Print the numbers of acknowledged votes and of rows; the differences, a line each."""
    rows = stored_votes(url)
    answers = {
        (visitor.name, tool): possible
        for visitor in visitors
        for tool, possible in visitor.possible.items()
    }
    unsure = {key for key, possible in answers.items() if len(possible) > 1}
    acknowledged = [key for key in answers.keys() - unsure if answers[key] != {""}]
    print(
        f"  acknowledged votes: {len(acknowledged)}; rows: {len(rows.keys() - unsure)} (and"
        f" {len(unsure)} without an answer to the last vote, where both results are right)"
    )
    unknown = [f"{key}: a row without an acknowledgement" for key in rows.keys() - answers.keys()]
    return lost(visitors, rows) + unknown


def stress(title: str, url: str, folder: Path, *, count: int, seconds: float) -> list[str]:
    """Run everything on one database; the errors, a line each."""
    print(f"\n=== {title}: {count} visitors, 3 workers ===", flush=True)
    env = prepared(url)
    with Server(env, folder, WORKERS="3") as server:
        tools = tool_slugs(get(server.port, "/tools/").body)[:TOOLS]
        visitors = [Voter(server.port, number) for number in range(count)]
        rounds = {
            "first votes, one tool": act(visitors, first_vote, tools),
            "one tool": act(visitors, any_vote, tools[:1], seconds),
            f"{len(tools)} tools": act(visitors, any_vote, tools, seconds),
            "5 tools, a worker killed meanwhile": act(
                visitors, any_vote, tools[:5], 1.5 * seconds, killed=server
            ),
        }
    errors = [line for line in server.log.read_text().splitlines() if "Error" in line][-5:]
    for name, log in rounds.items():
        print(report(name, log))
        errors += [f"{name}: status {status}" for status in log.statuses().keys() - FINE]
    errors += ["a visitor without a first vote" for visitor in visitors if not visitor.name]
    errors += compare(visitors, url)
    check = manage(env, "recount", "--check", must=False)
    print(f"  recount --check: {check.stdout.strip() or check.stderr.strip()}")
    if check.returncode:
        errors.append("the tallies differ from the votes")
    return errors


def main() -> int:
    """Run on both databases; the process's exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=8, help="of each round (8)")
    options = parser.parse_args()
    errors: dict[str, list[str]] = {}
    missing = ready_postgres()
    with tempfile.TemporaryDirectory() as folder:
        for title in ("SQLite",) if missing else ("SQLite", "PostgreSQL"):
            with database(Path(folder), title.lower()) as url:
                errors[title] = stress(
                    title, url, Path(folder), count=options.visitors, seconds=options.seconds
                )
    print("\n=== Summary ===")
    for title, found in errors.items():
        print(f"{'FAILED' if found else 'passed':<9}{title}")
        for line in found[:20]:
            print(f"         {line}")
    if missing:
        print(f"NOT RUN  PostgreSQL: {missing}")
    failed = any(errors.values()) or (bool(missing) and os.environ.get("CI") == "true")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
