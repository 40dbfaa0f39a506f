"""Pages that another process made, by Redis: an offer, never a need.

A Redis that is slow, full, frozen or gone is a miss and a line in the log; after a failure it is
left alone for some seconds. What it holds is found by the content version, by the release of the
code and by the settings, so that nothing in it is ever wrong, only unused.
"""

import hashlib
import json
import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

import brotli
import django
import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from shipskip.web.caching import Notes
from shipskip.web.memory.kept import Page
from shipskip.web.memory.knowledge import Version, joined_since

log = logging.getLogger(__name__)
T = TypeVar("T")

TIMEOUT = 0.05
"""Seconds Redis may take for one answer."""

LEFT_ALONE = 5.0
"""Seconds without asking it after a failure."""

LIFE = 3600
"""Seconds a page stays there; those of versions gone by are never asked for again."""

RENDERING_MS = 2_000
"""Milliseconds for which one process has the turn to render a page."""

POLLS, POLL_EVERY = 15, 0.02
"""How often, and every how many seconds, the others look whether it is done."""


class Shared:
    """The pages that all processes share at one address (`redis://…`); none without an address."""

    def __init__(self, url: str) -> None:
        self._redis = (
            redis.Redis.from_url(
                url,
                socket_timeout=TIMEOUT,
                socket_connect_timeout=TIMEOUT,
                retry=Retry(NoBackoff(), 0),
            )
            if url
            else None
        )
        self._again = 0.0

    def find(self, key: str, version: Version | None) -> Page | None:
        """The page under a key at that version, still true; None where nobody has made it.

        When another process is making it, waits for it for a moment. DatabaseError when the
        database does not answer whether its tallies are still true.
        """
        if self._redis is None or version is None or monotonic() < self._again:
            return None
        name = _name(key, version)
        page = self._get(name)
        if page is None and not self._take_turn(name):
            for _ in range(POLLS):
                sleep(POLL_EVERY)
                if page := self._get(name):
                    break
        if page and page.notes.tallies and joined_since(page.notes.tallies, page.start):
            return None
        return page

    def offer(self, key: str, page: Page) -> None:
        """Let the other processes have a page, but for one that any vote may change."""
        if self._redis is None or page.version is None or page.notes.every_tally:
            return
        name, value = _name(key, page.version), encode(page)
        self._ask(lambda client: client.set(name, value, ex=LIFE))

    def leave(self, key: str, version: Version | None) -> None:
        """Give the turn back without a page: nobody need wait for one."""
        if self._redis is not None and version is not None:
            name = f"{_name(key, version)}:turn"
            self._ask(lambda client: client.delete(name))

    def _get(self, name: str) -> Page | None:
        value = self._ask(lambda client: client.get(name))
        return decode(value) if isinstance(value, bytes) else None

    def _take_turn(self, name: str) -> bool:
        taken = self._ask(lambda client: client.set(f"{name}:turn", b"", nx=True, px=RENDERING_MS))
        return bool(taken) or monotonic() < self._again

    def _ask(self, question: Callable[[Any], T]) -> T | None:
        if monotonic() < self._again:
            return None
        try:
            return question(self._redis)
        except (redis.RedisError, OSError) as error:
            self._again = monotonic() + LEFT_ALONE
            log.warning("Redis is left alone for %d seconds: %s", LEFT_ALONE, error)
            return None


def encode(page: Page) -> bytes:
    """A page as bytes: one line of JSON, then the body in brotli."""
    told = {
        "status": page.status,
        "headers": list(page.headers.values()),
        "tallies": sorted(page.notes.tallies),
        "began": page.began,
    }
    body = page.variant("br").body if page.status == 200 else b""
    return json.dumps(told).encode() + b"\n" + body


def decode(value: bytes) -> Page | None:
    """What `encode` wrote; None for anything else."""
    line, _, body = value.partition(b"\n")
    try:
        told = json.loads(line)
        headers = {name.lower(): (name, text) for name, text in told["headers"]}
        notes = Notes(tallies=set(told["tallies"]))
        page = Page(told["status"], headers, brotli.decompress(body) if body else b"", notes)
        page.began = float(told["began"])
    except (ValueError, KeyError, TypeError, brotli.error):
        log.warning("Redis held something that is no page of ours.")
        return None
    return page


def _name(key: str, version: Version) -> str:
    digest = hashlib.blake2b(key.encode(), digest_size=16).hexdigest()
    return f"shipskip:{release()}:{version}:{digest}"


@cache
def release() -> str:
    """What else a page's bytes depend on, in twelve characters: our code, templates and files,
    Django, and every setting that can be written down.
    """
    base = Path(settings.BASE_DIR)
    seal = hashlib.blake2b(django.__version__.encode(), digest_size=6)
    folders = ("shipskip", "tools", "reviews", "comparisons", "templates", "static")
    files = [path for folder in folders for path in (base / folder).rglob("*.*")]
    files.append(Path(settings.STATIC_ROOT) / "staticfiles.json")
    for path in sorted(files):
        if path.suffix in {".py", ".html", ".xml", ".txt", ".css", ".js", ".svg", ".json"}:
            seal.update(f"{path.name}:".encode() + (path.read_bytes() if path.exists() else b""))
    for name in sorted(name for name in dir(settings) if name.isupper() and "SECRET" not in name):
        try:
            seal.update(f"{name}={json.dumps(getattr(settings, name), sort_keys=True)}".encode())
        except TypeError:
            continue  # made of objects, which are the code's
    return seal.hexdigest()
