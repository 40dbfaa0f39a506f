"""Write facts, plans, entry prices and earlier slugs of tools."""

from collections.abc import Mapping, Sequence

from shipskip.catalogue.batches import Batch
from shipskip.catalogue.change_log import RowCounts
from shipskip.catalogue.entry_parsers import EntryRow
from shipskip.catalogue.faults import SiteChangedError
from shipskip.catalogue.merging import Merger
from tools.models import Attribute, Fact, FormerSlug, Plan, Tool, entry_price

Lists = Mapping[str, list[EntryRow]]
"""The facts or plans of the tools for which the document gives them, by the tools' slugs."""


class Answers:
    """Write the facts of the tools, batch by batch.

    `attributes` are the primary keys of all attributes, `given` the rows of those in the document,
    which a dry run does not store.
    """

    def __init__(
        self,
        merger: Merger,
        attributes: Mapping[str, int],
        given: Sequence[EntryRow],
        count: RowCounts,
    ) -> None:
        self._merger, self._count = merger, count
        self._keys = attributes
        self._names = {pk: slug for slug, pk in attributes.items()}
        self._asked = dict(Attribute.objects.order_by().values_list("pk", "category_ids"))
        for row in given:
            if "category_ids" in row:
                self._asked[attributes[row["slug"]]] = row["category_ids"]

    def write(self, tools: Batch[Tool, str], given: Lists) -> None:
        """Replace the facts of these tools with those of the document.

        If a tool moves to another category, facts whose attributes are not asked there are removed.
        """
        names = {pk: slug for slug, pk in tools.pks.items()}
        whole = {tools.pks[slug] for slug in given}
        moved = {
            pk: tools.wanted[names[pk]]["category_id"]
            for pk in tools.changed.get("category_id", set()) - whole
        }
        wanted: dict[tuple[int, int], EntryRow] = {}
        for slug, rows in given.items():
            for row in rows:
                key = (tools.pks[slug], self._attribute(row.pop("attribute")))
                wanted[key] = row | {"tool_id": key[0], "attribute_id": key[1]}
        self._merger.merge(
            Batch(
                "facts",
                Fact.objects.filter(tool__in=whole | moved.keys()),
                wanted,
                lambda row: (row.tool_id, row.attribute_id),
                lambda key: f"{self._names[key[1]]} of {names[key[0]]}",
                self._count,
                tools=tools.before,
                is_removed=lambda row: (
                    row.tool_id in whole or not self._is_asked(row, moved[row.tool_id])
                ),
            )
        )

    def _attribute(self, slug: str) -> int:
        if slug not in self._keys:
            raise SiteChangedError(f"the attribute “{slug}” was deleted while the file was loaded")
        return self._keys[slug]

    def _is_asked(self, fact: Fact, category: int) -> bool:
        asked = self._asked.get(fact.attribute_id)
        return not asked or category in asked


def write_plans(merger: Merger, tools: Batch[Tool, str], given: Lists, count: RowCounts) -> None:
    """Replace the plans of these tools with those of the document, in its order."""
    names = {pk: slug for slug, pk in tools.pks.items()}
    wanted = {
        (tools.pks[slug], row["name"], row["currency"], row["per"]): row
        | {"tool_id": tools.pks[slug], "position": position}
        for slug, rows in given.items()
        for position, row in enumerate(rows, 1)
    }
    merger.merge(
        Batch(
            "plans",
            Plan.objects.filter(tool__in=[tools.pks[slug] for slug in given]),
            wanted,
            lambda row: (row.tool_id, row.name, row.currency, row.per),
            lambda key: f"{key[1]}, {key[2]} per {key[3]}, of {names[key[0]]}",
            count,
            tools=tools.before,
            is_removed=lambda row: True,
        )
    )


def follow_plans(merger: Merger, rows: list[EntryRow], plans: Lists) -> None:
    """Derive the entry price of each tool that has plans, or will have them; two queries.

    An entry price of the document that contradicts the plans is reported.
    """
    others = [row["slug"] for row in rows if row["slug"] not in plans]
    keys = dict(Tool.objects.filter(slug__in=others).order_by().values_list("slug", "pk"))
    stored = Plan.objects.entry_prices(list(keys.values()))
    for row in rows:
        slug = row["slug"]
        if slug in plans:
            follows = entry_price(plan["amount"] for plan in plans[slug])
        else:
            follows = stored.get(keys.get(slug, 0))
        if follows and row.setdefault("entry", follows) != follows:
            merger.overrule_entry(slug, row["entry"], follows)
            row["entry"] = follows


def write_former_slugs(
    merger: Merger,
    tools: Batch[Tool, str],
    given: Mapping[str, list[str]],
    count: RowCounts,
    *,
    dry_run: bool,
) -> None:
    """Add the earlier slugs that tools do not have yet; none is removed."""
    slugs = {slug for each in given.values() for slug in each}
    stored = dict(
        FormerSlug.objects.filter(slug__in=slugs).order_by().values_list("slug", "tool_id")
    )
    new: list[FormerSlug] = []
    changed = tools.all_changed
    for slug, former in given.items():
        pk = tools.pks[slug]
        missing = [each for each in former if stored.get(each) != pk]
        new += [FormerSlug(slug=each, tool_id=pk) for each in missing]
        if missing and pk not in tools.created:
            merger.add_former_slugs(slug, missing)
            count.changed += pk not in changed
            count.left_alone -= pk not in changed
    if new and not dry_run:
        taken = FormerSlug.objects.filter(slug__in=[each.slug for each in new])
        taken.filter(tool__deleted_at__isnull=False).delete()
        FormerSlug.objects.bulk_create(new)
