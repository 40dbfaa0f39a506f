"""Log formats with a request id; `scrubbed` removes personal data from every line.

A served site writes one JSON object per line, for machines; `make run` and terminals get text.
"""

import logging
import re
from contextvars import ContextVar

from pythonjsonlogger.json import JsonFormatter

from shipskip.web.postgresql.waits import NoAnswerError

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the current request; empty outside a request."""

REQUEST_FIELDS = ("method", "route", "path", "status", "ms")
"""The extra fields of a line about a request."""

LOCAL_PART = r"[\w.!#$%&'*+/=?^`{|}~-]"
MAIL = re.compile(rf"(?<!{LOCAL_PART}){LOCAL_PART}+(?:@|%40)[\w-]+(?:\.[\w-]+)*")
IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
IPV6 = re.compile(
    r"(?<![\w:.])(?=[\da-f:]*:[\da-f]*:)(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:])", re.I
)
TIME_OF_DAY = re.compile(r"\d\d:\d\d:\d\d")
QUERY = re.compile(r"(?<=[\w/.~-])(?:\?|%3F)[^\s\"'<>]+", re.I)
"""A query string after a path."""

KEYED_PATH = re.compile(
    r"(/(?:newsletter/(?:confirm|leave|forget|allow)|corrections/follow|preview/\w+)/+)[^\s/\"']+"
)
"""The path of a link with a secret key: the links in mails, of reporters, and of previews."""

POSSIBLE_KEY = re.compile(r"(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{32,}")
"""A text that may be a key elsewhere, as in a mistyped path; slugs have no capital letters."""


def scrubbed(text: str) -> str:
    """Remove keys of links, query strings, mail addresses and IP addresses from a text."""
    text = KEYED_PATH.sub(r"\1[key]", QUERY.sub("?[query]", text))
    text = IPV4.sub("[address]", MAIL.sub("[address]", POSSIBLE_KEY.sub("[key]", text)))
    return IPV6.sub(
        lambda found: found[0] if TIME_OF_DAY.fullmatch(found[0]) else "[address]", text
    )


class WithoutTraceback(logging.Filter):
    """Remove the traceback from log records of suspicious requests, and of requests that had no
    answer from PostgreSQL: while it hangs, there are hundreds a second.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Remove the traceback from such records; return True, as no record is dropped."""
        error = record.exc_info[1] if record.exc_info else None
        unanswered = error and isinstance(error.__cause__, NoAnswerError)
        if unanswered or record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        return True


class TextLines(logging.Formatter):
    """A line of text, with the request's id inside a request."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, its traceback included, scrubbed."""
        about = request_id.get()
        line = scrubbed(super().format(record))
        return f"[{about}] {line}" if about else line


class JsonLines(JsonFormatter):
    """A JSON object per line: time, level, logger, message, request id and REQUEST_FIELDS."""

    def __init__(self) -> None:
        fields = ("asctime", "levelname", "name", "message")
        names = {"asctime": "at", "levelname": "level", "name": "logger", "exc_info": "fault"}
        super().__init__(fields, rename_fields=names, json_ensure_ascii=False)

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        """The moment in UTC, to the millisecond."""
        from datetime import UTC, datetime

        moment = datetime.fromtimestamp(record.created, UTC)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def process_log_record(self, log_data: dict[str, object]) -> dict[str, object]:
        """Remove fields that libraries add to a record (request, socket), and scrub the rest."""
        known = ("at", "level", "logger", "message", "fault", "stack_info", *REQUEST_FIELDS)
        fields = {key: value for key, value in log_data.items() if key in known}
        for key, value in fields.items():
            if isinstance(value, str) and key != "at":
                fields[key] = scrubbed(value)
        if about := request_id.get():
            fields["request"] = about
        return fields
