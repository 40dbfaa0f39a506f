"""Ports for the servers that tests start."""

import secrets
import socket
from contextlib import suppress

PORTS = range(20_000, 30_000)
"""Below 32768, where Linux begins to give ports to clients: one of theirs would be taken between
its choice and the start of its server. nginx and Chromium open hundreds of connections meanwhile.
"""
_reservations: list[socket.socket] = []


def free_port() -> int:
    """A port that is free on every address, because nginx listens on all.

    No other process of the tests gets it while this one lives: its UDP port is a reservation. A
    server may start seconds after its port was chosen, or again after a test stopped it.
    """
    while True:
        port = secrets.choice(PORTS)
        reservation = socket.socket(type=socket.SOCK_DGRAM)
        with socket.socket() as probe, suppress(OSError):
            reservation.bind(("127.0.0.1", port))
            probe.bind(("", port))
            _reservations.append(reservation)
            return port
        reservation.close()


def is_listening(port: int) -> bool:
    """Whether a server accepts new connections to this port."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
