"""Find the tools for the texts that are typed into the picker."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from comparisons.addresses import MAX_TOOLS, picker_address
from shipskip.content.content import Content
from shipskip.content.records import Tool

MAX_QUERY = 300
MAX_CANDIDATES = 8
_ACT = re.compile(r"(up|down|remove)-([0-9]{1,2})")


@dataclass
class Field:
    """One field of the picker: the typed text, its tool, or the candidates for it."""

    text: str = ""
    tool: Tool | None = None
    candidates: Sequence[Tool] = ()
    fault: str = ""


@dataclass(frozen=True)
class Matches:
    """What a search finds for a typed text, the best first; `only` is set if just one tool has a
    name with these words.
    """

    tools: Sequence[Tool] = ()
    only: Tool | None = None


@dataclass(frozen=True)
class PickerRow:
    """A field of the picker as the form shows it; `number` is from 1."""

    number: int
    field: Field
    is_last: bool
    has_focus: bool = False
    up_has_focus: bool = False

    @property
    def is_first(self) -> bool:
        """Whether it is the first field."""
        return self.number == 1

    @property
    def label(self) -> str:
        """The visible label."""
        return {1: "Compare", 2: "with"}.get(self.number, "and")

    @property
    def spoken(self) -> str:
        """What a screen reader adds to the label: from the third field on labels are equal."""
        return f"tool {self.number}" if self.number > 2 else ""

    @property
    def is_required(self) -> bool:
        """Whether a comparison needs this field."""
        return self.number < 3

    @property
    def placeholder(self) -> str:
        """What to type; no name, which would look as if it were filled in."""
        return "Type a tool’s name" if self.is_first else "Type another name"


@dataclass(frozen=True)
class Picker:
    """The form that compares tools: its fields, and the button that was pressed last."""

    fields: Sequence[Field]
    act: str = ""

    @property
    def rows(self) -> list[PickerRow]:
        """The fields as the form shows them."""
        moved, last = place_after(self.act), len(self.fields) - 1
        return [
            PickerRow(
                place + 1,
                field,
                is_last=place == last,
                has_focus=(self.act == "add" and place == last)
                or (self.act == "change" and not field.text),
                up_has_focus=place > 0 and place == moved,
            )
            for place, field in enumerate(self.fields)
        ]

    @property
    def is_many(self) -> bool:
        """Whether there are so many fields that they can be rearranged."""
        return len(self.fields) > 2

    @property
    def has_room(self) -> bool:
        """Whether another tool can be added."""
        return len(self.fields) < MAX_TOOLS


def typed_texts(texts: Sequence[str], act: str) -> list[str]:
    """The text of each field, at most ten, after the pressed button.

    Empty fields are removed if two others remain, unless a button shows the form again.
    """
    named = [text for text in texts if text.strip()]
    if not named:
        texts = [""] * (2 if act == "add" else 0)
    elif len(named) > 1 and not act:
        texts = named
    return rearranged(texts[:MAX_TOOLS], act)[:MAX_TOOLS]


def read_field(text: str, content: Content, search: Callable[[str], Matches]) -> Field:
    """Find the tool of one field by its slug, its name, or its name with the tagline in brackets.

    Any other text is a search. The only tool with such a name is taken; otherwise the best results
    become the candidates.
    """
    text = text.strip()
    # Remove control characters; joiners, direction marks and no-break spaces belong to names.
    clean = "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cs"))[:MAX_QUERY]
    if not clean:
        return Field(text="", fault="Enter a tool to compare.")
    exact = content.named.get(clean.casefold(), ())
    if len(exact) == 1:
        return Field(clean, tool=exact[0])
    if exact:
        return Field(
            clean,
            candidates=exact[: MAX_CANDIDATES + 1],
            fault=f"Several tools are called “{clean}”.",
        )
    matches = search(clean)
    if matches.only:
        return Field(clean, tool=matches.only)
    if likely := matches.tools[:MAX_CANDIDATES]:
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


def rearranged(values: Sequence[str], act: str) -> list[str]:
    """Return the values after a button was pressed: `up-1`, `down-1` and `remove-1` contain a place
    counted from 0; `add` appends an empty value. An unknown act or place changes nothing.
    """
    if act == "add":
        return [*values, ""]
    found, result = _ACT.fullmatch(act), list(values)
    at = int(found[2]) if found else len(result)
    if not found or at >= len(result):
        return result
    value = result.pop(at)
    if found[1] != "remove":
        result.insert(max(at - 1, 0) if found[1] == "up" else at + 1, value)
    return result


def place_after(act: str) -> int | None:
    """The place of the moved value after `up-1` or `down-1`; None for another act."""
    found = _ACT.fullmatch(act)
    if not found or found[1] == "remove":
        return None
    return max(int(found[2]) - 1, 0) if found[1] == "up" else int(found[2]) + 1
