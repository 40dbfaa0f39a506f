"""A cached page: the body in one encoding and the headers, ready to send."""

import gzip
import hashlib
from functools import lru_cache
from typing import NamedTuple

import brotli
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.utils.http import parse_etags

BROTLI_QUALITY, GZIP_LEVEL = 5, 6
"""Measured on a comparison with facts (37 kB): brotli at 4 takes 0.27 ms, at 5 0.37 ms for 7 %
fewer bytes, at 6 0.41 ms for nothing, and at 9 many times that for 1 % fewer; gzip at 6 takes
0.35 ms."""

QUALITY_FOR_MANY = 10
"""The quality for a page that many readers get. On that comparison it takes 16 ms each time it is
rendered for the cache, for 11 % fewer bytes; 11 takes 45 ms for another 3 %."""

MAX_FOR_MANY = 100_000
"""The most bytes of a body with that quality: a sitemap of 900 kB would take 0.4 s."""

MIN_COMPRESSED = 400
"""Bodies with fewer bytes are not compressed, because that would save no packet."""

KEEP_LINES = (b"<pre", b"<textarea", b"<script>")
"""Elements whose line breaks are text."""

BLOCK_ENDS = {
    f"</{name}>".encode()
    for name in (
        *("article", "details", "div", "dl", "footer", "form", "header", "h1", "h2", "h3", "li"),
        *("main", "nav", "ol", "p", "section", "summary", "ul"),
        *("table", "tbody", "td", "th", "thead", "tr"),
    )
}
"""What ends a block: space before it is not shown."""

NOT_IN_304 = ("Content-Type", "Content-Encoding", "Content-Length")


class CachedPage(NamedTuple):
    """A public page or a permanent redirect; `expires` is a time of `monotonic`, which nobody
    sets.

    `shared` is False for one that stays in the memory of this process.
    """

    status: int
    headers: dict[str, str]
    body: bytes
    expires: float
    shared: bool = True

    def answer(self, request: HttpRequest) -> HttpResponse:
        """The response to a GET or HEAD: the page, or 304 if the reader has it."""
        if self.status == 301:
            return HttpResponsePermanentRedirect(self.headers["Location"], headers=self.headers)
        if _names(request.META.get("HTTP_IF_NONE_MATCH", ""), self.headers["ETag"]):
            headers = {n: value for n, value in self.headers.items() if n not in NOT_IN_304}
            response = HttpResponse(status=304, headers=headers)
            del response["Content-Type"]
            return response
        return HttpResponse(b"" if request.method == "HEAD" else self.body, headers=self.headers)


def cached_page(
    response: HttpResponse,
    encoding: str,
    expires: float,
    *,
    shared: bool,
    for_many: bool,
    vary: str,
) -> CachedPage:
    """Return the page to cache for a rendered response, in an encoding (`br`, `gzip` or empty).

    `for_many`: many readers get it, so a small size matters more than the time for compression.
    """
    body, headers = with_short_spaces(response), dict(response.items())
    headers.pop("Content-Length", None)
    if response.status_code == 200:
        etag = hashlib.blake2b(body, digest_size=12).hexdigest()
        is_text = not response.get("Content-Type", "").startswith("image/png")
        if encoding and is_text and len(body) >= MIN_COMPRESSED:
            is_dense = for_many and len(body) <= MAX_FOR_MANY
            quality = QUALITY_FOR_MANY if is_dense else BROTLI_QUALITY
            body, etag = compressed(body, encoding, quality), f"{etag}-{encoding}"
            headers["Content-Encoding"] = encoding
        headers |= {"ETag": f'"{etag}"', "Vary": vary}
        headers["Content-Length"] = str(len(body))
    return CachedPage(response.status_code, headers, body, expires, shared)


def with_short_spaces(response: HttpResponse) -> bytes:
    """The body of a response; of a page without the space of its templates that shows nowhere (2 %
    of a compressed comparison), unless it has text whose lines count.

    A line break stays after an element, so that the texts of neighbours do not run together.
    """
    body = response.content
    if not response.get("Content-Type", "").startswith("text/html"):
        return body
    if any(element in body for element in KEEP_LINES):
        return body
    parts, before = [], b""
    for line in filter(None, body.split(b"\n")):
        if before and line not in BLOCK_ENDS and line != b">":
            parts.append(b"\n" if before.endswith(b">") else b" ")
        parts.append(line)
        before = line
    return b"".join(parts)


def compress(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Compress a response with an encoding that the request accepts.

    Only for responses without a secret: if a page contains a token and text that an attacker chose,
    its compressed length reveals the token bit by bit (the BREACH attack).
    """
    encoding = best_encoding(request.META.get("HTTP_ACCEPT_ENCODING", ""))
    if encoding and len(response.content) >= MIN_COMPRESSED:
        response.content = compressed(response.content, encoding)
        response["Content-Encoding"] = encoding
    response["Vary"] = "Accept-Encoding"
    return response


def compressed(body: bytes, encoding: str, quality: int = BROTLI_QUALITY) -> bytes:
    """Compress a body with `br` (of this quality) or `gzip`; the result is deterministic."""
    if encoding == "br":
        return bytes(brotli.compress(body, mode=brotli.MODE_TEXT, quality=quality))
    return gzip.compress(body, GZIP_LEVEL, mtime=0)


@lru_cache(maxsize=512)
def best_encoding(accepted: str) -> str:
    """Return the best encoding (`br`, `gzip` or empty for none) that an Accept-Encoding allows."""
    weights: dict[str, float] = {}
    for part in accepted[:200].lower().split(","):
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


def _names(if_none_match: str, etag: str) -> bool:
    """Whether an If-None-Match contains that entity tag, weak or strong, or `*`."""
    tags = parse_etags(if_none_match) if if_none_match else []
    return any(tag.removeprefix("W/") in ("*", etag) for tag in tags)
