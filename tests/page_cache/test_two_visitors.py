"""Every browser gets the same public bytes, and only its own private ones."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from shipskip.page_cache.middleware import PageCache, cache
from tests import addresses
from tests.conftest import start_process
from tests.page_cache.cached_pages import answered
from tools.models import FormerSlug, Tool

PUBLIC = [
    *addresses.PUBLIC.values(),
    *(f"/sitemap-{name}.xml" for name in ("pages", "comparisons", "categories", "reviewers")),
    *"""
    /sitemap-issues.xml /sitemap-tools.xml?p=1 /static/site.css /static/site.js
    /categories/agents/?page=1 /reviewers/builder/?category=agents /tools/old/
    /compare/?tools=alpha&tools=beta /compare/beta-vs-alpha/ /compare/ALPHA-vs-beta/
    /compare/alpha/ /compare/alpha-vs-alpha/ /compare/alpha-vs-old/
    """.split(),
]
"""Every public address: pages, filters, redirects, and files for programs."""

NEVER_CACHED = [
    "/tools/?q=alpha&category=agents&entry=free&sort=name",
    "/tools/?page=500&sort=drop",
    "/tools/?sort=drop&page=-1",
    "/compare/?tools=alp&tools=zzz",
    "/compare/suggest/?tools=al",
]
"""Pages that are rendered for each reader, so that it does not matter who comes first."""

HERE = {"HX-Request": "true", "HX-Current-URL": "http://testserver/tools/alpha/"}
TOKENS = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"')
Readers = dict[str, Client]


@pytest.fixture
def readers(page_cache: PageCache) -> Readers:
    """Two visitors with different votes and bookmarks, an editor, and a reader without cookies."""
    addresses.sample_site()
    FormerSlug.objects.create(slug="old", tool=Tool.objects.get(slug="beta"))
    one = Client(headers={"User-Agent": "One", "Accept-Language": "de"})
    other = Client(headers={"User-Agent": "Other", "Accept-Language": "he", **HERE})
    for client, choice, slugs in ((one, "ship", ["alpha"]), (other, "skip", ["beta", "gamma"])):
        client.post("/tools/alpha/vote/", {"choice": choice})
        for slug in slugs:
            client.post(f"/tools/{slug}/bookmark/", {"saved": "yes"})
        assert {"visitor", "marks"} <= client.cookies.keys()
    editor = Client(headers={"Cache-Control": "no-cache"})
    editor.force_login(User.objects.create_superuser("editor"))
    editor.get("/admin/tools/tool/999999/change/")
    assert {"sessionid", "messages"} <= editor.cookies.keys(), "there is a message to be shown"
    return {"one": one, "other": other, "editor": editor, "stranger": Client()}


def test_all_readers_get_the_same_bytes_whoever_comes_first(readers: Readers, settings):
    """The first reader's page is cached, the others get it; the answers of all rounds are equal,
    also those of the round in which a reader without cookies comes first, and of a visitor for whom
    each page is rendered.
    """
    cookies = {name: client.cookies.output() for name, client in readers.items()}
    known: dict[str, Any] = {}
    for first in readers:
        start_process()
        before = answered("hit")
        assert_same_for_all(PUBLIC, readers, first, known)
        assert answered("hit") > before + 50
    assert_same_for_all(NEVER_CACHED, readers, "one", {})
    settings.PAGE_MEMORY_MB = 0
    start_process()
    before = answered("hit")
    assert_same_for_all(PUBLIC, {"one": readers["one"]}, "one", known)
    assert answered("hit") == before
    assert {name: client.cookies.output() for name, client in readers.items()} == cookies


def assert_same_for_all(
    paths: list[str], readers: Readers, first: str, known: dict[str, Any]
) -> None:
    """Each reader requests each address, in an order that begins with `first`, who then revalidates
    with the last one's ETag. `known` holds the first answer of each address; a file can be read
    only once.
    """
    order = sorted(readers, key=lambda name: name != first)
    for path in paths:
        answers = [readers[name].get(path) for name in order]
        same = [] if answers[0].streaming else [known.setdefault(path, answers[0])]
        assert_equal_answers(path, [*same, *answers])
        if answers[-1].has_header("ETag"):
            revalidated = readers[first].get(path, headers={"If-None-Match": answers[-1]["ETag"]})
            assert (revalidated.status_code, body_of(revalidated)) == (304, b""), (path, first)
            assert not revalidated.cookies, (path, first)


def assert_equal_answers(path: str, answers: list[Any]) -> None:
    """Assert that all answers have equal bytes and headers and set no cookie."""
    start = answers[0]
    assert start.status_code in (200, 301, 302), path
    assert {answer.status_code for answer in answers} == {start.status_code}, path
    assert len({body_of(answer) for answer in answers}) == 1, path
    for answer in answers:
        assert dict(answer.items()) == dict(start.items()), path
        assert answer.streaming or answer["Cache-Control"] == "public, max-age=0, must-revalidate"
        assert "Cookie" not in answer.get("Vary", ""), path
        assert not answer.cookies, path


def body_of(answer: Any) -> bytes:
    """The bytes of an answer, also of a file."""
    found: bytes = answer.getvalue() if answer.streaming else answer.content
    return found


ALIKE = {"editor", "stranger"}
OWN = {
    "/me/": [{"one"}, {"other"}, ALIKE],
    "/me/marks/?tools=alpha&tools=beta": [{"one"}, {"other"}, ALIKE],
    "/bookmarks/": [{"one"}, {"other"}, ALIKE],
    "/tools/alpha/vote/": [{"one"}, {"other"}, ALIKE],
    "/tools/alpha/bookmark/": [{"one"}, {"other", *ALIKE}],
    "/tools/beta/bookmark/": [{"other"}, {"one", *ALIKE}],
    "/me/forget/": [{"one", "other"}, ALIKE],
    "/newsletter/join/": [{"one", "other", *ALIKE}],
}
"""The private addresses, and the readers who see the same there apart from tokens."""


def test_each_visitor_sees_only_their_own_votes_and_bookmarks(readers: Readers):
    """Each sends two requests, with those of the others in between; the answers are equal."""
    start_process()
    for client in readers.values():
        client.defaults = {}
    order = [*readers, *reversed(readers)]
    for headers in ({}, HERE):
        for path, groups in OWN.items():
            seen = texts_by_reader(readers, order, path, headers)
            assert sorted(map(sorted, seen.values())) == sorted(map(sorted, groups)), path
    assert len(cache.pages.pages) == len(cache.others.pages) == 0
    marks = {
        name: client.get("/me/marks/?tools=alpha", headers=HERE).content.decode()
        for name, client in readers.items()
    }
    assert "Your vote: ship" in marks["one"]
    assert "Your vote: skip" in marks["other"]
    assert all("Your vote:" not in marks[name] for name in ALIKE)
    assert [name for name, html in marks.items() if "gamma" in html] == ["other"]


def texts_by_reader(
    readers: Readers, order: list[str], path: str, headers: Any
) -> dict[str, set[str]]:
    """The texts at a private address, without the tokens of forms, each with its readers."""
    found: dict[str, set[str]] = {}
    for name in order:
        answer = readers[name].get(path, headers=headers)
        assert answer["Cache-Control"] == "private, no-store", path
        assert not answer.has_header("ETag"), path
        found.setdefault(TOKENS.sub("", answer.content.decode()), set()).add(name)
    assert sum(map(len, found.values())) == len(readers), "nobody sees two things"
    return found
