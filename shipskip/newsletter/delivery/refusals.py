"""What a mail server's refusal means: for the address, for this mail, or for this moment."""

import re
from dataclasses import dataclass
from enum import Enum
from smtplib import SMTPDataError, SMTPException, SMTPRecipientsRefused, SMTPResponseException

from anymail.exceptions import AnymailError, AnymailRecipientsRefused

from shipskip.newsletter.subscribers.mail_addresses import without_addresses

_MAILBOX_FULL = 552
_ENHANCED = re.compile(r"\b5\.(\d{1,3})\.\d{1,3}\b")


class Fate(Enum):
    """What became of a mail."""

    TAKEN = "the server has taken it"
    LATER = "not taken, to be tried again"
    NOT_THIS = "not taken, nor would it be"
    NEVER = "not taken: the address takes no mail"
    UNKNOWN = "handed over, and no answer came"
    STOP = "not taken: whoever runs this site has to set something right"


@dataclass(frozen=True)
class Refusal:
    """A mail that was not taken: what it means, and the server's words without any address."""

    fate: Fate
    reason: str


def refusal_of(fault: Exception) -> Refusal:
    """What an exception of sending one mail to one address means.

    Only a lasting refusal (5xx) of the recipient ends a subscription. One for reasons of policy
    (RFC 3463: 5.7.x, "relay denied", "blocked") is about us, and one of the content about the
    mail: either could otherwise end every subscription in one bad hour. A full mailbox (552)
    is tried again, as RFC 5321 section 4.5.3.1.10 would have it.
    """
    if isinstance(fault, SMTPRecipientsRefused) and fault.recipients:
        code, words = next(iter(fault.recipients.values()))
        return _judged(code, words, of_recipient=True)
    if isinstance(fault, SMTPResponseException):
        return _judged(
            fault.smtp_code,
            fault.smtp_error,
            of_recipient=False,
            of_content=isinstance(fault, SMTPDataError),
        )
    if isinstance(fault, AnymailRecipientsRefused):
        return Refusal(Fate.NEVER, "the provider refuses this address")
    if isinstance(fault, SMTPException | AnymailError | OSError):
        return Refusal(Fate.LATER, _named(fault))
    return Refusal(Fate.NOT_THIS, _named(fault))


def _judged(
    code: int, words: bytes | str, *, of_recipient: bool, of_content: bool = False
) -> Refusal:
    said = words.decode(errors="replace") if isinstance(words, bytes) else str(words)
    reason = without_addresses(f"{code} {said}")[:300]
    subject = _ENHANCED.search(said)
    if not 500 <= code < 600 or code == _MAILBOX_FULL:
        return Refusal(Fate.LATER, reason)
    if of_recipient and not (subject and subject[1] == "7"):
        return Refusal(Fate.NEVER, reason)
    if of_recipient or of_content:
        return Refusal(Fate.NOT_THIS, reason)
    return Refusal(Fate.LATER, reason)  # the sender or the login: set right by an operator


def _named(fault: Exception) -> str:
    """The fault's kind alone: its text may hold anything."""
    return type(fault).__name__
