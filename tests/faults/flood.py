"""`python -m tests.faults.flood PORT SECONDS`: one address requests pages that no cache holds.

It asks on 95 connections at once for comparisons of ten tools, for pages that do not exist and for
lists with values that do not exist. Prints how many answers of each status it got. It has the
lowest priority: an attacker's own work takes nothing from the site's machine.
"""

import os
import random
import re
import sys
import threading
import time
from collections import Counter
from http.client import HTTPConnection, HTTPException

CONNECTIONS = 95


def flood(port: int, seconds: float) -> Counter[int]:
    """Request pages for so many seconds; how many answers had which status (0: none)."""
    slugs = _slugs(port)
    statuses: Counter[int] = Counter()
    end = time.monotonic() + seconds

    def act(number: int) -> None:
        chance = random.Random(number)  # noqa: S311
        one = HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < end:
            word = f"{chance.getrandbits(40):x}"
            ten = "-vs-".join(sorted(chance.sample(slugs, 10)))
            path = chance.choice(
                [f"/compare/{ten}/", f"/tools/{word * 8}/", f"/tools/?sort={word}", f"/?%71={word}"]
            )
            try:
                one.request("GET", path)
                response = one.getresponse()
                response.read()
                statuses[response.status] += 1
            except (OSError, HTTPException):
                statuses[0] += 1
                one.close()

    threads = [threading.Thread(target=act, args=[number]) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses


def _slugs(port: int) -> list[str]:
    one = HTTPConnection("127.0.0.1", port, timeout=60)
    one.request("GET", "/tools/")
    return sorted(
        set(re.findall(r'href="/tools/([a-z0-9-]+)/"', one.getresponse().read().decode()))
    )


if __name__ == "__main__":
    os.nice(19)
    print(dict(flood(int(sys.argv[1]), float(sys.argv[2]))))
