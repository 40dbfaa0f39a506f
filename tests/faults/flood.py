"""`python -m tests.faults.flood PORT SECONDS SOURCE [KIND …]`: one network floods the site.

It asks on 96 connections at once for what no cache holds: of the given KINDS, or of all, in turn.
Prints how many answers of each status it got. It has the lowest priority: an attacker's own work
takes nothing from the site's machine.
"""

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from itertools import cycle

from tests.deploy.production_site import get
from tests.faults.load import tool_slugs

CONNECTIONS = 96

SOURCES: dict[str, Callable[[int], str]] = {
    "ipv4": lambda number: f"192.0.2.{number}",
    "ipv6": lambda number: f"2001:db8:0:{number % 16:x}::{number:x}",
}
"""The address of each connection: all of one /24, or of sixteen /64s of one /48."""

CLIENT_HEADER = "X-Flood-Client"
"""The header in which nginx gets this address."""

KINDS: dict[str, Callable[[str, str], str]] = {
    "comparisons": lambda ten, word: f"/compare/{ten}/",
    "unknown-pages": lambda ten, word: f"/tools/{word * 8}/",
    "rows": lambda ten, word: f"/compare/{ten}/?rows={word}",
    "sort": lambda ten, word: f"/tools/?sort={word}",
    "searches": lambda ten, word: f"/search/?%71={word}",
    "own-panels": lambda ten, word: f"/compare/{ten}/?%77eigh-pm={len(word) % 6}",
    "pictures": lambda ten, word: f"/pictures/compare/{ten}/-.png",
    "api": lambda ten, word: f"/api/v1/comparisons/{ten}",
    "bulk": lambda ten, word: f"/data/catalogue.json?{word}",
    "mcp": lambda ten, word: f"/mcp/?{ten}",
}
"""The paths that are requested, made of ten tools' slugs and a word that is new each time."""


def flood(port: int, seconds: float, source: str, kinds: list[str]) -> Counter[int]:
    """Request pages for so many seconds; how many answers had which status (0: none)."""
    slugs = sorted(tool_slugs(get(port, "/tools/").body))
    statuses: Counter[int] = Counter()
    end = time.monotonic() + seconds

    def act(number: int) -> None:
        chance = random.Random(number + time.time())  # noqa: S311
        paths = cycle(KINDS[kind] for kind in kinds)
        one = HTTPConnection("127.0.0.1", port, timeout=60)
        client = SOURCES[source](1 + number)
        while time.monotonic() < end:
            ten = "-vs-".join(sorted(chance.sample(slugs, 10)))
            path = next(paths)(ten, f"{chance.getrandbits(40):x}")
            try:
                while path:
                    status, path = ask(one, path, client)
                    statuses[status] += 1
            except (OSError, HTTPException):
                statuses[0] += 1
                one.close()

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(act, range(CONNECTIONS)))
    return statuses


def ask(one: HTTPConnection, path: str, client: str) -> tuple[int, str]:
    """Send one request as this client; the status, and where a picture is if it is elsewhere."""
    headers = {CLIENT_HEADER: client}
    if path.startswith("/mcp/"):
        arguments = {"tools": path.partition("?")[2].split("-vs-")}
        call = {"name": "compare_tools", "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        headers["Content-Type"] = "application/json"
        one.request("POST", "/mcp/", json.dumps(message), headers)
    else:
        one.request("GET", path, headers=headers)
    response = one.getresponse()
    response.read()
    target = response.headers.get("Location", "")
    return response.status, target if target.startswith("/pictures/") else ""


if __name__ == "__main__":
    os.nice(19)
    port, seconds, source, *kinds = sys.argv[1:]
    print(dict(flood(int(port), float(seconds), source, kinds or [*KINDS])))
