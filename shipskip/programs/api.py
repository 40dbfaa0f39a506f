"""The API: `/api/v1/…`, read-only JSON, with its description as OpenAPI 3.1.

django-ninja routes the addresses and describes them; forms read the query strings, as on pages, and
the answers are those of data.py. Each address is a public view behind the page cache.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Generic, TypeVar, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.views.decorators.csrf import csrf_exempt
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from typing_extensions import TypedDict

from comparisons.addresses import SEPARATOR
from shipskip.content.content import Content
from shipskip.content.current import from_content
from shipskip.content.judged_tools import judged, with_tallies
from shipskip.content.own_panel import own_panel
from shipskip.content.page_objects import (
    comparison_at,
    public_category,
    public_reviewer,
    tool_page,
)
from shipskip.content.side_by_side import Pair
from shipskip.programs import data, shapes
from shipskip.programs.api_forms import (
    MAX_LIMIT,
    BadRequestError,
    ChangesForm,
    FieldsForm,
    PageForm,
    SearchForm,
    TakesForm,
    ToolsForm,
    checked,
    only_fields,
    parameters_of,
    part_of,
    refuse,
)
from shipskip.programs.responses import for_programs, preflight
from shipskip.search.results import public_results
from shipskip.search.searching import Scope, search
from shipskip.search.tool_query import ToolQuery
from shipskip.web.cache_control import not_shared, public
from shipskip.web.problems import PROBLEM_TYPE, Problem, problem

T = TypeVar("T")

PREFIX = "api/v1/"
METHODS = "GET, HEAD"

VERSIONS = (
    "Version 1 is additive: new addresses, parameters and keys may appear, so ignore keys that you "
    "do not know. What exists keeps its name and meaning. If something has to go, a version 2 "
    "appears beside it, and version 1 answers for another twelve months with a Deprecation and a "
    "Sunset header."
)
"""What clients can rely on."""


class Listed(TypedDict, Generic[T]):
    """A part of a list. `next` is the address of the following part; None after the last."""

    items: list[T]
    next: str | None


class Found(TypedDict):
    """What a search found, best first in each list."""

    tools: list[shapes.ListedToolData]
    comparisons: list[shapes.ListedComparisonData]
    categories: list[shapes.CategoryData]
    reviewers: list[shapes.ReviewerData]


class _Api(NinjaAPI):
    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        """The description. `fields=` may leave out keys of each item, so none is required there."""
        schema = super().get_openapi_schema(**options)
        for name, component in schema["components"]["schemas"].items():
            if name.endswith("Data") or name == "Found":
                component.pop("required", None)
        for route in schema["paths"].values():
            for status, answer in route["get"]["responses"].items():
                if status != 200:
                    answer["content"] = {PROBLEM_TYPE: answer["content"].pop("application/json")}
        return schema


api = _Api(
    title="Ship or Skip",
    version="1",
    description=f"Everything public, read-only. {VERSIONS}",
    docs_url=None,
    openapi_url=None,
    urls_namespace="api-v1",
)

Make = Callable[[Content], Mapping[str, Any]]
View = Callable[..., HttpResponse]
Register = Callable[[View], View]


def _route(
    address: str, response: Any, form: type[FieldsForm | ToolsForm] = FieldsForm
) -> Register:
    """Register an address whose query string the form reads."""
    answers = {200: response, 400: Problem, 404: Problem}
    described = {"parameters": parameters_of(form)}
    register: Register = api.get(address, response=answers, openapi_extra=described)
    return register


@_route("/tools", Listed[shapes.ListedToolData], ToolsForm)
def tools(request: HttpRequest) -> HttpResponse:
    """Tools by the filters and orders of the page: `fact.context-window.min=100000`,
    `weigh-skeptic=3` and so on work too."""

    def make(content: Content) -> Mapping[str, Any]:
        own = _own(request, content)
        form = ToolsForm(request.GET, content.categories, content.public_attributes)
        query = ToolQuery(content, form, own)
        refuse(form.notices)
        part = part_of(query.selection.tools, query.chosen, lambda row: row.pk)
        rows = with_tallies(part.rows, own.weights)
        return _listed(request, query.chosen, part.cursor, map(data.listed_tool_data, rows))

    return _answer(request, make)


@_route("/tools/{slug}", shapes.ToolData)
def tool(request: HttpRequest, slug: str) -> HttpResponse:
    """One tool with its takes, facts and plans; weights as for a list."""

    def make(content: Content) -> Mapping[str, Any]:
        chosen, own = checked(FieldsForm(request.GET)), _own(request, content)
        return only_fields(data.tool_data(content, tool_page(content, slug, own.weights)), chosen)

    return _answer(request, make)


@_route("/tools/{slug}/facts", Listed[shapes.FactData], PageForm)
def facts(request: HttpRequest, slug: str) -> HttpResponse:
    """A tool's answers to attributes, each with its source."""

    def make(content: Content) -> Mapping[str, Any]:
        chosen, row = checked(PageForm(request.GET)), tool_page(content, slug).tool
        part = part_of([*row.facts.values()], chosen, lambda fact: fact.attribute.pk)
        items = (data.fact_data(row, fact) for fact in part.rows)
        return _listed(request, chosen, part.cursor, items)

    return _answer(request, make)


