"""Answers of the cache: bytes and headers as rendered, compression, 304 and HEAD."""

import gzip

import brotli
import pytest
from django.http import HttpResponse
from django.test import Client

from shipskip.page_cache.cached_page import best_encoding, with_short_spaces
from shipskip.page_cache.middleware import cache
from tests import addresses
from tests.conftest import start_process
from tests.page_cache.cached_pages import answered, is_hit

PAIR = "/compare/alpha-vs-beta/"
ENCODINGS = {"": "", "br": "br", "gzip": "gzip", "gzip, deflate, br, zstd": "br", "*;q=0.1": "br"}


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        *ENCODINGS.items(),
        ("GZIP", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("br;q=0.2, gzip;q=0.9", "gzip"),
        ("gzip;q=0", ""),
        ("identity;q=1, br;q=0.5", ""),
        ("*;q=0", ""),
        ("br;q=junk", ""),
        (";;;,,,q=", ""),
        ("deflate", ""),
    ],
)
def test_the_encoding_is_the_best_that_the_browser_accepts(accepted, encoding):
    assert best_encoding(accepted) == encoding


def unpacked(response):
    unpack = {"": bytes, "br": brotli.decompress, "gzip": gzip.decompress}
    return unpack[response.get("Content-Encoding", "")](response.content)


def test_each_encoding_has_the_same_page_and_its_own_etag(client, page_cache):
    addresses.sample_site()
    plain = client.get(PAIR)
    tags = set()
    for accepted, encoding in ENCODINGS.items():
        for _ in range(2):
            response = client.get(PAIR, headers={"accept-encoding": accepted})
            assert response.get("Content-Encoding", "") == encoding
            assert unpacked(response) == plain.content
            assert response["Content-Length"] == str(len(response.content))
            assert response["Vary"] == "Accept-Encoding"
            tags.add(response["ETag"])
    assert len(tags) == 3
    assert all(tag.startswith('"') for tag in tags), "strong"


def test_a_page_that_the_browser_has_is_answered_with_304(client, page_cache):
    addresses.sample_site()
    whole = client.get(PAIR, headers={"accept-encoding": "br"})
    tag = whole["ETag"]
    for known in (tag, "*", f'"other", W/{tag}'):
        headers = {"accept-encoding": "br", "if-none-match": known}
        start_process()
        for _ in range(2):
            response = client.get(PAIR, headers=headers)
            assert (response.status_code, response.content) == (304, b""), known
            assert response["ETag"] == tag
            assert response["Cache-Control"] == whole["Cache-Control"]
            assert response["Vary"] == "Accept-Encoding"
            assert not response.has_header("Content-Length")
        before = answered("hit")
        assert client.get(PAIR, headers={"accept-encoding": "br"}).content == whole.content
        assert answered("hit") == before + 1, "the first request filled the cache"
    for unknown in ('"other"', tag.strip('"'), client.get(PAIR)["ETag"]):
        headers = {"accept-encoding": "br", "if-none-match": unknown}
        assert client.get(PAIR, headers=headers).content == whole.content


def test_space_that_no_reader_sees_is_not_sent(client, page_cache):
    body = (
        "<!doctype html>\n\n<p class=a\ndata-b>\none\ntwo\n</p>\n\n\n<b>x</b>\n<i>y\n</i>z<br\n>\n"
    )
    shown = "<!doctype html>\n<p class=a data-b>\none two</p>\n<b>x</b>\n<i>y </i>z<br>"
    for text, expected in [(body, shown), (f"{body}<pre>\n\na\n</pre>", None)]:
        assert with_short_spaces(HttpResponse(text)).decode() == (expected or text)
    assert with_short_spaces(HttpResponse(body, content_type="text/plain")).decode() == body


def test_a_head_request_gets_the_headers_of_the_page(client, page_cache):
    addresses.sample_site()
    for accepted in ("", "br"):
        for first in (client.head, client.get):
            start_process()
            first(PAIR, headers={"accept-encoding": accepted})
            got = client.get(PAIR, headers={"accept-encoding": accepted})
            head = client.head(PAIR, headers={"accept-encoding": accepted})
            assert (head.content, head.headers) == (b"", got.headers)


def test_temporary_redirects_private_and_missing_pages_are_not_cached(client, page_cache):
    addresses.sample_site()
    paths = [*addresses.PRIVATE.values(), "/tools/unknown/", "/unknown/", "/tools/alpha", "/admin/"]
    for path in [*paths, "/compare/alpha/"]:
        client.get(path)
    assert len(cache.pages.pages) == len(cache.others.pages) == 0
    rendered = client.get("/compare/beta-vs-alpha/")
    assert is_hit(client, "/compare/beta-vs-alpha/"), "a permanent redirect"
    assert client.get("/compare/beta-vs-alpha/")["Location"] == rendered["Location"] == PAIR


def test_a_cached_page_is_served_only_where_a_rendered_one_would_be(
    calm_client, page_cache, settings
):
    addresses.sample_site()
    calm_client.get(PAIR)["X-Mine"] = "1"
    calm_client.get(PAIR)["X-Mine"] = "1"
    assert not calm_client.get(PAIR).has_header("X-Mine")
    assert calm_client.post(PAIR).status_code == 405
    for host in ("evil.example", "testserver:port", "a/b"):
        assert calm_client.get(PAIR, headers={"host": host}).status_code == 400
    settings.SECURE_SSL_REDIRECT = True
    client = Client()
    for secure, status in ((True, 200), (False, 301), (True, 200)):
        assert client.get(PAIR, secure=secure).status_code == status


def test_a_page_is_compressed_unless_it_is_short_and_further_if_many_get_it(client, page_cache):
    addresses.sample_site()
    for path, quality in {PAIR: 10, f"{PAIR}?rows=all": 5, "/search/?q=alpha": 5}.items():
        response = client.get(path, headers={"accept-encoding": "br"})
        body = client.get(path).content
        compressed = brotli.compress(body, mode=brotli.MODE_TEXT, quality=quality)
        assert response.content == compressed, path
    short = client.get("/robots.txt", headers={"accept-encoding": "br"})
    assert not short.has_header("Content-Encoding")
    assert len(short.content) < 400
