"""The load: requests over several connections; the visitors who vote."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from statistics import quantiles
from time import monotonic, sleep
from typing import NamedTuple

from tests.faults.load import Voter

SERVER_CORE, LOAD_CORE = "0", "1"
CONNECTIONS = 8
VISITORS = 64
PAUSE = 1
"""Seconds after a run, in which a server answers requests that wrk no longer waits for."""
TICKS = os.sysconf("SC_CLK_TCK")
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
SCRIPT = """
local requests, turn = {%s}, 0
function request()
  turn = turn + 1
  local row = requests[(turn - 1) %% #requests + 1]
  return wrk.format(row.method, row.path, row.headers, row.body)
end
function done(summary, latency)
  local errors, failures = summary.errors, 0
  for _, name in ipairs({"connect", "read", "write", "status", "timeout"}) do
    failures = failures + errors[name]
  end
  print(summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, failures)
end
"""


@dataclass
class LoadResult:
    """The result of one run: answers a second, waits in milliseconds, and the processor time of the
    server in milliseconds for each answer (0 where it was not measured). `spread` is half the range
    of the rates of several runs, as a share of their median.
    """

    rate: float
    p50: float
    p99: float
    failures: int
    core: float = 0.0
    spread: float = 0.0


class Request(NamedTuple):
    """One request that a run repeats."""

    path: str
    headers: dict[str, str]
    form: str = ""

    @property
    def method(self) -> str:
        return "POST" if self.form else "GET"

    @property
    def all_headers(self) -> dict[str, str]:
        return self.headers | (FORM if self.form else {})


def load(
    port: int,
    requests: Sequence[Request],
    seconds: float,
    *,
    connections: int = CONNECTIONS,
    pids: Sequence[int] = (),
) -> LoadResult:
    """Send these requests in turn for so many whole seconds, with wrk where it is installed; `pids`
    are the server's processes.
    """
    before, send = processor_time(pids), _wrk if shutil.which("wrk") else _plain
    found, answers = send(port, requests, max(1, round(seconds)), connections)
    sleep(PAUSE)
    found.core = (processor_time(pids) - before) * 1000 / answers
    return found


def _wrk(
    port: int, requests: Sequence[Request], seconds: int, connections: int
) -> tuple[LoadResult, int]:
    """The result, and the number of requests, with those that it did not wait for."""
    rows = []
    for row in requests:
        named = [
            f"[{json.dumps(name)}]={json.dumps(text)}" for name, text in row.all_headers.items()
        ]
        body = json.dumps(row.form) if row.form else "nil"
        rows.append(
            f"{{method={json.dumps(row.method)}, path={json.dumps(row.path)}, body={body}, "
            f"headers={{{', '.join(named)}}}}}"
        )
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SCRIPT % ",\n".join(rows))
        script.flush()
        command = f"taskset -c {LOAD_CORE} wrk -t1 -c{connections} -d{seconds}s"
        done = subprocess.run(
            [*command.split(), "--timeout", "30s", "-s", script.name, f"http://127.0.0.1:{port}/"],
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    requests_sent, seconds_taken, p50, p99, failures = map(float, done.stdout.split()[-5:])
    found = LoadResult(requests_sent / seconds_taken, p50, p99, round(failures))
    return found, round(requests_sent) + connections


def _plain(
    port: int, requests: Sequence[Request], seconds: int, connections: int
) -> tuple[LoadResult, int]:
    """The same without wrk: a thread for each connection."""
    turns, start, waits, statuses = cycle(requests), monotonic(), [], []

    def ask() -> None:
        one = HTTPConnection("127.0.0.1", port, timeout=60)
        while (sent_at := monotonic()) < start + seconds:
            row = next(turns)
            one.request(row.method, row.path, row.form or None, row.all_headers)
            response = one.getresponse()
            response.read()
            waits.append((monotonic() - sent_at) * 1000)
            statuses.append(response.status)
        one.close()

    with ThreadPoolExecutor(connections) as pool:
        for done in [pool.submit(ask) for _ in range(connections)]:
            done.result()
    parts = quantiles(waits, n=100, method="inclusive") if len(waits) > 1 else waits * 99
    failures = sum(status >= 400 for status in statuses)
    rate = len(waits) / (monotonic() - start)
    return LoadResult(rate, parts[49], parts[98], failures), len(waits)


def processor_time(pids: Sequence[int]) -> float:
    """The processor time that these processes have used, in seconds."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


def votes(port: int, visitors: Sequence[str], tools: Sequence[str], seconds: float) -> LoadResult:
    """One run in which these visitors vote on these tools, in turn, and change their votes."""
    sent = [
        Request(f"/tools/{tools[turn % len(tools)]}/vote/", {"Cookie": cookies}, f"choice={choice}")
        for choice in ("ship", "skip")
        for turn, cookies in enumerate(visitors)
    ]
    return load(port, sent, seconds, connections=32)


def voters(port: int, tool: str) -> list[str]:
    """Visitors who have voted once: the cookies of each."""
    found = [Voter(port, number) for number in range(VISITORS)]
    for voter in found:
        voter.vote(tool, "ship")
    return [voter.cookie_header for voter in found]
