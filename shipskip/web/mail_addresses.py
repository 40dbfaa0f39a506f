"""Mail addresses: validation, a form field, normalisation and masking."""

import re
from dataclasses import dataclass

from django import forms
from django.core.exceptions import ValidationError
from email_validator import EmailNotValidError, validate_email

MAX_ADDRESS_LENGTH = 254
"""Maximum length of an address: RFC 5321 section 4.5.3.1.3 without angle brackets."""

_WORD = re.compile(r"[^\s<>\"',;:()\[\]]+")


@dataclass(frozen=True)
class MailAddress:
    """An address as typed (without surrounding spaces), and its normalised, unique form.

    The normalised form is lower case, its domain encoded by IDNA 2008.
    """

    typed: str
    normalised: str


def parse(text: str) -> MailAddress:
    """Parse an address; raises ValidationError with a sentence for the user.

    Only the syntax is checked: without a DNS query the response is fast and reveals nothing.
    Domains may be in any script. The part before the @ must be ASCII: many mail servers still
    reject anything else (RFC 6531), and the mail would be lost.
    """
    typed = text.strip()
    if len(typed) > MAX_ADDRESS_LENGTH:
        raise ValidationError(f"An address has at most {MAX_ADDRESS_LENGTH} characters.")
    try:
        checked = validate_email(
            typed, check_deliverability=False, allow_smtputf8=False, strict=True
        )
    except EmailNotValidError as error:
        raise ValidationError(str(error)) from None
    return MailAddress(typed, f"{checked.local_part}@{checked.ascii_domain}".lower())


class AddressField(forms.CharField):
    """A mail address; its value is a MailAddress, or None where none is required or given."""

    def clean(self, value: object) -> MailAddress | None:
        """The parsed address; raises ValidationError."""
        typed = super().clean(value)
        return parse(typed) if typed else None


def delivery_address(typed: str, normalised: str) -> str:
    """The address to send to: before the @ as typed, as case may matter there; domain in ASCII.

    Django itself would encode the domain by IDNA 2003, which turns `straße.de` into `strasse.de`.
    """
    return f"{typed.rpartition('@')[0]}@{normalised.rpartition('@')[2]}"


def mailbox(normalised: str) -> str:
    """The mailbox of a normalised address: without its tag, and at Gmail without dots.

    `a+news@b.org` is read in `a@b.org`, and `a.d.a@googlemail.com` in `ada@gmail.com`.
    """
    local, _, domain = normalised.rpartition("@")
    local = local.partition("+")[0] or local
    if domain in ("gmail.com", "googlemail.com"):
        return f"{local.replace('.', '')}@gmail.com"
    return f"{local}@{domain}"


def masked(address: str) -> str:
    """The address shortened so that its owner cannot be identified: `a…e@e…e.org`."""
    local, _, domain = address.rpartition("@")
    name, _, ending = domain.rpartition(".")
    return f"{_ends(local)}@{_ends(name)}.{ending}"


def without_addresses(text: str) -> str:
    """A mail server's reply made safe to store: one line, addresses removed."""
    safe = _WORD.sub(lambda word: "(address)" if "@" in word[0][1:-1] else word[0], text)
    return " ".join(safe.split())


def _ends(text: str) -> str:
    """The first and last character; only the first of texts shorter than five."""
    return f"{text[:1]}…{text[-1]}" if len(text) >= 5 else f"{text[:1]}…"
