"""Puts 200 visitors on the site, kills a worker midway, and compares what was acknowledged.

`python -m tests.stress` (or `make stress`): several real server processes on one database, first
SQLite, then PostgreSQL where one answers. Every visitor votes, changes and takes back for some
seconds, and remembers what the server acknowledged. In the middle one worker gets SIGKILL. At the
end each acknowledged choice must be in the rows, and each tally must agree with its rows.
Exit status 1 on a difference of one.
"""

import http.client
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import psycopg

ROOT = Path(__file__).resolve().parent.parent
POSTGRES = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
WORKERS, VISITORS, SECONDS = 3, 200, 12
TOOLS = ("smollm3", "ollama", "pgvector", "aider")
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


@dataclass
class Visitor:
    """One browser: its cookies, and for each tool the choices the database may hold for it."""

    number: int
    cookies: dict[str, str] = field(default_factory=dict)
    token: str = ""
    expected: dict[str, set[str]] = field(default_factory=dict)
    acknowledged: int = 0
    faults: list[str] = field(default_factory=list)

    def ask(self, port: int, method: str, path: str, body: str | None = None) -> tuple[int, str]:
        """One request on a connection of its own; keeps the cookies of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
        return response.status, text

    def vote(self, port: int, tool: str, choice: str) -> None:
        """Send a choice; until the answer is there, the old and the new one may be stored."""
        before = self.expected.get(tool, {"none"})
        self.expected[tool] = before | {choice}
        body = urlencode({"choice": choice, "csrfmiddlewaretoken": self.token})
        status, _ = self.ask(port, "POST", f"/tools/{tool}/vote/", body)
        if status == 303:
            self.expected[tool] = {choice}
            self.acknowledged += 1
        else:
            self.faults.append(f"{status} on {tool}")

    def act(self, ports: list[int], tools: tuple[str, ...], until: float) -> None:
        """Vote at random until the time is over; a worker that is gone is no fault of ours."""
        dice = random.Random(self.number)  # noqa: S311 - the same acts at every run
        while time.monotonic() < until:
            port = dice.choice(ports)
            try:
                if not self.token:
                    _, page = self.ask(port, "GET", f"/tools/{tools[0]}/vote/")
                    self.token = TOKEN.search(page)[1]  # type: ignore[index]
                self.vote(port, dice.choice(tools), dice.choice(["ship", "skip", "none"]))
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def manage(environment: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of manage.py to its end."""
    words = [sys.executable, "manage.py", *command]
    return subprocess.run(
        words, cwd=ROOT, env=environment, check=False, capture_output=True, text=True
    )


def start(environment: dict[str, str], port: int) -> subprocess.Popen[bytes]:
    """A worker of its own, listening on a port."""
    words = [sys.executable, "manage.py", "runserver", "--noreload", "--skip-checks"]
    worker = subprocess.Popen(
        [*words, f"127.0.0.1:{port}"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return worker
    raise RuntimeError("A worker did not start.")


def storm(environment: dict[str, str], tools: tuple[str, ...], *, kill: bool) -> list[Visitor]:
    """200 visitors at once on these tools; one worker is killed and replaced when asked."""
    ports = [free_port() for _ in range(WORKERS)]
    workers = {port: start(environment, port) for port in ports}
    visitors = [Visitor(number) for number in range(VISITORS)]
    until = time.monotonic() + SECONDS
    threads = [
        threading.Thread(target=visitor.act, args=(ports, tools, until)) for visitor in visitors
    ]
    try:
        for thread in threads:
            thread.start()
        if kill:
            time.sleep(SECONDS / 2)
            os.kill(workers[ports[0]].pid, signal.SIGKILL)
            workers[ports[0]].wait()
            workers[ports[0]] = start(environment, ports[0])
        for thread in threads:
            thread.join()
    finally:
        for worker in workers.values():
            worker.kill()
            worker.wait()
    return visitors


def stored(environment: dict[str, str]) -> dict[str, dict[str, str]]:
    """What the database holds: for each visitor's id the choice on each tool."""
    script = (
        "from reviews.models import Vote\n"
        "for v in Vote.objects.select_related('tool'): print(v.visitor.hex, v.tool.slug, v.choice)"
    )
    rows: dict[str, dict[str, str]] = {}
    for line in manage(environment, "shell", "-v", "0", "-c", script).stdout.splitlines():
        visitor, tool, choice = line.split()
        rows.setdefault(visitor, {})[tool] = choice
    return rows


def compare(visitors: list[Visitor], rows: dict[str, dict[str, str]]) -> list[str]:
    """Every difference between what was acknowledged and what is stored."""
    differences = []
    known = set()
    for visitor in visitors:
        key = visitor.cookies.get("visitor", "").partition(":")[0]
        known.add(key)
        for tool, choices in visitor.expected.items():
            found = rows.get(key, {}).get(tool, "none")
            if found not in choices:
                differences.append(f"visitor {visitor.number} on {tool}: {found}, not {choices}")
    strangers = set(rows) - known
    # A first vote whose answer was cut off made a visitor whose cookie never arrived.
    differences += [f"{len(strangers)} unknown visitors"] if len(strangers) > VISITORS else []
    return differences


def measure(title: str, database_url: str) -> bool:
    """Both storms on one database; prints the counts, and whether they agree."""
    environment = os.environ | {
        "DATABASE_URL": database_url,
        "VOTES_PER_NETWORK_PER_DAY": "1000000",
        "VOTES_PER_VISITOR_PER_MINUTE": "1000000",
        "DATABASE_POOL": "8",
    }
    manage(environment, "migrate", "--verbosity", "0")
    manage(environment, "load_catalogue", "fixtures/catalogue.json")
    everybody: list[Visitor] = []
    for name, tools, kill in (("one tool", TOOLS[:1], False), ("four tools", TOOLS, True)):
        visitors = storm(environment, tools, kill=kill)
        votes = sum(visitor.acknowledged for visitor in visitors)
        faults = [fault for visitor in visitors for fault in visitor.faults]
        note = ", a worker killed midway" if kill else ""
        print(f"{title}, {name}: {votes} acknowledged, {votes / SECONDS:.0f} a second{note}")
        print(f"{title}, {name}: {len(faults)} answers that were no acknowledgement {faults[:3]}")
        everybody += visitors
    rows = stored(environment)
    expected = sum(
        len(choices) == 1 and choices != {"none"}
        for visitor in everybody
        for choices in visitor.expected.values()
    )
    print(f"{title}: {expected} votes expected, {sum(map(len, rows.values()))} rows stored")
    differences = compare(everybody, rows)
    tallies = manage(environment, "recount", "--check")
    print(f"{title}: {len(differences)} differences {differences[:3]}; {tallies.stdout.strip()}")
    return not differences and tallies.returncode == 0


def main() -> int:
    """Measure on both databases; the process's exit status."""
    good = True
    with tempfile.TemporaryDirectory() as folder:
        good &= measure("SQLite", f"sqlite:///{folder}/stress.sqlite3")
    try:
        server = psycopg.connect(POSTGRES, autocommit=True, connect_timeout=3)
    except psycopg.Error as error:
        print(f"NOT RUN on PostgreSQL: {error}")
        return 0 if good else 1
    name = f"shipskip_stress_{os.getpid()}"
    with server:
        server.execute(f'CREATE DATABASE "{name}"')
        try:
            good &= measure("PostgreSQL", f"{POSTGRES.rpartition('/')[0]}/{name}")
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    print("All acknowledged votes are there." if good else "FAILED: see the differences above.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
