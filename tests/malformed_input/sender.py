"""Send what client libraries refuse: any bytes anywhere in a request."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any
from urllib.parse import quote, quote_from_bytes

from django.test.client import ClientHandler

Parameters = Sequence[tuple[str | bytes, bytes]]
HTMX = {"HX-Request": b"true"}


def encoded(parameters: Parameters) -> str:
    """A query string or the body of a form."""
    return "&".join(f"{quote(key)}={quote_from_bytes(value)}" for key, value in parameters)


def environ(
    path: bytes,
    query: Parameters = (),
    form: Parameters | None = None,
    headers: Mapping[str, bytes] | None = None,
) -> dict[str, Any]:
    """The WSGI environment of GET, or of POST with a form; `path` is unquoted."""
    body = encoded(form or ()).encode()
    found = {
        "REQUEST_METHOD": "GET" if form is None else "POST",
        "PATH_INFO": path.decode("latin-1"),
        "QUERY_STRING": encoded(query),
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "testserver",
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": "application/x-www-form-urlencoded" if form is not None else "",
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(body),
        "wsgi.errors": BytesIO(),
    }
    for name, value in (headers or {}).items():
        key = name.upper().replace("-", "_")
        bare = key in ("CONTENT_TYPE", "CONTENT_LENGTH")
        found[key if bare else f"HTTP_{key}"] = value.decode("latin-1")
    return found


class Sender:
    """A client of the site without cookies. It sends forms as our own pages do, unless `tokens` is
    true: then CSRF tokens are checked, and it sends no header by itself.
    """

    def __init__(self, *, tokens: bool = False) -> None:
        self.handler = ClientHandler(enforce_csrf_checks=tokens)
        self.headers = {} if tokens else {"Sec-Fetch-Site": b"same-origin"}

    def send(
        self,
        path: bytes,
        query: Parameters = (),
        *,
        form: Parameters | None = None,
        headers: Mapping[str, bytes] | None = None,
        cookies: Mapping[str, bytes] | None = None,
    ) -> Any:
        """The answer of the whole site, with its middleware."""
        sent = environ(path, query, form, self.headers | dict(headers or {}))
        if cookies:
            words = (name.encode() + b"=" + value for name, value in cookies.items())
            sent["HTTP_COOKIE"] = b"; ".join(words).decode("latin-1")
        return self.handler(sent)
