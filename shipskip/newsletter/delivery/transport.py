"""Send mails over one connection and return the result of each."""

import smtplib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.conf import settings
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends import smtp
from django.core.mail.backends.base import BaseEmailBackend

from shipskip.web.mail_refusals import Outcome, SendResult, refusal_from

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MAILS_PER_CONNECTION = 100
"""Mails sent over one connection; servers close connections that send too many."""
DJANGO_SMTP_BACKEND = "django.core.mail.backends.smtp.EmailBackend"


class NoServerError(Exception):
    """The mail server is unreachable (`lasting` False) or rejects our login (True)."""

    def __init__(self, message: str, *, lasting: bool) -> None:
        super().__init__(message)
        self.lasting = lasting


class _TrackingSMTP(smtplib.SMTP):
    """An SMTP client that records whether a mail's body was sent: then it may be accepted."""

    body_sent = False

    def mail(self, sender: str, options: Sequence[str] = ()) -> tuple[int, bytes]:
        """Begin a mail, whose body was not sent yet."""
        self.body_sent = False
        return super().mail(sender, options)

    def send(self, s: "ReadableBuffer | str") -> None:
        """Send a command (a text) or a mail's body (bytes)."""
        if isinstance(s, bytes):
            self.body_sent = True
        super().send(s)


class _TrackingSMTPOverTLS(_TrackingSMTP, smtplib.SMTP_SSL):
    """The same over implicit TLS."""


class TrackingBackend(smtp.EmailBackend):
    """Django's SMTP backend over connections that record whether a body was sent."""

    @property
    def connection_class(self) -> type[_TrackingSMTP]:
        """The SMTP client class."""
        return _TrackingSMTPOverTLS if self.use_ssl else _TrackingSMTP

    @property
    def body_sent(self) -> bool:
        """Whether the body of the last mail was sent."""
        return isinstance(self.connection, _TrackingSMTP) and self.connection.body_sent

    @property
    def connection_lost(self) -> bool:
        """Whether the server closed the connection."""
        return self.connection is not None and self.connection.sock is None


class Transport:
    """Sends mails through the mail server from the settings."""

    def __init__(self) -> None:
        self._backend: BaseEmailBackend | None = None
        self._sent_count = 0

    def open(self) -> None:
        """Connect if needed; reconnect after MAILS_PER_CONNECTION mails. Raises NoServerError."""
        connection_lost = getattr(self._backend, "connection_lost", False)
        if self._sent_count >= MAILS_PER_CONNECTION or connection_lost:
            self.close()
        if self._backend is not None:
            return
        is_smtp = settings.EMAIL_BACKEND == DJANGO_SMTP_BACKEND
        path = f"{__name__}.TrackingBackend" if is_smtp else None
        backend = mail.get_connection(path)
        try:
            backend.open()
        except smtplib.SMTPResponseException as error:
            lasting = 500 <= error.smtp_code < 600
            raise NoServerError(refusal_from(error).reason, lasting=lasting) from None
        except (OSError, smtplib.SMTPException) as error:
            raise NoServerError(type(error).__name__, lasting=False) from None
        self._backend, self._sent_count = backend, 0

    def close(self) -> None:
        """Close the connection; ignore errors."""
        backend, self._backend, self._sent_count = self._backend, None, 0
        if backend is not None:
            try:
                backend.close()
            except (OSError, smtplib.SMTPException):
                return

    def send(self, message: EmailMessage) -> SendResult:
        """Send one mail to one address and return the result. Call `open` first."""
        if self._backend is None:
            raise NoServerError("no connection", lasting=False)
        self._sent_count += 1
        try:
            self._backend.send_messages([message])
        except Exception as error:
            return refusal_from(error, body_sent=getattr(self._backend, "body_sent", False))
        status = getattr(message, "anymail_status", None)
        return SendResult(
            Outcome.ACCEPTED, message_id=str(getattr(status, "message_id", None) or "")
        )
