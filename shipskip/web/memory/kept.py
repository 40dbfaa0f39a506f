"""A page as it is kept: its bytes, compressed as readers ask, and answers ready to be sent."""

import gzip
import hashlib
from datetime import UTC, datetime
from functools import lru_cache

import brotli
from django.http import HttpRequest, HttpResponse
from django.http.cookie import SimpleCookie
from django.http.response import HttpResponseBase, ResponseHeaders
from django.utils.http import parse_etags

from shipskip.web.caching import PUBLIC, Notes
from shipskip.web.memory.knowledge import Version

BROTLI_QUALITY, GZIP_LEVEL = 4, 6
"""Measured on the comparison page (18 kB): brotli at 4 takes 0.3 ms and at 5 three times that for
6 % fewer bytes; gzip at 6 takes 0.35 ms."""

WORTH_COMPRESSING = 400
"""Bytes below which compressing saves no packet."""

KEPT_STATUSES = {200, 301}
Headers = dict[str, tuple[str, str]]


class Answer(HttpResponse):
    """An answer made of what was prepared, without Django preparing it again."""

    # Django declares these for each response; here one object of headers is copied as a whole.
    def __init__(self, status: int, headers: Headers, body: bytes) -> None:
        own = ResponseHeaders.__new__(ResponseHeaders)
        own._store = headers.copy()
        self.__dict__ = {
            "headers": own,
            "status_code": status,
            "_container": [body],
            "_charset": None,
            "_reason_phrase": None,
            "_resource_closers": [],
            "_handler_class": None,
            "cookies": SimpleCookie(),
            "closed": False,
        }

    @property
    def url(self) -> str:
        """Where a redirect leads."""
        return self["Location"]


class Variant:
    """One encoding of a page: its entity tag, body and headers, those of a 304 apart."""

    __slots__ = ("body", "etag", "headers", "revalidated")

    def __init__(self, headers: Headers, etag: str, encoding: str, body: bytes) -> None:
        self.body = body
        self.etag = f'"{etag}-{encoding}"' if encoding else f'"{etag}"'
        self.headers = headers | _store(
            {"ETag": self.etag, "Vary": "Accept-Encoding", "Content-Length": str(len(body))}
        )
        if encoding:
            self.headers |= _store({"Content-Encoding": encoding})
        untold = {"content-length", "content-encoding", "content-type"}
        self.revalidated = {key: row for key, row in self.headers.items() if key not in untold}


class Page:
    """A public page or permanent redirect, as it left the whole chain.

    `version`, `turn` and `began` (seconds since 1970) tell what was known when its rendering
    began; `notes` what its view said; `charged` and `read` are its shelf's.
    """

    __slots__ = (
        *("began", "body", "charged", "etag", "headers", "notes", "read", "status"),
        *("turn", "variants", "version"),
    )

    def __init__(self, status: int, headers: Headers, body: bytes, notes: Notes) -> None:
        self.status, self.headers, self.body, self.notes = status, headers, body, notes
        self.etag = hashlib.blake2b(body, digest_size=12).hexdigest()
        self.variants: dict[str, Variant] = {}
        self.version: Version | None = None
        self.turn, self.began = 0, 0.0
        self.charged, self.read = 0, False

    @property
    def start(self) -> datetime:
        """When its rendering began."""
        return datetime.fromtimestamp(self.began, tz=UTC)

    @property
    def weight(self) -> int:
        """Bytes it takes in memory, about."""
        bodies = sum(len(row.body) for code, row in self.variants.items() if code)
        return len(self.body) + bodies + 3_000

    def variant(self, encoding: str) -> Variant:
        """The page in that encoding (`br`, `gzip`, or none), made when first asked for."""
        made = self.variants.get(encoding)
        if made is None:
            body = _compressed(self.body, encoding)
            made = Variant(self.headers, self.etag, encoding, body)
            self.variants[encoding] = made
        return made

    def encoding_for(self, request: HttpRequest) -> str:
        """The encoding in which this request is answered."""
        if len(self.body) < WORTH_COMPRESSING:
            return ""
        return best_encoding(request.META.get("HTTP_ACCEPT_ENCODING", "")[:200])

    def answer(self, request: HttpRequest) -> Answer:
        """What this request gets: the page, its head alone, or 304 when it has it already."""
        if self.status != 200:
            return Answer(self.status, self.headers, b"")
        found = self.variant(self.encoding_for(request))
        known = request.META.get("HTTP_IF_NONE_MATCH")
        if known is not None and _holds(known, found.etag):
            return Answer(304, found.revalidated, b"")
        return Answer(200, found.headers, b"" if request.method == "HEAD" else found.body)


def page_of(response: HttpResponseBase, notes: Notes) -> Page | None:
    """The answer as a page that can be kept, or None when it is no public one."""
    if response.get("Cache-Control") != PUBLIC or response.status_code not in KEPT_STATUSES:
        return None
    if not isinstance(response, HttpResponse) or response.cookies or response.has_header("Vary"):
        return None
    headers: Headers = dict(response.headers._store)
    headers.pop("content-length", None)
    return Page(response.status_code, headers, response.content, notes)


@lru_cache(maxsize=512)
def best_encoding(accepted: str) -> str:
    """The best of brotli, gzip and none (`br`, `gzip`, empty) that an Accept-Encoding allows."""
    weights: dict[str, float] = {}
    for part in accepted.lower().split(","):
        name, _, parameters = part.partition(";")
        weights[name.strip()] = _quality(parameters)
    others = weights.get("*", 0.0)
    best = max(("br", "gzip"), key=lambda name: weights.get(name, others))
    quality = weights.get(best, others)
    return best if quality > 0 and quality >= weights.get("identity", 0.0) else ""


def _quality(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0


def _compressed(body: bytes, encoding: str) -> bytes:
    if encoding == "br":
        return bytes(brotli.compress(body, mode=brotli.MODE_TEXT, quality=BROTLI_QUALITY))
    if encoding == "gzip":
        return gzip.compress(body, GZIP_LEVEL, mtime=0)
    return body


def _holds(known: str, etag: str) -> bool:
    """Whether an If-None-Match names that entity tag, weakly or strongly, or any."""
    if known == etag:
        return True
    return any(tag in ("*", etag) for tag in (t.removeprefix("W/") for t in parse_etags(known)))


def _store(headers: dict[str, str]) -> Headers:
    return {name.lower(): (name, value) for name, value in headers.items()}
