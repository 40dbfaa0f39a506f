"""Servers of HTTP that a test runs beside itself, as other sites and services."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Handler(BaseHTTPRequestHandler):
    """Answers requests and writes nothing to the output of the tests."""

    def log_message(self, *args: object) -> None:
        """Write nothing."""


@contextmanager
def running(
    handler: type[Handler], address: tuple[str, int] = ("127.0.0.1", 0)
) -> Iterator[ThreadingHTTPServer]:
    """Inside `with` a server answers by this handler; `server_port` is its port."""
    server = ThreadingHTTPServer(address, handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
