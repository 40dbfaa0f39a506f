"""Lists of tools: all of them, and those of a category."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from comparisons.matrix import MAX_MATRIX_TOOLS, Matrix, matrix_of, pairs_of
from comparisons.models import Comparison
from reviews.judged_tools import JudgedTool, judged_tools, with_scores
from reviews.models import Take
from reviews.own_panel import NO_OWN_PANEL, WEIGH_KEY, OwnPanel, with_own_panel
from reviews.tool_selection import Selection, Wanted
from shipskip.search.documents import category_token, entry_token
from shipskip.search.models import SearchKind
from shipskip.search.results import nearest_tools
from shipskip.search.searching import Found, Scope, search
from shipskip.web.cache_control import not_cached, not_shared, public
from shipskip.web.paging import InKeyOrder, page_or_first
from shipskip.web.preview_pages import Preview
from tools.facets import Chip, Facets, address_without, chips, choice_group, fact_group, keys_of
from tools.fact_filters import FACT_PREFIX, key_of, statements
from tools.fact_sheet import within_sentence
from tools.filter_forms import REPEATABLE_KEYS, CategoryToolsForm, ToolFilterForm, ToolsForm
from tools.models import Attribute, Category

MAX_RESULTS = 300
"""Maximum number of search results in a list; if there are more, choices have no counts."""


class ToolList:
    """One list of tools: the chosen filters, and the data of the page."""

    def __init__(
        self,
        form: ToolsForm,
        categories: Sequence[Category],
        now: datetime,
        own: OwnPanel,
        within: Category | None = None,
    ) -> None:
        self.form, self.chosen, self.now, self.own = form, form.validate(), now, own
        self._categories = categories
        self.columns: Sequence[JudgedTool] = ()
        self.found = self._search()
        facts, by = form.fact_filters(self.chosen), form.sorted_by(self.chosen)
        self.selection = Selection(
            Wanted(
                now=now,
                categories=categories,
                choices={key: self.chosen[key] for key in REPEATABLE_KEYS if key in self.chosen},
                attributes=form.attributes,
                facts=facts,
                sort=self.chosen["sort"] or "",
                by=by,
                within=within,
                found=self.found.keys(SearchKind.TOOL) if self.found else None,
                weights=own.weights,
            )
        )

    @property
    def is_narrowed(self) -> bool:
        """Whether any filter is active."""
        return bool(self.selection.matching.filters)

    @property
    def has_many_addresses(self) -> bool:
        """Whether a cache should not store this address, because there are too many like it: it has
        filters on facts, or several choices of one filter.
        """
        return bool(self.selection.asked_attributes) or any(
            len(self.chosen.get(key, ())) > 1 for key in REPEATABLE_KEYS
        )

    @property
    def _is_whole(self) -> bool:
        """Whether the search returned all results, so that choices can have counts."""
        return not self.found or len(self.found.keys(SearchKind.TOOL)) < MAX_RESULTS

    def context(self) -> dict[str, object]:
        """The context of the page."""
        keys, notices = self.selection.keys, self.form.notices
        rows = judged_tools().for_list_page(self.now).with_tally()
        page = page_or_first(InKeyOrder(rows, keys), self.chosen, notices, total=len(keys))
        takes = Take.objects.published(self.now)
        self.columns = with_scores(page.rows, takes, self.own.weights)
        asked = self.selection.asked_attributes
        return {
            "tools": self.columns,
            "page": page,
            "total": self._total_words(),
            "found": self.found,
            "nearest": nearest_tools(self.found, self.now) if self.found and not keys else [],
            "form": self.form,
            "sorts": self.form.sorts(self.chosen),
            "facets": self._facets(),
            "chosen": self.chosen,
            "own": self.own,
            "notices": [*self.own.notices, *notices],
            "narrowed": self.is_narrowed,
            "left_out": self._left_out(),
            "stated": statements(page.rows, asked) if asked and page.rows else {},
        }

    def _facets(self) -> Facets:
        """The filters with their counts, and the links that remove what was chosen."""
        form, chosen = self.form, self.chosen
        count = self.selection.count if self._is_whole else lambda key, value: None
        groups = [
            choice_group(key, str(form[key].label), form.choices_of(key), chosen, count)
            for key in REPEATABLE_KEYS
            if key in form.fields
        ]
        attributes = {key_of(row): row for row in form.attributes}
        facts = [fact_group(row, key, chosen, count) for key, row in attributes.items()]
        fact_groups = [group for group in facts if group]
        slugs = {row.slug: row.pk for row in self._categories}
        return Facets(
            groups=groups,
            facts=fact_groups,
            chips=chips([*groups, *fact_groups], attributes, chosen, slugs),
            suggested=[] if self.selection.keys else self._suggested(attributes),
        )

    def _suggested(self, attributes: Mapping[str, Attribute]) -> list[Chip]:
        """The filters whose removal gives results."""
        labels = {
            key: str(self.form[key].label) for key in REPEATABLE_KEYS if key in self.form.fields
        }
        labels |= {key: row.name for key, row in attributes.items()} | {"q": "Search"}
        counts = {key: self.selection.count_without(key) for key in self.selection.matching.filters}
        return [
            Chip(labels[key], key, address_without(self.chosen, keys_of(key)), count)
            for key, count in counts.items()
            if count and key in labels
        ]

    def _total_words(self) -> str:
        """The number of tools, and of those that match, in words."""
        total, match = self.selection.total, len(self.selection.keys)
        if not self.is_narrowed:
            return f"{total:,} {'tool' if total == 1 else 'tools'}"
        least = "" if self._is_whole else "At least "
        return f"{least}{match:,} of {total:,} {'matches' if match == 1 else 'match'}"

    def _left_out(self) -> str:
        """How many tools do not state each attribute that was asked for, as a sentence."""
        asked = self.selection.asked_attributes
        parts = []
        for row, number in self.selection.not_stating():
            what = "it" if len(asked) == 1 else f"“{within_sentence(row.name)}”"
            if number:
                parts.append(
                    f"{number:,} {'tool does' if number == 1 else 'tools do'} not state {what}"
                )
        return f"{', '.join(parts)}." if parts else ""

    def _search(self) -> Found | None:
        """The search results; None without `q`. If there are more than the list can take, only
        those in the chosen categories and with a chosen entry price.
        """
        if not self.chosen.get("q"):
            return None
        found = search(self.chosen["q"], Scope(self.now, [SearchKind.TOOL], limit=MAX_RESULTS))
        if len(found.keys(SearchKind.TOOL)) < MAX_RESULTS:
            return found
        tokens = {"category": category_token, "entry": entry_token}
        required = [
            [token(value) for value in self.chosen[key]]
            for key, token in tokens.items()
            if self.chosen[key]
        ]
        scope = Scope(self.now, [SearchKind.TOOL], required, MAX_RESULTS)
        return search(self.chosen["q"], scope) if required else found


@require_safe
@public(
    query=ToolFilterForm.base_fields,
    sets=REPEATABLE_KEYS,
    prefixes=[FACT_PREFIX],
    uncached=[WEIGH_KEY],
    tallies=True,
)
@with_own_panel
def tool_list(request: HttpRequest, own: OwnPanel) -> HttpResponse:
    """All public tools, filtered, sorted and paged."""
    now = timezone.now()
    categories = list(Category.objects.published(now))
    form = ToolFilterForm(request.GET, categories, list(Attribute.objects.all()))
    found = ToolList(form, categories, now, own)
    return _answer(request, "tools/list.html", found, found.context())


@require_safe
@public(
    query=CategoryToolsForm.base_fields,
    sets=REPEATABLE_KEYS,
    prefixes=[FACT_PREFIX],
    uncached=[WEIGH_KEY],
    tallies=True,
)
@with_own_panel
def category(request: HttpRequest, own: OwnPanel, slug: str) -> HttpResponse:
    """The tools of a category, best panel first."""
    now = timezone.now()
    row = get_object_or_404(Category.objects.published(now), slug=slug)
    found = _in_category(row, request.GET, now, own)
    return _answer(request, "tools/category.html", found, _category_context(found, row))


def preview_of_category(request: HttpRequest, row: Category, now: datetime) -> HttpResponse:
    """The preview of a category's first page, for a transaction in which it is public."""
    found = _in_category(row, QueryDict(), now, NO_OWN_PANEL)
    context = _category_context(found, row) | {"preview": Preview(row, [], None, now)}
    return render(request, "tools/category.html", context)


