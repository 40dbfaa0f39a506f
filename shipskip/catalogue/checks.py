"""What pydantic cannot see: faults between the keys of an entry, its file and the site."""

from collections.abc import Callable, Hashable, Iterator
from typing import TypeAlias

from shipskip.catalogue.answers import WITH_CHOICES, WrongAnswerError, answer_of
from shipskip.catalogue.document import Document
from shipskip.catalogue.entries import (
    ATTRIBUTE,
    COMPARISON,
    FACT,
    FORMATS,
    PARTS,
    SECTIONS,
    SYNONYM,
    TAKE,
    TOOL,
    Kind,
)
from shipskip.catalogue.faults import Path, did_you_mean, quoted
from shipskip.catalogue.licence import licence_of
from shipskip.catalogue.rows import Slugs, Values, values_of
from shipskip.search.models import Synonym
from tools.fact_values import LICENCE, AttributeKind
from tools.models import Attribute, Fact, FormerSlug, Tool

Faults: TypeAlias = Iterator[tuple[Path, str]]

JUDGEMENT = ("score", "verdict")
"""The keys of a take that only a draft may lack."""
UNFINISHED = "is missing or empty; give it, as only a draft that was never public can be without it"
ONLY_FOR: dict[str, tuple[tuple[str, ...], str]] = {
    "choices": (WITH_CHOICES, "[]"),
    "unit": ((AttributeKind.NUMBER,), '""'),
    "better": ((AttributeKind.NUMBER,), "null"),
}
"""The kinds of attributes that have a key, and its empty value for the others."""


