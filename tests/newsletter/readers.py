"""A reader's actions in tests, and the links in their mails."""

import re
from typing import Any

from django.core import mail
from django.test import Client
from django.utils import timezone

from shipskip.web import form_timestamps

SITE = "https://shiporskip.example"
ADDRESS = "ada@example.org"


def form(address: str = ADDRESS, **changes: str) -> dict[str, str]:
    """The data of the join form, sent ten seconds after it was rendered."""
    stamp = form_timestamps.timestamp(timezone.now() - 5 * form_timestamps.QUICKEST)
    return {"address": address, "website": "", "stamp": stamp, **changes}


def join(address: str = ADDRESS, *, client: Client | None = None, **changes: str) -> Any:
    """Join without JavaScript."""
    return (client or Client()).post("/newsletter/join/", form(address, **changes))


def join_by_htmx(address: str = ADDRESS, **changes: str) -> Any:
    """Join by HTMX from the form on a page."""
    return Client(headers={"hx-request": "true"}).post(
        "/newsletter/join/", form(address, **changes)
    )


def links(body: str) -> list[str]:
    """The paths of our own links in a mail, in order."""
    return re.findall(rf"{SITE}(/\S+)", body)


def link(word: str, *, of: int = -1) -> str:
    """The path of the one link with this word, in a mail that was sent (by default the last)."""
    (found,) = [path for path in links(str(mail.outbox[of].body)) if f"/{word}/" in path]
    return found
