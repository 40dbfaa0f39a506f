"""Classify mail server errors: about the address, about this mail, or temporary."""

import re
from dataclasses import dataclass
from enum import Enum
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused, SMTPResponseException

from anymail.exceptions import AnymailError, AnymailRecipientsRefused

from shipskip.newsletter.subscribers.mail_addresses import without_addresses

_MAILBOX_FULL = 552
_ENHANCED = re.compile(r"\b5\.(\d{1,3})\.\d{1,3}\b")


class Outcome(Enum):
    """The result of sending a mail."""

    ACCEPTED = "accepted"
    RETRY = "not accepted, to be tried again"
    MAIL_REJECTED = "this mail is rejected"
    ADDRESS_REJECTED = "the address is rejected"
    UNKNOWN = "sent to the server, no reply"
    SETUP_ERROR = "rejected until an operator corrects the configuration"


@dataclass(frozen=True)
class MailRefusal:
    """Why a mail was not accepted: the outcome, and the server's reply without addresses."""

    outcome: Outcome
    reason: str


def refusal_from(error: Exception) -> MailRefusal:
    """Classify an exception raised while sending one mail to one address.

    Only a permanent rejection (5xx) of the recipient ends a subscription. A policy rejection
    (RFC 3463: 5.7.x, "relay denied", "blocked") is about our server, and a rejection of the content
    is about the mail: otherwise either could end every subscription within an hour. Mail to a full
    mailbox (552) is sent again later, as RFC 5321 section 4.5.3.1.10 recommends.
    """
    if isinstance(error, SMTPRecipientsRefused) and error.recipients:
        code, reply = next(iter(error.recipients.values()))
        return _classify_reply(code, reply, of_recipient=True)
    if isinstance(error, SMTPResponseException):
        return _classify_reply(
            error.smtp_code,
            error.smtp_error,
            of_recipient=False,
            of_content=isinstance(error, SMTPDataError),
        )
    if isinstance(error, AnymailRecipientsRefused):
        return MailRefusal(Outcome.ADDRESS_REJECTED, "the provider refuses this address")
    if isinstance(error, SMTPException | AnymailError | OSError):
        return MailRefusal(Outcome.RETRY, _error_name(error))
    return MailRefusal(Outcome.MAIL_REJECTED, _error_name(error))


def _classify_reply(
    code: int, reply: bytes | str, *, of_recipient: bool, of_content: bool = False
) -> MailRefusal:
    text = reply.decode(errors="replace") if isinstance(reply, bytes) else str(reply)
    reason = without_addresses(f"{code} {text}")[:300]
    subject = _ENHANCED.search(text)
    if not 500 <= code < 600 or code == _MAILBOX_FULL:
        return MailRefusal(Outcome.RETRY, reason)
    if of_recipient and not (subject and subject[1] == "7"):
        return MailRefusal(Outcome.ADDRESS_REJECTED, reason)
    if of_recipient or of_content:
        return MailRefusal(Outcome.MAIL_REJECTED, reason)
    return MailRefusal(
        Outcome.RETRY, reason
    )  # about the sender or the login: an operator has to fix it


def _error_name(error: Exception) -> str:
    """The exception's class only: its message may contain an address."""
    return type(error).__name__
