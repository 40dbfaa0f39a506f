"""The schema of a catalogue document, derived from the models: keys, limits, optional keys.

The values that a key accepts follow from its model field, so that document and database always
agree. A key is optional if the field has a default or may be blank.
"""

from collections.abc import Mapping
from dataclasses import replace

from comparisons.addresses import MAX_TOOLS
from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.catalogue.entry_parsers import (
    FORMAT,
    FORMAT_1,
    PLACE_KEY,
    UNFINISHED,
    EntryKey,
    EntryListParser,
    EntryParser,
    EntryRow,
    key_of,
    keys_of,
    web_address,
)
from shipskip.catalogue.fact_schema import ATTRIBUTE, FAMILY, facts, plans
from shipskip.catalogue.faults import Fault, Json, key_place, quoted
from shipskip.catalogue.value_parsers import (
    NullableParser,
    SlugListParser,
    SlugParser,
    TextParser,
    ToolListParser,
    ToolTextsParser,
)
from shipskip.search.models import Synonym
from tools.models import LONGEST_CHOOSE_IF, Category, Tool

CATEGORY = EntryParser(
    "a category",
    keys_of(Category, "slug", "name", "description")
    | {"published": key_of(Category, "published_at")},
)
REVIEWER = EntryParser(
    "a reviewer",
    keys_of(Reviewer, "slug", "name", "motto", "bio", "likes", "dislikes", "position")
    | {"published": key_of(Reviewer, "published_at")},
)
TAKE = EntryParser(
    "a take",
    keys_of(Take, "reviewer")
    | {
        name: key_of(Take, name, NullableParser(keys_of(Take, name)[name].parser, empty))
        for name, empty in UNFINISHED.items()
    }
    | keys_of(Take, "basis", "body")
    | {"published": key_of(Take, "published_at")},
)


def _check_unfinished(
    row: EntryRow, entry: dict[str, Json], place: str, faults: list[Fault]
) -> None:
    """Refuse a take with a date that lacks score or verdict; note the place of a draft."""
    missing = [name for name in UNFINISHED if entry.get(name) is None]
    if row.get("published_at"):
        for name in missing:
            accepted = TAKE.keys[name].parser.accepted
            what = "is null, which only a draft can be" if name in entry else "is missing"
            faults.append(Fault(key_place(place, name), f"{what}; give {accepted}"))
    elif missing:
        row[PLACE_KEY] = place


def _takes(take: EntryParser) -> EntryKey:
    # Format 1 requires score and verdict of drafts too.
    check = None if take.keys["score"].required else _check_unfinished
    parser = EntryListParser(take, ("reviewer",), "a list of takes", check)
    return EntryKey("takes", parser, required=False)


_TOOL_1 = (
    keys_of(Tool, "slug", "name", "category", "maker")
    | {"website": key_of(Tool, "website", web_address(Tool, "website"))}
    | keys_of(Tool, "tagline", "description", "best_for", "entry", "pricing", "license")
    | {"published": key_of(Tool, "published_at"), "takes": _takes(TAKE)}
)
"""The keys of a tool in the first format."""
TOOL = EntryParser(
    "a tool",
    _TOOL_1
    | keys_of(Tool, "label")
    | {
        "family": key_of(Tool, "family", NullableParser(SlugParser(), None)),
        "former_slugs": EntryKey(
            "former_slugs", SlugListParser("a list of earlier slugs"), required=False
        ),
    }
    | keys_of(Tool, "choose_if")
    | {"facts": facts(), "plans": plans()},
)


def _comparison(tools: ToolListParser) -> EntryParser:
    texts = ToolTextsParser(TextParser(LONGEST_CHOOSE_IF, may_be_empty=False))
    return EntryParser(
        "a comparison",
        {"tools": EntryKey("tools", tools, required=True)}
        | {"choose_if": key_of(Comparison, "choose_if", texts)}
        | keys_of(Comparison, "summary", "featured")
        | {"published": key_of(Comparison, "published_at")},
    )


COMPARISON = _comparison(
    ToolListParser(MAX_TOOLS, f"a list of 2 to {MAX_TOOLS} different tools’ slugs"),
)
SYNONYM = EntryParser("a synonym", keys_of(Synonym, "word", "means"))
SECTIONS: Mapping[str, EntryParser] = {
    "categories": CATEGORY,
    "reviewers": REVIEWER,
    "attributes": ATTRIBUTE,
    "families": FAMILY,
    "tools": TOOL,
    "comparisons": COMPARISON,
    "synonyms": SYNONYM,
}
"""The document's lists of entries, in the order they are written."""


def _without(entry: EntryParser, *later: str) -> EntryParser:
    """The same entry in format 1, which lacks these keys."""
    keys = {name: key for name, key in entry.keys.items() if name not in later}
    return replace(entry, keys=keys, later=later)


def _tool_of_format_1() -> EntryParser:
    take = _without(TAKE, "basis")
    finished = {
        name: EntryKey(name, keys_of(Take, name)[name].parser, required=True) for name in UNFINISHED
    }
    takes = _takes(replace(take, keys={**take.keys, **finished}))
    later = [name for name in TOOL.keys if name not in _TOOL_1]
    return replace(TOOL, keys={**_TOOL_1, "takes": takes}, later=later)


_TWO = f"a list of two different tools’ slugs, or up to {MAX_TOOLS} in a file of {quoted(FORMAT)}"
SECTIONS_OF = {
    FORMAT: SECTIONS,
    FORMAT_1: {
        "categories": CATEGORY,
        "reviewers": REVIEWER,
        "tools": _tool_of_format_1(),
        "comparisons": _without(_comparison(ToolListParser(2, _TWO)), "choose_if"),
    },
}
"""The lists of entries of each format."""
