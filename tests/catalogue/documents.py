"""Catalogue documents for tests: small valid ones of `samples/`, for the test to break."""

import copy
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.catalogue.applying import apply
from shipskip.catalogue.changes import Changes
from shipskip.catalogue.comparing import compare
from shipskip.catalogue.dumping import dump
from shipskip.catalogue.faults import InvalidFileError
from shipskip.catalogue.files import CATALOGUE, FileKind
from shipskip.editing.bulk_saves import Save
from shipskip.search.models import Synonym
from tools.models import Attribute, Category, Fact, Family, FormerSlug, Plan, Tool

FORMAT = "shipskip-catalogue/3"
SAMPLES = Path(__file__).parent / "samples"
DOCUMENT: dict[str, Any] = json.loads((SAMPLES / "small.json").read_text())
_FACTS: dict[str, list[dict[str, Any]]] = json.loads((SAMPLES / "small_facts.json").read_text())
ATTRIBUTES, FACTS, PLANS = _FACTS["attributes"], _FACTS["facts"], _FACTS["plans"]


def document(**sections: Any) -> dict[str, Any]:
    """A valid document, with these top-level keys in place of its own."""
    return copy.deepcopy(DOCUMENT) | sections


def tool(**keys: Any) -> dict[str, Any]:
    """A valid tool of the document's category."""
    return {"slug": "gamma", "name": "Gamma", "category": "chat"} | keys


def with_facts(**keys: Any) -> dict[str, Any]:
    """A valid document whose first tool has facts of every kind and plans, and these keys."""
    given = document(attributes=copy.deepcopy(ATTRIBUTES))
    given["families"] = [{"slug": "greek", "name": "Greek letters"}]
    own = {"facts": FACTS, "plans": PLANS, "family": "greek", "former_slugs": ["first"]}
    given["tools"][0] |= copy.deepcopy(own | keys)
    return given


def large(number: int, takes: int = 2, body: str = "A text.", **keys: Any) -> dict[str, Any]:
    """So many tools with these keys, so many takes on each, and comparisons of neighbours, the
    first of them featured.
    """
    moment = "2026-05-01T09:00:00Z"
    take = {"score": 60, "verdict": "ship", "body": body, "published": moment}
    return {
        "format": FORMAT,
        "categories": [{"slug": f"category-{at}", "name": "C"} for at in range(20)],
        "reviewers": [{"slug": f"reviewer-{at}", "name": "R"} for at in range(takes)],
        "tools": [
            tool(
                slug=f"tool-{at}",
                category=f"category-{at % 20}",
                published=moment,
                takes=[take | {"reviewer": f"reviewer-{by}"} for by in range(takes)],
                **keys,
            )
            for at in range(number)
        ],
        "comparisons": [
            {"tools": [f"tool-{at}", f"tool-{at + 1}"], "featured": at < number / 2}
            for at in range(number - 1)
        ],
    }


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


def report(changes: Changes) -> list[str]:
    """What a load did, for snapshots: how many rows of each kind, and what is listed."""
    lines = [
        f"{kind}: {count.created} created, {count.changed} changed, {count.removed} removed, "
        f"{count.left_alone} left alone"
        for kind, count in changes.counts.items()
        if count.created or count.changed or count.removed or count.left_alone
    ]
    for heading, listed in changes.lists().items():
        lines += [f"{heading}:", *map(str, listed.entries)]
    return lines


def dumped() -> str:
    return "".join(dump())


def empty_the_site() -> None:
    for model in (Comparison, Synonym, Tool, Attribute, Family, Reviewer, Category):
        model._base_manager.all().delete()
    assert not any(rows().values())


def assert_comes_back(text: str) -> None:
    """A dump is the same after a load into an empty site, and loads again without a change."""
    empty_the_site()
    load(as_file(text))
    assert dumped() == text
    assert not load(as_file(text)).changed_anything


def queries(act: Callable[..., object], *arguments: Any) -> int:
    """How many queries an act runs."""
    with CaptureQueriesContext(connection) as found:
        act(*arguments)
    return len(found)


def assert_has(found: Any, given: Any) -> None:
    """What is found has every key and value that was given, and no other entries of lists."""
    if isinstance(given, dict):
        for key, value in given.items():
            assert_has(found[key], value)
    elif isinstance(given, list):
        for each, value in zip(found, given, strict=True):
            assert_has(each, value)
    else:
        assert found == given


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
