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
import sqlite3
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import quantiles
from threading import Lock, Thread
from time import monotonic, sleep
from urllib.parse import urlencode

import psycopg

from tests.deploy.production_site import Server, database, get, prepared
from tests.everything import ready_postgres
from tests.management_commands import manage

TOOLS = 40
"""How many tools the visitors vote on in the rounds with many tools."""

TIMEOUT = 30
"""Seconds a visitor waits for an answer."""

ATTEMPTS = 10
CHOICES = {"ship": "ship", "skip": "skip", "none": ""}


class Visitor:
    """One browser, with a connection, cookies and a record of the answers."""

    def __init__(self, port: int, number: int) -> None:
        self.connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        self.random = random.Random(number)  # noqa: S311
        self.cookies: dict[str, str] = {}
        self.possible: dict[str, set[str]] = {}
        """What may be in the database, by tool: one choice once a vote was acknowledged."""

    @property
    def name(self) -> str:
        """The visitor's id, which is the part of the cookie before its signature."""
        return self.cookies["visitor"].partition(":")[0]

    def cast_first_vote(self, tool: str) -> str:
        """Cast a first vote, which makes a visitor; try again if the answer sets no cookie."""
        for _ in range(ATTEMPTS):
            answer = self._post_vote(tool, "ship")
            if "visitor" in self.cookies:
                return answer
        return "no first vote"

    def vote(self, tools: list[str]) -> str:
        """Cast, change or withdraw a vote on one tool: `stored`, `busy`, `lost` or `error`."""
        return self._post_vote(self.random.choice(tools), self.random.choice([*CHOICES]))

    def _post_vote(self, tool: str, choice: str) -> str:
        sent = {"choice": choice}
        self.possible.setdefault(tool, {""})
        try:
            status = self._post(f"/tools/{tool}/vote/", urlencode(sent))
        except (OSError, HTTPException):
            self.connection.close()  # it connects again for the next vote
            status = 0
        if status in (200, 303):
            self.possible[tool] = {CHOICES[choice]}
            return "stored"
        self.possible[tool] = self.possible[tool] | {CHOICES[choice]}
        return {0: "lost", 503: "busy", 429: "busy"}.get(status, "error")

    def _post(self, path: str, body: str) -> int:
        """Send a form as our own page does, keep the answer's cookies; its status."""
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Content-Type": "application/x-www-form-urlencoded",
            "Sec-Fetch-Site": "same-origin",
        }
        self.connection.request("POST", path, body, headers)
        response = self.connection.getresponse()
        response.read()
        for line in response.headers.get_all("Set-Cookie", []):
            name, _, rest = line.partition("=")
            self.cookies[name] = rest.partition(";")[0].strip('"')
        return response.status


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
    visitors: list[Visitor], tools: list[str], seconds: float, *, killed: Server | None = None
) -> Round:
    """Let all visitors vote for some seconds; half-way, kill a worker of the server `killed`."""
    found, start = Round(), monotonic()

    def keep_voting(visitor: Visitor) -> None:
        while monotonic() < start + seconds:
            before = monotonic()
            found.add(visitor.vote(tools), monotonic() - before)

    threads = [Thread(target=keep_voting, args=[visitor]) for visitor in visitors]
    for thread in threads:
        thread.start()
    if killed:
        sleep(seconds / 2)
        os.kill(killed.workers()[0], signal.SIGKILL)
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


def stress(title: str, url: str, folder: Path, *, count: int, seconds: float) -> list[str]:
    """Run everything on one database; the errors, a line each."""
    print(f"\n=== {title}: {count} visitors, 3 workers ===", flush=True)
    env = prepared(url)
    with Server(env, folder, WORKERS="3") as server:
        sitemap = get(server.port, "/sitemap-tools.xml").body.decode()
        tools = [part.split("/")[0] for part in sitemap.split("/tools/")[1:]][:TOOLS]
        visitors = [Visitor(server.port, number) for number in range(count)]
        rounds = {
            "first votes, one tool": cast_first_votes(visitors, tools[0]),
            "one tool": vote_for(visitors, tools[:1], seconds),
            f"{len(tools)} tools": vote_for(visitors, tools, seconds),
            "5 tools, a worker killed meanwhile": vote_for(
                visitors, tools[:5], 1.5 * seconds, killed=server
            ),
        }
    logged_errors = [line for line in server.log.read_text().splitlines() if "Error" in line][-5:]
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
