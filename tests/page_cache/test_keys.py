"""Cache keys: an invented query neither fills the memory nor changes a page."""

from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import path as route

from shipskip.page_cache.cached_page import CachedPage
from shipskip.page_cache.middleware import cache
from shipskip.page_cache.storage import PAGE_OVERHEAD, PageMemory
from shipskip.web.cache_control import public, public_view
from tests import addresses
from tests.page_cache.cached_pages import is_hit

FREE = "alpha-vs-gamma"
"""A pair that no editor compared."""

FILTERED = {
    "tools:list": "/tools/?verdict=split&category=agents&entry=free&sort=name",
    "tools:changes": "/tools/alpha/changes/?page=1",
    "tools:category": "/categories/agents/?page=1",
    "reviews:reviewer": "/reviewers/builder/?category=agents",
    "comparisons:detail": "/compare/alpha-vs-beta/?rows=differing",
    "sitemap-section": "/sitemap-tools.xml?p=1",
    "reports:report": "/tools/alpha/report/?about=status",
    "reports:corrections": "/corrections/?tool=alpha",
    "programs:tools_twin": "/tools.csv?page=1",
    "programs:category_twin": "/categories/agents.csv?page=1",
}


def test_an_unknown_query_key_changes_nothing(client, page_cache):
    addresses.sample_site()
    redirects = {addresses.PUBLIC[name] for name in addresses.REDIRECTS}
    # the API refuses an unknown key
    paths = [path for path in addresses.PUBLIC.values() if not path.startswith("/api/")]
    others = ("fbclid=1&gclid=2", "a[]=1", "%00=%ff", "&&=", "x")
    cases = [(path, "utm_source=x") for path in paths] + [("/tools/", query) for query in others]
    for path, query in cases:
        cache.reset()
        given = client.get(f"{path}?{query}")
        assert path in redirects or is_hit(client, path), (path, query)
        cache.reset()
        assert client.get(path).content == given.content, (path, query)
        assert path in redirects or is_hit(client, f"{path}?{query}"), (path, query)
    assert len(cache.others.pages) == 0


def test_tools_in_another_order_redirect_and_only_editors_comparisons_are_shared(
    client, page_cache
):
    """Every public view of several tools: anyone could fill nginx's cache with sets of ten."""
    addresses.sample_site()
    views = [name for name, row in addresses.patterns() if "pair>" in str(row.pattern)]
    paths = [addresses.PUBLIC[name] for name in views]
    for path in paths:
        other, free = (path.replace("alpha-vs-beta", pair) for pair in ("beta-vs-alpha", FREE))
        assert client.get(other).status_code in (301, 302), other
        for form in (other, other.replace("alpha", "Alpha"), free):
            response = client.get(form, headers={"x-front": "1"})
            assert response["X-Accel-Expires"] == "0", form
        if not path.startswith("/pictures/"):
            assert client.get(other)["Location"] == path
            assert client.get(path, headers={"x-front": "1"})["X-Accel-Expires"] != "0", path
    assert len(cache.pages.pages) == len(paths) - 1


def test_a_page_is_cached_by_its_known_keys_in_any_order(client, page_cache):
    addresses.sample_site()
    for path in FILTERED.values():
        cache.reset()
        first = client.get(path)
        assert first.status_code == 200, path
        place, _, query = path.partition("?")
        turned = "&".join(reversed(query.split("&")))
        same = (path, f"{place}?{turned}&utm=1", f"{path}&junk", f"{place}?{query[:2]}=&{query}")
        for other in same:
            assert client.get(other).content == first.content, other
        assert is_hit(client, path), path
        assert len(cache.others.pages) == 1, path
    paths = ["/tools/", "/tools/?verdict=ship", "/tools/?verdict=split"]
    pages = [client.get(path).content for path in paths]
    assert [client.get(path).content for path in paths] == pages
    assert len(set(pages)) == 3, "each query has its own page"


REFUSED = {name: f"{path.partition('?')[0]}?page=-1" for name, path in FILTERED.items()}
REFUSED |= {
    "a page beyond the end": "/tools/?page=99",
    "a bad choice": "/tools/?sort=drop",
    "almost a filter": "/tools/?Category=agents",
    "picker": "/compare/?page=zzz",
    "picker with a name": "/compare/?tools=zzz",
    "long": "/tools/?q=" + "a" * 100 + "&category=" + "b" * 300,
}
REFUSED["comparisons:detail"] = "/compare/alpha-vs-beta/?rows=zzz"
REFUSED["reports:report"] = "/tools/alpha/report/?about=zzz"
del REFUSED["sitemap-section"]

SEARCHES = """
/search/?q=alpha /search/?q=zzz /search/suggest/?q=al
/tools/?q=alpha /compare/suggest/?tools=al
""".split()
"""Anyone could fill a cache with these; and the index may be a second older than the rows."""
NEVER_CACHED = {"comparisons:picker", "comparisons:suggest", "search:results", "search:suggest"}


def test_no_cache_stores_a_search_or_a_page_that_reports_a_refused_value(client, page_cache):
    addresses.sample_site()
    for path in [*SEARCHES, *REFUSED.values()]:
        response = client.get(path, headers={"x-front": "1"})
        assert response.status_code == 200, path
        assert "public" in response["Cache-Control"], path
        if path in SEARCHES:
            assert response["X-Accel-Expires"] == "0", path
        else:
            assert response.has_header("ETag"), path
        assert len(cache.others.pages) == len(cache.pages.pages) == 0, path


def test_the_tests_above_cover_every_page_that_reads_a_query():
    views = {name: public_view(row.callback) for name, row in addresses.patterns()}
    with_query = {name for name, view in views.items() if view and view.keys}
    assert with_query - {"newsletter:archive"} == set(FILTERED) | NEVER_CACHED, "add it to FILTERED"


@public(query=["a", "b"], lists=["b"])
def echo(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{request.GET.urlencode()} {request.META['QUERY_STRING']}")


urlpatterns = [route("echo/", echo)]


@override_settings(ROOT_URLCONF="tests.page_cache.test_keys")
def test_a_view_sees_only_the_query_keys_that_it_names(client, page_cache):
    given = client.get("/echo/?x=1&b=2&a=&a=0&a=3&b=4&utm=5").content
    assert given == b"a=3&b=2&b=4 a=3&b=2&b=4"
    assert client.get("/echo/?x=1").content == client.get("/echo/").content == b" "


def page(size: int) -> CachedPage:
    return CachedPage(200, {}, b"x" * size, expires=2**40)


def test_memory_has_a_limit_and_removes_the_least_recently_used_page():
    memory = PageMemory(100_000)
    memory.set("read", page(5_000))
    for number in range(200):
        memory.set(f"/{number}/", page(5_000))
        assert memory.get("read")
        assert memory.pages.currsize <= 100_000
    assert len(memory.pages) == 100_000 // (5_000 + PAGE_OVERHEAD)
    assert memory.get("/199/")
    assert not memory.get("/0/")
    memory.set("huge", page(50_000))
    assert memory.get("/199/")
    assert not memory.get("huge"), "too large to be stored"


def test_pages_with_a_query_remove_no_page_without_a_query(client, page_cache):
    addresses.sample_site()
    client.get("/")
    page_cache.others = PageMemory(100_000)
    for number in range(30):
        client.get(f"/sitemap-tools.xml?p={number + 1}")
    assert 0 < len(page_cache.others.pages) < 30
    assert is_hit(client, "/")
