"""Whether the words of a quote stand in a page that somebody else wrote. Pure functions whose time
is linear in the page's length, whatever the page contains.
"""

import re
from html import unescape

_CHARSETS = re.compile(
    r"utf-?16(-?[lb]e)?|iso-?8859-?\d+|latin-?1|windows-?\d+|cp\d+|shift[_-]?jis|euc-(jp|kr)|"
    r"gb(2312|k|18030)|big5|koi8-[ru]",
    re.IGNORECASE | re.ASCII,
)
_META = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([\w-]{1,40})", re.IGNORECASE)
_TAG = re.compile(r"/?([a-zA-Z][a-zA-Z0-9:-]{0,40})")
_HIDDEN = {"script", "style", "template"}
_LINK_TARGET = re.compile(r"\]\([^()\s]{0,2000}\)")
_MARKS = str.maketrans("", "", "*_`#|~[]\\")
_LEFT_OUT = re.compile(r"\s*(?:\[(?:…|\.\.\.)\]|…|\.\.\.)\s*")
_ALIKE = str.maketrans(
    dict.fromkeys("‘’‚‛′`´", "'")
    | dict.fromkeys("“”„‟″«»", '"')
    | dict.fromkeys("‐‑‒–—―−﹘﹣－", "-")
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff", "")
)
"""Characters that are typed in different ways, and those that are not seen."""

FORMATTED = ("text/html", "application/xhtml+xml", "application/xml", "text/xml")
"""Content types whose text stands between tags."""


def is_text(content_type: str) -> bool:
    """Whether pages of this content type are read; an empty one is taken for HTML."""
    own = (*FORMATTED, "application/json", "")
    return content_type in own or content_type.startswith("text/")


def decoded(body: bytes, charset: str) -> str:
    """The text of a body. UTF-8 is tried first, because many pages declare another charset than
    they have; what cannot be decoded becomes a replacement character.
    """
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if error.start >= len(body) - 4:  # the end of a body that was cut off
            return body[: error.start].decode("utf-8-sig")
    declared = _META.search(body[:2_000])
    for name in (charset, declared[1].decode("ascii", "replace") if declared else ""):
        if _CHARSETS.fullmatch(name):
            try:
                return body.decode(name, "replace")
            except LookupError:
                continue
    return body.decode("windows-1252", "replace")


def visible_text(source: str) -> str:
    """The text of HTML without tags, comments, scripts and styles.

    A real parser is of no use here: html.parser and html5ever need minutes for some pages.
    """
    text, *pieces = source.split("<")
    parts, hidden_in = [text], ""
    for piece in pieces:
        tag = _TAG.match(piece)
        name = tag[1].lower() if tag else ""
        if hidden_in == "!--" or (not hidden_in and piece.startswith("!--")):
            _, end, rest = piece.partition("-->")
            hidden_in = "" if end else "!--"
            parts.append(rest)
        elif hidden_in:
            if name == hidden_in and piece.startswith("/"):
                hidden_in = ""
                parts.append(piece.partition(">")[2])
        elif not tag and piece[:1] not in ("!", "?", "/"):
            parts.append(f"<{piece}")
        elif name in _HIDDEN and not piece.startswith("/"):
            hidden_in = name
        else:
            parts.append(piece.partition(">")[2])
    return unescape("".join(parts))


def without_markdown(text: str) -> str:
    """A text without the marks of Markdown and the targets of its links."""
    return _LINK_TARGET.sub("]", text).translate(_MARKS)


def folded(text: str) -> str:
    """A text as it is compared: without white space, whose place depends on tags, without case, and
    with one kind of quotation marks and dashes.
    """
    return "".join(unescape(text).translate(_ALIKE).casefold().split())


def has_quote(text: str, quote: str) -> bool:
    """Whether a page's text contains a quote; the parts around an ellipsis in their order."""
    return _is_in(text, quote) or _is_in(without_markdown(text), without_markdown(quote))


def _is_in(text: str, quote: str) -> bool:
    page, begin = folded(text), 0
    for part in map(folded, _LEFT_OUT.split(quote)):
        begin = page.find(part, begin)
        if begin < 0:
            return False
        begin += len(part)
    return begin > 0


_GITHUB_FILE = re.compile(r"https://github\.com/([^/?#]+/[^/?#]+)/blob/([^?#]+)")


def text_url(source: str) -> str:
    """The address at which a source's text stands: that of a file on GitHub, whose page shows it by
    a script; otherwise the source's own.
    """
    file = _GITHUB_FILE.match(source)
    return f"https://raw.githubusercontent.com/{file[1]}/{file[2]}" if file else source
