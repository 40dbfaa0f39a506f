"""Faults for programs, as RFC 9457 has them."""

import json
import re

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


def problem_text(status: int, title: str, detail: str) -> str:
    """A fault as JSON."""
    values: Problem = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return json.dumps(values, ensure_ascii=False)


def problem(status: int, title: str, detail: str) -> HttpResponse:
    """The answer with a fault."""
    text = problem_text(status, title, detail)
    return HttpResponse(text, status=status, content_type=PROBLEM_TYPE)


def is_for_programs(path: str) -> bool:
    """Whether what is at this path is read by programs alone; site.conf has the same paths."""
    return bool(_FOR_PROGRAMS.search(path))
