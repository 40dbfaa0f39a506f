"""Ports for the servers that tests start."""

import secrets
import socket
from contextlib import suppress

PORTS = range(20_000, 30_000)
"""Below 32768, where Linux begins to give ports to clients: one of theirs would be taken between
its choice and the start of its server. nginx and Chromium open hundreds of connections meanwhile.
"""


def free_port() -> int:
    """A port that is free on every address, because nginx listens on all."""
    while True:
        port = secrets.choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("", port))
            return port
