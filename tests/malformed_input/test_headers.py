"""Every string in every header and cookie that the site or other software reads."""

import gzip
from ipaddress import ip_address
from typing import Any

import brotli
from pytest_django.fixtures import Settings

from shipskip.page_cache.middleware import PageCache
from shipskip.web.network import client_address, network_of
from tests import addresses
from tests.malformed_input.checking import Checker
from tests.malformed_input.sample_site import SampleSite
from tests.malformed_input.sender import Sender
from tests.page_cache.counts import answered
from tests.reviews.voters import row_counts

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


def test_no_header_cookie_or_unknown_key_changes_a_public_page(
    strings, sender: Sender, page_cache: PageCache, sample_site: SampleSite
):
    """Each page as cached, after a request that could have injected text into it. The API refuses
    unknown keys: tests/programs/test_api.py.
    """
    for path in map(str.encode, addresses.PUBLIC.values()):
        page_cache.reset()
        first = dict.fromkeys(HEADERS, b"<a-word>")
        sender.send(path, [("first", b"<a-word>")], headers=first)
        clean, before = sender.send(path), answered("hit")
        assert b"a-word" not in clean.content
        same = {name: value for name, value in clean.items() if name not in OF_ENCODING}
        for text in strings:
            headers = dict.fromkeys([*HEADERS, *FOR_THE_PAGE], text)
            cookies = dict.fromkeys(COOKIES, text)
            query = [] if path.startswith(b"/api/") else [(text, text)]
            response = sender.send(path, query, headers=headers, cookies=cookies)
            if response.status_code == 304:
                assert b"*" in text, (path, text)
                continue
            assert response.status_code == clean.status_code, (path, text)
            assert unpacked(response) == clean.content, (path, text)
            sent = {name: value for name, value in response.items() if name not in OF_ENCODING}
            assert sent == same, (path, text)
            assert not response.cookies, (path, text)
        assert answered("hit") > before + len(strings) - 9 or clean.status_code == 302, path


def test_no_header_or_cookie_shows_another_visitor_s_data(
    strings, sender: Sender, private_checker: Checker, sample_site: SampleSite
):
    """A visitor's data is shown only for their id with its signature."""
    before = row_counts()
    stolen = sample_site.theirs.id.hex.encode()
    for number, text in enumerate(strings):
        headers = dict.fromkeys([*HEADERS, "If-None-Match"], text)
        forged = stolen + (b":" if number % 4 < 2 else b"") + text
        places = (b"/me/marks/", b"/bookmarks/")[:: 1 if number % 2 else -1]
        for path, cookie in zip(places, (text or b"-", forged), strict=True):
            cookies = dict.fromkeys(COOKIES, text) | {"visitor": cookie}
            response = sender.send(path, [("tools", b"beta")], headers=headers, cookies=cookies)
            assert not private_checker.faults(response, text), (path, text)
            assert response.status_code == 200, (path, text)
            assert response["Cache-Control"] == "private, no-store"
    assert row_counts() == before


def test_another_visitor_s_cookie_would_show_their_data(
    sender: Sender, private_checker: Checker, sample_site: SampleSite
):
    response = sender.send(b"/me/marks/", cookies={"visitor": sample_site.theirs.cookie})
    assert private_checker.faults(response) == [f"revealed {sample_site.theirs.slug!r}"]


def test_requests_for_other_hosts_are_refused(
    strings, sender: Sender, page_cache: PageCache, checker: Checker
):
    """From the page cache and from a view, in turn; no answer names the host."""
    pages = [b"/robots.txt", b"/me/"]
    for path in pages:
        sender.send(path)
    for number, text in enumerate(strings):
        headers = {"Host": text, "X-Forwarded-Host": text}
        response = sender.send(pages[number % 2], headers=headers)
        assert not checker.faults(response, text), text
        assert response.status_code == 400, text


def test_no_kind_or_length_of_a_body_breaks_a_form(strings, sender: Sender, checker: Checker):
    before = row_counts()
    for text in strings:
        for name in ("Content-Type", "Content-Length", "Content-Encoding", "Transfer-Encoding"):
            form = [("choice", b"ship"), ("address", b"a@b.example")]
            response = sender.send(b"/me/forget/", form=form, headers={name: text})
            assert not checker.faults(response, text), (name, text)
            assert response.status_code in (303, 400, 413), (name, text)
    assert row_counts() == before


def test_no_header_opens_the_metrics_or_sets_a_request_id(
    strings, sender: Sender, checker: Checker, settings: Settings
):
    settings.METRICS_TOKEN, settings.TRUSTED_PROXIES = "the-token-of-the-numbers", ["127.0.0.1"]
    for text in strings:
        for shown in (text, b"Bearer " + text):
            headers = {"Authorization": shown, "X-Request-ID": text}
            response = sender.send(b"/metrics", headers=headers)
            assert not checker.faults(response, text), text
            assert response.status_code == 401, text
            assert response["X-Request-ID"].replace("-", "").isalnum(), text


def test_no_header_of_a_trusted_proxy_forges_an_address(strings, rf, settings: Settings):
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    for text in strings:
        for hops in (text, text + b", 192.0.2.7", b"192.0.2.7, " + text):
            request = rf.get("/", headers={"X-Forwarded-For": hops.decode("latin-1")})
            address = client_address(request)
            assert address == ip_address(str(address)), hops
            assert "/" in network_of(address), hops