def _answer(
    request: HttpRequest, template: str, found: "ToolList", context: Mapping[str, object]
) -> HttpResponse:
    """The page. With several choices, only processes cache it; with a search, nothing caches it."""
    response = render(request, template, dict(context))
    if found.has_many_addresses:
        not_shared(response)
    return not_cached(response, when=[*found.form.notices, *filter(None, [found.chosen.get("q")])])


def _in_category(row: Category, query: QueryDict, now: datetime, own: OwnPanel) -> "ToolList":
    form = CategoryToolsForm(query, Attribute.objects.asked_in([row.pk]))
    return ToolList(form, [row], now, own, row)


def _category_context(found: ToolList, row: Category) -> dict[str, object]:
    """The context of a category's page; it has a matrix if the page shows all tools."""
    context = found.context()
    all_shown = (
        not (found.is_narrowed or found.chosen["sort"])
        and len(found.selection.keys) <= MAX_MATRIX_TOOLS
    )
    matrix = _matrix(found.columns, found.now) if all_shown else None
    return context | {"category": row, "matrix": matrix}


def _matrix(columns: Sequence[JudgedTool], now: datetime) -> Matrix | None:
    """The matrix of pairwise leads among these tools; pairs are in the editor's order, if any."""
    orders = Comparison.objects.published(now).orders(pairs_of(columns))
    return matrix_of(columns, orders)
