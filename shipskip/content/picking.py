"""Find the tools for the texts that are typed into the picker."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from comparisons.addresses import MAX_TOOLS, picker_address
from shipskip.web.list_order import rearranged
from tools.models import LINK_FIELDS, Tool

MAX_QUERY = 300
MAX_CANDIDATES = 8
MAX_SUGGESTIONS = 40
"""How many tools are suggested under a field."""


@dataclass
class Field:
    """One field of the picker: the typed text, its tool, or the candidates for it."""

    text: str = ""
    tool: Tool | None = None
    candidates: list[Tool] = field(default_factory=list)
    fault: str = ""


def typed_texts(texts: Sequence[str], act: str) -> list[str]:
    """The text of each field, at most ten, after the pressed button.

    Empty fields are removed if two others remain, unless a button shows the form again.
    """
    named = [text for text in texts if text.strip()]
    if not named:
        texts = [""] * (2 if act == "add" else 0)
    elif len(named) > 1 and not act:
        texts = named
    return rearranged(texts[:MAX_TOOLS], act, "")[:MAX_TOOLS]


def first_options(now: datetime) -> list[Tool]:
    """The newest tools, suggested before anything is typed; two queries, because a single one would
    sort every tool.
    """
    keys = Tool.everything.published(now).newest_keys(MAX_SUGGESTIONS)  # none of them is deleted
    found = Tool.objects.only(*LINK_FIELDS).in_bulk(keys)
    return [found[key] for key in keys if key in found]


def read_field(text: str, now: datetime, search: Callable[[str], list[Tool]]) -> Field:
    """Find the tool of one field by its slug, its name, or its name with the tagline in brackets.

    Any other text is a search, whose best results become the candidates.
    """
    text = text.strip()
    # Remove control characters; joiners, direction marks and no-break spaces belong to names.
    clean = "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cs"))[:MAX_QUERY]
    if not clean:
        return Field(text="", fault="Enter a tool to compare.")
    public = Tool.objects.published(now)
    exact = list(public.with_name_or_slug(clean)[: MAX_CANDIDATES + 1])
    if len(exact) == 1:
        return Field(clean, tool=exact[0])
    if exact:
        return Field(clean, candidates=exact, fault=f"Several tools are called “{clean}”.")
    if likely := search(clean)[:MAX_CANDIDATES]:
        return Field(clean, candidates=likely, fault=f"No tool is called exactly “{clean}”.")
    return Field(clean, fault=f"No tool here is called “{clean}”.")


def fields_with_candidates(fields: Sequence[Field]) -> list[tuple[Field, list[tuple[Tool, str]]]]:
    """Each field with its candidates and, for each candidate, the picker's address with that tool
    in this field and the other fields unchanged.
    """
    texts = [field.tool.slug if field.tool else field.text for field in fields]

    def address(index: int, tool: Tool) -> str:
        filled = [*texts[:index], tool.slug, *texts[index + 1 :]]
        return picker_address([text for text in filled if text])

    return [
        (field, [(tool, address(index, tool)) for tool in field.candidates])
        for index, field in enumerate(fields)
    ]
