"""Fixtures of the tests with junk: the strings, the site, and the judges of its answers."""

import gc
import os
from collections.abc import Iterator
from datetime import datetime
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from django import shortcuts
from django.http import HttpResponse
from django.utils import timezone
from pytest_django.fixtures import Settings

from shipskip.home import errors
from shipskip.web import preview_pages
from tests.conftest import N_PLUS_ONE_WATCH
from tests.junk import world as site
from tests.junk.judging import Judge
from tests.junk.sender import Sender
from tests.junk.strings import naughty
from tests.junk.world import World
from tests.npm_packages import NotInstalledError
from tools.models import Tool


def give_up(reason: str) -> NoReturn:
    """Skip loudly; fail where CI=true."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"JUNK NOT SENT: {reason}")
    pytest.skip(f"JUNK NOT SENT: {reason}")


@pytest.fixture(scope="session")
def strings() -> list[bytes]:
    """The public list of strings that break sites, and our own."""
    try:
        found = naughty()
    except NotInstalledError as error:
        give_up(str(error))
    assert len(found) >= 500
    return found


@pytest.fixture(scope="module", autouse=True)
def _what_is_there_stays() -> Iterator[None]:
    """Freeze existing objects, so that the garbage collector only scans those of the requests."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _thousands_of_requests(settings: Settings) -> None:
    """Switch off query logging and rate limits."""
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if name != N_PLUS_ONE_WATCH]
    settings.VOTES_PER_NETWORK_PER_DAY = settings.VOTES_PER_VISITOR_PER_MINUTE = 10**6
    settings.JOINS_PER_NETWORK_PER_DAY = settings.NEW_VISITORS_PER_NETWORK_PER_HOUR = 10**6
    settings.MAIL_THREADS = 0


@pytest.fixture
def world(db: None) -> World:
    """The site with content for every address, two visitors and a subscriber."""
    return site.build()


@pytest.fixture
def judge(world: World) -> Judge:
    """Knows the elements of our templates, and the secrets that no answer may contain."""
    return Judge(site.names_in_templates(site.OURS), world.secrets)


@pytest.fixture
def desk_judge(world: World) -> Judge:
    """The same for the desk, which uses Django's templates too."""
    names = site.names_in_templates(site.OURS, *site.DJANGOS) | {"a comment"}
    return Judge(names, world.secrets)


@pytest.fixture
def private_judge(judge: Judge, world: World) -> Judge:
    """The same for pages of one visitor: they show nothing of another visitor."""
    judge.secrets.append(world.theirs.slug)
    return judge


class Names:
    """The public tools, compared only once with each text."""

    def __init__(self) -> None:
        self.found: dict[str, list[Tool]] = {}

    def published(self, now: datetime) -> "Names":
        """This object."""
        return self

    def resembling(self, text: str) -> list[Tool]:
        """The tools most similar to a text."""
        if text not in self.found:
            self.found[text] = Tool.objects.published(timezone.now()).resembling(text)
        return self.found[text]


@pytest.fixture
def pages_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages of what is not here, and of links that show nothing, are made once for what they
    say, not for each place: they depend on nothing else, and ten thousand requests get them.
    """
    draw, pages = shortcuts.render, dict[Any, bytes]()

    def render(request, template, context=None, status=None):  # type: ignore[no-untyped-def]
        key = template, status, repr(context)
        if key not in pages:
            pages[key] = draw(request, template, context, status=status).content
        return HttpResponse(pages[key], status=status)

    monkeypatch.setattr(errors, "Tool", SimpleNamespace(objects=Names()))
    monkeypatch.setattr(errors, "render", render)
    monkeypatch.setattr(preview_pages, "render", render)


@pytest.fixture
def sender() -> Sender:
    """A client of the site that sends any bytes."""
    return Sender()
