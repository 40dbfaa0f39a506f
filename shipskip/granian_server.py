"""`python -m shipskip.granian_server`: granian as deploy/serve starts it.

granian replaces a worker that died, but ends the whole server if the same worker's place dies twice
within 5.5 seconds, however healthy the others are. Here that takes MAX_DEATHS in a minute.
"""

import os
from collections import deque
from time import monotonic
from typing import Any

from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

THREADS = 16
"""In each worker; two render pages (shipskip/page_cache/render_turns.py)."""

MAX_DEATHS, WINDOW_SECONDS = 5, 60
"""A worker's place that dies more often than this cannot start: the server ends, and says so."""


class Respawns(dict[int, float]):
    """When each worker's place was filled again, as granian asks when its worker died."""

    def __init__(self) -> None:
        self._deaths: dict[int, deque[float]] = {}

    def get(self, place: int, default: Any = None) -> float:
        """Long ago; the moment itself, which granian takes for a crash loop, after MAX_DEATHS."""
        now = monotonic()
        deaths = self._deaths.setdefault(place, deque(maxlen=MAX_DEATHS))
        deaths.append(now)
        is_loop = len(deaths) == MAX_DEATHS and now - deaths[0] < WINDOW_SECONDS
        return now if is_loop else float("-inf")


def main() -> None:
    """Serve on HOST and PORT with WORKERS processes of THREADS threads until SIGTERM."""
    server = Granian(
        "shipskip.wsgi:application",
        address=os.environ["HOST"],
        port=int(os.environ["PORT"]),
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=int(os.environ["WORKERS"]),
        blocking_threads=THREADS,
        backlog=2048,
        backpressure=512,
        http1_settings=HTTP1Settings(header_read_timeout=10_000, max_buffer_size=32_768),
        respawn_failed_workers=True,
        workers_kill_timeout=30,
        log_level=LogLevels.warning,
    )
    server.respawned_wrks = Respawns()
    server.serve()


if __name__ == "__main__":
    main()
