"""Malformed input, and what no answer to it may contain."""

import re
from collections.abc import Callable, Iterable
from html.parser import HTMLParser
from http import HTTPStatus
from typing import Any

from django.db import connection
from hypothesis import example, given
from hypothesis import strategies as st

ELEMENT = "junk"
"""No template has an element of that name, nor an attribute."""

ESCAPES = [
    *(b"<junk>", b"\"'><junk onjunk=1>", b'" junk="1', b"' junk='1", b" junk=1 "),
    *(
        b"</script><junk>",
        b"</textarea></title><junk>",
        b"--><junk>",
        b"]]><junk>",
        b"&lt;junk&gt;",
    ),
]
REFUSABLE = [
    *(b"\0", b"alpha\0", b"\xff\xfe", b"alpha\xff", b"\xc0\xae/", b"\xed\xa0\x80", b"\\x00"),
    *(b"2147483648", b"-9223372036854775809", b"9" * 400, b"1e400", "\u0663".encode(), b"\\"),
    *("\ufeff\u2028\u202ealpha".encode(), "\u0301".encode() * 1_000, "\U0001f4a9\x85".encode()),
]
"""What a database may refuse: NUL, broken encodings, numbers too large, other digits."""

PARSED = [
    *(b"", b"-0", b"0x10", b"1_000", b"2026-02-30", b"9999-99-99", b"%", b"%00", b"_", b"(", b"[["),
    *(b"a\r\nSet-Cookie: junk=1", b"//evil.example/", b"/\\evil.example", b"/\t/evil.example"),
    *(b"javascript:alert(1)//", b"http:evil.example", b"{{ 7 }}", b"{% debug %}", b"{0.__class__}"),
    *(b"%(x)s", b"vs", b"-vs-", b"alpha-vs-", b"alpha-vs-beta-vs-gamma", b"x" * 10_000),
    b"<" * 3_000,
]
"""What a parser of numbers, dates, addresses or templates may fail on."""

AT_DATABASE = (b"\0", b"alpha\xff", b"2147483648", b"9" * 400, b"1e400")
"""What PostgreSQL refuses and SQLite may not."""

FEW = (
    *(ESCAPES[1], *AT_DATABASE, "\u0663".encode()),
    *(b"2026-02-30", b"//evil.example/", b"x" * 10_000),
)
"""One of each kind, for tests of many pages."""

RANDOM = st.one_of(
    st.binary(max_size=40),
    st.text(st.characters(), max_size=40).map(lambda text: text.encode(errors="surrogatepass")),
    st.text("<>\"'&/= \\%", max_size=12).map(lambda text: f"{text}<junk onjunk=1>{text}".encode()),
)


def any_junk(*named: bytes) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Call a test with each of these texts (all that have a name unless some are given), then with
    random ones. What those find becomes a named one above. On PostgreSQL only with those of the
    named ones that a database may refuse: all else is the same on both.
    """
    texts = list(dict.fromkeys(named or (*ESCAPES, *REFUSABLE, *PARSED)))
    refusable = [text for text in texts if text in AT_DATABASE]
    if connection.vendor == "postgresql" and refusable:
        texts = refusable

    def repeated(test: Callable[..., None]) -> Callable[..., None]:
        for text in texts:
            test = example(text=text)(test)
        return given(text=RANDOM)(test)

    return repeated


class Elements(HTMLParser):
    """What stands in a page as code and should be text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.faults += [f"<{name}>" for name in (tag, *dict(attrs)) if ELEMENT in name]
        for name in ("href", "src", "action", "formaction", "data-hx-get", "data-hx-post"):
            target = dict(attrs).get(name) or ""
            if re.match(r"\s*(?:javascript|data|vbscript):|//|/\\", target, re.I):
                self.faults.append(f"{name}={target!r}")


LOCATION = re.compile(r"(?:/(?![/\\])|\?)[!#-;=?-Z\[\]_a-z~]*")
COOKIES = {"visitor", "marks", "csrftoken", "sessionid", "messages"}


def faults(response: Any, secrets: Iterable[str] = ()) -> list[str]:
    """What is wrong with an answer: a server error, code that was sent as text, a header or a
    cookie that was injected, a redirect to another site, one of the secrets.
    """
    is_error = response.status_code >= 500 and response.status_code != HTTPStatus.NOT_IMPLEMENTED
    found = [f"status {response.status_code}"] if is_error else []
    headers = [
        *response.items(),
        *((it.key, it.OutputString()) for it in response.cookies.values()),
    ]
    found += [f"header {row}" for row in headers if re.search(r"[^\t -~]", "".join(row))]
    if response.has_header("Location") and not LOCATION.fullmatch(response["Location"]):
        found.append(f"redirect to {response['Location']!r}")
    found += [f"cookie {name}" for name in response.cookies.keys() - COOKIES]
    if not response.streaming:
        body = response.content.decode()
        found += [f"secret {secret!r}" for secret in secrets if secret in body]
        if response.get("Content-Type", "").startswith("text/html"):
            found += Elements(body).faults
    return found
