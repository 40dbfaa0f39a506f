"""Faults for programs, as RFC 9457 has them."""

import json
import re
from http import HTTPStatus

from django.http import HttpResponse
from typing_extensions import TypedDict

PROBLEM_TYPE = "application/problem+json"

_FOR_PROGRAMS = re.compile(r"^/(?:api|data|mcp)/|^/oembed$|\.(?:json|csv|md|zip|atom)$")


class Problem(TypedDict):
    """A fault; `detail` is a sentence for people."""

    type: str
    title: str
    status: int
    detail: str


DETAILS = {
    400: "The request could not be read.",
    404: "There is nothing at this address.",
    405: "This address does not accept that method; the header Allow names those that it does.",
    411: "Send the body with its length, not in chunks.",
    413: "The request is too large.",
    429: "Too many requests came from your network. Wait a few seconds, then try again.",
    500: "The site made an error.",
    503: "The site cannot answer at the moment. Try again in a few seconds.",
}
"""The sentence of a status, if nothing more exact is known."""


def problem_text(status: int, detail: str = "") -> str:
    """A fault as JSON."""
    values: Problem = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase.capitalize(),
        "status": status,
        "detail": detail or DETAILS[status],
    }
    return json.dumps(values, ensure_ascii=False)


def problem(status: int, detail: str = "") -> HttpResponse:
    """The answer with a fault, which scripts of other sites may read."""
    text = problem_text(status, detail)
    response = HttpResponse(text, status=status, content_type=PROBLEM_TYPE)
    response["Access-Control-Allow-Origin"] = "*"
    return response


def is_for_programs(path: str) -> bool:
    """Whether what is at this path is read by programs alone; site.conf has the same paths."""
    return bool(_FOR_PROGRAMS.search(path))
