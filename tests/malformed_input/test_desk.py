"""Every string as a parameter of the desk's lists and screens, and in its paths.

The desk's pages are the slowest, and only editors see them: the views are called directly,
without the middlewares of every page, and the answer is rendered for every second of the strings
with a character that is special to HTML. Our own strings that a database may refuse (broken
encodings, NUL, large numbers, long texts) go to every list, screen and path; each of those gets
some of the other strings in turn, because ordinary text is the same for all of them.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.core.handlers.wsgi import WSGIRequest
from django.db import connection
from django.http import Http404, HttpResponse
from django.urls import URLResolver, get_resolver, resolve
from django_htmx.middleware import HtmxDetails

from shipskip.desk import coverage
from tests.malformed_input.checking import SPECIAL, Checker, marked
from tests.malformed_input.sample_site import SampleSite
from tests.malformed_input.sender import Parameters, environ
from tests.malformed_input.strings import OWN, REFUSABLE
from tools.models import Category

LISTS = [
    f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry
]
REFUSALS = (Http404, PermissionDenied, SuspiciousOperation, BadRequest)


TO_EVERY_PLACE = {text for text in OWN if REFUSABLE.search(text)}


class Desk:
    """The desk as one editor sees it, page by page."""

    def __init__(self, checker: Checker, user: User) -> None:
        self.checker, self.user, self.rendering = checker, user, True
        self.rendered = 0

    def request(self, path: bytes, query: Parameters = (), form: Parameters | None = None) -> Any:
        """A request of the editor, as a view gets it from the middlewares."""
        request: Any = WSGIRequest(environ(path, query, form))
        request.user, request.session = self.user, SessionStore()
        request._messages = FallbackStorage(request)
        request.htmx = HtmxDetails(request)
        request._dont_enforce_csrf_checks = True
        return request

    def choose(self, strings: list[bytes], turn: int, turns: int) -> Iterator[bytes]:
        """What every place gets, on PostgreSQL all of its few strings, and the others whose turn
        it is; sets what is rendered.
        """
        special, few = 0, connection.vendor == "postgresql"
        for number, text in enumerate(strings):
            if few or text in TO_EVERY_PLACE or number % turns == turn:
                special += bool(SPECIAL.search(text))
                self.rendering = bool(SPECIAL.search(text)) and special % 2 == 1
                self.rendered += self.rendering
                yield text

    def send(
        self, text: bytes, path: bytes, query: Parameters = (), form: Parameters | None = None
    ) -> Any:
        """The answer, rendered if required, checked for faults; None where the view refuses."""
        request = self.request(path, query, form)
        try:
            match = request.resolver_match = resolve(request.path_info)
            response = match.func(request, *match.args, **match.kwargs)
            if self.rendering and not getattr(response, "is_rendered", True):
                response.render()
        except REFUSALS:
            return None
        if getattr(response, "is_rendered", True):
            assert not self.checker.faults(response, text), (path, query, text)
        return response


@pytest.fixture
def desk(desk_checker: Checker, sample_site: SampleSite, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The desk, without the parts of pages that do not depend on the request."""
    found = Desk(desk_checker, User.objects.create_superuser("editor"))

    def instead(place: Any, name: str, answer: Any) -> None:
        drawn = getattr(place, name)
        monkeypatch.setattr(
            place, name, lambda *args, **more: (drawn if found.rendering else answer)(*args, **more)
        )

    instead(admin.site, "get_app_list", lambda *args, **more: [])
    instead(coverage, "table_for", lambda *args: None)
    instead(coverage, "totals_at", lambda *args: None)
    instead(coverage, "render", lambda *args: HttpResponse())
    return found


def list_at(path: str) -> Any:
    """The ModelAdmin of the list at a path."""
    view: Any = resolve(path).func
    return view.model_admin


def filters_of(desk: Desk, path: str) -> list[str]:
    """The query keys of a list's filters."""
    request, model_admin = desk.request(path.encode()), list_at(path)
    specs = model_admin.get_changelist_instance(request).filter_specs
    return [key for spec in specs for key in spec.expected_parameters()]


SEARCH = ("q", "o", "p", "all", "e", "_facets", "_popup")
"""The query keys of every list: search, order, page and display options."""


