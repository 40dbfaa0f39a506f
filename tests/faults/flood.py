"""`python -m tests.faults.flood PORT SECONDS [KIND …]`: one address floods the site.

It asks on 95 connections at once for pages that no cache holds: of the given KINDS, or of all, in
turn. Prints how many answers of each status it got. It has the lowest priority: an attacker's own
work takes nothing from the site's machine.
"""

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

CONNECTIONS = 95

KINDS: dict[str, Callable[[str, str], str]] = {
    "comparisons": lambda ten, word: f"/compare/{ten}/",
    "unknown-pages": lambda ten, word: f"/tools/{word * 8}/",
    "rows": lambda ten, word: f"/compare/{ten}/?rows={word}",
    "sort": lambda ten, word: f"/tools/?sort={word}",
    "searches": lambda ten, word: f"/search/?%71={word}",
    "own-panels": lambda ten, word: f"/compare/{ten}/?%77eigh-pm={len(word) % 6}",
}
"""The paths that are requested, made of ten tools' slugs and a word that is new each time."""


def flood(port: int, seconds: float, kinds: list[str]) -> Counter[int]:
    """Request pages for so many seconds; how many answers had which status (0: none)."""
    slugs = sorted(tool_slugs(get(port, "/tools/").body))
    statuses: Counter[int] = Counter()
    end = time.monotonic() + seconds

    def act(number: int) -> None:
        chance = random.Random(number + time.time())  # noqa: S311
        paths = cycle(KINDS[kind] for kind in kinds)
        one = HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < end:
            ten = "-vs-".join(sorted(chance.sample(slugs, 10)))
            path = next(paths)(ten, f"{chance.getrandbits(40):x}")
            try:
                one.request("GET", path)
                response = one.getresponse()
                response.read()
                statuses[response.status] += 1
            except (OSError, HTTPException):
                statuses[0] += 1
                one.close()

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(act, range(CONNECTIONS)))
    return statuses


if __name__ == "__main__":
    os.nice(19)
    print(dict(flood(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:] or [*KINDS])))
