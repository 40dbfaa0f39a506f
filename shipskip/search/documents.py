"""Documents: the index data of a tool, comparison, reviewer, category, issue or take.

Each function takes primary keys and returns the documents of those rows that exist. The number of
queries is constant.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from django.db.models import Avg, Min, Q

from comparisons.models import Comparison
from reviews.models import Reviewer, Take, ToolTally
from shipskip.newsletter.models import Issue
from shipskip.search.fields import FIELD_WEIGHTS
from shipskip.search.models import SearchDocument, SearchKind
from shipskip.search.row_names import stored
from shipskip.search.words import joined, names_in_text, with_roots, words, written_as_one
from tools.models import Category, Fact, FormerSlug, Tool

MAX_TEXT_WORDS = 500
"""Maximum number of distinct words of a long text in the index."""


@dataclass(frozen=True)
class Texts:
    """The texts of a row: present and earlier names, the fields of `FIELD_WEIGHTS`, a long text."""

    names: Sequence[str]
    former_names: Collection[str] = ()
    fields: Mapping[str, str] | None = None
    text: str = ""
    filters: Sequence[str] = ()
    """Tokens by which lists filter (`category_token`, `entry_token`)."""


@dataclass(frozen=True)
class Indexed:
    """A document, and all its words, which are candidates for corrections."""

    document: SearchDocument
    words: frozenset[str]


def category_token(slug: str) -> str:
    """The token of a category's tools. Two categories can share one, as tokens have no hyphen."""
    return "c" + "".join(words(slug))


def entry_token(entry: str) -> str:
    """The token of the tools with an entry price."""
    return f"e{entry}"


def indexed(kind: SearchKind, object_id: int, texts: Texts, **about: object) -> Indexed:
    """The document of one row with these texts; `about` are its other fields."""
    current = [words(name) for name in dict.fromkeys(texts.names) if name]
    former = [words(name) for name in texts.former_names if name]
    by_field = texts.fields or {}
    fields = [words(by_field.get(name, "")) for name in FIELD_WEIGHTS]
    text = list(dict.fromkeys(words(texts.text)))[:MAX_TEXT_WORDS]
    mentioned = names_in_text(texts.text)
    names = [line for line in [*current, *former] if line]
    joined_names = [each for line in names for each in joined(line)]
    joined_fields = [each for line in fields[:3] for each in joined(line)]
    by_letter: Mapping[str, Iterable[str]] = {
        "k": map(written_as_one, names),
        "n": [*with_roots(chain(*names)), *joined_names],
        "s": [*with_roots(chain(*fields)), *joined_fields],
        "p": with_roots(word for word in text if word in mentioned),
        "w": with_roots(word for word in text if word not in mentioned),
        "d": [kind.value],
    }
    tokens = {letter + word for letter, found in by_letter.items() for word in found}
    document = SearchDocument(
        kind=kind,
        object_id=object_id,
        length=next((len(" ".join(line)) for line in current if line), 0),
        names=stored(current, former),
        fields="\n".join(f" {' '.join(with_roots(line))} " for line in fields),
        tokens=" ".join(sorted(tokens.union(texts.filters))),
        **about,
    )
    every = chain(*names, *fields, text, joined_names, joined_fields)
    return Indexed(document, frozenset(every))


def tools(keys: Collection[int], now: datetime) -> list[Indexed]:
    """The documents of tools that are not deleted."""
    rows = Tool.objects.filter(pk__in=keys).select_related("category", "family").order_by()
    slugs = _by_tool(FormerSlug.objects.filter(tool__in=keys).values_list("tool_id", "slug"))
    names = _earlier_names(keys, now)
    takes = Take.objects.filter(tool__in=keys).order_by()
    scores = dict(
        takes.published(now).values("tool").annotate(m=Avg("score")).values_list("tool_id", "m")
    )
    due = dict(
        takes.scheduled(now)
        .values("tool")
        .annotate(m=Min("published_at"))
        .values_list("tool_id", "m")
    )
    facts = _facts(keys)
    tallies = ToolTally.objects.in_bulk(list(keys))
    return [
        indexed(
            SearchKind.TOOL,
            row.pk,
            _texts_of(
                row,
                [*slugs.get(row.pk, []), *names.get(row.pk, [])],
                facts=" ".join(facts.get(row.pk, [])),
            ),
            public_at=latest(row.published_at, row.category.published_at),
            votes=_votes(tallies.get(row.pk)),
            score=round(scores.get(row.pk) or 0, 2),
            due_at=due.get(row.pk),
        )
        for row in rows
    ]


