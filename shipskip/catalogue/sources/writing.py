"""The catalogue document of what was read in a source, fitted to the site's attributes."""

import json
import re
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from pydantic import ValidationError

from shipskip.catalogue.entries import FORMATS, IMPORTED_FROM, TOOL
from shipskip.catalogue.faults import json_place
from shipskip.catalogue.sentences import faults_of
from shipskip.catalogue.sources.source import Reading, Source, SourceTool, Values
from shipskip.web.slugs import MAX_LENGTH, slug_of
from tools.models import Attribute, Category, FormerSlug, Tool
from tools.tool_names import LONGEST_LABEL


def document(source: Source, reading: Reading) -> Generator[str, None, None]:
    """The document as pieces of JSON: equal bytes for equal data and attributes of the site. What
    a load would refuse is left out and added to the refusals.
    """
    attributes, unfit = _attributes(source)
    reading.notes += unfit.values()
    tools = list(_entries(source, reading, unfit))
    has_category = Category.objects.filter(slug=source.category["slug"]).exists()
    sections: dict[str, Sequence[Mapping[str, object]]] = {
        "categories": [] if has_category else [source.category],
        "attributes": attributes,
        "tools": tools,
    }
    about = {"format": FORMATS[-1], IMPORTED_FROM: source.name}
    yield "{\n" + ",\n".join(f"  {json.dumps(key)}: {json.dumps(about[key])}" for key in about)
    for name, entries in sections.items():
        if entries:
            text = json.dumps(entries, indent=2, ensure_ascii=False, allow_nan=False)
            yield f",\n  {json.dumps(name)}: " + text.replace("\n", "\n  ")
    yield "\n}\n"


def _attributes(source: Source) -> tuple[list[Values], dict[str, str]]:
    """The attributes that the site lacks, or that it must ask of more tools or with more choices;
    and a sentence by the slug of each that it has in another kind.
    """
    site = Attribute.objects.in_bulk([row["slug"] for row in source.attributes], field_name="slug")
    category = source.category["slug"]
    found: list[Values] = []
    unfit: dict[str, str] = {}
    for own in source.attributes:
        row = site.get(own["slug"])
        if row is None:
            found.append(dict(own))
            continue
        if row.kind != own["kind"]:
            unfit[row.slug] = (
                f"The attribute “{row.slug}” of this site is a “{row.kind}”, not a "
                f"“{own['kind']}”; its facts are left out."
            )
            continue
        changes: Values = {}
        missing = [each for each in own.get("choices", ()) if each not in row.choices]
        if missing:
            changes["choices"] = [*row.choices, *missing]
        asked_in = [each.slug for each in row.categories]
        if row.category_ids and category not in asked_in:
            changes["categories"] = [*asked_in, category]
        if changes:
            found.append({"slug": row.slug, "name": row.name, "kind": row.kind, **changes})
    return found, unfit


def _entries(source: Source, reading: Reading, unfit: Mapping[str, str]) -> Iterator[Values]:
    """An entry for each tool that a load would accept."""
    slugs = _slugs(source, reading.tools)
    labels = _labels(reading.tools)
    for tool in reading.tools:
        facts = [each for each in tool.facts if each["attribute"] not in unfit]
        given = tool.keys | {
            "slug": slugs[tool.id],
            "source_id": f"{source.name}:{tool.id}",
            "category": source.category["slug"],
            "label": labels.get(tool.id, ""),
            "published": None,
            "facts": facts,
            "plans": list(tool.plans),
        }
        entry = {key: given[key] for key in TOOL.entry.model_fields if key in given}
        try:
            TOOL.entry.model_validate(entry)
        except ValidationError as error:
            for path, sentence in faults_of(error, TOOL.entry):
                reading.refuse(tool.path, f"{json_place(path)}: {sentence}")
        else:
            yield entry


def _slugs(source: Source, tools: Iterable[SourceTool]) -> dict[str, str]:
    """A slug for each id: its last part, with the maker's folder before it if several have it, and
    with a number if that is not enough.
    """
    by_slug: dict[str, list[str]] = defaultdict(list)
    for tool in tools:
        by_slug[_slug(_last_part(tool.id)) or _slug(tool.id)].append(tool.id)
    owners = _owners()
    found: dict[str, str] = {}
    taken = {*owners, *by_slug}
    for slug, ids in by_slug.items():
        for each in ids:
            own = f"{source.name}:{each}"
            is_ours = len(ids) == 1 and owners.get(slug, own) == own
            found[each] = slug if is_ours else _untaken(_slug(each), taken, MAX_LENGTH)
            taken.add(found[each])
    return found


def _owners() -> dict[str, str]:
    """The source ids of the site's tools by slug; none for a slug that only another tool had."""
    former = FormerSlug.objects.of_existing_tools().values_list("slug", flat=True)
    gone = Tool.everything.deleted_after_publication().by_address()
    owned = Tool.objects.exclude(source_id="").order_by().values_list("slug", "source_id")
    return dict.fromkeys([*former, *gone], "") | dict(owned)


def _slug(tool_id: str) -> str:
    return slug_of(re.sub(r"[./]", " ", tool_id))


def _labels(tools: Iterable[SourceTool]) -> dict[str, str]:
    """A label for each id whose tool has the name of another: its maker if that tells them apart,
    else what the ids do not have in common. One of them may need none.
    """
    by_name: dict[str, list[SourceTool]] = defaultdict(list)
    for tool in tools:
        by_name[tool.keys["name"].casefold()].append(tool)
    found: dict[str, str] = {}
    for namesakes in by_name.values():
        if len(namesakes) == 1:
            continue
        is_told_apart = len({tool.keys["maker"] for tool in namesakes}) == len(namesakes)
        words = [_last_part(tool.id).split("-") for tool in namesakes]
        shared = next(
            (at for at, parts in enumerate(zip_longest(*words)) if len(set(parts)) > 1), 0
        )
        taken: set[str] = set()
        for tool, own in zip(namesakes, words, strict=True):
            label = tool.keys["maker"] if is_told_apart else "-".join(own[shared:])
            if label in taken:
                label = tool.id.replace("/", "-")
            found[tool.id] = _untaken(label[-LONGEST_LABEL:].strip("-. "), taken, LONGEST_LABEL)
            taken.add(found[tool.id])
    return found


def _untaken(text: str, taken: set[str], longest: int) -> str:
    """The text, or with the first number that makes it another than those that are taken."""
    number, found = 1, text
    while found in taken:
        number += 1
        found = f"{text[: longest - len(str(number)) - 1]}-{number}"
    return found


def _last_part(tool_id: str) -> str:
    return tool_id.rpartition("/")[2]
