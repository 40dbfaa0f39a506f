"""A mail server that counts accepted mails and can kill its client at a chosen point."""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from signal import SIGKILL
from typing import Any

from aiosmtpd.controller import Controller

from tests.free_port import free_port
from tests.newsletter.smtp_server import READY

POINTS = ("MAIL", "RCPT", "body", "accepted", "answered", "soon after", "a little later")
"""The points at which a client can be killed: at MAIL, at RCPT, after the body and before the
mail is accepted, after that and before the reply, after the reply, and one and three
milliseconds later.
"""
_DELAYS = {"answered": 0.0, "soon after": 0.001, "a little later": 0.003}


@dataclass
class KillingServer:
    """Counts accepted mails; `client_pid` gets `signal` at the mail and point `kill_at`."""

    port: int = 0
    accepted: Counter[str] = field(default_factory=Counter)
    kill_at: tuple[int, str] | None = None
    client_pid: int = 0
    signal: int = SIGKILL
    received: int = 0

    def set_client(self, pid: int) -> None:
        """Set the process to kill."""
        self.client_pid = pid

    def _kill_at(self, point: str) -> bool:
        """Kill the client if this is the chosen point; whether it was killed."""
        if self.kill_at != (self.received, point):
            return False
        self._kill()
        return True

    def _kill(self) -> None:
        self.kill_at = None
        os.kill(self.client_pid, self.signal)

    async def handle_MAIL(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        """MAIL FROM: a new mail."""
        self.received += 1
        self._kill_at("MAIL")
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        """RCPT TO: its recipient."""
        self._kill_at("RCPT")
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        """The body is complete; after the next line the mail counts as accepted."""
        if self._kill_at("body"):
            return "451 not accepted"
        self.accepted.update(envelope.rcpt_tos)
        self._kill_at("accepted")
        if self.kill_at and self.kill_at[0] == self.received and self.kill_at[1] in _DELAYS:
            # The client may have started its next mail by then.
            asyncio.get_running_loop().call_later(_DELAYS[self.kill_at[1]], self._kill)
        return "250 OK"


@contextmanager
def killing_server() -> Iterator[KillingServer]:
    """The server, on a free port of 127.0.0.1."""
    port = free_port()
    server = KillingServer(port)
    controller = Controller(server, hostname="127.0.0.1", port=port, ready_timeout=READY)
    controller.start()
    try:
        yield server
    finally:
        controller.stop()
