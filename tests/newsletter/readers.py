"""What a reader does with the newsletter, and what their mails hold."""

import re
from typing import Any

from django.core import mail
from django.test import Client
from django.utils import timezone

from shipskip.web import form_timestamps

SITE = "https://shiporskip.example"
ADDRESS = "ada@example.org"


def form(address: str = ADDRESS, **changes: str) -> dict[str, str]:
    """What the form to join sends, ten seconds after it was given out."""
    stamp = form_timestamps.timestamp(timezone.now() - 5 * form_timestamps.QUICKEST)
    return {"address": address, "website": "", "stamp": stamp, **changes}


def join(address: str = ADDRESS, *, client: Client | None = None, **changes: str) -> Any:
    """Ask for the newsletter without a script."""
    return (client or Client()).post("/newsletter/join/", form(address, **changes))


def join_by_htmx(address: str = ADDRESS, **changes: str) -> Any:
    """Ask for it from the form on a page."""
    return Client(headers={"hx-request": "true"}).post(
        "/newsletter/join/", form(address, **changes)
    )


def links(body: str) -> list[str]:
    """The paths of our own links in a mail, in order."""
    return re.findall(rf"{SITE}(/\S+)", body)


def link(word: str, *, of: int = -1) -> str:
    """The path of the one link with this word, in a mail that was sent (the last unless said)."""
    (found,) = [path for path in links(str(mail.outbox[of].body)) if f"/{word}/" in path]
    return found
