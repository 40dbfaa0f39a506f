"""Malformed input in the addresses, queries, headers and cookies of readers' pages."""

import gzip
import re
from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

import brotli
import pytest
from django.urls import Resolver404, resolve
from django.utils.encoding import repercent_broken_unicode

from shipskip.page_cache.middleware import PageCache
from shipskip.web.cache_control import public_view
from shipskip.web.network import client_address, network_of
from tests import addresses
from tests.malformed_input.junk import FEW, any_junk, faults
from tests.malformed_input.sample_site import QUIET
from tests.malformed_input.sender import HTMX, Sender
from tests.page_cache.cached_pages import answered
from tests.reviews.voters import row_counts

PUBLIC_VIEWS = {
    name: view for name, row in addresses.patterns() if (view := public_view(row.callback))
}
LOOKED_UP = [
    *("tools:list", "search:results", "search:suggest", "comparisons:suggest"),
    *(name for name, view in PUBLIC_VIEWS.items() if view.lists),
]
"""Pages that look for what they are sent in the database."""

OTHERS = sorted((PUBLIC_VIEWS.keys() & QUIET.keys()) - {*LOOKED_UP})
WEIGHTS = ("weigh", "weigh-builder", "weigh-skeptic")
PRIVATE_KEYS = {
    *("removed", "compare", "tools", "done", "asked", "free"),
    *("url", "format", "maxwidth", "maxheight"),
}
"""The query keys of private pages and of oEmbed."""

KEYS = {*WEIGHTS, *PRIVATE_KEYS, *(key for view in PUBLIC_VIEWS.values() for key in view.keys)}
"""Every query key that gets malformed input."""


def send_as_all_keys(sender: Sender, name: str, text: bytes) -> None:
    """Send a public page all the keys that it reads, each twice, and keys that it does not."""
    view = PUBLIC_VIEWS[name]
    keys: list[Any] = [*view.keys, *(WEIGHTS if view.uncached else ()), text, b"page" + text]
    query = [(key, value) for key in keys for value in (b"1", text)]
    headers = HTMX if len(text) % 2 else {}
    response = sender.send(QUIET[name].encode(), query, headers=headers)
    assert not faults(response), name
    assert response.status_code in (200, 302, 400, 404), (name, response.status_code)
    assert not response.cookies, name


@pytest.mark.both_databases
@any_junk()
def test_no_text_that_is_looked_up_breaks_a_page(sender, sample_site, text):
    """What is suggested is found as on the pages: one of each kind is enough for it."""
    for name in LOOKED_UP:
        if text in FEW or not name.endswith(":suggest"):
            send_as_all_keys(sender, name, text)


@pytest.mark.usefixtures("reaches_no_query")
@any_junk(*FEW)
def test_no_query_breaks_any_other_public_page(sender, text):
    """Pages that read no key get one of the texts as keys that they do not know."""
    assert len(OTHERS) > 50
    for name in OTHERS:
        view = PUBLIC_VIEWS[name]
        if text == FEW[0] or view.keys or "weigh" in view.uncached:
            send_as_all_keys(sender, name, text)


@pytest.mark.both_databases
@any_junk()
def test_no_query_breaks_a_visitor_s_pages(sender, sample_site, mine, text):
    """They show the visitor's own tools still, and nobody else's."""
    secrets = [*sample_site.secrets, sample_site.theirs.slug]
    others = (b"/me/forget/", b"/newsletter/join/") if text in FEW else ()
    for path in (b"/me/marks/", b"/bookmarks/", b"/oembed", *others):
        query: list[Any] = [(key, text) for key in sorted(PRIVATE_KEYS)] + [(text, text)]
        response = sender.send(path, query, cookies=mine)
        assert not faults(response, secrets)
        assert response.status_code in ((404, 501) if path == b"/oembed" else (200,))
        if path in (b"/me/marks/", b"/bookmarks/"):
            assert sample_site.mine.slug in response.content.decode()


