"""Lists of tools: all of them, and those of a category."""

from collections.abc import Mapping, Sequence

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from shipskip.content.content import Content
from shipskip.content.facets import (
    Chip,
    Facets,
    address_without,
    chips,
    choice_group,
    fact_group,
    keys_of,
)
from shipskip.content.fact_filters import FACT_PREFIX, key_of
from shipskip.content.fact_sheet import within_sentence
from shipskip.content.judged_tools import JudgedTool, with_tallies
from shipskip.content.matrix import MAX_MATRIX_TOOLS, matrix_of
from shipskip.content.own_panel import NO_OWN_PANEL, WEIGH_KEY, OwnPanel, with_own_panel
from shipskip.content.page_objects import public_category
from shipskip.content.price_score import price_score
from shipskip.content.records import Attribute, Category, Tool
from shipskip.content.tool_filters import (
    CONFIRMED_KEY,
    REPEATABLE_KEYS,
    CategoryToolsForm,
    ToolFilterForm,
)
from shipskip.search.results import nearest_tools
from shipskip.search.tool_query import ToolQuery
from shipskip.web.cache_control import not_cached, not_shared, public
from shipskip.web.paging import page_or_first
from shipskip.web.preview_pages import Preview
from shipskip.web.twins import with_twins
from tools.models import Category as CategoryRow


class ToolList(ToolQuery):
    """One list of tools: the chosen filters, and the data of the page."""

    columns: Sequence[JudgedTool[Tool]] = ()

    @property
    def has_many_addresses(self) -> bool:
        """Whether a cache should not store this address, because there are too many like it: it has
        filters on facts, or several choices of one filter.
        """
        return bool(self.selection.asked_attributes) or any(
            len(self.chosen.get(key, ())) > 1 for key in REPEATABLE_KEYS
        )

    def context(self) -> dict[str, object]:
        """The context of the page."""
        tools, notices = self.selection.tools, self.form.notices
        page = page_or_first(tools, self.chosen, notices, total=len(tools))
        self.columns = with_tallies(page.rows, self.own.weights)
        shared = self.selection.shared
        if self.within:  # the heading says it
            shared.pop("category", None)
        return {
            "tools": self.columns,
            "said_once": shared.values(),
            "shared": {*shared, "category"} if self.within else {*shared},
            "page": page,
            "total": self._total_words(),
            "show": self._show_words(),
            "found": self.found,
            "nearest": nearest_tools(self.found, self.content) if self.found and not tools else [],
            "form": self.form,
            "sorts": self.form.sorts(self.chosen),
            "facets": self._facets(),
            "chosen": self.chosen,
            "own": self.own,
            "notices": [*self.own.notices, *notices],
            "narrowed": self.is_narrowed,
            "left_out": self._left_out(),
            "stated": self.selection.statements(page.rows)
            if self.selection.asked_attributes
            else {},
        }

    def _facets(self) -> Facets:
        """The filters with their counts, and the links that remove what was chosen."""
        form, chosen = self.form, self.chosen
        count = self.selection.count if self.is_whole else lambda key, value: None
        groups = [
            choice_group(key, str(form[key].label), form.choices_of(key), chosen, count)
            for key in REPEATABLE_KEYS
            if key in form.fields
        ]
        attributes = {key_of(row): row for row in form.attributes}
        facts = [fact_group(row, key, chosen, count) for key, row in attributes.items()]
        fact_groups = [group for group in facts if group]
        if chosen[CONFIRMED_KEY] or any(
            self.content.unconfirmed.get(row.pk) for row in form.attributes
        ):
            choices = form.choices_of(CONFIRMED_KEY)
            label = str(form[CONFIRMED_KEY].label)
            fact_groups.insert(0, choice_group(CONFIRMED_KEY, label, choices, chosen, _uncounted))
        slugs = {row.slug: row.pk for row in self.content.categories}
        return Facets(
            groups=groups,
            facts=fact_groups,
            chips=chips([*groups, *fact_groups], attributes, chosen, slugs),
            suggested=[] if self.selection.tools else self._suggested(attributes),
        )

    def _suggested(self, attributes: Mapping[str, Attribute]) -> list[Chip]:
        """The filters whose removal gives results."""
        labels = {
            key: str(self.form[key].label) for key in REPEATABLE_KEYS if key in self.form.fields
        }
        labels |= {key: row.name for key, row in attributes.items()} | {"q": "Search"}
        counts = {key: self.selection.count_without(key) for key in self.selection.filters}
        return [
            Chip(labels[key], key, address_without(self.chosen, keys_of(key)), count)
            for key, count in counts.items()
            if count and key in labels
        ]

    def _total_words(self) -> str:
        """The number of tools, and of those that match, in words."""
        total, match = self.selection.total, len(self.selection.tools)
        if not self.is_narrowed:
            return f"{total:,} {'tool' if total == 1 else 'tools'}"
        least = "" if self.is_whole else "At least "
        return f"{least}{match:,} of {total:,} {'matches' if match == 1 else 'match'}"

    def _show_words(self) -> str:
        """What the link from the filters to the list says."""
        match = len(self.selection.tools)
        if not match:
            return "No tool matches"
        return f"Show {'' if self.is_whole else 'at least '}{_tools_in_words(match)}"

    def _left_out(self) -> str:
        """For how many tools we have not recorded each attribute that was asked for, and how many
        do not state it, as sentences.
        """
        found = self.selection.without_value()
        sentences = []
        for each in found:
            what = "it" if len(found) == 1 else f"“{within_sentence(each.attribute.name)}”"
            if each.unrecorded:
                tools = _tools_in_words(each.unrecorded)
                sentences.append(f"We have not recorded {what} for {tools}.")
            if each.silent:
                verb = "does" if each.silent == 1 else "do"
                sentences.append(f"{_tools_in_words(each.silent)} {verb} not state {what}.")
            if each.unconfirmed:
                tools = _tools_in_words(each.unconfirmed)
                sentences.append(f"No editor has confirmed {what} for {tools}.")
        return " ".join(sentences)


