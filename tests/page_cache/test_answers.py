"""Answers of the cache: bytes and headers as rendered, compression, 304 and HEAD."""

import gzip

import brotli
import pytest
from django.http import HttpResponse
from django.test import Client

from shipskip.page_cache.cached_page import best_encoding, with_short_spaces
from shipskip.page_cache.middleware import cache
from shipskip.web.twins import PREFERS_MARKDOWN, twins_of
from tests import addresses
from tests.conftest import start_process
from tests.page_cache.cached_pages import answered, is_hit
from tools.models import Tool

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
            assert response["Vary"] == "Accept-Encoding, Accept"
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
            assert response["Vary"] == "Accept-Encoding, Accept"
            assert not response.has_header("Content-Length")
        before = answered("hit")
        assert client.get(PAIR, headers={"accept-encoding": "br"}).content == whole.content
        assert answered("hit") == before + 1, "the first request filled the cache"
    for unknown in ('"other"', tag.strip('"'), client.get(PAIR)["ETag"]):
        headers = {"accept-encoding": "br", "if-none-match": unknown}
        assert client.get(PAIR, headers=headers).content == whole.content


@pytest.mark.parametrize(
    ("accept", "is_markdown"),
    [
        ("text/markdown", True),
        ("text/markdown, */*", True),
        ("Text/Markdown;q=1.0", True),
        ("text/html;q=0.9,text/markdown", True),
        ("text/html ; level=1 ; q=0.4, text/markdown ; variant=GFM", True),
        ("application/xhtml+xml,text/markdown;charset=utf-8,text/plain;q=0.5", True),
        ("", False),
        ("*/*", False),
        ("text/*", False),
        ("text/markdown, text/html", False),
        ("text/markdown, text/html;q=1", False),
        ("text/html;level=1, text/markdown", False),
        ("text/markdown;q=0.9", False),
        ("text/markdown;variant=GFM;q=0.9, text/html;q=0.1", False),
        ("text/markdown-like, text/plain", False),
        ("x-text/markdown", False),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", False),
    ],
)
def test_markdown_is_for_those_who_prefer_it(accept, is_markdown):
    assert bool(PREFERS_MARKDOWN.search(accept)) is is_markdown


def test_a_page_and_its_markdown_are_stored_apart(client, page_cache):
    addresses.sample_site()
    Tool.objects.get(slug="alpha").former_slugs.create(slug="former")
    negotiated = {
        path: row.callback
        for name, row in addresses.patterns()
        if (path := addresses.PUBLIC.get(name, "")) and "md" in twins_of(row.callback).formats
    }
    assert len(negotiated) == 6
    for path in negotiated:
        page, twin = client.get(path), client.get(f"{path[:-1]}.md")
        tags = set()
        for accept, expected in [("text/markdown", twin), ("*/*", page)] * 2:
            headers = {"accept": accept, "accept-encoding": "br"}
            response = client.get(path, headers=headers)
            assert unpacked(response) == expected.content, path
            assert response["Content-Type"] == expected["Content-Type"]
            assert response["Vary"] == "Accept-Encoding, Accept"
            tags.add(response["ETag"])
            headers["if-none-match"] = response["ETag"]
            known = client.get(path, headers=headers)
            assert (known.status_code, known["Vary"]) == (304, response["Vary"])
        assert len(tags) == 2
        headers = {"accept": "text/markdown", "if-none-match": page["ETag"]}
        assert client.get(path, headers=headers).content == twin.content
    markdown = {"accept": "text/markdown"}
    moved = client.get("/tools/former/", headers=markdown)
    assert (moved.status_code, moved["Location"]) == (301, "/tools/alpha/")
    for path in ("/", "/tools/?sort=name", f"{PAIR}?weigh-builder=0", "/tools/alpha.json"):
        response = client.get(path, headers=markdown)
        assert response["Content-Type"] == client.get(path)["Content-Type"], path
        assert response["Vary"] == "Accept-Encoding", path


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
