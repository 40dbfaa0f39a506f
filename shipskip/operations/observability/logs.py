"""Log lines that name the request and never a person: no network or mail address, no cookie.

`LOG_FORMAT=json` writes an object a line, for machines; `text` writes sentences.
"""

import logging
import re
from contextvars import ContextVar

from pythonjsonlogger.json import JsonFormatter

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request that is being answered; empty outside one."""

TOLD = ("method", "route", "path", "status", "ms")
"""What a line about a request may hold beside its message."""

MAIL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*")
IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])")
IPV6 = re.compile(
    r"(?<![\w:.])(?=[\da-f:]*:[\da-f]*:)(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:])", re.I
)
CLOCK = re.compile(r"\d\d:\d\d:\d\d")


def masked(text: str) -> str:
    """The text with mail and network addresses replaced by a word."""
    text = IPV4.sub("[address]", MAIL.sub("[address]", text))
    return IPV6.sub(lambda found: found[0] if CLOCK.fullmatch(found[0]) else "[address]", text)


class Brief(logging.Filter):
    """Lets a stranger's wrong request be one line, without the way through our code."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Take the traceback off what Django calls suspicious; every line passes."""
        if record.name.startswith("django.security."):
            record.exc_info = record.exc_text = None
        return True


class Text(logging.Formatter):
    """A line of text, with the request's id where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, its traceback included, without addresses."""
        about = request_id.get()
        line = masked(super().format(record))
        return f"[{about}] {line}" if about else line


class Json(JsonFormatter):
    """An object a line: time, level, logger, message, the request's id and what is TOLD of it."""

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
        """Leave out what libraries hang on a record (the request, its socket), mask the rest."""
        known = ("at", "level", "logger", "message", "fault", "stack_info", *TOLD)
        kept = {key: value for key, value in log_data.items() if key in known}
        for key, value in kept.items():
            if isinstance(value, str) and key != "at":
                kept[key] = masked(value)
        if about := request_id.get():
            kept["request"] = about
        return kept
