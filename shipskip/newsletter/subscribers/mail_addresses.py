"""Addresses: what may be written to, one form for comparing, a mask for showing."""

import re
from dataclasses import dataclass

from email_validator import EmailNotValidError, validate_email

LONGEST = 254
"""Characters of an address, RFC 5321 section 4.5.3.1.3 without its angle brackets."""

_ADDRESS = re.compile(r"[^\s<>\"',;:()\[\]]+@[^\s<>\"',;:()\[\]]+")


class BadAddressError(ValueError):
    """An address that cannot be written to, with a sentence for whoever typed it."""


@dataclass(frozen=True)
class Address:
    """An address as typed (without the spaces around it), and the form that makes it unique.

    That form is lower case throughout, its domain in the letters of IDNA 2008.
    """

    typed: str
    normalised: str


def read(text: str) -> Address:
    """The address in a text; raises BadAddressError with what is wrong.

    Only its form is judged: no name server is asked, so the answer tells and costs nothing.
    Domains may be in any script. What stands before the @ is ASCII: most mail servers between us
    and the reader still refuse anything else (RFC 6531), and a mail would be lost on its way.
    """
    typed = text.strip()
    if len(typed) > LONGEST:
        raise BadAddressError(f"An address has at most {LONGEST} characters.")
    try:
        checked = validate_email(
            typed, check_deliverability=False, allow_smtputf8=False, strict=True
        )
    except EmailNotValidError as fault:
        raise BadAddressError(str(fault)) from None
    return Address(typed, f"{checked.local_part}@{checked.ascii_domain}".lower())


def written_to(typed: str, normalised: str) -> str:
    """Where to send: before the @ as typed, since capitals may count there; the domain in ASCII.

    Django alone would write the domain by IDNA 2003, which takes `straße.de` for `strasse.de`.
    """
    return f"{typed.rpartition('@')[0]}@{normalised.rpartition('@')[2]}"


def masked(address: str) -> str:
    """An address by which its owner may be guessed by nobody: `a…e@e…e.org`."""
    local, _, domain = address.rpartition("@")
    name, _, ending = domain.rpartition(".")
    return f"{_ends(local)}@{_ends(name)}.{ending}"


def without_addresses(text: str) -> str:
    """What a mail server said, fit to be kept: one line, each address in it left out."""
    return " ".join(_ADDRESS.sub("(address)", text).split())


def _ends(text: str) -> str:
    """The first character and the last; the first alone of what is shorter than five."""
    return f"{text[:1]}…{text[-1]}" if len(text) >= 5 else f"{text[:1]}…"
