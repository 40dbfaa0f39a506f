"""Catalogue documents for tests: small valid ones, for the test to break."""

import copy
import io
import json
from dataclasses import replace
from typing import Any

from django.db.models import Model

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.catalogue.applying import apply
from shipskip.catalogue.changes import Changes
from shipskip.catalogue.comparing import compare
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.faults import InvalidFileError
from shipskip.catalogue.files import CATALOGUE, FileKind
from shipskip.editing.bulk_saves import Save
from tools.models import Attribute, Category, Fact, Family, FormerSlug, Plan, Tool

FORMAT = "shipskip-catalogue/3"
DOCUMENT: dict[str, Any] = {
    "format": FORMAT,
    "categories": [{"slug": "chat", "name": "Chat", "description": "Talks."}],
    "reviewers": [
        {
            "slug": "skeptic",
            "name": "Skeptic",
            "motto": "Prove it.",
            "bio": "*Doubts* it.",
            "likes": ["numbers"],
            "dislikes": ["demos", "naïve claims"],
            "position": 2,
        },
        {"slug": "builder", "name": "Builder", "position": 1},
    ],
    "tools": [
        {
            "slug": "alpha",
            "name": "Alpha – “α” & (12B) 🚀",
            "category": "chat",
            "maker": "Acme",
            "website": "https://example.org/alpha",
            "tagline": "First of all",
            "description": "Line one.\n\n\tLine *two*.",
            "best_for": "Beginners",
            "entry": "freemium",
            "pricing": "Pro $20/mo / Business $40/mo",
            "published": "2026-05-01T09:00:00Z",
            "takes": [
                {
                    "reviewer": "skeptic",
                    "score": 72,
                    "verdict": "skip",
                    "body": "No.",
                    "published": "2026-05-02T10:00:00.000250+02:00",
                },
                {"reviewer": "builder", "score": 100, "verdict": "ship"},
            ],
        },
        {"slug": "beta", "name": "שלום", "category": "chat"},
    ],
    "comparisons": [
        {
            "tools": ["beta", "alpha"],
            "summary": "Close.",
            "featured": True,
            "published": "2026-05-03T00:00:00Z",
        }
    ],
}


def document(**sections: Any) -> dict[str, Any]:
    """A valid document, with these top-level keys in place of its own."""
    return copy.deepcopy(DOCUMENT) | sections


def tool(**keys: Any) -> dict[str, Any]:
    """A valid tool of the document's category; a key given as `...` is left out."""
    given = {"slug": "gamma", "name": "Gamma", "category": "chat"} | keys
    return {key: value for key, value in given.items() if value is not ...}


ATTRIBUTES: list[dict[str, Any]] = [
    {
        "slug": "context-window",
        "name": "Context window",
        "group": "Model",
        "kind": "number",
        "unit": "tokens",
        "better": "higher",
        "choices": [],
        "categories": ["chat"],
        "help": "As the maker states it.",
        "position": 1,
    },
    {"slug": "price-of-gb", "name": "Price of a GB", "kind": "number", "better": "lower"},
    {"slug": "self-hosted", "name": "Self-hosted", "kind": "yes-no", "categories": []},
    {"slug": "terms", "name": "Terms", "kind": "choice", "choices": ["MIT", "Other"]},
    {"slug": "platforms", "name": "Platforms", "kind": "choices", "choices": ["Linux", "macOS"]},
    {"slug": "written-in", "name": "Written in", "kind": "text", "position": 3},
    {"slug": "first-release", "name": "First release", "kind": "date", "position": 2},
]
SOURCE = {"note": "", "source": "https://example.org/docs", "checked": "2026-05-20"}
FACTS: list[dict[str, Any]] = [
    {"attribute": "context-window", "value": 128000, **SOURCE | {"note": "Long"}},
    {"attribute": "price-of-gb", "value": 1.92, **SOURCE},
    {"attribute": "self-hosted", "value": False},
    {"attribute": "terms", "value": "MIT", "note": "“As is”"},
    {"attribute": "platforms", "value": ["macOS", "Linux"], "checked": None},
    {"attribute": "written-in", "value": None, **SOURCE},
    {"attribute": "first-release", "applies": False},
]
PLANS: list[dict[str, Any]] = [
    {"name": "Pro", "amount": "20.00", "currency": "USD", "per": "month", "per_user": True},
    {"name": "Free", "amount": "0", "currency": "USD", "per": "month", **SOURCE},
    {"name": "Tokens", "amount": "0.075", "currency": "EUR", "per": "1M input tokens"},
]


def with_facts(**keys: Any) -> dict[str, Any]:
    """A valid document whose first tool has facts of every kind and plans, and these keys."""
    given = document(attributes=copy.deepcopy(ATTRIBUTES))
    given["families"] = [{"slug": "greek", "name": "Greek letters"}]
    own = {"facts": FACTS, "plans": PLANS, "family": "greek", "former_slugs": ["first"]}
    given["tools"][0] |= copy.deepcopy(own | keys)
    return given


def as_file(content: Any) -> io.BytesIO:
    """The document as a binary file; bytes and texts are taken as they are."""
    if isinstance(content, str):
        content = content.encode()
    elif not isinstance(content, bytes):
        content = json.dumps(content, ensure_ascii=False).encode()
    return io.BytesIO(content)


def load(
    file: io.BytesIO,
    save: Save | None = None,
    *,
    reason: str = "",
    dry_run: bool = False,
    progress: Any = None,
    kind: FileKind = CATALOGUE,
) -> Changes:
    """Load a file, as the command does; a dry run only compares."""
    save = save or Save()
    changes = compare(
        kind.read(file, progress),
        replace(save, note=save.note or kind.note),
        reason or kind.reason,
        progress,
    )
    if not dry_run:
        apply(changes, progress)
    return changes


def dumped() -> str:
    return "".join(dump())


def empty_the_site() -> None:
    for model in (Comparison, Tool, Attribute, Family, Reviewer, Category):
        model._default_manager.all().delete()
    assert not any(rows().values())


def faults_of(content: Any) -> list[str]:
    """Every fault of a document, found by a dry run."""
    try:
        load(as_file(content), dry_run=True)
    except InvalidFileError as refused:
        return [str(fault) for fault in refused.faults]
    return []


def rows() -> dict[str, list[dict[str, Any]]]:
    """Every row of the catalogue in the database."""
    models: list[type[Model]] = [
        Category, Reviewer, Attribute, Family, Tool, Take, Fact, Plan, FormerSlug, Comparison
    ]  # fmt: skip
    return {
        model.__name__: list(model._default_manager.order_by("pk").values()) for model in models
    }
