"""What a page is kept under: no stranger's query fills the memory, or changes a page."""

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import path as route

from shipskip.web.caching import Notes, public
from shipskip.web.memory import counts
from shipskip.web.memory.kept import Page
from shipskip.web.memory.middleware import memory
from shipskip.web.memory.shelf import Shelf
from tests.site import addresses

FILTERED = {
    "tools:list": "/tools/?q=alpha&category=agents&entry=free&sort=name",
    "tools:changes": "/tools/alpha/changes/?page=1",
    "tools:category": "/categories/agents/?page=1",
    "reviews:reviewer": "/reviewers/builder/?category=agents",
    "comparisons:suggest": "/compare/suggest/?tools=al",
    "sitemap-section": "/sitemap-tools.xml?p=1",
}


def is_hit(client, path: str) -> bool:
    """Whether memory answers this."""
    before = counts["hit"]
    client.get(path)
    return counts["hit"] > before


UNKNOWN = ["utm_source=x", "fbclid=1&gclid=2", "a[]=1", "%00=%ff", "&&=", "x"]


@pytest.mark.parametrize("query", UNKNOWN)
def test_a_query_that_a_page_does_not_know_changes_nothing(client, page_memory, query):
    addresses.world()
    paths = list(addresses.PUBLIC.values()) if query == UNKNOWN[0] else ["/tools/", "/compare/"]
    for path in paths:
        memory.plain.clear()
        given = client.get(f"{path}?{query}")
        assert path == "/favicon.ico" or is_hit(client, path)
        memory.plain.clear()
        assert client.get(path).content == given.content
        assert path == "/favicon.ico" or is_hit(client, f"{path}?{query}")
    assert len(memory.asked) == 0


@pytest.mark.parametrize("path", FILTERED.values(), ids=FILTERED)
def test_a_page_is_kept_by_the_keys_it_knows_whatever_their_order(client, page_memory, path):
    addresses.world()
    first = client.get(path)
    assert first.status_code == 200
    place, _, query = path.partition("?")
    turned = "&".join(reversed(query.split("&")))
    for same in (path, f"{place}?{turned}&utm=1", f"{path}&junk", f"{place}?{query[:2]}=&{query}"):
        assert client.get(same).content == first.content
    assert is_hit(client, path)
    assert len(memory.asked) == 1


def test_each_query_has_its_own_page(client, page_memory):
    addresses.world()
    paths = ["/tools/", "/tools/?q=alpha", "/tools/?q=beta", "/tools/?sort=name", "/tools/?page=1"]
    found = [client.get(path).content for path in paths]
    assert [client.get(path).content for path in paths] == found
    assert len(set(found[1:4])) == 3


REFUSED = {name: f"{path.partition('?')[0]}?page=-1" for name, path in FILTERED.items()}
REFUSED |= {
    "a page beyond the end": "/tools/?page=99",
    "a bad choice": "/tools/?sort=drop",
    "almost a filter": "/tools/?Category=agents",
    "picker": "/compare/?page=zzz",
    "picker with a name": "/compare/?tools=zzz",
    "long": "/tools/?q=" + "a" * 100 + "&category=" + "b" * 300,
}
del REFUSED["comparisons:suggest"], REFUSED["sitemap-section"]


@pytest.mark.parametrize("path", REFUSED.values(), ids=REFUSED)
def test_a_page_that_tells_of_a_refused_value_is_not_kept(client, page_memory, path):
    addresses.world()
    response = client.get(path)
    assert response.status_code == 200
    assert "public" in response["Cache-Control"]
    assert response.has_header("ETag")
    assert client.get(path).content == response.content
    assert len(memory.asked) == len(memory.plain) == 0


def test_every_page_that_reads_a_query_is_tried_above():
    """The picker too, whose names make a page of their own each time."""
    asked = {
        name
        for name, row in addresses.patterns()
        if getattr(getattr(row.callback, "query", None), "keys", ())
    }
    assert asked - {"newsletter:archive"} == set(FILTERED) | {"comparisons:picker"}


@public(query=["a", "b"], lists=["b"])
def echo(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{request.GET.urlencode()} {request.META['QUERY_STRING']}")


urlpatterns = [route("echo/", echo)]


@override_settings(ROOT_URLCONF="tests.memory.test_keys")
def test_a_view_sees_the_keys_that_it_names_and_no_others(client, page_memory):
    given = client.get("/echo/?x=1&b=2&a=&a=0&a=3&b=4&utm=5").content
    assert given == b"a=3&b=2&b=4 a=3&b=2&b=4"
    assert client.get("/echo/?x=1").content == client.get("/echo/").content == b" "


def page(size: int) -> Page:
    return Page(200, {}, b"x" * size, Notes())


def test_a_shelf_stays_within_its_bounds_and_keeps_what_is_read():
    shelf = Shelf(100_000)
    shelf.put("read", page(5_000))
    for number in range(200):
        shelf.put(f"/{number}/", page(5_000))
        assert shelf.get("read")
        assert shelf.weight <= shelf.limit
    assert 8 <= len(shelf) <= 20
    assert shelf.get("/199/")
    assert not shelf.get("/0/")


def test_a_shelf_refuses_what_would_empty_it():
    shelf = Shelf(100_000)
    shelf.put("small", page(1_000))
    shelf.put("huge", page(50_000))
    assert shelf.get("small")
    assert not shelf.get("huge")
    shelf.clear()
    assert (len(shelf), shelf.weight) == (0, 0)


def test_a_page_kept_twice_is_weighed_once():
    shelf = Shelf(100_000)
    one = page(9_000)
    for _ in range(3):
        shelf.put("one", one)
    weight = shelf.weight
    one.variant("gzip")
    shelf.put("one", one)
    assert weight < shelf.weight < weight + 1_000


def test_searches_drive_out_no_page_without_a_query(client, page_memory):
    addresses.world()
    client.get("/")
    memory.asked.limit = 200_000
    for number in range(30):
        client.get(f"/tools/?q=senseless{number}")
    assert 0 < len(memory.asked) < 30
    assert is_hit(client, "/")
