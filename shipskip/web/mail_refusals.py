"""Classify mail server errors: about the address, about this mail, or temporary."""

import re
from dataclasses import dataclass
from enum import Enum
from smtplib import (
    SMTPDataError,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPSenderRefused,
)

from anymail.exceptions import AnymailAPIError, AnymailError, AnymailRecipientsRefused
from requests.exceptions import ConnectTimeout
from urllib3.exceptions import NewConnectionError

from shipskip.web.mail_addresses import without_addresses

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
class SendResult:
    """The outcome of sending one mail, and the server's reply without addresses."""

    outcome: Outcome
    reason: str = ""
    message_id: str = ""
    """The provider's id of the mail, used in its webhook events; empty if it uses ours."""


def refusal_from(error: Exception, *, body_sent: bool = False) -> SendResult:
    """Classify an exception raised while sending one mail to one address.

    `body_sent`: the mail's body went to the server, which may have accepted it, unless it says no.

    Only a permanent rejection (5xx) of the recipient ends a subscription. A policy rejection
    (RFC 3463: 5.7.x, "relay denied", "blocked") is about our server, and a rejection of the content
    is about the mail: otherwise either could end every subscription within an hour. Mail to a full
    mailbox (552) is sent again later, as RFC 5321 section 4.5.3.1.10 recommends.
    """
    name = type(error).__name__  # not the message, which may contain an address
    if isinstance(error, SMTPRecipientsRefused):
        if not error.recipients:
            return SendResult(Outcome.RETRY, name)
        code, reply = next(iter(error.recipients.values()))
        return _result_of_reply(error, code, reply)
    if isinstance(error, SMTPResponseException):
        return _result_of_reply(error, error.smtp_code, error.smtp_error)
    if isinstance(error, AnymailRecipientsRefused):
        return SendResult(Outcome.ADDRESS_REJECTED, "the provider refuses this address")
    if isinstance(error, AnymailAPIError):
        return SendResult(_provider_outcome(error), name)
    if body_sent:
        return SendResult(Outcome.UNKNOWN, f"{name} after the mail was handed over")
    is_of_server = isinstance(error, SMTPException | AnymailError | OSError)
    return SendResult(Outcome.RETRY if is_of_server else Outcome.MAIL_REJECTED, name)


def _result_of_reply(error: SMTPException, code: int, reply: bytes | str) -> SendResult:
    text = reply.decode(errors="replace") if isinstance(reply, bytes) else str(reply)
    reason = without_addresses(f"{code} {text}")[:300]
    subject = _ENHANCED.search(text)
    if isinstance(error, SMTPSenderRefused) and code >= 500:
        return SendResult(Outcome.SETUP_ERROR, reason)
    if not 500 <= code < 600 or code == _MAILBOX_FULL:
        return SendResult(Outcome.RETRY, reason)
    of_recipient = isinstance(error, SMTPRecipientsRefused)
    if of_recipient and not (subject and subject[1] == "7"):
        return SendResult(Outcome.ADDRESS_REJECTED, reason)
    if of_recipient or isinstance(error, SMTPDataError):
        return SendResult(Outcome.MAIL_REJECTED, reason)
    return SendResult(Outcome.RETRY, reason)  # about the login: an operator has to fix it


def _provider_outcome(error: AnymailAPIError) -> Outcome:
    """Classify a provider's reply; without a reply the mail may have been accepted."""
    status = getattr(error, "status_code", None)
    cause = error.__cause__
    if status is None:
        reason = getattr(next(iter(getattr(cause, "args", ())), None), "reason", None)
        not_connected = isinstance(cause, ConnectTimeout) or isinstance(reason, NewConnectionError)
        return Outcome.RETRY if not_connected else Outcome.UNKNOWN
    if status in (401, 402, 403):
        return Outcome.SETUP_ERROR
    if status in (429, 503):
        return Outcome.RETRY
    return Outcome.MAIL_REJECTED if 400 <= status < 500 else Outcome.UNKNOWN
