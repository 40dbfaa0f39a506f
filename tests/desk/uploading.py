"""Upload files to the desk: preview, then confirm."""

import json
import re
from pathlib import Path

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.catalogue.documents import document

URL = "/admin/exchange/"
"""The screen of files."""


def text_of(given: dict | None = None) -> str:
    """A catalogue document as JSON; a valid one by default."""
    return json.dumps(given or document())


def waiting() -> list[Path]:
    """The stored files that are not confirmed yet."""
    folder = Path(settings.VAR_DIR) / "uploads"
    return sorted(folder.iterdir()) if folder.exists() else []


def send(client: Client, url: str, content: bytes | str, name: str = "given", **more):
    """Upload a file and get the preview of its changes."""
    content = content.encode() if isinstance(content, str) else content
    return client.post(url, {"file": SimpleUploadedFile(name, content)} | more)


def confirm(client: Client, response, **more):
    """Confirm the changes of a page."""
    ticket = re.search(r'name="ticket" value="([^"]+)"', response.content.decode())
    url = re.search(r'action="([^"]+/load/)"', response.content.decode())
    assert ticket
    assert url
    return client.post(url[1], {"ticket": ticket[1]} | more)


def faults(response) -> list[str]:
    """Every fault listed on a page, with its place."""
    return [str(fault) for fault in response.context["faults"]]


def listed(response) -> dict[str, list[str]]:
    """The changes listed on a page, by heading."""
    lists = response.context["change_lists"].items()
    return {heading: [str(entry) for entry in changes.entries] for heading, changes in lists}