def _texts_of(tool: Tool, former_names: Collection[str], *, facts: str) -> Texts:
    """The texts by which a tool is found."""
    category = tool.category
    return Texts(
        names=[tool.name, f"{tool.name} {tool.label}", tool.slug],
        former_names=former_names,
        fields={
            "maker": f"{tool.maker} {tool.family.name if tool.family else ''}",
            "category": category.name,
            "facts": facts,
            "tagline": tool.tagline,
            "best_for": tool.best_for,
        },
        text=f"{tool.description} {category.description} {tool.pricing} {tool.get_entry_display()}",
        filters=[category_token(category.slug), entry_token(tool.entry)],
    )


def _facts(keys: Collection[int]) -> dict[int, list[str]]:
    """The facts of these tools as words, by tool: questions answered with yes, choices and texts.
    Slugs of questions often have the usual words: `self-hosted`.
    """
    stated = Q(yes_no=True) | ~Q(text="")
    rows = Fact.objects.filter(stated, tool__in=keys, applies=True).order_by("pk")
    found = rows.values_list("tool_id", "attribute__name", "attribute__slug", "text", "yes_no")
    return _by_tool(
        (tool, f"{name} {slug}" if yes else text) for tool, name, slug, text, yes in found
    )


def _earlier_names(keys: Collection[int], now: datetime) -> dict[int, list[str]]:
    """The public names of these tools, earlier and present ones, by tool."""
    versions = Tool.history.filter(id__in=keys, published_at__lte=now)
    known = versions.order_by().values_list("id", "name").distinct()
    return _by_tool(known)


def _by_tool(rows: Iterable[tuple[int, str]]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for key, text in rows:
        found.setdefault(key, []).append(text)
    return found


def _votes(tally: ToolTally | None) -> int:
    return tally.value.total if tally else 0


def latest(*moments: datetime | None) -> datetime | None:
    """The latest of these moments; None if one is missing, since then the row is a draft."""
    given = [moment for moment in moments if moment]
    return max(given) if len(given) == len(moments) else None


def comparisons(keys: Collection[int], now: datetime) -> list[Indexed]:
    """The documents of comparisons of tools that are not deleted."""
    rows = Comparison.objects.of_existing_tools().filter(pk__in=keys).with_tools()
    return [
        indexed(
            SearchKind.COMPARISON,
            row.pk,
            Texts([" ".join(tool.name for tool in row.tools)], text=row.summary),
            public_at=latest(row.published_at, *(each.published_at for each in row.required_rows)),
        )
        for row in rows.order_by()
    ]


def reviewers(keys: Collection[int], now: datetime) -> list[Indexed]:
    """The documents of reviewers, who are found by their names alone."""
    rows = Reviewer.objects.filter(pk__in=keys).order_by()
    return [
        indexed(
            SearchKind.REVIEWER,
            row.pk,
            Texts([row.name, row.slug]),
            public_at=row.published_at,
        )
        for row in rows
    ]


def categories(keys: Collection[int], now: datetime) -> list[Indexed]:
    """The documents of categories."""
    return [
        indexed(
            SearchKind.CATEGORY,
            row.pk,
            Texts([row.name, row.slug], text=row.description),
            public_at=row.published_at,
        )
        for row in Category.objects.filter(pk__in=keys).order_by()
    ]


def issues(keys: Collection[int], now: datetime) -> list[Indexed]:
    """The documents of issues; readers find only those in the archive."""
    public = set(Issue.objects.archived().filter(pk__in=keys).values_list("pk", flat=True))
    rows = Issue.objects.filter(pk__in=keys).defer("html", "text").order_by()
    return [
        indexed(
            SearchKind.ISSUE,
            row.pk,
            Texts(
                [row.frozen_subject or row.subject, f"Issue {row.number}"], text=row.introduction
            ),
            public_at=row.frozen_at if row.pk in public else None,
        )
        for row in rows
    ]


def takes(keys: Collection[int], now: datetime) -> list[Indexed]:
    """The documents of takes, for the desk's search only: readers find the tool."""
    rows = Take.objects.on_existing_tools().filter(pk__in=keys).order_by()
    return [
        indexed(
            SearchKind.TAKE,
            row.pk,
            Texts([f"{row.tool.name} {row.reviewer.name}"], text=f"{row.because} {row.body}"),
        )
        for row in rows.select_related("tool", "reviewer")
    ]


BY_KIND: Mapping[str, Callable[[Collection[int], datetime], list[Indexed]]] = {
    SearchKind.CATEGORY: categories,
    SearchKind.REVIEWER: reviewers,
    SearchKind.TOOL: tools,
    SearchKind.COMPARISON: comparisons,
    SearchKind.ISSUE: issues,
    SearchKind.TAKE: takes,
}
