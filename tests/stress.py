"""200 visitors vote at once while a worker is killed; then the acknowledged votes and the rows of
the database are compared.

`python -m tests.stress` (or `make stress`), on SQLite and on PostgreSQL. Exit status 1 when an
acknowledged vote is not in the database, a vote in it was not acknowledged, a tally differs from
its votes, or any answer was an error. A missing PostgreSQL is reported (and is a failure with
`CI=true`).
"""

import argparse
import os
import sqlite3
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from threading import Lock, Thread
from time import monotonic, sleep

import psycopg

from tests.deploy.production_site import database
from tests.everything import ready_postgres
from tests.stress_site import Workers, environment, manage
from tests.stress_visitors import Visitor

TOOLS = 40
"""How many tools the visitors vote on in the rounds with many tools."""

StoredVotes = dict[tuple[str, str], str]
"""The choice of each visitor (hex) on each tool (slug) with a vote."""


@dataclass
class Round:
    """The answers to the visitors during one round."""

    seconds: float = 0
    answers: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def add(self, answer: str, wait: float) -> None:
        """Add one answer, and the seconds it took."""
        with self.lock:
            self.answers[answer] += 1
            self.waits.append(wait)

    def report(self, title: str) -> str:
        """One line: votes a second, their duration, and the number of other answers."""
        number = self.answers["stored"]
        others = ", ".join(f"{n} {what}" for what, n in self.answers.items() if what != "stored")
        cuts = quantiles(self.waits, n=100) if len(self.waits) > 1 else [0.0] * 99
        return (
            f"  {title:<34}{number:>7} votes in {self.seconds:4.1f} s ="
            f" {number / self.seconds:6.0f}/s,"
            f" median {cuts[49] * 1000:4.0f} ms, 99% under {cuts[98] * 1000:5.0f} ms"
            + (f"; {others}" if others else "")
        )


def vote_for(
    visitors: list[Visitor], tools: list[str], seconds: float, *, after: float = 0
) -> Round:
    """Let all visitors vote for some seconds; unless `after` is 0, kill a worker after it."""
    found, start = Round(), monotonic()

    def keep_voting(visitor: Visitor) -> None:
        while monotonic() < start + seconds:
            before = monotonic()
            found.add(visitor.vote(tools), monotonic() - before)

    threads = [Thread(target=keep_voting, args=[visitor]) for visitor in visitors]
    for thread in threads:
        thread.start()
    if after:
        sleep(after)
        visitors[0].workers.kill_and_restart()
    for thread in threads:
        thread.join()
    found.seconds = monotonic() - start
    return found


def cast_first_votes(visitors: list[Visitor], tool: str) -> Round:
    """Let each browser cast a first vote, which makes it a visitor."""
    found, start = Round(), monotonic()

    def first(visitor: Visitor) -> None:
        before = monotonic()
        found.add(visitor.cast_first_vote(tool), monotonic() - before)

    threads = [Thread(target=first, args=[visitor]) for visitor in visitors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found.seconds = monotonic() - start
    return found


def stored_votes(url: str) -> tuple[StoredVotes, list[str]]:
    """The votes in the database, and visitors with two votes on one tool, which is an error."""
    query = (
        "SELECT reviews_vote.visitor, slug, choice FROM reviews_vote"
        " JOIN tools_tool ON tools_tool.id = tool_id"
    )
    rows: list[tuple[object, str, str]]
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as database:
            rows = database.execute(query).fetchall()
    else:
        with psycopg.connect(url) as connection:
            rows = connection.execute(query).fetchall()
    keys = Counter((str(visitor).replace("-", ""), slug) for visitor, slug, _ in rows)
    doubles = [f"{who} has {n} votes on {slug}" for (who, slug), n in keys.items() if n > 1]
    return {(str(v).replace("-", ""), slug): choice for v, slug, choice in rows}, doubles


def compare(visitors: list[Visitor], url: str) -> list[str]:
    """Print the numbers of acknowledged votes and of rows; the differences, a line each."""
    rows, differences = stored_votes(url)
    acknowledged = stored = either = 0
    for visitor in visitors:
        for tool, possible in visitor.possible.items():
            key = visitor.name, tool
            found = rows.pop(key, "")
            if len(possible) > 1:
                either += 1
            else:
                acknowledged += "" not in possible
                stored += bool(found)
            if found not in possible:
                answered = " or ".join(choice or "none" for choice in possible)
                differences.append(f"{key}: answered {answered}, the row has {found or 'none'}")
    differences += [f"{key}: a row without an acknowledgement" for key in rows]
    print(
        f"  acknowledged votes: {acknowledged}; rows: {stored + len(rows)}"
        f" (and {either} without an answer to the last vote, where both results are right)"
    )
    return differences


def stress(title: str, url: str, *, count: int, seconds: float) -> list[str]:
    """Run everything on one database; the errors, a line each."""
    print(f"\n=== {title}: {count} visitors, 3 workers ===", flush=True)
    env = environment(url)
    manage(env, "migrate", "--verbosity", "0")
    manage(env, "load_catalogue", "fixtures/catalogue.json")
    with Workers(env, 3) as workers:
        tools = workers.tools()[:TOOLS]
        visitors = [Visitor(workers, number) for number in range(count)]
        rounds = {
            "first votes, one tool": cast_first_votes(visitors, tools[0]),
            "one tool": vote_for(visitors, tools[:1], seconds),
            f"{len(tools)} tools": vote_for(visitors, tools, seconds),
            "5 tools, a worker killed meanwhile": vote_for(
                visitors, tools[:5], 1.5 * seconds, after=0.75 * seconds
            ),
        }
        logged_errors = workers.logged_errors()
    for name, found in rounds.items():
        print(found.report(name))
    errors = compare(visitors, url)
    for what in ("error", "no first vote"):
        if number := sum(found.answers[what] for found in rounds.values()):
            errors.append(f"{number} × {what}")
    check = manage(env, "recount", "--check", must=False)
    print(f"  recount --check: {check.stdout.strip() or check.stderr.strip()}")
    if check.returncode:
        errors.append("the tallies differ from the votes")
    return errors + logged_errors


def main() -> int:
    """Run on both databases; the process's exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=8, help="of each round (8)")
    options = parser.parse_args()
    run = {"count": options.visitors, "seconds": options.seconds}
    errors: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        errors["SQLite"] = stress("SQLite", f"sqlite:///{Path(folder) / 'db.sqlite3'}", **run)
    missing = ready_postgres()
    if missing is None:
        with database(Path(), "postgresql") as url:
            errors["PostgreSQL"] = stress("PostgreSQL", url, **run)
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
