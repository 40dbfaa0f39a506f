"""Check answers to malformed input: no server error, unescaped text or foreign secret."""

import json
import re
from collections.abc import Iterable
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote_plus

BEGIN, END = "73519024", "42091537"
"""Marks around each sent string; digits, which no filter changes."""

SPECIAL = re.compile(rb"[<>\"'&]")
LONGEST_UNCUT = 90
"""Length up to which the site shows a string in full, or with “…” where it cuts it."""

OUR_SCRIPTS = ("/static/", "/admin/jsi18n/")
JSON_LD = {"type": "application/ld+json"}
COOKIES = {"visitor", "marks", "csrftoken", "sessionid", "messages"}
TOKENS = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"')
ECHO = re.compile(rf"{BEGIN}([^<>\"']*?)(?:({END})|(…)|(?=[<\"]))")
LOCATION = re.compile(r"(?:/(?![/\\])|\?)[!#-;=?-Z\[\]_a-z~]*")


def marked(text: bytes) -> bytes:
    """The string between marks if it has a character special to HTML; otherwise unchanged."""
    return BEGIN.encode() + text + END.encode() if SPECIAL.search(text) else text


def minimum_shown(strings: Iterable[bytes]) -> int:
    """How many marked strings a page that shows what it is sent must show: a third of them."""
    return max(1, sum(bool(SPECIAL.search(text)) for text in strings) // 3)


def visible(text: str) -> str:
    """The printable characters of a text, without spaces."""
    return "".join(c for c in text if c.isprintable() and not c.isspace() and c != "�")


class Elements(HTMLParser):
    """The names of a page's elements and attributes, and what no template of ours uses."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.strange: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = (name for name, _ in attrs if not name.startswith(("aria-", "data-")))
        self.names |= {tag, *attributes}
        self.strange |= {f"<{tag} {name}>" for name, _ in attrs if name.startswith("on")}
        given = dict(attrs)
        is_ours = (given.get("src") or "").startswith(OUR_SCRIPTS) or given == JSON_LD
        if tag == "script" and not is_ours:
            self.strange.add("<script> from elsewhere")
        for name in {
            "href",
            "src",
            "action",
            "formaction",
            "data-hx-get",
            "data-hx-post",
        } & given.keys():
            if re.match(r"\s*(?:javascript|data|vbscript):|//", given[name] or "", re.I):
                self.strange.add(f"<{tag} {name}={given[name]!r}>")

    def handle_comment(self, data: str) -> None:
        self.strange.add("a comment")

    def unknown_decl(self, data: str) -> None:
        self.strange.add("a declaration")

    def handle_pi(self, data: str) -> None:
        self.strange.add("an instruction")


class Checker:
    """Checks answers. `names` are the elements and attributes that the site's templates write,
    `secrets` what no answer may contain; `echoes` counts the marked strings that were found.
    """

    def __init__(self, names: Iterable[str], secrets: Iterable[str]) -> None:
        self.names, self.secrets = set(names), list(secrets)
        self.pages: set[int] = set()
        self.echoes = 0

    def faults(self, response: Any, *sent: bytes) -> list[str]:
        """The faults of the answer to a request with these strings, as texts."""
        found = [f"answered {response.status_code}"] if response.status_code >= 500 else []
        for name, value in response.items():
            if re.search(r"[^\t -~]", f"{name}{value}"):
                found.append(f"sent the header {name}: {value!r}")
        if response.has_header("Location") and not LOCATION.fullmatch(response["Location"]):
            found.append(f"led to {response['Location']!r}")
        for name, morsel in response.cookies.items():
            if name not in COOKIES or re.search(r"[\x00-\x1f\x7f]", morsel.OutputString()):
                found.append(f"set the cookie {name}: {morsel.value!r}")
        if not response.streaming:
            body = response.content.decode()
            found += [f"revealed {secret!r}" for secret in self.secrets if secret in body]
            if response.get("Content-Type", "").startswith("text/html"):
                found += self._in_html(body, [text.decode(errors="replace") for text in sent])
        return found

    def _in_html(self, body: str, sent: list[str]) -> list[str]:
        long = [text for text in sent if len(text) > 4 and re.search(r"[<>\"']", text)]
        found = ["shows it unescaped" for text in long if text in body]
        for echo in ECHO.finditer(body):
            self.echoes += 1
            shown, end, cut = echo.groups()
            if not any(_is_escaped(shown, end, cut, text) for text in sent):
                found.append(f"shows {echo[0]!r}")
        rest = TOKENS.sub("", ECHO.sub("", body))
        if BEGIN in rest:
            found.append("shows it where no text belongs")
        if any(re.search(r"[<>\"']", text) for text in sent) and hash(rest) not in self.pages:
            self.pages.add(hash(rest))
            page = Elements(rest)
            found += [f"holds {it}" for it in sorted((page.strange | page.names) - self.names)]
        return found


def _is_escaped(shown: str, end: str | None, cut: str | None, text: str) -> bool:
    """Whether the text after the first mark is the string, escaped: all of it up to the other
    mark, or its beginning where the page says that it was cut or the string is long.
    """
    whole, shown = visible(text), unescape(shown)
    once = unquote_plus(shown)
    variants = [visible(it) for it in (shown, once, unquote_plus(once), _out_of_json(shown))]
    if end:
        return whole in variants
    known = whole + END
    if cut:
        return any(known.startswith(it) for it in variants)
    return any(len(it) > LONGEST_UNCUT and known.startswith(it[:LONGEST_UNCUT]) for it in variants)


def _out_of_json(text: str) -> str:
    """The text inside a JSON document, where a form contains one."""
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text