def _uncounted(key: str, value: str) -> None:
    """The count of a choice that has none."""


def _tools_in_words(number: int) -> str:
    return f"{number:,} {'tool' if number == 1 else 'tools'}"


@require_safe
@public(
    query=ToolFilterForm.base_fields,
    sets=REPEATABLE_KEYS,
    prefixes=[FACT_PREFIX],
    uncached=[WEIGH_KEY],
    tallies=True,
)
@with_twins("md", "json", "csv")
@with_own_panel
def tool_list(request: HttpRequest, content: Content, own: OwnPanel) -> HttpResponse:
    """All public tools, filtered, sorted and paged."""
    form = ToolFilterForm(request.GET, content.categories, content.public_attributes)
    found = ToolList(content, form, own)
    return _answer(request, "tools/list.html", found, found.context())


@require_safe
@public(
    query=CategoryToolsForm.base_fields,
    sets=REPEATABLE_KEYS,
    prefixes=[FACT_PREFIX],
    uncached=[WEIGH_KEY],
    tallies=True,
)
@with_twins("md", "json", "csv")
@with_own_panel
def category(request: HttpRequest, content: Content, own: OwnPanel, slug: str) -> HttpResponse:
    """The tools of a category, best panel first."""
    row = public_category(content, slug)
    found = _in_category(content, row, request.GET, own)
    return _answer(request, "tools/category.html", found, _category_context(found, row))


def preview_of_category(
    request: HttpRequest, content: Content, category: CategoryRow
) -> HttpResponse:
    """The preview of a category's first page, with the content of a transaction in which it is
    public.
    """
    row = public_category(content, category.slug)
    found = _in_category(content, row, QueryDict(), NO_OWN_PANEL)
    context = _category_context(found, row)
    context["preview"] = Preview(category, [], None, content.now)
    return render(request, "tools/category.html", context)


def _answer(
    request: HttpRequest, template: str, found: "ToolList", context: Mapping[str, object]
) -> HttpResponse:
    """The page. With several choices, only processes cache it; with a search, nothing caches it."""
    response = render(request, template, dict(context))
    if found.has_many_addresses:
        not_shared(response)
    return not_cached(response, when=[*found.form.notices, *filter(None, [found.chosen.get("q")])])


def _in_category(content: Content, row: Category, query: QueryDict, own: OwnPanel) -> "ToolList":
    asked = [each for each in content.attributes if each.is_asked_in(row.pk)]
    return ToolList(content, CategoryToolsForm(query, asked), own, row)


def _category_context(found: ToolList, row: Category) -> dict[str, object]:
    """The context of a category's page; matrix and prices if it shows all tools."""
    context = found.context()
    all_shown = (
        not (found.is_narrowed or found.chosen["sort"])
        and len(found.selection.tools) <= MAX_MATRIX_TOOLS
    )
    return context | {
        "category": row,
        "matrix": matrix_of(found.columns, found.content) if all_shown else None,
        "prices": price_score(found.columns) if all_shown else None,
    }
