"""A reader's actions in tests, and the links in their mails."""

import re
from typing import Any

from django.core import mail
from django.test import Client

SITE = "https://shiporskip.example"
ADDRESS = "ada@example.org"


def form(address: str = ADDRESS, **changes: str) -> dict[str, str]:
    return {"address": address, "website": "", **changes}


def join(address: str = ADDRESS, **changes: str) -> Any:
    return Client().post("/newsletter/join/", form(address, **changes))


def join_in_place(address: str = ADDRESS, **changes: str) -> Any:
    return Client().post("/newsletter/join/in-place/", form(address, **changes))


def links(body: str) -> list[str]:
    """The paths of our own links in a mail, in order."""
    return re.findall(rf"{SITE}(/\S+)", body)


def link(word: str, *, of: int = -1) -> str:
    """The path of the one link with this word, in a mail that was sent (by default the last)."""
    (found,) = [path for path in links(str(mail.outbox[of].body)) if f"/{word}/" in path]
    return found