FORMATS = {"feed_format": "atom", "twin": "json", "table": "csv"}
"""An end of an address for each kind of twin."""


def with_gap(pattern: str) -> bytes:
    """An address with a gap for each variable part; the end that names a format is known, if
    another part varies too.
    """
    if pattern.count("<") > 1:
        pattern = re.sub("<([a-z_]+):[a-z_]+>", lambda it: FORMATS.get(it[1], "%s"), pattern)
    return f"/{re.sub('<[^>]+>', '%s', pattern)}".encode()


GAPS = [
    with_gap(str(row.pattern))
    for name, row in addresses.patterns()
    if not name.startswith("admin:") and "<" in str(row.pattern)
]
"""The site's addresses with a variable part."""

WITHOUT_VIEW = [b"/%s/", b"/%s", b"/static/%s", b"/compare/%s-vs-beta/", b"/compare/%s-vs-%s"]


def has_view(path: bytes) -> bool:
    """Whether an address has a view."""
    try:
        resolve(repercent_broken_unicode(path).decode())
    except Resolver404:
        return False
    return True


IN_PATHS = (
    *(*FEW[:3], b"9" * 400, b"x" * 10_000, b"-vs-", b"alpha-vs-beta-vs-gamma", b"%", b"%00"),
    *(b"//evil.example/", b"/\\evil.example", b"/\t/evil.example", b"a\r\nSet-Cookie: junk=1"),
)


@pytest.mark.both_databases
@any_junk(*IN_PATHS)
def test_no_part_of_a_path_breaks_the_site(sender, sample_site, text):
    """A redirect stays on the site; a path too long for one is a bad request. Addresses without a
    view all get the same 404 page: two of them are tried.
    """
    paths = [path.replace(b"%s", text) for path in [*GAPS, *WITHOUT_VIEW]]
    with_view = [path for path in paths if has_view(path)]
    for path in [*with_view, *[path for path in paths if path not in with_view][-2:]]:
        response = sender.send(path)
        assert not faults(response, sample_site.secrets), path
        assert response.status_code in (200, 301, 302, 400, 404, 405), path
        assert not response.cookies, path


