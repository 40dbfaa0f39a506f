"""A request's body that ends before its Content-Length is refused, never read as if it were whole.

granian hands an application what has arrived when the connection closes, and proxies that pass a
body on while it comes (Caddy, HAProxy, Varnish, Apache) close theirs when a client vanishes. A form
cut off in the middle of a text is a valid form with a shorter text.
"""

from collections.abc import Callable, Iterable
from typing import Any

from django.core.exceptions import BadRequest

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class WholeBody:
    """The input of WSGI; reading raises BadRequest, which Django answers with 400, where the body
    ends too early.
    """

    def __init__(self, stream: Any, length: int) -> None:
        self._stream, self._missing = stream, length

    def read(self, size: int = -1) -> bytes:
        """The next `size` bytes, or all that are left."""
        wanted = self._missing if size < 0 else min(size, self._missing)
        data = b""
        while len(data) < wanted:
            data += self._counted(self._stream.read(wanted - len(data)))
        return data

    def readline(self, size: int = -1) -> bytes:
        """A line, or the next `size` bytes of it."""
        wanted = self._missing if size < 0 else min(size, self._missing)
        return self._counted(self._stream.readline(wanted)) if wanted else b""

    def _counted(self, data: bytes) -> bytes:
        if not data:
            raise BadRequest(f"The body ended {self._missing} bytes before its Content-Length.")
        self._missing -= len(data)
        return data


def whole_bodies(application: Application) -> Application:
    """WSGI middleware: give each request a WholeBody."""

    def with_whole_body(environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        length = environ.get("CONTENT_LENGTH") or ""
        if length.isascii() and length.isdigit():
            environ["wsgi.input"] = WholeBody(environ["wsgi.input"], int(length))
        return application(environ, start_response)

    return with_whole_body
