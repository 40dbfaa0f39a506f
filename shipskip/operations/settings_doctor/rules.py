"""Rules of settings for which pydantic has no type; each raises ValueError with what would do."""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import environ

from shipskip.folders import DATA_DIR


def nearest_name(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return `; the nearest is …` with the most similar known name; empty if none is similar."""
    found = get_close_matches(name, sorted(known), n=1, cutoff=cutoff)
    return f"; the nearest is {found[0]}" if found else ""


def comma_separated(text: str) -> list[str]:
    """Texts separated by commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def like(pattern: str, example: str) -> Callable[[str], str]:
    """The rule that a text has this form."""

    def rule(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"give {example}")
        return text

    return rule


def _parts(text: str, schemes: tuple[str, ...], example: str) -> SplitResult:
    """The parts of a URL that begins with one of the schemes."""
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - raises ValueError
    except ValueError:
        raise ValueError(
            "its host or port cannot be read; in a password write / ? # @ : in percent-encoding"
        ) from None
    if parts.scheme not in schemes:
        raise ValueError(f"give {example}")
    return parts


def database(text: str) -> dict[str, Any]:
    """The entry of DATABASES for the address of a SQLite file or a PostgreSQL database."""
    example = "sqlite:///path or postgres://user:password@host:5432/name"
    if text.startswith("sqlite://"):
        found: dict[str, Any] = environ.Env.db_url_config(text)
        if found["NAME"] != ":memory:":
            found["NAME"] = str(DATA_DIR / found["NAME"])
            if not Path(found["NAME"]).parent.is_dir():
                raise ValueError("there is no such folder; create it, or give another path")
        return found
    if not _parts(text, ("postgres", "postgresql"), example).path.strip("/"):
        raise ValueError("it names no database; give postgres://user:password@host:5432/name")
    return dict(environ.Env.db_url_config(text))


def mail_server(text: str) -> dict[str, Any]:
    """Django's settings of an SMTP server."""
    example = "smtp+tls://user:password@host:587, smtp+ssl://…:465 or smtp://…:25"
    if not _parts(text, ("smtp", "smtp+tls", "smtp+ssl"), example).hostname:
        raise ValueError(f"give {example}")
    return dict(environ.Env.email_url_config(text))


def mail_provider(text: str) -> str:
    """The name of a provider that django-anymail supports."""
    if not text.isidentifier() or not find_spec(f"anymail.backends.{text}"):
        raise ValueError(
            "django-anymail has no such provider; give the name of one of its modules, as mailgun"
        )
    return text