@_route("/tools/{slug}/plans", Listed[shapes.PlanData])
def plans(request: HttpRequest, slug: str) -> HttpResponse:
    """The prices that a tool's maker asks."""

    def make(content: Content) -> Mapping[str, Any]:
        chosen, row = checked(FieldsForm(request.GET)), tool_page(content, slug).tool
        return _listed(request, chosen, "", (data.plan_data(row, plan) for plan in row.plans))

    return _answer(request, make)


@_route("/categories", Listed[shapes.CategoryData])
def categories(request: HttpRequest) -> HttpResponse:
    """All categories, by name."""

    def make(content: Content) -> Mapping[str, Any]:
        items = (data.category_data(content, row) for row in content.categories)
        return _listed(request, checked(FieldsForm(request.GET)), "", items)

    return _answer(request, make)


@_route("/categories/{slug}", shapes.CategoryData)
def category(request: HttpRequest, slug: str) -> HttpResponse:
    """One category; `/tools?category=` has its tools."""

    def make(content: Content) -> Mapping[str, Any]:
        chosen = checked(FieldsForm(request.GET))
        return only_fields(data.category_data(content, public_category(content, slug)), chosen)

    return _answer(request, make)


@_route("/reviewers", Listed[shapes.ReviewerData])
def reviewers(request: HttpRequest) -> HttpResponse:
    """The panel, in its order."""

    def make(content: Content) -> Mapping[str, Any]:
        items = (data.reviewer_data(content, row) for row in content.reviewers)
        return _listed(request, checked(FieldsForm(request.GET)), "", items)

    return _answer(request, make)


@_route("/reviewers/{slug}", shapes.ReviewerData)
def reviewer(request: HttpRequest, slug: str) -> HttpResponse:
    """One reviewer; `/takes?reviewer=` has their takes."""

    def make(content: Content) -> Mapping[str, Any]:
        chosen = checked(FieldsForm(request.GET))
        return only_fields(data.reviewer_data(content, public_reviewer(content, slug)), chosen)

    return _answer(request, make)


@_route("/attributes", Listed[shapes.AttributeData], PageForm)
def attributes(request: HttpRequest) -> HttpResponse:
    """The questions asked of tools, in the editors' order."""

    def make(content: Content) -> Mapping[str, Any]:
        chosen = checked(PageForm(request.GET))
        part = part_of(content.public_attributes, chosen, lambda row: row.pk)
        items = (data.attribute_data(content, row) for row in part.rows)
        return _listed(request, chosen, part.cursor, items)

    return _answer(request, make)


@_route("/takes", Listed[shapes.ListedTakeData], TakesForm)
def takes(request: HttpRequest) -> HttpResponse:
    """Takes without their texts, newest first; those of one reviewer or category, or since a
    moment."""

    def make(content: Content) -> Mapping[str, Any]:
        chosen = checked(TakesForm(request.GET))
        since = chosen["since"]
        rows = content.newest_takes
        if chosen["reviewer"]:
            author = public_reviewer(content, chosen["reviewer"])
            rows = content.takes_by_reviewer.get(author.pk, ())
        if chosen["category"]:
            within = public_category(content, chosen["category"])
            rows = [take for take in rows if content.tool_of(take).category is within]
        if since:
            rows = [take for take in rows if take.published_at and take.published_at >= since]
        part = part_of(rows, chosen, lambda row: row.pk)
        items = (data.listed_take_data(content.tool_of(take), take) for take in part.rows)
        return _listed(request, chosen, part.cursor, items)

    return _answer(request, make)


@_route("/changes", Listed[shapes.ChangeData], ChangesForm)
def changes(request: HttpRequest) -> HttpResponse:
    """The newest changes of scores and verdicts with their reasons, or those since a moment."""

    def make(content: Content) -> Mapping[str, Any]:
        chosen = checked(ChangesForm(request.GET))
        since = chosen["since"]
        rows = [
            (row, change)
            for row, change in content.newest_take_changes(chosen["limit"] or MAX_LIMIT)
            if not since or change.at >= since
        ]
        return _listed(request, chosen, "", (data.change_data(*row) for row in rows))

    return _answer(request, make)


@_route("/comparisons", Listed[shapes.ListedComparisonData], PageForm)
def comparisons(request: HttpRequest) -> HttpResponse:
    """The editors' comparisons: featured ones first, then the newest."""

    def make(content: Content) -> Mapping[str, Any]:
        chosen, own = checked(PageForm(request.GET)), _own(request, content)
        part = part_of(content.comparisons, chosen, lambda row: row.pk)
        pairs = (Pair.answered(judged(row.tools, own.weights)) for row in part.rows)
        return _listed(request, chosen, part.cursor, map(data.listed_comparison_data, pairs))

    return _answer(request, make)


