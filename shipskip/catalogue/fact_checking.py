"""Check attributes, facts and plans against each other and the site. No database here."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from shipskip.catalogue.entry_parsers import EntryRow
from shipskip.catalogue.fact_answers import Question
from shipskip.catalogue.faults import Fault, Json, quoted
from tools.fact_values import AttributeKind
from tools.models import columns_of


class Use(NamedTuple):
    """A stored fact of an attribute: its kind, its choices, its tool and the tool's category."""

    kind: str
    choices: tuple[str, ...]
    tool: str
    category: str


class GivenTool(NamedTuple):
    """The values of a document's tool that stored facts depend on."""

    category: str
    has_facts: bool


@dataclass(frozen=True)
class DocumentQuestions:
    """The attributes of a document and the site, and the facts that the site has.

    `site` contains the stored attributes by slug; `uses` returns the stored facts of one; `given`
    are the attributes as they will be after the load; `tools` are the document's tools.
    """

    site: Mapping[str, Question] = field(default_factory=dict)
    uses: Callable[[str], Iterable[Use]] = lambda slug: ()
    given: Mapping[str, Question] = field(default_factory=dict)
    tools: Mapping[str, GivenTool] = field(default_factory=dict)

    def at(self, slug: str) -> Question | None:
        """The attribute with this slug."""
        return self.given.get(slug) or self.site.get(slug)

    def faults_of_attribute(self, place: str, slug: str) -> Iterator[Fault]:
        """The faults of an attribute of the document, alone and together with stored facts."""
        asked = self.given[slug]
        if asked.kind in (AttributeKind.CHOICE, AttributeKind.CHOICES) and not asked.choices:
            message = f"is missing or empty; give the choices of a {quoted(asked.kind)}"
            yield Fault(f"{place}.choices", message)
        elif asked.choices and asked.kind not in ("", AttributeKind.CHOICE, AttributeKind.CHOICES):
            message = f"must be empty for the kind {quoted(asked.kind)}; write []"
            yield Fault(f"{place}.choices", message)
        if asked.kind not in ("", AttributeKind.NUMBER):
            if asked.unit:
                yield Fault(f"{place}.unit", 'is for numbers only; write ""')
            if asked.better:
                yield Fault(f"{place}.better", "is for numbers only; write null")
        stored = self.site.get(slug)
        if stored and stored != asked:
            yield from self._faults_of_uses(place, slug, stored, asked)

    def _faults_of_uses(
        self, place: str, slug: str, stored: Question, asked: Question
    ) -> Iterator[Fault]:
        """A fault if stored facts use a kind, choice or category that the document removes."""
        gone = set(stored.choices) - set(asked.choices)
        fewer = asked.categories and not stored.categories <= asked.categories
        fewer = fewer or bool(asked.categories and not stored.categories)
        if not asked.kind or not (gone or fewer or stored.kind != asked.kind):
            return
        uses = list(self.uses(slug))
        if uses and stored.kind != asked.kind:
            message = f"is {quoted(asked.kind)}, but {_counted(uses)} it as {quoted(stored.kind)}; "
            yield Fault(f"{place}.kind", f"{message}keep the kind, or make another attribute")
            return
        left = [use for use in uses if not self._is_rewritten(use)]
        for choice in sorted(gone & {choice for use in left for choice in use.choices}):
            message = f"lacks {quoted(choice)}, which {_answered(left, choice)}; keep it, "
            yield Fault(f"{place}.choices", f"{message}or change those facts in this file too")
        outside = [use for use in left if not asked.is_asked_in(use.category)]
        if outside:
            message = (
                f"lacks {quoted(outside[0].category)}, where {_counted(outside)} it; keep it, "
            )
            yield Fault(f"{place}.categories", f"{message}or give those tools’ facts without it")

    def _is_rewritten(self, use: Use) -> bool:
        """Whether this document contains the facts of that tool, or moves it to another category,
        which removes facts whose attributes are not asked there.
        """
        tool = self.tools.get(use.tool)
        return tool is not None and (tool.has_facts or tool.category != use.category)

    def answer(self, place: str, fact: EntryRow, category: str | None) -> list[Fault]:
        """Turn the value of a fact into columns; returns the faults.

        `category` is that of the tool, None if it is unknown.
        """
        faults: list[Fault] = []
        asked = self.at(fact["attribute"])
        if not asked:
            return faults
        if category is not None and not asked.is_asked_in(category):
            message = f"{quoted(fact['attribute'])} is not asked of tools in {quoted(category)}; "
            message += "leave the fact out, or add that category to the attribute"
            faults.append(Fault(f"{place}.attribute", message))
        given, value = fact.pop("value", None), None
        if given is not None and (parser := asked.parser):
            value = parser.parse(given, f"{place}.value", faults)
        fact |= {"kind": asked.kind, "applies": fact.get("applies", True), **columns_of(value)}
        return faults


def questions_of(entries: Json, site: Mapping[str, Question]) -> dict[str, Question]:
    """The attributes after a load; a missing or invalid key keeps the stored value."""
    found: dict[str, Question] = {}
    for entry in entries if isinstance(entries, list) else ():
        slug = entry.get("slug") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(slug, str) or slug in found:
            continue
        kind = entry.get("kind")
        stored = site.get(slug, Question())
        found[slug] = Question(
            kind=kind if isinstance(kind, str) and kind in AttributeKind.values else "",
            choices=tuple(_texts(entry, "choices", stored.choices)),
            categories=frozenset(_texts(entry, "categories", stored.categories)),
            unit=_text(entry, "unit", stored.unit),
            better=_text(entry, "better", stored.better),
        )
    return found


def tools_of(entries: Json) -> dict[str, GivenTool]:
    """The tools of a document by slug."""
    return {
        _text(entry, "slug", ""): GivenTool(_text(entry, "category", ""), "facts" in entry)
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, dict)
    }


def _text(entry: Mapping[str, Json], name: str, stored: str) -> str:
    value = entry.get(name, stored)
    return value if isinstance(value, str) else ""


def _texts(entry: Mapping[str, Json], name: str, stored: Collection[str]) -> Collection[str]:
    value = entry.get(name)
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else stored


def _counted(uses: Sequence[Use]) -> str:
    if len(uses) == 1:
        return f"1 tool ({quoted(uses[0].tool)}) answers"
    return f"{len(uses):,} tools (first {quoted(uses[0].tool)}) answer"


def _answered(uses: Sequence[Use], choice: str) -> str:
    """The tools that state a choice, in words."""
    return _counted([use for use in uses if choice in use.choices])
