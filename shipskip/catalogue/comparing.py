"""Compare a document with the site: which rows a load creates, changes, removes or leaves alone.

Nothing is written. Faults that need the site are found here.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django.db.models import Model

from comparisons.models import tools_key
from reviews.models import Take
from reviews.take_changes import was_public
from reviews.take_writing import deleted_in_public
from shipskip.catalogue.answers import answer_of
from shipskip.catalogue.changes import (
    LISTED_KEYS,
    NO_ENTRY,
    Change,
    Changes,
    FieldChange,
    RowCounts,
)
from shipskip.catalogue.checks import JUDGEMENT, UNFINISHED, Checks
from shipskip.catalogue.document import Document
from shipskip.catalogue.entries import (
    ATTRIBUTE,
    COMPARISON,
    FACT,
    IMPORTED_FROM,
    IMPORTED_SINCE,
    PARTS,
    PLAN,
    SECTIONS,
    SECTIONS_SINCE,
    SYNONYM,
    TAKE,
    TOOL,
    Kind,
)
from shipskip.catalogue.faults import Path
from shipskip.catalogue.featured_order import merged_order, places
from shipskip.catalogue.licence import LICENCES, licence_of
from shipskip.catalogue.reading import Progress
from shipskip.catalogue.rows import Values, values_of
from shipskip.editing.bulk_saves import Save
from shipskip.page_cache.models import ContentVersion
from shipskip.web.publishing import Publishable, withdrawal
from shipskip.web.read_snapshot import read_snapshot
from shipskip.web.text import has_visible_text
from tools.fact_values import LICENCE
from tools.models import Attribute, EntryPrice, FormerSlug, Plan, Tool, entry_price

STATEMENTS = ("value", "amount", "per_user")
"""What a fact or a plan states, apart from its source."""
DELETED_HERE = FieldChange("published", "deleted here", None)
_NOT_COMPARED = ("slug", "source_id", "published", "entry", "former_slugs", "gone_from_source")
"""The keys of a tool of which an import says nothing new."""
BATCH = 500
BATCH_PARTS = 4_000
"""Maximum number of takes, facts and plans in one batch, apart from those of its last tool."""
NO_REASON = "is missing; readers could see the score or verdict: write why it changes"
Entries = list[tuple[int, Values]]
"""Some entries of a list, with their indexes."""
Stored = dict[tuple[int, Any], tuple[Any, Values]]
"""Stored rows and their values, by their tool and identity."""


def compare(
    document: Document, save: Save, reason: str = "", progress: Progress | None = None
) -> Changes:
    """What a load of this document would change now; `reason` is for readers, where scores and
    verdicts change that they could see.

    Raises InvalidFileError with every fault of the document. No write and no vote waits for it.
    """
    with read_snapshot():
        changes = Changes(document, save, reason, content_version())
        if not document.is_full:
            _add_licences(document)
            _use_stored_slugs(document)
            _Comparison(changes, progress).compare()
    document.refuse()
    return changes


def _add_licences(document: Document) -> None:
    """Add the attribute of licences to a document that needs it, if neither has it."""
    is_given = LICENCE in document.slugs.get(ATTRIBUTE.name, {})
    if is_given or not document.has_licence or Attribute.objects.filter(slug=LICENCE).exists():
        return
    if ATTRIBUTE.name not in document.packed:
        document.implied.add(ATTRIBUTE.name)
    document.keep(ATTRIBUTE.name, LICENCES)


def _use_stored_slugs(document: Document) -> None:
    """Let the tools of a document that have the source id of a stored one have its slug too."""
    ids = list(document.source_ids)
    stored: dict[str, str] = {}
    for at in range(0, len(ids), BATCH):
        rows = Tool.objects.filter(source_id__in=ids[at : at + BATCH]).order_by()
        stored |= dict(rows.values_list("source_id", "slug"))
    document.use_stored_slugs(stored)


def content_version() -> int | None:
    """The number of the site's content version."""
    return ContentVersion.objects.values_list("number", flat=True).first()


def batches(
    document: Document, section: str, step: str, progress: Progress | None
) -> Iterator[Entries]:
    """Lists of at most BATCH entries, shorter if they have many takes, facts or plans."""
    batch: Entries = []
    parts = 0
    total = document.number_of(section)
    for index, values in enumerate(document.entries(section)):
        batch.append((index, values))
        parts += sum(len(values.get(name) or ()) for name in PARTS)
        if len(batch) == BATCH or parts >= BATCH_PARTS or index + 1 == total:
            if progress:
                progress(f"{step} {section}", index + 1, total)
            yield batch
            batch, parts = [], 0


