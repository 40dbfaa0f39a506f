"""A mail server that counts what it accepts, and can have its client killed at a chosen point."""

import asyncio
import os
import signal
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiosmtpd.controller import Controller

POINTS = ("MAIL", "RCPT", "body", "accepted", "answered", "soon after", "a little later")
"""Where a client may die: as it names the sender, the recipient, when the whole body has come but
is not accepted, when it is accepted and not answered, answered, and one and three milliseconds on.
"""
_DELAYS = {"answered": 0.0, "soon after": 0.001, "a little later": 0.003}


@dataclass
class KillingServer:
    """Notes each mail it accepts; `kill_at` says at which point of which mail `victim` dies."""

    port: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    bodies: list[bytes] = field(default_factory=list)
    kill_at: tuple[int, str] | None = None
    victim: int = 0
    seen: int = 0
    keep_bodies: int = 5

    def expect(self, victim: int) -> None:
        """This is the process to kill."""
        self.victim = victim

    def _reached(self, point: str) -> bool:
        """Kill the client if this is where it is to die."""
        if self.kill_at == (self.seen, point):
            self._kill()
            return True
        return False

    def _kill(self) -> None:
        self.kill_at = None
        os.kill(self.victim, signal.SIGKILL)

    async def handle_MAIL(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        """A mail begins."""
        self.seen += 1
        self._reached("MAIL")
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        """It names who it is for."""
        self._reached("RCPT")
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        """The whole mail is here: from the next line on it is accepted, for good."""
        if self._reached("body"):
            return "451 not taken"
        self.accepted.update(envelope.rcpt_tos)
        if len(self.bodies) < self.keep_bodies:
            self.bodies.append(envelope.original_content)
        self._reached("accepted")
        if self.kill_at and self.kill_at[0] == self.seen and self.kill_at[1] in _DELAYS:
            # It may have begun its next mail by then.
            asyncio.get_running_loop().call_later(_DELAYS[self.kill_at[1]], self._kill)
        return "250 OK"


@contextmanager
def killing_server() -> Iterator[KillingServer]:
    """The server, on a free port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = KillingServer(port)
    controller = Controller(server, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield server
    finally:
        controller.stop()
