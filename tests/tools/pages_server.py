"""A local server with pages of every kind, for the tests of sources; it counts its requests."""

import gzip
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Event
from typing import Any, cast

from tests.http_server import Handler, running

QUOTE = "The Pro plan costs $20 — “per user” and month"
WRITTEN = "<p>The <b>Pro</b> plan costs $20 &ndash; \u201eper&nbsp;user\u201c\n and&#32;month</p>"
PAGE = f"<!DOCTYPE html><title>Prices</title>{WRITTEN}"
CHUNK = b"x" * 65_536
ROBOTS = "User-agent: *\nDisallow: /forbidden/*/here\n"
PORT = 8080
"""Only ports of the web are asked; each process of the tests has an address of its own."""


REDIRECTS = {
    "metadata": "http://169.254.169.254/latest/meta-data/",
    "port": "http://127.0.0.1:22/",
    "itself": "/itself/",
    "far": "{path}x/",
    "file": "file:///etc/passwd",
    "moved-again": "/there/",
    "chain": "/moved-again/",
}
PAGES: dict[str, tuple[str | bytes, dict[str, str]]] = {
    "there": (PAGE, {}),
    "status": (PAGE, {}),
    "forbidden": (PAGE, {}),
    "other": (f"<script>const old = `{QUOTE}`</script><!-- {QUOTE} --><p>$25</p>", {}),
    "charset": (PAGE.encode("windows-1252", "ignore"), {}),
    "labelled": (PAGE, {"Content-Type": "text/html; charset=punycode"}),
    "zipped": (gzip.compress(PAGE.encode()), {"Content-Encoding": "gzip"}),
    "brotli": (b"\x8b\x02\x80text\x03", {"Content-Encoding": "br"}),
    "broken": (b"no gzip at all", {"Content-Encoding": "gzip"}),
    "pdf": (b"%PDF-1.7\n\x00\xff", {"Content-Type": "application/pdf"}),
    "markdown": (
        '| [The **Pro** plan](https://x.example/pro) costs $20 - "per user" and month |',
        {"Content-Type": "text/plain"},
    ),
}


class Pages(Handler):
    """Answers by path; `server.ended` is set when the tests end, and lets slow pages go."""

    server: "Any"
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        name = self.path.strip("/").split("/")[0].split(".")[0].split("?")[0]
        try:
            if name == "robots":
                self.say(self.server.robots, Content_Type="text/plain")
            elif name in REDIRECTS:
                self.say("", 302, Location=REDIRECTS[name].format(path=self.path))
            elif name in PAGES:
                body, headers = PAGES[name]
                status = self.path.rpartition("/")[2].partition("?")[0]
                self.say(body, int(status) if name == "status" else 200, **headers)
            elif name == "bomb":
                self.say(_bomb(), Content_Encoding="gzip")
            else:
                self.close_connection = True
                getattr(self, f"page_{name}")()
        except OSError:
            self.close_connection = True  # the client has hung up

    def say(self, body: bytes | str, status: int = 200, **headers: str) -> None:
        body = body.encode() if isinstance(body, str) else body
        own = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))}
        self.begin(status, **own | headers)(body)

    def begin(self, status: int = 200, **headers: str) -> Callable[[bytes], object]:
        """Send the status and the headers; what writes the body."""
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        return self.wfile.write

    def page_endless(self) -> None:
        write = self.begin(Content_Type="text/html")
        while True:
            write(CHUNK)

    def page_huge(self) -> None:
        write = self.begin(Content_Type="text/html", Content_Length=str(2**31))
        write(PAGE.encode())
        while True:
            write(CHUNK)

    def page_cut(self) -> None:
        """A page, half of it that it announced, and the end of the connection."""
        self.begin(Content_Type="text/html", Content_Length=str(2 * len(PAGE)))(PAGE[:9].encode())

    def page_chunks(self) -> None:
        write = self.begin(Content_Type="text/html", Transfer_Encoding="chunked")
        write(b"9\r\n" + PAGE[:9].encode() + b"\r\n")

    def page_halfzip(self) -> None:
        packed = gzip.compress(PAGE.encode())[:30]
        headers = {"Content_Length": str(len(packed)), "Content_Encoding": "gzip"}
        self.begin(Content_Type="text/html", **headers)(packed)

    def page_late(self) -> None:
        self.server.ended.wait(0.2)
        self.say("", 302, Location=f"{self.path}x/")

    def page_slow(self) -> None:
        self.begin(Content_Type="text/html")(b"<p>Wait")
        self.server.ended.wait()

    def page_silent(self) -> None:
        self.server.ended.wait()

    def page_headers(self) -> None:
        while not self.server.ended.wait(0.02):
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def page_garbage(self) -> None:
        self.wfile.write(b"\x16\x03\x01\x02\x00\x01\xfc\r\n\r\n")


@cache
def _bomb() -> bytes:
    """20 MB in 20 kB."""
    return gzip.compress(CHUNK * 320)


@contextmanager
def pages() -> Iterator[Any]:
    """A running server: `url`, and `paths` that were asked."""
    host = f"127.77.{os.getpid() // 250 % 250}.{os.getpid() % 250 + 1}"
    with running(Pages, (host, PORT)) as started:
        server = cast(Any, started)
        server.ended, server.paths, server.robots = Event(), [], ROBOTS
        server.url = f"http://{host}:{PORT}"
        try:
            yield server
        finally:
            server.ended.set()
