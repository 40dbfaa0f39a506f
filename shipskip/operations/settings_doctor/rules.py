"""Rules of single settings: each takes a text and returns the value.

Each raises ValueError with what is wrong and what is valid.
"""

import json
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from email.utils import parseaddr
from ipaddress import ip_network
from math import isfinite
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import environ
from anymail import backends
from pyrage import IdentityError
from pyrage.x25519 import Identity

from shipskip.folders import DATA_DIR
from shipskip.operations.url_parts import url_parts

HOST = re.compile(r"\.?[\w-]+(\.[\w-]+)*|\[[\da-f:.]+\]", re.I)
MAILBOX = re.compile(r"[^@\s,;]+@[^@\s,;]+")


def nearest_name(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return `; the nearest is …` with the most similar known name; empty if none is similar."""
    found = get_close_matches(name, sorted(known), n=1, cutoff=cutoff)
    return f"; the nearest is {found[0]}" if found else ""


def yes_or_no(text: str) -> bool:
    """A boolean."""
    if text.lower() in ("true", "on", "yes", "y", "1"):
        return True
    if text.lower() in ("false", "off", "no", "n", "0"):
        return False
    raise ValueError("give true or false")


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """A whole number within these limits."""

    def rule(text: str) -> int:
        limits = f"{least} or more" if most is None else f"from {least} to {most}"
        if not re.fullmatch(r"-?\d{1,12}", text, re.ASCII) or int(text) < least:
            raise ValueError(f"give a whole number, {limits}")
        if most is not None and int(text) > most:
            raise ValueError(f"give a whole number, {limits}")
        return int(text)

    return rule


def number(text: str) -> float:
    """A number, 0 or more."""
    try:
        found = float(text)
    except ValueError:
        found = -1
    if not isfinite(found) or found < 0:
        raise ValueError("give a number, 0 or more")
    return found


def comma_separated(text: str) -> list[str]:
    """Texts separated by commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def hosts(text: str) -> list[str]:
    """Host names, in the format of Django's ALLOWED_HOSTS."""
    for name in comma_separated(text):
        if name != "*" and not HOST.fullmatch(name):
            raise ValueError(f"“{name}” is not a host name; give names only, such as ship.example")
    return comma_separated(text)


def networks(text: str) -> list[str]:
    """Network addresses, or networks."""
    for name in comma_separated(text):
        try:
            ip_network(name, strict=False)
        except ValueError:
            raise ValueError(
                f"“{name}” is no address or network; give 127.0.0.1 or 10.0.0.0/8, for example"
            ) from None
    return comma_separated(text)


def site_url(text: str) -> str:
    """The scheme and host of the site."""
    text = text.rstrip("/")
    parts = url_parts(text)
    if parts.scheme not in ("http", "https"):
        raise ValueError("it does not begin with http:// or https://; give https://ship.example")
    if not HOST.fullmatch(parts.netloc.removesuffix(f":{parts.port}")):
        raise ValueError("it names no host; give https://ship.example")
    if parts.path or parts.query or parts.fragment:
        raise ValueError("give the scheme and the host only, such as https://ship.example")
    return text


def web_address(text: str) -> str:
    """The address of a page, as it may stand between < and > in a `Link` header."""
    parts = url_parts(text)
    is_on_the_web = parts.scheme in ("http", "https") and parts.hostname
    if not is_on_the_web or not re.fullmatch(r"[!-~]+", text) or set("<>") & set(text):
        raise ValueError("give an address such as https://creativecommons.org/licenses/by/4.0/")
    return text


def secret_key(text: str) -> str:
    """A key that cannot be guessed."""
    if len(text) < 32 or len(set(text)) < 5:
        raise ValueError(
            "it can be guessed; give 32 random characters or more, or leave it empty and one is"
            " made in var/secret_key"
        )
    return text


def token(text: str) -> str:
    """A token that cannot be guessed, for an HTTP header."""
    if not re.fullmatch(r"[!-~]{16,}", text):
        raise ValueError("give 16 characters or more, letters and digits")
    return text


def database(text: str) -> dict[str, Any]:
    """The entry of DATABASES for the address of a SQLite file or a PostgreSQL database."""
    scheme = text.partition("://")[0]
    if scheme not in ("sqlite", "postgres", "postgresql"):
        raise ValueError("give sqlite:///path or postgres://user:password@host:5432/name")
    if scheme != "sqlite" and not url_parts(text).path.strip("/"):
        raise ValueError("it names no database; give postgres://user:password@host:5432/name")
    found: dict[str, Any] = environ.Env.db_url_config(text)
    if scheme == "sqlite" and found["NAME"] != ":memory:":
        found["NAME"] = str(DATA_DIR / found["NAME"])
        if not Path(found["NAME"]).parent.is_dir():
            raise ValueError("there is no such folder; create it, or give another path")
    return found


def age_key(text: str) -> Identity:
    """A secret key of age."""
    try:
        return Identity.from_str(text)
    except IdentityError:
        raise ValueError("it is no key of age; make one: manage.py backup --new-key") from None


def sender(text: str) -> str:
    """A mail address, with a name before it or without."""
    if not MAILBOX.fullmatch(parseaddr(text)[1]):
        raise ValueError("it has no address; give Ship or Skip <verdicts@ship.example>")
    return text


def mail_server(text: str) -> dict[str, Any]:
    """Django's settings of an SMTP server."""
    parts = url_parts(text)
    if parts.scheme not in ("smtp", "smtp+tls", "smtp+ssl") or not parts.hostname:
        raise ValueError("give smtp+tls://user:password@host:587, smtp+ssl://…:465 or smtp://…:25")
    found: dict[str, Any] = environ.Env.email_url_config(text)
    return found


def mail_provider(text: str) -> str:
    """The name of a provider that django-anymail knows."""
    names = {module.name for module in iter_modules(backends.__path__)}
    names -= {"base", "base_requests", "console", "test"}
    if text not in names:
        hint = nearest_name(text, names) or f"; give one of {', '.join(sorted(names))}"
        raise ValueError(f"no such provider is known{hint}")
    return text


def json_object(text: str) -> dict[str, Any]:
    """A JSON object."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error.msg} at character {error.pos + 1}") from None
    if not isinstance(found, dict):
        raise ValueError('give a JSON object, such as {"MAILGUN_API_KEY": "…"}')
    return found


def contact(text: str) -> str:
    """A mailto: or https: address."""
    address = text.removeprefix("mailto:")
    if not (text.startswith("https://") or (address != text and MAILBOX.fullmatch(address))):
        raise ValueError("give mailto:security@ship.example or an https:// address")
    return text


def sentry_dsn(text: str) -> str:
    """The address of a project at Sentry."""
    if not re.fullmatch(r"https?://\w+(:\w+)?@[^\s/@]+(/[^\s]*)?/\d+", text):
        raise ValueError("give https://key@host/number, as Sentry shows it")
    return text