@_route("/comparisons/{pair}", shapes.ComparisonData)
def comparison(request: HttpRequest, pair: str) -> HttpResponse:
    """Two to ten tools side by side (`a-vs-b`), whether or not an editor compared them: the answer,
    how firm it is, the decision table and all takes; weights as for a list. Every other order of
    the tools redirects to that of the page."""

    def make(content: Content) -> HttpResponse:
        chosen, own = checked(FieldsForm(request.GET)), _own(request, content)
        page, is_own_address = comparison_at(content, pair, own.weights)
        if not is_own_address:
            own_pair = SEPARATOR.join(tool.slug for tool in page.tools)
            path = reverse("programs:api-comparison", args=[own_pair])
            query = request.GET.urlencode()
            return redirect(f"{path}?{query}" if query else path, permanent=True)
        response = _json(only_fields(data.comparison_data(page), chosen))
        return response if page.comparison else not_shared(response)

    return from_content(make, request)


@_route("/search", Found, SearchForm)
def search_everything(request: HttpRequest) -> HttpResponse:
    """What the site's search finds for `q`."""

    def make(content: Content) -> Mapping[str, Any]:
        chosen = checked(SearchForm(request.GET))
        found = public_results(search(chosen["q"] or "", Scope(content.now)), content)
        values: Found = {
            "tools": [data.listed_tool_data(row) for row in found.tools],
            "comparisons": [data.listed_comparison_data(row) for row in found.pairs],
            "categories": [data.category_data(content, row) for row in found.categories],
            "reviewers": [data.reviewer_data(content, row) for row in found.reviewers],
        }
        return only_fields(values, chosen)

    return _answer(request, make)


@_route("/methodology", shapes.MethodologyData)
def methodology(request: HttpRequest) -> HttpResponse:
    """The numbers of the rules, and today's of the panel."""

    def make(content: Content) -> Mapping[str, Any]:
        return only_fields(data.methodology_data(content), checked(FieldsForm(request.GET)))

    return _answer(request, make)


def _own(request: HttpRequest, content: Content) -> Any:
    own = own_panel(request.path, request.GET, content.reviewers, refuses=True)
    refuse(own.notices)
    return own


def _listed(
    request: HttpRequest, chosen: Mapping[str, Any], cursor: str, items: Iterable[Mapping[str, Any]]
) -> Mapping[str, Any]:
    query = request.GET.copy()
    query["cursor"] = cursor
    following = data.absolute(f"{request.path}?{query.urlencode()}") if cursor else None
    return {"items": [only_fields(item, chosen) for item in items], "next": following}


def _answer(request: HttpRequest, make: Make) -> HttpResponse:
    return _json(from_content(make, request))


def _json(values: Mapping[str, Any]) -> HttpResponse:
    text = json.dumps(values, ensure_ascii=False)
    return for_programs(HttpResponse(text, content_type="application/json; charset=utf-8"))


@api.exception_handler(BadRequestError)
def _bad_request(request: HttpRequest, error: BadRequestError) -> HttpResponse:
    return problem(400, str(error))


@api.exception_handler(Http404)
def _not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem(404, str(error))


@cache
def _description() -> str:
    schema = api.get_openapi_schema(path_prefix=f"/{PREFIX}")
    return json.dumps(schema, ensure_ascii=False)


def _openapi(request: HttpRequest) -> HttpResponse:
    return HttpResponse(_description(), content_type="application/json; charset=utf-8")


def _as_public(view: View) -> View:
    """A public view. With a query nothing is cached, since any key may be a filter."""
    return public(uncached=[""], tallies=True)(_reading(view))


def _reading(view: View) -> View:
    """A view that answers GET and HEAD, and scripts of other sites that ask whether they may."""

    def answer(request: HttpRequest, /, **parts: str) -> HttpResponse:
        if request.method == "OPTIONS":
            return preflight(METHODS, "If-None-Match")
        if request.method not in ("GET", "HEAD"):
            response = for_programs(problem(405, "The API only answers GET and HEAD."))
            response["Allow"] = f"{METHODS}, OPTIONS"
            return response
        method, request.method = request.method, "GET"
        try:
            return for_programs(view(request, **parts))
        finally:
            request.method = method

    return answer


def _unknown(request: HttpRequest, rest: str = "") -> HttpResponse:
    description = data.absolute(f"/{PREFIX}openapi.json")
    return problem(404, f"The API has no such address; {description} lists all.")


def _patterns() -> list[URLPattern]:
    found = [path(f"{PREFIX}openapi.json", _as_public(_openapi), name="api-openapi")]
    for pattern in api.urls[0]:
        if isinstance(pattern, URLPattern) and pattern.name != "api-root":
            address = f"{PREFIX}{pattern.pattern}"
            found.append(
                path(address, _as_public(cast(View, pattern.callback)), name=f"api-{pattern.name}")
            )
    unknown = csrf_exempt(_reading(_unknown))
    found.append(path(PREFIX, unknown, name="api-root"))
    found.append(path(f"{PREFIX}<path:rest>", unknown, name="api-unknown"))
    return found


urlpatterns = _patterns()
