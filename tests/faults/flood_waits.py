"""`python -m tests.faults.flood_waits [ROUNDS [KIND …]]`: what a flood of one address costs others.

In each round and for each kind of flood, the other readers and voters are measured for some seconds
without the flood, and then with it: other work of the machine slows both down alike. Exit status 1
if 99 of 100 answers take more than three times as long in a flood.
"""

import subprocess
import sys
import time

from tests.deploy.production_site import get
from tests.faults.__main__ import PAGE, Site, running_site
from tests.faults.flood import KINDS
from tests.faults.load import Load, RequestLog, first_tool
from tests.faults.postgres import Postgres

ROUNDS = 3
SECONDS = 8.0
"""How long the others are measured before a flood, and how long the flood sends requests; it is
over when its last request is answered."""

MOST_TIMES = 3

Span = tuple[float, float]
"""The moments at which a phase begins and ends."""


def one_flood(site: Site, kind: str) -> tuple[Span, Span, str]:
    """The phase before the flood, the flood, and the statuses that it got."""
    begin = time.monotonic()
    time.sleep(SECONDS)
    start = time.monotonic()
    command = [sys.executable, "-m", "tests.faults.flood", str(site.nginx.port), str(SECONDS), kind]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    return (begin, start), (start, time.monotonic()), found.stdout.strip()


def during(log: RequestLog, spans: list[Span]) -> RequestLog:
    """The answers to requests that began in these phases."""
    return RequestLog([row for row in log.rows if any(a <= row[0] < b for a, b in spans)])


def table(load: Load, phases: dict[str, list[tuple[Span, Span]]]) -> list[str]:
    """Print a row for each kind of flood and of readers; the problems."""
    wrong = []
    print("| flood | others | answers | quiet: p50 | p99 (ms) | flood: p50 | p99 (ms) | times |")
    print("|---" * 8 + "|")
    logs = {"cached pages": load.readers, "uncached pages": load.others, "votes": load.votes}
    for kind, pairs in phases.items():
        for name, log in logs.items():
            quiet = during(log, [before for before, _ in pairs])
            flooded = during(log, [flood for _, flood in pairs])
            times = flooded.percentile(99) / quiet.percentile(99)
            cells = [kind, name, f"{len(quiet.rows)}, {len(flooded.rows)}"]
            cells += [f"{part.percentile(p):.0f}" for part in (quiet, flooded) for p in (50, 99)]
            print("| " + " | ".join([*cells, f"{times:.1f}"]) + " |", flush=True)
            if times > MOST_TIMES:
                wrong.append(f"{kind}: {name} took {times:.1f} times as long")
            if bad := quiet.bad() + flooded.bad():
                statuses = dict(RequestLog(bad).statuses())
                wrong.append(f"{kind}: {name}: answers without a page: {statuses}")
    return wrong


def main() -> int:
    """Measure; the process's exit status."""
    rounds = int(sys.argv[1]) if sys.argv[1:] else ROUNDS
    phases: dict[str, list[tuple[Span, Span]]] = {kind: [] for kind in sys.argv[2:] or KINDS}
    with running_site(Postgres) as site:
        tool = first_tool(get(site.nginx.port, "/tools/").body)
        for server in site.servers * 2:
            get(server.port, PAGE)
        with Load(site.nginx.port, PAGE, tool, searchers=2) as load:
            for number in range(rounds):
                for kind, pairs in phases.items():
                    before, flood, statuses = one_flood(site, kind)
                    pairs.append((before, flood))
                    print(f"{number + 1}. {kind}: {statuses}", flush=True)
        wrong = table(load, phases)
        wrong += load.lost(site.stored_choices())
    for line in wrong:
        print(f"FAILED   {line}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
