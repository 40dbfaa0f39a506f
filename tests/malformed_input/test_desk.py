"""Malformed input in the queries, searches and addresses of the desk."""

import re
from collections.abc import Iterator
from itertools import chain, product

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import RequestFactory
from django.urls import URLResolver, get_resolver

from tests.malformed_input.junk import AT_DATABASE, FEW, any_junk, faults
from tests.malformed_input.sender import Sender
from tools.models import Category

LISTS = {
    f"/admin/{model._meta.app_label}/{model._meta.model_name}/": admin.site.get_model_admin(model)
    for model in apps.get_models()
    if admin.site.is_registered(model)
}
OF_EVERY_LIST = ("o", "p", "all", "e", "_facets", "_popup", "_to_field")
"""What Django reads in each list in the same way: order, page and display options."""


def filters_of(path: str, user: User) -> list[str]:
    """The query keys of a list's filters."""
    request = RequestFactory().get(path)
    request.user = user
    specs = LISTS[path].get_changelist_instance(request).filter_specs
    return [key for spec in specs for key in spec.expected_parameters() if key]


@pytest.mark.both_databases
def test_no_search_or_filter_breaks_a_list(sender: Sender, editor):
    """Each key is sent by itself, because a list stops at the first that it refuses."""
    user = User.objects.get()
    for path in LISTS:
        keys = ["q", *filters_of(path, user), *(OF_EVERY_LIST if "/tool/" in path else ())]
        for key, text in product(keys, (b"9" * 400, b"\0")):
            response = sender.send(path.encode(), [(key, text)], cookies=editor)
            assert not faults(response), (path, key, text)
        refused = sender.send(path.encode(), [("q", b"\0")], cookies=editor)
        assert (refused.status_code, faults(refused)) == (302, []), path


@pytest.mark.usefixtures("reaches_no_query")
def test_a_list_accepts_only_its_own_filters(editor):
    """Otherwise it would reveal masked values letter by letter, and fail on values too large."""
    for path, screen in LISTS.items():
        request = RequestFactory().get(path)
        request.user = User.objects.get()
        own = {*filters_of(path, request.user), *getattr(screen, "extra_lookups", ())}
        fields = [field.name for field in screen.model._meta.get_fields()]
        for key in (f"{field}{lookup}" for field in fields for lookup in ("", "__startswith")):
            assert key in own or not screen.lookup_allowed(key, "a", request), key


SCREENS = {
    "coverage": ("q", "what", "reviewer", "category", "state", "sort", "page"),
    "tools/category/deleted": ("page",),
    "tools/category/{pk}/history": ("page",),
}
GOOD = {"app_label": b"reviews", "model_name": b"take", "field_name": b"tool", "term": b"a"}


@pytest.mark.both_databases
@any_junk(FEW[0], *AT_DATABASE, b"x" * 10_000)
def test_no_query_breaks_a_screen_or_a_search(sender: Sender, editor, text):
    """Each key is read by itself."""
    pk = Category.objects.get(slug="quiet").pk
    for path, keys in SCREENS.items():
        place = f"/admin/{path.format(pk=pk)}/".encode()
        response = sender.send(place, [(key, text) for key in keys], cookies=editor)
        assert not faults(response), path
        assert response.status_code == 200, path
    for key in (*GOOD, "page"):
        query = list((GOOD | {key: text}).items())
        assert not faults(sender.send(b"/admin/autocomplete/", query, cookies=editor)), key
    found = sender.send(
        b"/admin/newsletter/subscriber/find/", form=[("address", text)], cookies=editor
    )
    assert not faults(found)
    assert found.status_code == 303


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
@any_junk(*FEW[:2], b"9" * 400, b"../../", b"1/change")
def test_no_part_of_a_path_breaks_the_desk(sender: Sender, editor, text):
    """An invalid key is refused in the same way for every model: those of two kinds are tried."""
    kinds = [[path for path in PLACES if path.startswith(start)] for start in LISTS]
    assert len(PLACES) > 60
    assert all(kinds)
    others = [path for path in PLACES if not path.startswith(tuple(LISTS))]
    chosen = ("/admin/tools/tool/", "/admin/newsletter/issue/")
    of_two = [path for path in chain(*kinds) if path.startswith(chosen)]
    for path in [*of_two, *others]:
        response = sender.send(path.encode().replace(b"%s", text), cookies=editor)
        assert not faults(response), path
