"""Every kind of page, and a catalogue with names that are hard to lay out."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings

COMPARISON = "/compare/cursor-background-agent-vs-smollm3/"
NAMESAKES = "/compare/code-llama-4-vs-code-llama-4-agentic/"
HARD_PAIR = "/compare/long-name-vs-right-to-left/"

OPEN = {
    "home": "/",
    "picker": "/compare/",
    "picker with faults": "/compare/?tools=Code+Llama+4&tools=zzzz",
    "picker with a third field": "/compare/?tools=v0&tools=vllm&act=add",
    "comparison": COMPARISON,
    "comparison with sliders": f"{COMPARISON}?weigh=own",
    "comparison of namesakes": NAMESAKES,
    "comparison of hard names": HARD_PAIR,
    "comparison of three": "/compare/aider-vs-cline-vs-continue/",
    "tools": "/tools/",
    "tools filtered": "/tools/?q=agent&sort=name&entry=paid&entry=free&category[]=x",
    "tools, none fits": "/tools/?q=nothing-has-this-name",
    "tools, last page": "/tools/?page=2",
    "tool": "/tools/smollm3/",
    "tool, own panel": "/tools/smollm3/?weigh-skeptic=3&weigh-pm=0",
    "changed verdicts": "/tools/smollm3/changes/",
    "tool of a long name": "/tools/long-name/",
    "tool without takes": "/tools/right-to-left/",
    "search, comparison": "/search/?q=copilot+vs+cline",
    "search, list": "/search/?q=open+source+vector+search",
    "search, unknown name": "/search/?q=claude+code",
    "categories": "/categories/",
    "category": "/categories/developer-tools/",
    "category with sliders": "/categories/developer-tools/?weigh=own",
    "category without tools": "/categories/nothing-yet/",
    "reviewers": "/reviewers/",
    "reviewer": "/reviewers/skeptic/",
    "reviewer, category without takes": "/reviewers/skeptic/?category=nothing-yet",
    "methodology": "/methodology/",
    "for programs": "/programs/",
    "corrections": "/corrections/",
    "report": "/tools/smollm3/report/?about=take-builder",
    "suggestion": "/corrections/suggest/",
    "past issues": "/newsletter/",
    "past issue": "/newsletter/2026-05-07/",
}
"""Public pages that answer 200."""

PRIVATE = {
    "vote": "/tools/smollm3/vote/",
    "bookmark": "/tools/smollm3/bookmark/",
    "bookmarks": "/bookmarks/",
    "this browser": "/me/",
    "forget me": "/me/forget/",
    "join": "/newsletter/join/",
    "join, asked": "/newsletter/join/?asked=yes",
}
"""Pages that show what one visitor did; empty in a new window."""

CLOSED = {
    "not found": "/compare/cursor-bakground-agent-vs-smolm3/",
    "not found, nothing near": "/nope/",
    "preview, damaged": "/preview/tools/damaged/",
    "no report": "/corrections/follow/damaged/",
    "no subscriber": f"/newsletter/leave/{'x' * 32}/",
}
"""Public pages that answer 404."""

EMBEDS = {
    "tool in a frame": "/tools/long-name/embed/",
    "comparison in a frame": f"{COMPARISON}embed/",
    "comparison of hard names in a frame": f"{HARD_PAIR}embed/",
}
"""Pages for frames of other sites: without landmarks, which would be those of the other page."""

ALL = OPEN | PRIVATE | CLOSED | EMBEDS

ERROR_PAGES: dict[str, tuple[str, dict[str, object]]] = {
    "bad request": ("errors/400.html", {}),
    "forbidden": ("errors/403.html", {"not_same_origin": True}),
    "wrong method": ("errors/405.html", {"allowed": "GET, HEAD"}),
    "preview, ended": ("errors/410.html", {}),
    "server error": ("errors/500.html", {}),
}
"""Pages without an address: their templates and contexts."""

LONG_WORD = "Supercalifragilistic" * 6
RIGHT_TO_LEFT = "مقارنة الأدوات (نسخة ٢) & שלום"
_MARKDOWN = f"""A word without end, {LONG_WORD}, and `{LONG_WORD.lower()}` as code.

    {LONG_WORD.lower()} --with-an-option-nobody-can-wrap --and-another-one

| Setting | What it does | Default | Where | Since | Unit |
|---|---|---|---|---|---|
| `maximum_context_window` | {"bounds the window " * 3} | `131072` | configuration | 1.0 | tokens |

1. One
2. [A link](https://example.com/{LONG_WORD.lower()})

> A quotation.
"""


def sample() -> dict[str, Any]:
    text = (Path(settings.BASE_DIR) / "fixtures" / "catalogue.json").read_text()
    document: dict[str, Any] = json.loads(text)
    return document


def catalogue() -> str:
    """The sample catalogue and, as its newest tools, names that no layout expects."""
    document = sample()
    empty = {"slug": "nothing-yet", "name": "Nothing Yet", "description": "No tool stands here."}
    document["categories"].append(empty)
    moment = max(tool["published"] for tool in document["tools"])
    long = {
        "slug": "long-name",
        "name": LONG_WORD,
        "category": "developer-tools",
        "maker": LONG_WORD,
        "website": f"https://{'long-' * 10}host.example.com/",
        "tagline": "w" * 160,
        "description": _MARKDOWN,
        "best_for": "b" * 200,
        "entry": "freemium",
        "pricing": "$" * 160,
        "license": "L" * 200,
        "published": moment,
        "takes": [
            {"reviewer": who, "score": 50, "verdict": verdict, "body": body, "published": moment}
            for who, verdict, body in (
                ("builder", "ship", _MARKDOWN),
                ("skeptic", "skip", "Short."),
            )
        ],
    }
    other = {
        "slug": "right-to-left",
        "name": RIGHT_TO_LEFT,
        "category": "developer-tools",
        "maker": "שלום",
        "tagline": "أداة تكتب الشيفرة 🚀",
        "entry": "free",
        "published": moment,
        "takes": [],
    }
    pair = {"tools": ["long-name", "right-to-left"], "summary": _MARKDOWN, "published": moment}
    document["tools"] += [long, other]
    document["comparisons"].append(pair)
    return json.dumps(document)
