"""A local server with pages of every kind, for the tests of sources; it counts its requests."""

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any

QUOTE = "The Pro plan costs $20 — “per user” and month"
WRITTEN = "<p>The <b>Pro</b> plan costs $20 &ndash; \u201eper&nbsp;user\u201c\n and&#32;month</p>"
PAGE = f"<!DOCTYPE html><title>Prices</title>{WRITTEN}"
ROBOTS = "User-agent: *\nDisallow: /forbidden/*/here\n"
CHUNK = b"x" * 65_536


class Pages(BaseHTTPRequestHandler):
    """Answers by path; `server.open` is set when the tests end, and lets slow pages go."""

    server: "Any"
    protocol_version = "HTTP/1.1"

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.paths.append(self.path)
            self.server.busy += 1
            self.server.most_busy = max(self.server.most_busy, self.server.busy)
        # Long enough to meet a second request at the same time, and over before the client has an
        # answer, after which it may send the next one.
        self.server.ended.wait(0.02)
        with self.server.lock:
            self.server.busy -= 1
        try:
            getattr(self, f"page_{self.path.strip('/').split('/')[0].split('.')[0]}")()
        except OSError:
            self.close_connection = True  # the client has hung up

    def say(self, body: bytes | str, status: int = 200, **headers: str) -> None:
        """Answer with a body."""
        body = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        named = {"Content-Type": "text/html; charset=utf-8"}
        named |= {name.replace("_", "-"): text for name, text in headers.items()}
        for name, text in {**named, "Content-Length": str(len(body))}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def begin(self, **headers: str) -> Callable[[bytes], object]:
        """Begin an answer without an end."""
        self.close_connection = True
        self.send_response(200)
        for name, text in {"Content-Type": "text/html", **headers}.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        return self.wfile.write

    def redirect(self, url: str) -> None:
        """Answer with a redirect."""
        self.say("", 302, Location=url)

    def page_robots(self) -> None:
        self.say(ROBOTS, Content_Type="text/plain")

    def page_there(self) -> None:
        self.say(PAGE)

    def page_other(self) -> None:
        self.say("<script>const old = `" + QUOTE + "`</script><!-- " + QUOTE + " --><p>$25</p>")

    def page_status(self) -> None:
        self.say(PAGE, int(self.path.rpartition("/")[2]))

    def page_forbidden(self) -> None:
        self.say(PAGE)

    def page_endless(self) -> None:
        write = self.begin()
        while True:
            write(CHUNK)

    def page_slow(self) -> None:
        self.begin()(b"<p>Wait")
        self.server.ended.wait()

    def page_silent(self) -> None:
        self.close_connection = True
        self.server.ended.wait()

    def page_headers(self) -> None:
        self.close_connection = True
        while not self.server.ended.wait(0.02):
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def page_metadata(self) -> None:
        self.redirect("http://169.254.169.254/latest/meta-data/")

    def page_itself(self) -> None:
        self.redirect("/itself/")

    def page_far(self) -> None:
        self.redirect(f"{self.path}x/")

    def page_file(self) -> None:
        self.redirect("file:///etc/passwd")

    def page_moved(self) -> None:
        self.redirect("/moved-again/")

    page_chain = page_moved

    def page_huge(self) -> None:
        self.begin(Content_Length=str(2**31))(PAGE.encode())
        while True:
            self.wfile.write(CHUNK)

    def page_charset(self) -> None:
        self.say(PAGE.encode("windows-1252", "ignore"), Content_Type="text/html; charset=utf-8")

    def page_labelled(self) -> None:
        self.say(PAGE, Content_Type="text/html; charset=punycode")

    def page_zipped(self) -> None:
        self.say(gzip.compress(PAGE.encode()), Content_Encoding="gzip")

    def page_bomb(self) -> None:
        self.say(_bomb(), Content_Encoding="gzip")

    def page_brotli(self) -> None:
        self.say(b"\x8b\x02\x80text\x03", Content_Encoding="br")

    def page_broken(self) -> None:
        self.say(b"no gzip at all", Content_Encoding="gzip")

    def page_pdf(self) -> None:
        self.say(b"%PDF-1.7\n\x00\xff", Content_Type="application/pdf")

    def page_garbage(self) -> None:
        self.close_connection = True
        self.wfile.write(b"\x16\x03\x01\x02\x00\x01\xfc\r\n\r\n")

    def page_markdown(self) -> None:
        text = '| [The **Pro** plan](https://x.example/pro) costs $20 - "per user" and month |'
        self.say(text, Content_Type="text/plain")


setattr(Pages, "page_moved-again", lambda page: page.redirect("/there/"))


@cache
def _bomb() -> bytes:
    """20 MB in 20 kB."""
    return gzip.compress(CHUNK * 320)


@contextmanager
def pages() -> Iterator[Any]:
    """A running server: `url`, `paths` that were asked, `most_busy` requests at one time."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    server.ended, server.lock, server.paths = Event(), Lock(), []
    server.busy = server.most_busy = 0
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