@pytest.mark.both_databases
@pytest.mark.parametrize("path", LISTS)
def test_no_search_or_filter_breaks_a_list(all_strings, desk: Desk, path):
    """The search with all filters that take any text; each of the others by itself, as it refuses
    unknown values. Where all together are refused, each is sent by itself.
    """
    place, shift = path.encode(), LISTS.index(path)
    keys = [*filters_of(desk, path), "_to_field"]
    strict = [key for key in keys if not answered(desk.send(b"no", place, [(key, b"no")]))]
    together = [*SEARCH, *(key for key in keys if key not in strict)]
    for text in desk.choose(all_strings, shift, len(LISTS)):
        taken = answered(desk.send(text, place, [(key, marked(text)) for key in together]))
        desk.rendering = False
        for key in strict if taken else [*strict, *together]:
            desk.send(text, place, [(key, text)])
    assert desk.checker.echoes >= desk.rendered > 0 or not list_at(path).search_fields


def answered(response: Any) -> bool:
    """Whether the answer is the list itself."""
    return response is not None and response.status_code == 200


LOOKUPS = ("", "__contains", "__startswith", "__in", "__range", "__regex", "__year", "__gte")
VALUES = [b"1", b"\0", b"(", b"1,99999999999999999999", b"0001-01-01T00:00+10:00"]


@pytest.mark.usefixtures("reaches_no_query")
@pytest.mark.parametrize("path", LISTS)
def test_a_list_accepts_only_its_own_filters(desk: Desk, path):
    """Otherwise it would reveal masked values letter by letter, and fail on values too large. Each
    key is refused by its name: it gets a letter, and one of the other values in turn.
    """
    desk.rendering = False
    model_admin = list_at(path)
    own = {*filters_of(desk, path), *getattr(model_admin, "extra_lookups", ())}
    fields = [field.name for field in model_admin.model._meta.get_fields()]
    keys = [f"{field}{lookup}" for field in fields for lookup in LOOKUPS]
    for number, key in enumerate(key for key in keys if key not in own):
        for value in (b"a", VALUES[number % len(VALUES)]):
            assert not answered(desk.send(value, path.encode(), [(key, value)])), key


FORMS = {
    "coverage": ("q", "what", "reviewer", "category", "state", "sort", "page"),
    "tools/category/deleted": ("page",),
    "tools/category/{pk}/history": ("page",),
}


@pytest.mark.both_databases
@pytest.mark.parametrize("path", FORMS)
def test_no_filter_breaks_a_screen(all_strings, desk: Desk, path):
    """All at once: each is read by itself."""
    place = f"/admin/{path.format(pk=Category.objects.get(slug='quiet').pk)}/".encode()
    shift = [*FORMS].index(path)
    for text in desk.choose(all_strings, shift, len(FORMS)):
        query = [(key, marked(text)) for key in FORMS[path]]
        assert desk.send(text, place, query).status_code == 200
    assert desk.checker.echoes >= desk.rendered > 0


GOOD = {"app_label": b"reviews", "model_name": b"take", "field_name": b"tool", "term": b"a"}


@pytest.mark.both_databases
def test_no_text_causes_an_error_in_the_search_during_typing(strings, desk: Desk):
    for text in strings:
        for key in (*GOOD, "page"):
            query = list((GOOD | {key: text}).items())
            response = desk.send(text, b"/admin/autocomplete/", query)
            refused = response is None or response.status_code == 403
            assert refused or response["Content-Type"] == "application/json"


@pytest.mark.both_databases
def test_no_address_breaks_the_search_for_a_subscriber(strings, desk: Desk):
    for text in strings:
        response = desk.send(text, b"/admin/newsletter/subscriber/find/", form=[("address", text)])
        assert response.status_code == 303


def routes(resolver: URLResolver, before: str = "/") -> Iterator[str]:
    """The desk's addresses, with `%s` for each variable part."""
    for row in resolver.url_patterns:
        if isinstance(row, URLResolver):
            yield from routes(row, before + str(row.pattern))
        else:
            yield before + re.sub(r"<[^>]+>", "%s", str(row.pattern))


PLACES = [
    path
    for path in routes(get_resolver())
    if path.startswith("/admin/") and "%s" in path and "(" not in path
]
"""The desk's addresses with a variable part."""


@pytest.mark.both_databases
def test_no_part_of_a_path_breaks_the_desk(strings, desk: Desk):
    """An invalid key is refused in the same way for every model: each string goes to the addresses
    of one, what a database may refuse to those of every fourth.
    """
    desk.rendering = False
    kinds = [[path for path in PLACES if path.startswith(start)] for start in LISTS]
    others = [path for path in PLACES if not path.startswith(tuple(LISTS))]
    assert len(PLACES) > 60
    assert all(kinds)
    for number, text in enumerate(strings):
        chosen = kinds[number % 4 :: 4] if text in TO_EVERY_PLACE else [kinds[number % len(kinds)]]
        for path in [*chain.from_iterable(chosen), *others]:
            desk.send(text, path.encode().replace(b"%s", text))
