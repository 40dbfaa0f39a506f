"""A real mail server on 127.0.0.1 that accepts, rejects, stalls or drops as a test needs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
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


@dataclass
class MailServer:
    """Accepted mails are in `taken`; the other fields control the replies.

    `to_recipients` and `to_bodies` are replies by address (`*` for all others); while `stall` is
    true it accepts no body, and `drop` is whether it closes the connection instead. It also closes
    it at the recipient with the number `drop_at_recipient`.
    """

    accepted_mails: list[tuple[str, EmailMessage]] = field(default_factory=list)
    offered: list[str] = field(default_factory=list)
    to_recipients: dict[str, str] = field(default_factory=dict)
    to_bodies: dict[str, str] = field(default_factory=dict)
    stall: bool = False
    drop: bool = False
    drop_at_recipient: int = 0
    port: int = 0

    @property
    def url(self) -> str:
        """The value for EMAIL_URL."""
        return f"smtp://127.0.0.1:{self.port}"

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        """Accept or reject a recipient."""
        self.offered.append(address)
        if len(self.offered) == self.drop_at_recipient:
            server.transport.abort()
        answer = self.to_recipients.get(address, self.to_recipients.get("*", TAKEN))
        if answer == TAKEN:
            envelope.rcpt_tos.append(address)
        return answer.format(address)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        """Accept, reject, stall or drop the connection after the body."""
        while self.stall:
            await asyncio.sleep(0.02)
        if self.drop:
            server.transport.abort()
            return TAKEN
        (recipient,) = envelope.rcpt_tos
        answer = self.to_bodies.get(recipient, self.to_bodies.get("*", TAKEN))
        if answer == TAKEN:
            mail = message_from_bytes(envelope.content, policy=policy.default)
            self.accepted_mails.append((recipient, mail))  # type: ignore[arg-type]
        return answer

    def last(self) -> EmailMessage:
        """The mail accepted last. Not a property: the library reads every attribute."""
        return self.accepted_mails[-1][1]


@contextmanager
def running() -> Iterator[MailServer]:
    """A running server on a free port."""
    server = MailServer()
    server.port = free_port()
    controller = Controller(server, hostname="127.0.0.1", port=server.port, ready_timeout=READY)
    controller.start()
    try:
        yield server
    finally:
        controller.stop(no_assert=True)
