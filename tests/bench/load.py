"""The load: requests over several connections from a core of its own, and the visitors who vote.

`client` waits for every answer, so that processor time can be divided by their number. Cached pages
are answered faster than it can ask: wrk loads them, where it is installed.
"""

import os
import re
import selectors
import shutil
import socket
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from statistics import quantiles
from time import monotonic

SERVER_CORE, LOAD_CORE = "0", "1"
CONNECTIONS = 8
VISITORS = 64
TICKS = os.sysconf("SC_CLK_TCK")
MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.I)


@dataclass
class LoadResult:
    """The result of one run: answers a second, waits in milliseconds, and the processor time of the
    server in milliseconds for each answer (0 where it was not measured).
    """

    rate: float
    p50: float
    p99: float
    failures: int
    core: float = 0.0


def request(path: str, method: str = "GET", body: str = "", **headers: str) -> bytes:
    """The bytes of one request; headers as keywords, `_` for `-`."""
    named = {"Host": "127.0.0.1"} | headers
    if body:
        named |= {
            "Content-Type": "application/x-www-form-urlencoded",
            "Content-Length": str(len(body)),
        }
    lines = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items()]
    return f"{method} {path} HTTP/1.1\r\n{''.join(lines)}\r\n{body}".encode()


class _Connection:
    """One connection, which waits for one answer at a time."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received, self.sent_at = b"", 0.0
        self.is_last = False
        """Whether the server closes it after this answer: nginx does so after 1,000."""

    def send(self, data: bytes) -> None:
        self.received, self.sent_at = b"", monotonic()
        self.socket.sendall(data)

    def read(self) -> int:
        """Read what has arrived: the status of the answer once all of it is here, else 0.

        Raises ConnectionError if the server has closed the connection.
        """
        part = self.socket.recv(262_144)
        if not part:
            raise ConnectionError("The server closed the connection.")
        self.received += part
        head, end, body = self.received.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        self.is_last = b"\r\nconnection: close" in head.lower()
        if not end or len(body) < (int(length[1]) if length else 0):
            return 0
        return int(head[9:12])


def client(
    port: int,
    requests: Sequence[bytes],
    seconds: float,
    *,
    connections: int = CONNECTIONS,
    used: Callable[[], float] | None = None,
) -> LoadResult:
    """Send these requests in turn until the time is over, and wait for every answer.

    `used` returns the processor time that the server has used, in seconds.
    """
    waits: list[float] = []
    turn = failures = 0
    with selectors.DefaultSelector() as selector:
        start, before = monotonic(), used() if used else 0.0
        for _ in range(connections):
            connection = _Connection(port)
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.send(requests[turn % len(requests)])
            turn += 1
        while selector.get_map():
            for key, _ in selector.select():
                connection = key.data
                if not (status := connection.read()):
                    continue
                now = monotonic()
                waits.append((now - connection.sent_at) * 1000)
                failures += status >= 400
                goes_on = now - start < seconds
                if connection.is_last or not goes_on:
                    selector.unregister(connection.socket)
                    connection.socket.close()
                if not goes_on:
                    continue
                if connection.is_last:
                    connection = _Connection(port)
                    selector.register(connection.socket, selectors.EVENT_READ, connection)
                connection.send(requests[turn % len(requests)])
                turn += 1
        passed = monotonic() - start
        core = ((used() - before) if used else 0.0) * 1000 / len(waits)
    parts = quantiles(waits, n=100, method="inclusive") if len(waits) > 1 else waits * 99
    return LoadResult(len(waits) / passed, parts[49], parts[98], failures, core)


def processor_time(pids: Sequence[int]) -> float:
    """The processor time that these processes have used, in seconds."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


def wrk(url: str, seconds: float, **headers: str) -> LoadResult:
    """One run; raises AssertionError if the output of wrk cannot be read."""
    program = shutil.which("wrk")
    assert program, "wrk is not installed (package wrk)"
    whole = max(1, round(seconds))  # wrk takes no fractions
    command = ["taskset", "-c", LOAD_CORE, program, "-t1", "-c32", f"-d{whole}s"]
    command += ["--latency", "--timeout", "30s"]
    for name, value in headers.items():
        command += ["-H", f"{name.replace('_', '-')}: {value}"]
    text = subprocess.run([*command, url], capture_output=True, text=True, check=True).stdout
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    assert rate, text
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    errors = re.search(r"Socket errors: (.*)", text)
    failures = int(bad[1]) if bad else 0
    failures += sum(int(n) for n in re.findall(r"\d+", errors[1])) if errors else 0
    return LoadResult(float(rate[1]), _wait(text, "50%"), _wait(text, "99%"), failures)


def _wait(text: str, part: str) -> float:
    found = re.search(rf"{part}\s+([\d.]+)(us|ms|s|m)", text)
    assert found, text
    return float(found[1]) * MILLISECONDS[found[2]]


def quick(port: int, path: str, seconds: float, **headers: str) -> LoadResult:
    """One run on a page that is answered thousands of times a second."""
    if shutil.which("wrk"):
        return wrk(f"http://127.0.0.1:{port}{path}", seconds, **headers)
    return client(port, [request(path, **headers)], seconds, connections=32)


def votes(port: int, visitors: Sequence[str], tools: Sequence[str], seconds: float) -> LoadResult:
    """One run in which these visitors vote on these tools, in turn, and change their votes."""
    sent = [
        request(
            f"/tools/{tools[turn % len(tools)]}/vote/",
            "POST",
            f"choice={choice}",
            Cookie=cookies,
            Sec_Fetch_Site="same-origin",
        )
        for choice in ("ship", "skip")
        for turn, cookies in enumerate(visitors)
    ]
    return client(port, sent, seconds, connections=32)


def voters(port: int, tool: str) -> list[str]:
    """Visitors who have voted once: the cookies of each."""
    found = []
    sent = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
    for _ in range(VISITORS):
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", f"/tools/{tool}/vote/", "choice=ship", sent)
        response = connection.getresponse()
        response.read()
        cookies = response.headers.get_all("Set-Cookie", [])
        connection.close()
        found.append("; ".join(line.partition(";")[0] for line in cookies))
    return found