class Checks:
    """The checks of a document's entries with the site as it is.

    `questions` are the values of the attributes as they will be after the load.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self.slugs = Slugs.now()
        self._seen: dict[Hashable, Path] = {}
        self._source_ids: dict[str, Path] = {}
        self._given_former: dict[str, str] = {}
        identified = (
            Tool.objects.exclude(source_id="") if document.imported_from else Tool.objects.none()
        )
        self._stored_source_ids = dict(identified.order_by().values_list("slug", "source_id"))
        former = FormerSlug.objects.of_existing_tools().values_list("slug", "tool__slug")
        self._former = dict(former)
        gone = Tool.everything.deleted_after_publication().only("slug", "deleted_at")
        self._deleted = {
            slug: f"{row.deleted_at:%Y-%m-%d}" for slug, row in gone.by_address().items()
        }
        self._stored = {
            row.slug: values_of(ATTRIBUTE, row, self.slugs) for row in Attribute.objects.order_by()
        }
        self.questions = dict(self._stored)
        for values in document.entries(ATTRIBUTE.name):
            if isinstance(slug := values.get("slug"), str):
                self.questions[slug] = self._stored.get(slug, {}) | values
        tools = Tool.objects.order_by() if document.is_csv else Tool.objects.none()
        self._categories = dict(tools.values_list("slug", "category__slug"))
        self._own: dict[str, Callable[[Values, Path, Values], Faults]] = {
            ATTRIBUTE.name: self._of_attribute,
            TOOL.name: self._of_tool,
            TAKE.name: self._of_take,
            FACT.name: self._of_fact,
            COMPARISON.name: self._of_comparison,
            SYNONYM.name: self._of_synonym,
        }

    def check(
        self,
        kind: Kind,
        values: Values,
        path: Path,
        tool: Values | None = None,
        seen: dict[Hashable, Path] | None = None,
    ) -> None:
        """Note the faults of an entry, and of the takes, facts and plans in it.

        `tool` is that of a take, fact or plan; `seen` has the entries before it in its list.
        """
        document = self._document
        for key in values.keys() & kind.since.keys():
            if kind.since[key] > document.format:
                document.add_later_key((*path, key), kind.since[key])
        faults = [
            *self._repeated_entry(kind, values, path, tool, self._seen if seen is None else seen),
            *self._references(kind, values, path),
            *(self._own[kind.name](values, path, tool or {}) if kind.name in self._own else ()),
        ]
        for place, sentence in faults:
            document.add_fault(place, sentence)
        seen_here = self._seen if document.is_csv else {}
        for part in PARTS.values() if kind is TOOL else ():
            for at, own in enumerate(values.get(part.name) or ()):
                if own:
                    self.check(part, own, (*path, part.name, at), values, seen_here)

    def _repeated_entry(
        self,
        kind: Kind,
        values: Values,
        path: Path,
        tool: Values | None,
        seen: dict[Hashable, Path],
    ) -> Faults:
        """A fault if the file has this entry already."""
        identity, keys = kind.identity(values), list(kind.key)
        if self._document.is_csv:
            keys.insert(0, "tool")
        if identity is None or (self._document.is_csv and not tool):
            return
        slug = tool["slug"] if tool and self._document.is_csv else None
        first = seen.setdefault((kind.name, slug, identity), path)
        if first != path:
            names = " and ".join(filter(None, [", ".join(keys[:-1]), keys[-1]]))
            where = self._document.place_of(first)
            yield (*path, kind.key[0]), f"has the {names} of {where} already; keep one"

    def _references(self, kind: Kind, values: Values, path: Path) -> Faults:
        """Faults of slugs that lead to no row, and of those that a list has twice."""
        for key in kind.references.keys() | ({"former_slugs"} if kind is TOOL else set()):
            given = values.get(key)
            listed = given if isinstance(given, list) else []
            for at, slug in enumerate(listed):
                if slug is not None and (first := listed.index(slug)) < at:
                    yield (*path, key, at), f"{quoted(slug)} is {key}[{first}] again; keep one"
                elif key in kind.references:
                    yield from self._reference(kind.references[key], slug, (*path, key, at))
            if isinstance(given, str):
                yield from self._reference(kind.references[key], given, (*path, key))

    def _reference(self, section: str, slug: object, place: Path) -> Faults:
        """A fault if a slug has no row; in a broken file it may be in the unread part."""
        ours, on_site = self._document.slugs.get(section, {}), self.slugs.keys[section]
        if not isinstance(slug, str) or slug in ours or slug in on_site:
            return
        if self._document.is_whole:
            where = "this site" if self._document.is_csv else "this file or this site"
            hint = did_you_mean(slug, list({**ours, **on_site}))
            if section == TOOL.name and slug in self._former:
                hint = f"; it is {quoted(self._former[slug])} now"
            yield place, f"{quoted(slug)} is no {SECTIONS[section].title} of {where}{hint}"

    # --- Tools, takes and facts -----------------------------------------------------------------

    def _of_tool(self, values: Values, path: Path, _: Values) -> Faults:
        slug = values.get("slug")
        if self._document.is_csv:
            yield from self._reference(TOOL.name, slug, (*path, "slug"))
        elif isinstance(slug, str):
            yield from self._of_source_id(values, path)
            is_new = slug not in self.slugs.keys[TOOL.name]
            if is_new and (earlier := self._earlier_use(slug, slug)):
                use, remedy = earlier
                yield (*path, "slug"), f"{quoted(slug)} {use}; {remedy}, or choose another slug"
            for at, former in enumerate(values.get("former_slugs") or ()):
                if former is not None and (use := self._use(former, slug)):
                    place = (*path, "former_slugs", at)
                    yield place, f"{quoted(former)} {use}; leave it out here"
                self._given_former.setdefault(former, slug)
        asked_in = self.questions.get(LICENCE, {}).get("categories")
        category = values.get("category")
        if category and asked_in and category not in asked_in and licence_of(values):
            sentence = f"{quoted(LICENCE)} is not asked of tools in {quoted(category)}"
            remedy = "leave it out, or add that category to the attribute"
            yield (*path, "license"), f"{sentence}; {remedy}"

    def _of_source_id(self, values: Values, path: Path) -> Faults:
        """Faults of a tool's id in open data."""
        source_id, source = values.get("source_id"), self._document.imported_from
        if source and not str(source_id).startswith(f"{source}:"):
            place = (*path, "source_id")
            yield place, f'is missing or of another source; begin it with "{source}:"'
        elif source_id and (first := self._source_ids.setdefault(source_id, path)) != path:
            where = self._document.place_of(first)
            yield (*path, "source_id"), f"is that of {where} too; keep one of the two"
        stored = self._stored_source_ids.get(str(values["slug"]), source_id)
        if source and stored != source_id:
            sentence = f"is that of a tool with the source id {quoted(stored)}; choose another slug"
            yield (*path, "slug"), sentence
        if source and values.get("published") is not None:
            yield (*path, "published"), "is not null; what is imported begins as a draft"

    def _use(self, slug: str, tool: str) -> str:
        """Why a tool cannot have this earlier slug; empty if it can."""
        if slug == tool:
            return "is its present slug"
        if (at := self._document.slugs[TOOL.name].get(slug)) is not None:
            return f"is the slug of tools[{at}]"
        if slug in self.slugs.keys[TOOL.name]:
            return "is the slug of another tool of this site"
        if (other := self._given_former.get(slug, tool)) != tool:
            return f"is an earlier slug of {quoted(other)} in this file too"
        earlier = self._earlier_use(slug, tool)
        return earlier[0] if earlier else ""

    def _earlier_use(self, slug: str, tool: str) -> tuple[str, str] | None:
        """Which other tool of the site had this slug, and what an editor may do; empty if none."""
        if (other := self._former.get(slug, tool)) != tool:
            return f"is an earlier slug of {quoted(other)} on this site", f"write {quoted(other)}"
        if slug in self._deleted:
            day = self._deleted[slug]
            what = f"was the slug of a public tool that was deleted on {day}"
            return what, "bring that tool back at the desk"
        return None

    def _of_take(self, take: Values, path: Path, _: Values) -> Faults:
        if take.get("published") is not None or self._document.format == 1:
            for key in JUDGEMENT:
                if take.get(key) is None and not self._document.has_fault((*path, key)):
                    yield (*path, key), UNFINISHED

    def _of_fact(self, fact: Values, path: Path, tool: Values) -> Faults:
        is_csv = self._document.is_csv
        if "value" in fact and "applies" in fact:
            yield (*path, "applies"), "is given with “value”; keep one of them"
        elif "value" not in fact and "applies" not in fact:
            sentence = 'is missing; give it, null where the maker does not say, or "applies": false'
            yield (*path, "value"), sentence
        slug, question = fact.get("attribute"), self.questions.get(str(fact.get("attribute")))
        if question is None:
            return
        category = self._categories.get(str(tool["slug"])) if is_csv else tool.get("category")
        asked_in = question.get("categories")
        if category and asked_in and category not in asked_in:
            more = "" if is_csv else ", or add that category to the attribute"
            sentence = f"{quoted(slug)} is not asked of tools in {quoted(category)}; leave it out"
            yield (*path, "attribute"), sentence + more
        try:
            answer_of(fact, question, is_cell=is_csv)
        except WrongAnswerError as wrong:
            yield (*path, "value", *wrong.path), str(wrong)

    # --- Attributes --------------------------------------------------------------------------

    def _of_attribute(self, values: Values, path: Path, _: Values) -> Faults:
        slug = str(values.get("slug"))
        asked, stored = self.questions.get(slug, {}), self._stored.get(slug)
        kind = asked.get("kind")
        if not kind or self._document.slugs[ATTRIBUTE.name].get(slug) != path[1]:
            return
        if slug == LICENCE and kind != AttributeKind.TEXT:
            yield (*path, "kind"), f'is {quoted(kind)}; the licence of tools is a "text"'
        for key, (kinds, empty) in ONLY_FOR.items():
            if asked.get(key) and kind not in kinds:
                yield (*path, key), f"is not for the kind {quoted(kind)}; write {empty}"
        if kind in WITH_CHOICES and asked.get("choices", []) == []:
            yield (*path, "choices"), f"is missing or empty; give those of a {quoted(kind)}"
        changed = [key for key in ("kind", "choices", "categories") if key in values]
        if stored and any(stored[key] != asked[key] for key in changed):
            yield from self._of_uses(slug, asked, path)

    def _of_uses(self, slug: str, asked: Values, path: Path) -> Faults:
        """Faults for what stored facts need of an attribute and the document takes away."""
        needs: dict[tuple[str, str], list[str]] = {}
        facts = Fact.objects.filter(attribute__slug=slug).select_related("tool__category")
        for fact in facts.order_by("tool__slug").iterator():
            needed: dict[str, set[str]] = {"kind": {fact.kind} - {asked["kind"]}}
            if not needed["kind"] and not self._is_rewritten(fact):
                stated = fact.value if isinstance(fact.value, list) else [fact.text]
                if fact.kind in WITH_CHOICES:
                    needed["choices"] = {*filter(None, stated)} - {*(asked["choices"] or ())}
                if asked["categories"]:
                    needed["categories"] = {fact.tool.category.slug} - {*asked["categories"]}
            for key, missing in needed.items():
                for each in missing:
                    needs.setdefault((key, each), []).append(fact.tool.slug)
        for (key, each), tools in sorted(needs.items()):
            users = f"1 tool ({quoted(tools[0])}) needs"
            if len(tools) > 1:
                users = f"{len(tools):,} tools (first {quoted(tools[0])}) need"
            must, change = "contain", "change those facts in this file too"
            if key == "kind":
                must, change = "stay", "make another attribute"
            yield (*path, key), f"must {must} {quoted(each)}, which {users}; keep it, or {change}"

    def _is_rewritten(self, fact: Fact) -> bool:
        """Whether this document contains the facts of that tool, or moves it to another category,
        which removes facts whose attributes are not asked there.
        """
        at = self._document.slugs.get(TOOL.name, {}).get(fact.tool.slug)
        if at is None or fact.tool.deleted_at:
            return False
        tool, category = self._document.entry(TOOL.name, at), fact.tool.category.slug
        return "facts" in tool or tool.get("category", category) not in (category, None)

    # --- Comparisons and synonyms ------------------------------------------------------------

    def _of_comparison(self, values: Values, path: Path, _: Values) -> Faults:
        tools = values.get("tools")
        if tools is None:
            return
        if len(tools) > 2 and self._document.format == 1:
            newer = quoted(FORMATS[1])
            sentence = f"names {len(tools)} tools; give two, or write {newer} as the file’s format"
            yield (*path, "tools"), sentence
        for slug in values.get("choose_if") or ():
            if slug not in tools:
                known = list(filter(None, tools))
                hint = did_you_mean(slug, known) or f"; they are {', '.join(known)}"
                sentence = f"{quoted(slug)} is not one of this comparison’s tools{hint}"
                yield (*path, "choose_if", slug), sentence

    def _of_synonym(self, values: Values, path: Path, _: Values) -> Faults:
        given = {key: values[key] for key in ("word", "means") if values.get(key)}
        keys = {key: Synonym.key_of(text) for key, text in given.items()}
        for key, normal in keys.items():
            if not normal:
                yield (*path, key), f"{quoted(given[key])} has no letter or digit"
        if keys.get("word") and keys["word"] == keys.get("means"):
            yield (*path, "means"), "is the same as the word to a search; leave this out"
