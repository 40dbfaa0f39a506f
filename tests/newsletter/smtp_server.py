"""A real mail server on 127.0.0.1 that accepts, rejects, stalls or drops as a test needs, or sends
its client a signal at a chosen point.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from signal import SIGKILL
from typing import Any

from aiosmtpd.controller import Controller

from tests.free_port import free_port

READY = 300
"""Maximum seconds until a server of these tests listens; on an idle machine it does at once."""

TAKEN = "250 OK"
MAILBOX_BUSY = "450 4.2.1 The mailbox is busy"
NO_SUCH_USER = "550 5.1.1 <{}>: no such user"
RELAY_DENIED = "554 5.7.1 <{}>: relay access denied"
LOOKS_LIKE_SPAM = "554 5.7.1 This looks like spam"

POINTS = ("MAIL", "RCPT", "body", "accepted", "answered", "soon after", "a little later")
"""The points at which a client can get a signal: at MAIL, at RCPT, after the body and before the
mail is accepted, after that and before the reply, after the reply, and one and three
milliseconds later.
"""
_DELAYS = {"answered": 0.0, "soon after": 0.001, "a little later": 0.003}


@dataclass
class MailServer:
    """Accepted mails are in `accepted_mails`; the other fields control the replies.

    `to_recipients` and `to_bodies` are replies by address (`*` for all others); while `stall` is
    true it accepts no body, and `drop` is whether it closes the connection instead. It also closes
    it at the recipient with the number `drop_at_recipient`. The process `client_pid` gets `signal`
    at the mail and point `kill_at`.
    """

    accepted_mails: list[tuple[str, EmailMessage]] = field(default_factory=list)
    accepted: Counter[str] = field(default_factory=Counter)
    offered: list[str] = field(default_factory=list)
    to_recipients: dict[str, str] = field(default_factory=dict)
    to_bodies: dict[str, str] = field(default_factory=dict)
    stall: bool = False
    drop: bool = False
    drop_at_recipient: int = 0
    kill_at: tuple[int, str] | None = None
    client_pid: int = 0
    signal: int = SIGKILL
    received: int = 0
    port: int = 0

    def set_client(self, pid: int) -> None:
        self.client_pid = pid

    def _kill_at(self, point: str) -> bool:
        """Send the signal if this is the chosen point; whether it was sent."""
        is_chosen = self.kill_at == (self.received, point)
        if is_chosen:
            self._kill()
        return is_chosen

    def _kill(self) -> None:
        self.kill_at = None
        os.kill(self.client_pid, self.signal)

    async def handle_MAIL(  # noqa: N802 - the library's name
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        self.received += 1
        self._kill_at("MAIL")
        envelope.mail_from = address
        return TAKEN

    async def handle_RCPT(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        self._kill_at("RCPT")
        self.offered.append(address)
        if len(self.offered) == self.drop_at_recipient:
            server.transport.abort()
        answer = self.to_recipients.get(address, self.to_recipients.get("*", TAKEN))
        if answer == TAKEN:
            envelope.rcpt_tos.append(address)
        return answer.format(address)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        while self.stall:
            await asyncio.sleep(0.02)
        if self.drop:
            server.transport.abort()
            return TAKEN
        (recipient,) = envelope.rcpt_tos
        answer = self.to_bodies.get(recipient, self.to_bodies.get("*", TAKEN))
        if self._kill_at("body") or answer != TAKEN:
            return answer if answer != TAKEN else "451 not accepted"
        mail = message_from_bytes(envelope.content, policy=policy.default)
        self.accepted_mails.append((recipient, mail))  # type: ignore[arg-type]
        self.accepted[recipient] += 1
        self._kill_at("accepted")
        for point, delay in _DELAYS.items():
            if self.kill_at == (self.received, point):
                # The client may have started its next mail by then.
                asyncio.get_running_loop().call_later(delay, self._kill)
        return answer


@contextmanager
def running() -> Iterator[MailServer]:
    server = MailServer()
    server.port = free_port()
    controller = Controller(server, hostname="127.0.0.1", port=server.port, ready_timeout=READY)
    controller.start()
    try:
        yield server
    finally:
        controller.stop(no_assert=True)