HEADERS = [
    *("Accept", "Accept-Language", "Authorization", "Cache-Control", "Forwarded", "From"),
    *("HX-Boosted", "HX-Current-URL", "HX-Current-URL-URI-AutoEncoded", "HX-Prompt", "HX-Target"),
    *("HX-History-Restore-Request", "HX-Trigger", "HX-Trigger-Name", "Triggering-Event"),
    *("If-Match", "If-Modified-Since", "If-Range", "If-Unmodified-Since", "Origin", "Range"),
    *("Referer", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "User-Agent", "Via"),
    *("X-CSRFToken", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Request-ID"),
    *("X-Forwarded-Proto", "X-HTTP-Method-Override", "X-Original-URL", "X-Real-IP"),
    *("Purpose", "Sec-Purpose", "X-Rewrite-URL", "Mcp-Protocol-Version"),
]
"""Headers that change no answer, except where the redirect back uses them."""

FOR_THE_PAGE = ["Accept-Encoding", "HX-Request", "If-None-Match"]
"""Headers that change how an answer is sent."""

OF_ENCODING = {"Content-Encoding", "Content-Length", "ETag"}
COOKIES = ["csrftoken", "messages", "sessionid", "visitor", "__Host-visitor", "marks"]


def unpacked(response: Any) -> bytes:
    """The uncompressed body."""
    unpack = {"": bytes, "br": brotli.decompress, "gzip": gzip.decompress}
    found: bytes = unpack[response.get("Content-Encoding", "")](response.content)
    return found


OF_EACH_KIND = {
    *("home", "tools:list", "programs:api-tools", "programs:verdicts", "programs:badge"),
    "programs:comparison_picture",
}
"""A page, one that reads keys, the API, a feed, a picture and a redirect."""


def test_no_header_cookie_or_unknown_key_changes_a_public_page(
    sender: Sender, page_cache: PageCache, sample_site
):
    """The middleware treats all alike: one of each kind gets all named texts, the others two."""
    for name, path in addresses.PUBLIC.items():
        junk = any_junk() if name in OF_EACH_KIND else any_junk(*FEW[:2])
        assert_unchanged(sender, path, junk)


def assert_unchanged(sender: Sender, path: str, junk: Callable[..., Any]) -> None:
    """A page is as cached, after a request that could have injected text into it. The API refuses
    unknown keys: tests/programs/test_api.py. A key that resembles a known one is not cached.
    """
    place = path.encode()
    sender.send(place, [("first", b"<a-word>")], headers=dict.fromkeys(HEADERS, b"<a-word>"))
    clean = sender.send(place)
    assert b"a-word" not in clean.content
    same = {name: value for name, value in clean.items() if name not in OF_ENCODING}
    before, tried = answered("hit"), []

    @junk
    def send(text):
        response = sender.send(
            place,
            [] if path.startswith("/api/") else [(b"unknown" + text, text)],
            headers=dict.fromkeys([*HEADERS, *FOR_THE_PAGE], text),
            cookies=dict.fromkeys(COOKIES, text),
        )
        if response.status_code == 304:
            assert b"*" in text
            return
        tried.append(text)
        assert response.status_code == clean.status_code, path
        assert unpacked(response) == clean.content, path
        sent = {name: value for name, value in response.items() if name not in OF_ENCODING}
        assert sent == same, path
        assert not response.cookies, path

    send()
    assert answered("hit") == before + len(tried) or clean.status_code == 302, path


@any_junk(*FEW)
def test_no_header_or_cookie_shows_another_visitor_s_data(sender, sample_site, text):
    """A visitor's data is shown only for their id with its signature."""
    before = row_counts()
    stolen = sample_site.theirs.id.hex.encode()
    headers = dict.fromkeys([*HEADERS, "If-None-Match"], text)
    for cookie in (text or b"-", stolen + text, stolen + b":" + text):
        for path in (b"/me/marks/", b"/bookmarks/"):
            cookies = dict.fromkeys(COOKIES, text) | {"visitor": cookie}
            response = sender.send(path, [("tools", b"beta")], headers=headers, cookies=cookies)
            assert not faults(response, [*sample_site.secrets, sample_site.theirs.slug])
            assert response.status_code == 200
            assert response["Cache-Control"] == "private, no-store"
    assert row_counts() == before


def test_another_visitor_s_cookie_would_show_their_data(sender, sample_site):
    response = sender.send(b"/me/marks/", cookies={"visitor": sample_site.theirs.cookie})
    assert faults(response, [sample_site.theirs.slug]) == [f"secret {sample_site.theirs.slug!r}"]


@any_junk(*FEW)
def test_requests_for_other_hosts_are_refused(sender, sample_site, text):
    for path in (b"/robots.txt", b"/me/"):
        response = sender.send(path, headers={"Host": text, "X-Forwarded-Host": text})
        assert not faults(response)
        assert response.status_code == 400


@any_junk()
def test_no_header_opens_the_metrics_or_sets_a_request_id(sender, sample_site, settings, text):
    settings.METRICS_TOKEN, settings.TRUSTED_PROXIES = "the-token-of-the-numbers", ["127.0.0.1"]
    for shown in (text, b"Bearer " + text):
        headers = {"Authorization": shown, "X-Request-ID": text}
        response = sender.send(b"/metrics", headers=headers)
        assert not faults(response)
        assert response.status_code == 401
        assert response["X-Request-ID"].replace("-", "").isalnum()


@any_junk()
def test_no_header_of_a_trusted_proxy_forges_an_address(rf, settings, text):
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    for hops in (text, text + b", 192.0.2.7", b"192.0.2.7, " + text):
        request = rf.get("/", headers={"X-Forwarded-For": hops.decode("latin-1")})
        address = client_address(request)
        assert address == ip_address(str(address)), hops
        assert "/" in network_of(address), hops
