"""Fixtures of the tests with malformed input: strings, site, and checkers of its answers."""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest
from django import shortcuts
from django.db import connection
from django.http import HttpResponse
from pytest_django.fixtures import Settings

from shipskip.content.content import Content
from shipskip.content.often_compared import Suggested, often_compared
from shipskip.content.records import Tool
from shipskip.home import errors
from shipskip.search import results
from shipskip.web import preview_pages
from tests.conftest import N_PLUS_ONE_WATCH
from tests.malformed_input import sample_site as site_module
from tests.malformed_input.checking import BEGIN, Checker
from tests.malformed_input.sample_site import SampleSite
from tests.malformed_input.sender import Sender
from tests.malformed_input.strings import is_sent_everywhere, one_of_each_class, unique_strings
from tests.npm_packages import NotInstalledError

JUNK = re.compile(rf"\\x00|\ufffd|\\ud[89a-f]|\b\d{{19,}}\b|{BEGIN}")
"""What only a value that was sent contains."""

MAX_TURNS = 16
"""A test sends a sixteenth of the strings or more, besides those that every test sends."""


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test with a reason; fail it where CI=true."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"JUNK NOT SENT: {reason}")
    pytest.skip(f"JUNK NOT SENT: {reason}")


@pytest.fixture(scope="session")
def all_strings() -> list[bytes]:
    """The public list of strings that break sites, and our own; on PostgreSQL, which is second,
    one of each class that a database may refuse.
    """
    try:
        found = unique_strings()
    except NotInstalledError as error:
        skip_or_fail(str(error))
    assert len(found) >= 370
    if connection.vendor == "postgresql":
        found = one_of_each_class(found)
        assert len(found) >= 25
    return found


@pytest.fixture
def strings(all_strings: list[bytes], request: pytest.FixtureRequest) -> list[bytes]:
    """What one test sends: what goes everywhere, and a share of the others. The tests of a
    file, which is about one kind of place, take turns, so that every string reaches every kind.
    On PostgreSQL every test sends all of its few.
    """
    if connection.vendor == "postgresql":
        return all_strings
    tests = [
        item
        for item in request.session.items
        if item.path == request.path and "strings" in getattr(item, "fixturenames", ())
    ]
    turn, turns = tests.index(request.node), min(len(tests), MAX_TURNS)
    return [
        text
        for number, text in enumerate(all_strings)
        if is_sent_everywhere(text) or number % turns == turn % turns
    ]


@pytest.fixture
def reaches_no_query(sample_site: SampleSite) -> Iterator[None]:
    """Fail where a string that is sent is a value in a query: NUL, a broken encoding, a large
    number or a mark. Such a test is marked `both_databases`, because one of them may refuse it.
    """

    def refuse_junk(execute: Any, sql: str, params: Any, *rest: Any) -> Any:
        assert not JUNK.search(repr(params)), (sql, params)
        return execute(sql, params, *rest)

    with connection.execute_wrapper(refuse_junk):
        yield


@pytest.fixture(autouse=True)
def _without_limits(settings: Settings) -> None:
    """Switch off query logging and rate limits."""
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if name != N_PLUS_ONE_WATCH]
    settings.VOTES_PER_NETWORK_PER_DAY = settings.VOTES_PER_VISITOR_PER_MINUTE = 10**6
    settings.REPORTS_PER_NETWORK_PER_DAY = 10**6
    settings.JOINS_PER_NETWORK_PER_DAY = settings.NEW_VISITORS_PER_NETWORK_PER_HOUR = 10**6


@pytest.fixture
def sample_site(db: None, keep_content: Callable[[], Content]) -> SampleSite:
    """The site with content for every address, two visitors and a subscriber. Readers' pages show
    one content throughout: building it for each of a thousand requests would take a minute.
    """
    site = site_module.build()
    keep_content()
    return site


@pytest.fixture
def checker(sample_site: SampleSite) -> Checker:
    """A checker with the elements of our templates and the secrets that no answer may contain."""
    return Checker(site_module.names_in_templates(site_module.OURS), sample_site.secrets)


@pytest.fixture
def desk_checker(sample_site: SampleSite) -> Checker:
    """The same for the desk, which uses Django's templates too."""
    names = site_module.names_in_templates(site_module.OURS, *site_module.DJANGOS) | {"a comment"}
    return Checker(names, sample_site.secrets)


@pytest.fixture
def private_checker(checker: Checker, sample_site: SampleSite) -> Checker:
    """The same for pages of one visitor: they show nothing of another visitor."""
    checker.secrets.append(sample_site.theirs.slug)
    return checker


@pytest.fixture
def pages_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Render each 404 page and each ended preview once for its context, not for each address: they
    depend on nothing else, and ten thousand requests get them. So with what a 404 page looks up.
    """
    original_render, pages = shortcuts.render, dict[Any, bytes]()

    def render(request, template, context=None, status=None):  # type: ignore[no-untyped-def]
        key = template, status, repr(context)
        if key not in pages:
            pages[key] = original_render(request, template, context, status=status).content
        return HttpResponse(pages[key], status=status)

    found = dict[str, list[Tool]]()

    def near_names(text: str, content: Content, limit: int) -> list[Tool]:
        if text not in found:
            found[text] = results.near_names(text, content, limit)
        return found[text]

    suggested = dict[tuple[int, ...], Suggested]()

    def suggested_once(content: Content, tools: list[Tool], **more: int) -> Suggested:
        key = tuple(tool.pk for tool in tools)
        if key not in suggested:
            suggested[key] = often_compared(content, tools, **more)
        return suggested[key]

    monkeypatch.setattr(errors, "near_names", near_names)
    monkeypatch.setattr(errors, "often_compared", suggested_once)
    monkeypatch.setattr(errors, "render", render)
    monkeypatch.setattr(preview_pages, "render", render)


@pytest.fixture
def sender() -> Sender:
    """A client of the site that sends any bytes."""
    return Sender()