class _Comparison:
    """The comparison of a document, list by list."""

    def __init__(self, changes: Changes, progress: Progress | None) -> None:
        self._changes, self._progress = changes, progress
        self._document, self._now = changes.document, changes.save.now
        self._checks = Checks(self._document)
        self._slugs = self._checks.slugs
        self._featured: dict[frozenset[str], tuple[tuple[str, ...], bool | None]] = {}
        """The tools of each comparison in their order, and whether it is featured, if given."""
        changes.counts |= {name: RowCounts() for name in self._document.kinds}

    def compare(self) -> None:
        """Compare everything."""
        if self._document.imported_from and self._document.format < IMPORTED_SINCE:
            self._document.add_later_key((IMPORTED_FROM,), IMPORTED_SINCE)
        for section in self._document.packed.keys() - self._document.implied:
            if (since := SECTIONS_SINCE.get(section, 1)) > self._document.format:
                self._document.add_later_key((section,), since)
        for kind in SECTIONS.values():
            for entries in batches(self._document, kind.name, "Comparing", self._progress):
                for index, values in entries:
                    if self._document.is_full:
                        self._document.unseen += 1
                    else:
                        self._checks.check(kind, values, (kind.name, index))
                has_fault = self._document.has_fault
                good = [each for each in entries if not has_fault((kind.name, each[0]))]
                if kind is TOOL:
                    self._compare_tools(good)
                else:
                    self._compare_entries(kind, good)
        self._compare_featured()
        if self._document.imported_from and not self._document.is_full:
            self._compare_gone()

    def _compare_entries(self, kind: Kind, entries: Entries) -> None:
        identities = [kind.identity(values) for _, values in entries]
        stored = self._stored(kind, **self._where(kind, identities))
        for (index, values), identity in zip(entries, identities, strict=True):
            if kind is COMPARISON:
                self._featured[identity] = tuple(values["tools"]), values.get("featured")
            self._compare_row(kind, values, stored.get((0, identity)), Change(index))

    def _where(self, kind: Kind, identities: Collection[Any]) -> dict[str, Any]:
        """The filter of the stored rows with these identities."""
        if kind is COMPARISON:
            keys = self._slugs.keys[TOOL.name]
            sets = [tools_key(keys.get(slug, 0) for slug in slugs) for slugs in identities]
            return {"tools_key__in": sets}
        if kind is SYNONYM:
            return {"word_key__in": identities}
        return {"slug__in": [slug for (slug,) in identities]}

    def _stored(self, kind: Kind, **where: Any) -> Stored:
        """The stored rows that meet a condition."""
        found: Stored = {}
        for row in kind.model._default_manager.filter(**where).order_by():
            values = values_of(kind, row, self._slugs)
            found[getattr(row, "tool_id", 0), kind.identity(values)] = row, values
        return found

    def _compare_row(
        self,
        kind: Kind,
        values: Values,
        stored: tuple[Any, Values] | None,
        change: Change,
        tool: str = "",
        seen: Take | None = None,
    ) -> None:
        """Compare an entry with its row, and add what changes; `tool` is the slug of its tool,
        `seen` the take whose judgement readers could see.
        """
        count, listed = self._changes.counts[kind.name], self._changes.created
        keys, before, withdrawn = list(values), Values(), False
        if stored:
            row, before = stored
            keys = [key for key in values if key in before and self._differ(before, values, key)]
            count.left_alone += not keys
            if not keys:
                return
            listed, change = self._changes.changed, change._replace(pk=row.pk)
            withdrawn = self._is_withdrawn(row, values)
        count.changed += stored is not None
        count.created += stored is None
        self._changes.rows.setdefault(kind.name, []).append(change._replace(keys=tuple(keys)))
        if seen and (judged := self._judged_before(seen, values, change)):
            listed, before = self._changes.on_record, before | judged
            keys = keys if stored else [key for key in keys if key in LISTED_KEYS]
        fields = [FieldChange(key, before.get(key), values[key]) for key in keys]
        name = kind.label_of(values, tool)
        self._changes.add(listed, kind.name, name, fields, withdrawn=withdrawn)

    def _differ(self, before: Values, values: Values, key: str) -> bool:
        """Whether two values differ; spreadsheets change line ends."""
        old, new = before[key], values[key]
        if self._document.is_csv and isinstance(old, str) and isinstance(new, str):
            return old.replace("\r\n", "\n") != new.replace("\r\n", "\n")
        return bool(old != new)

    def _is_withdrawn(self, row: Model, values: Values) -> bool:
        if not isinstance(row, Publishable) or "published" not in values:
            return False
        return withdrawal(row.published_at, values["published"], self._now)

    # --- Tools with their takes, facts and plans ---------------------------------------------

    def _compare_tools(self, entries: Entries) -> None:
        slugs = [values["slug"] for _, values in entries]
        tools = self._stored(TOOL, slug__in=slugs)
        rows = {slug: row for (_, (slug,)), (row, _) in tools.items()}
        moved = {
            values["slug"]
            for _, values in entries
            if "facts" not in values and self._moves(rows.get(values["slug"]), values)
        }
        parts: dict[str, Stored] = {}
        for name, kind in PARTS.items():
            given = {values["slug"] for _, values in entries if name in values}
            if kind is FACT:
                given |= moved | {each["slug"] for _, each in entries if "license" in each}
            pks = [row.pk for slug, row in rows.items() if slug in given]
            parts[name] = self._stored(kind, tool__in=pks) if pks else {}
        deleted = self._deleted_takes(entries, rows, parts[TAKE.name])
        pks = [row.pk for row in rows.values()]
        prices = Plan.objects.entry_prices(pks)
        gone = self._deleted_source_ids(entries)
        former = set(FormerSlug.objects.filter(tool__in=pks).values_list("slug", "tool_id"))
        for index, values in entries:
            slug = values["slug"]
            tool = rows.get(slug)
            if values.get("source_id") in gone:
                self._keep(TOOL, values, [DELETED_HERE])
                continue
            if not self._document.is_csv:
                self._compare_tool(index, values, tools.get((0, (slug,))), prices, former)
            elif tool is None:
                continue  # deleted since it was read
            for name, kind in PARTS.items():
                if name in values or (kind is FACT and values.get("license")):
                    self._compare_parts(kind, index, values, tool, parts[name], deleted)
            if tool and "facts" not in values:
                is_moved = slug in moved
                self._remove_some(index, values, tool, parts[FACT.name], is_moved=is_moved)

    def _moves(self, tool: Tool | None, values: Values) -> bool:
        """Whether an entry moves a tool to another category."""
        stored = self._slugs.names["categories"].get(tool.category_id) if tool else None
        return bool(stored and values.get("category", stored) != stored)

    def _compare_tool(
        self,
        index: int,
        values: Values,
        stored: tuple[Any, Values] | None,
        prices: Mapping[int, EntryPrice],
        former: Collection[tuple[str, int]],
    ) -> None:
        """Compare a tool's own keys; its entry price follows from its plans, if there are any."""
        others = {*PARTS, "license"}
        own = {key: value for key, value in values.items() if key not in others}
        other: Values = {}
        if "plans" in values or stored is None:
            plans = values.get("plans", ())
            follows = entry_price(
                Plan(amount=plan["amount"], currency=plan["currency"], per=plan["per"])
                for plan in plans
            )
        else:
            follows = prices.get(stored[0].pk)
        if follows:
            given = own.get("entry", follows)
            own["entry"] = other["entry"] = str(follows)
            if given != follows:
                overruled = [FieldChange("entry", given, str(follows))]
                self._changes.add(self._changes.overruled, TOOL.name, own["slug"], overruled)
        pk = stored[0].pk if stored else 0
        missing = [slug for slug in own.pop("former_slugs", ()) if (slug, pk) not in former]
        if missing:
            own["former_slugs"] = other["former_slugs"] = missing
        if stored:
            stored = stored[0], stored[1] | {"former_slugs": None}
        if stored and self._document.imported_from:
            theirs = {key: value for key, value in own.items() if key not in _NOT_COMPARED}
            self._keep(TOOL, values, _differences(stored[1], theirs))
            own = {key: own[key] for key in ("slug", "source_id")} | {"gone_from_source": None}
            other = {"gone_from_source": None}
        self._compare_row(TOOL, own, stored, Change(index, own=other))

    # --- Documents of open data ----------------------------------------------------------------

    def _keep(self, kind: Kind, values: Values, fields: list[FieldChange], tool: str = "") -> None:
        """List what stays as it is, although the source has it otherwise."""
        if fields:
            self._changes.add(self._changes.kept, kind.name, kind.label_of(values, tool), fields)

    def _deleted_source_ids(self, entries: Entries) -> set[str]:
        """The ids of tools that editors deleted; an import does not create them again."""
        if not self._document.imported_from:
            return set()
        ids = [values["source_id"] for _, values in entries]
        found = Tool.everything.filter(source_id__in=ids).values_list("source_id", "deleted_at")
        return {each for each, day in found if day} - {each for each, day in found if not day}

    def _keeps(
        self,
        kind: Kind,
        part: Values,
        stored: tuple[Any, Values] | None,
        tool: Tool | None,
        slug: str,
    ) -> bool:
        """Whether an import leaves a fact or plan alone: an editor has confirmed it, or its
        question is not asked in the category where an editor has put the tool.
        """
        if stored:
            row, before = stored
            if not row.unconfirmed:
                self._keep(kind, part, _differences(before, part, STATEMENTS), slug)
                self._changes.counts[kind.name].left_alone += 1
            return not row.unconfirmed
        asked_in = self._checks.questions.get(part.get("attribute", ""), {}).get("categories")
        category = self._slugs.names["categories"].get(tool.category_id) if tool else None
        return bool(tool and asked_in and category not in asked_in)

    def _compare_gone(self) -> None:
        """Mark the tools that the source does not have any more."""
        source = f"{self._document.imported_from}:"
        rows = Tool.objects.filter(source_id__startswith=source, gone_from_source_on=None)
        for row in rows.order_by("slug"):
            if row.source_id not in self._document.source_ids:
                marked = {"slug": row.slug, "gone_from_source": self._now.date()}
                stored = row, values_of(TOOL, row, self._slugs)
                self._compare_row(TOOL, marked, stored, Change(NO_ENTRY, own=marked))

    def _deleted_takes(
        self, entries: Entries, tools: Mapping[str, Tool], stored: Stored
    ) -> dict[tuple[int, int], Take]:
        """The last versions of takes that these entries create again after their deletion."""
        reviewers = self._slugs.keys["reviewers"]
        new = {
            (tools[values["slug"]].pk, reviewers[take["reviewer"]])
            for _, values in entries
            for take in values.get("takes", ())
            if values["slug"] in tools
            and take["reviewer"] in reviewers
            and (tools[values["slug"]].pk, (take["reviewer"],)) not in stored
        }
        return deleted_in_public(new, {row.pk: row for row in tools.values()}) if new else {}

    def _compare_parts(
        self,
        kind: Kind,
        index: int,
        values: Values,
        tool: Tool | None,
        stored: Stored,
        deleted: Mapping[tuple[int, int], Take],
    ) -> None:
        """Compare the takes, facts or plans of a tool; facts and plans that a complete list lacks
        are removed.
        """
        pk = tool.pk if tool else 0
        given = set()
        parts = list(enumerate(values.get(kind.name, ())))
        licence = licence_of(values) if kind is FACT else None
        if licence:
            parts.append((-1, licence))
        for at, part in parts:
            key = pk, kind.identity(part)
            given.add(key)
            change, own, seen = Change(index, at), part, None
            is_imported = bool(self._document.imported_from) and kind is not TAKE
            if kind is PLAN:
                own = part | {"position": at + 1}
                change = change._replace(own={"position": at + 1})
            elif kind is FACT:
                question = self._checks.questions.get(part["attribute"], {})
                answer = answer_of(part, question, is_cell=self._document.is_csv)
                own = {key: value for key, value in part.items() if key != "applies"}
                own["value"] = answer
                if part is licence:
                    change = change._replace(own=licence)
                    if key in stored and stored[key][1]["value"] == answer:
                        own = {"attribute": LICENCE}  # its source stays
            else:
                row = stored[key][0] if key in stored else None
                seen = self._seen_take(part, row, tool, deleted, (TOOL.name, index, kind.name, at))
            if is_imported:
                if self._keeps(kind, own, stored.get(key), tool, values["slug"]):
                    continue
                own = own | {"unconfirmed": True}
                change = change._replace(own={**(change.own or {}), "unconfirmed": True})
            self._compare_row(kind, own, stored.get(key), change, values["slug"], seen)
        if kind is not TAKE and kind.name in values and not self._document.is_csv:
            for key, (row, before) in stored.items():
                is_kept = bool(self._document.imported_from) and not row.unconfirmed
                if key[0] == pk and key not in given and not is_kept:
                    self._remove(kind, index, row, before, values["slug"])

    def _remove_some(
        self, index: int, values: Values, tool: Tool, stored: Stored, *, is_moved: bool
    ) -> None:
        """Remove the facts that are not asked in the category to which a tool moves, and a licence
        that the entry empties.
        """
        for (pk, _), (row, before) in stored.items():
            asked_in = self._checks.questions[before["attribute"]].get("categories")
            is_unasked = is_moved and asked_in and values["category"] not in asked_in
            is_licence = before["attribute"] == LICENCE and row.text
            is_emptied = is_licence and values.get("license") == ""
            if pk == tool.pk and (is_unasked or is_emptied):
                self._remove(FACT, index, row, before, values["slug"])

    def _remove(self, kind: Kind, index: int, row: Model, before: Values, tool: str) -> None:
        """Add the removal of a fact or a plan."""
        fields = [FieldChange(key, before[key], None) for key in LISTED_KEYS if key in before]
        removed, own = self._changes.removed, {key: before[key] for key in kind.key}
        self._changes.add(removed, kind.name, kind.label_of(before, tool), fields)
        self._changes.counts[kind.name].removed += 1
        self._changes.rows.setdefault(kind.name, []).append(Change(index, -1, row.pk, None, own))

    # --- Takes -------------------------------------------------------------------------------

    def _seen_take(
        self,
        values: Values,
        row: Take | None,
        tool: Tool | None,
        deleted: Mapping[tuple[int, int], Take],
        path: Path,
    ) -> Take | None:
        """The take that an entry changes or brings back, if readers could see its judgement. Notes
        faults if it is no draft, or was public, and would lack a judgement.
        """
        reviewer = self._slugs.keys["reviewers"].get(values["reviewer"], 0)
        known = row or (deleted.get((tool.pk, reviewer)) if tool else None)
        before = row.published_at if row else None
        after = values.get("published", before)
        was_seen = bool(known and known.withdrawn_at) or withdrawal(before, after, self._now)
        for name in JUDGEMENT if after is not None or was_seen else ():
            if values.get(name, getattr(row, name, None)) in (None, ""):
                self._document.add_fault((*path, name), UNFINISHED)
        return None if row and tool and not was_public(row, tool, self._now) else known

    def _judged_before(self, seen: Take, values: Values, change: Change) -> Values:
        """The judgement that an entry changes, by key; empty if it stays. A CSV file must give the
        reason.
        """
        before = {"score": seen.score, "verdict": seen.verdict or None}
        if all(values.get(name, before[name]) == before[name] for name in before):
            return {}
        if not (has_visible_text(values.get("reason") or "") or self._changes.reason):
            path = (TOOL.name, change.entry, TAKE.name, change.part, "reason")
            self._document.add_fault(path, NO_REASON)
        return before

    # --- Comparisons -------------------------------------------------------------------------

    def _compare_featured(self) -> None:
        """Compare the order of the featured comparisons with that of the document."""
        named = [key for key, (_, featured) in self._featured.items() if featured]
        if not named:
            return
        stored = []
        for place in places(self._slugs):
            given = self._featured.get(frozenset(place.slugs), (place.slugs, None))
            if not place.is_other and given[1] is not False:
                stored.append(place._replace(slugs=given[0]))
        current = [frozenset(place.slugs) for place in sorted(stored)]
        result = merged_order(current, named)
        self._changes.featured = result if result != current else None
        known, chosen = set(current), set(named)
        old = {key: at for at, key in enumerate((key for key in current if key in chosen), 1)}
        rows = self._changes.rows.setdefault(COMPARISON.name, [])
        entries = (self._document.entry(COMPARISON.name, row.entry) for row in rows)
        changed = {COMPARISON.identity(values) for values in entries}
        count = self._changes.counts[COMPARISON.name]
        for at, key in enumerate((key for key in named if key in known), 1):
            if old[key] != at:
                moved = [FieldChange("place among the featured", old[key], at)]
                name = COMPARISON.label_of({"tools": self._featured[key][0]})
                self._changes.add(self._changes.changed, COMPARISON.name, name, moved)
                count.changed += key not in changed
                count.left_alone -= key not in changed


def _differences(
    before: Values, given: Values, keys: Collection[str] | None = None
) -> list[FieldChange]:
    """The keys in which an entry differs from its row, or those of them that are named."""
    return [
        FieldChange(key, before[key], value)
        for key, value in given.items()
        if key in before and before[key] != value and (keys is None or key in keys)
    ]
