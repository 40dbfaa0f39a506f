"""One mail after another over one connection, and what became of each."""

import smtplib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anymail.exceptions import AnymailAPIError
from django.conf import settings
from django.core import mail
from django.core.mail import EmailMessage
from django.core.mail.backends import smtp
from django.core.mail.backends.base import BaseEmailBackend
from requests.exceptions import ConnectTimeout
from urllib3.exceptions import NewConnectionError

from shipskip.newsletter.delivery.refusals import Fate, refusal_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

BATCH = 100
"""Mails over one connection; servers close those that go on for ever."""
DJANGOS_SMTP = "django.core.mail.backends.smtp.EmailBackend"


@dataclass(frozen=True)
class Outcome:
    """What became of a mail, and the server's words without any address."""

    fate: Fate
    reason: str = ""
    message_id: str = ""
    """By which a provider's later news name the mail; empty where ours stands."""


class NoServerError(Exception):
    """The mail server cannot be reached, or does not let us in; `lasting` says which."""

    def __init__(self, said: str, *, lasting: bool) -> None:
        super().__init__(said)
        self.lasting = lasting


class _Telling(smtplib.SMTP):
    """Knows whether a mail's body was handed over, from when on the server may have taken it."""

    handed_over = False

    def send(self, s: "ReadableBuffer | str") -> None:
        """Say something; commands are texts, and a body alone is bytes."""
        if isinstance(s, bytes):
            self.handed_over = True
        super().send(s)


class _TellingInTLS(_Telling, smtplib.SMTP_SSL):
    """The same within TLS from the first byte on."""


class TellingBackend(smtp.EmailBackend):
    """Django's own, over connections that know how far they came."""

    @property
    def connection_class(self) -> type[_Telling]:
        """What speaks with the server."""
        return _TellingInTLS if self.use_ssl else _Telling

    def begin(self) -> None:
        """A mail comes, of which nothing was handed over yet."""
        if isinstance(self.connection, _Telling):
            self.connection.handed_over = False

    @property
    def handed_over(self) -> bool:
        """Whether the body of the last mail was handed over."""
        return isinstance(self.connection, _Telling) and self.connection.handed_over

    @property
    def lost(self) -> bool:
        """Whether the connection was closed behind our back."""
        return self.connection is not None and self.connection.sock is None


class Carrier:
    """Speaks with the mail server that the settings name."""

    def __init__(self) -> None:
        self._backend: BaseEmailBackend | None = None
        self._carried = 0

    def open(self) -> None:
        """Have a connection, a fresh one after BATCH mails; raises NoServerError without one."""
        if self._carried >= BATCH or getattr(self._backend, "lost", False):
            self.close()
        if self._backend is not None:
            return
        ours = settings.EMAIL_BACKEND == DJANGOS_SMTP
        path = f"{__name__}.TellingBackend" if ours else None
        backend = mail.get_connection(path)
        try:
            backend.open()
        except smtplib.SMTPResponseException as fault:
            lasting = 500 <= fault.smtp_code < 600
            raise NoServerError(refusal_of(fault).reason, lasting=lasting) from None
        except (OSError, smtplib.SMTPException) as fault:
            raise NoServerError(type(fault).__name__, lasting=False) from None
        self._backend, self._carried = backend, 0

    def close(self) -> None:
        """Close the connection; ignore errors."""
        backend, self._backend, self._carried = self._backend, None, 0
        if backend is not None:
            try:
                backend.close()
            except (OSError, smtplib.SMTPException):
                return

    def carry(self, message: EmailMessage) -> Outcome:
        """Hand over one mail to one address; what became of it. `open` comes before."""
        if self._backend is None:
            raise NoServerError("no connection", lasting=False)
        self._carried += 1
        if isinstance(self._backend, TellingBackend):
            self._backend.begin()
        try:
            self._backend.send_messages([message])
        except Exception as fault:
            return self._outcome(fault)
        status = getattr(message, "anymail_status", None)
        return Outcome(Fate.TAKEN, message_id=str(getattr(status, "message_id", None) or ""))

    def _outcome(self, fault: Exception) -> Outcome:
        refusal = refusal_of(fault)
        if isinstance(fault, smtplib.SMTPResponseException | smtplib.SMTPRecipientsRefused):
            sender = isinstance(fault, smtplib.SMTPSenderRefused) and fault.smtp_code >= 500
            fate = Fate.STOP if sender else refusal.fate
            return Outcome(fate, refusal.reason)
        if isinstance(fault, AnymailAPIError):
            return Outcome(_fate_at_provider(fault), refusal.reason)
        if getattr(self._backend, "handed_over", False):
            return Outcome(Fate.UNKNOWN, f"{refusal.reason} after the mail was handed over")
        return Outcome(refusal.fate, refusal.reason)


def _fate_at_provider(fault: AnymailAPIError) -> Fate:
    """What a provider's answer means; without one the mail may have been taken."""
    status = getattr(fault, "status_code", None)
    cause = fault.__cause__
    if status is None:
        reason = getattr(next(iter(getattr(cause, "args", ())), None), "reason", None)
        unheard = isinstance(cause, ConnectTimeout) or isinstance(reason, NewConnectionError)
        return Fate.LATER if unheard else Fate.UNKNOWN
    if status in (401, 402, 403):
        return Fate.STOP
    if status in (429, 503):
        return Fate.LATER
    return Fate.NOT_THIS if 400 <= status < 500 else Fate.UNKNOWN
