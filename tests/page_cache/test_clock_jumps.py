"""A clock that jumps a day ahead, and back after some seconds."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Condition
from time import monotonic, time

import pytest
from django.utils import timezone

from reviews.models import Take
from shipskip.page_cache import content_version, nginx_expiry
from shipskip.page_cache.content_version import current_version
from shipskip.page_cache.nginx_expiry import EXPIRED, MAX_DIFFERENCE, STEADY_SECONDS, SteadyClock
from tests import addresses
from tests.page_cache.cached_pages import age_cached_pages
from tests.reviews.voters import cast
from tools.models import Tool

pytestmark = pytest.mark.usefixtures("page_cache")
PAIR = "/compare/alpha-vs-beta/"
DAY = 86_400.0
Jump = Callable[..., None]


@pytest.fixture
def jump(monkeypatch, clock) -> Jump:
    """Return a function that sets all clocks but the monotonic one so many seconds ahead; `later`
    seconds pass on all clocks before.
    """
    monkeypatch.setattr(nginx_expiry, "steady_clock", SteadyClock())

    def set_clocks(seconds: float, later: float = 0) -> None:
        for module in (content_version, nginx_expiry):
            monkeypatch.setattr(module, "time", lambda: time() + seconds + later)
        monkeypatch.setattr(nginx_expiry, "monotonic", lambda: monotonic() + later)
        clock(datetime.now(tz=UTC) + timedelta(seconds=seconds + later))

    return set_clocks


def test_tallies_of_a_page_made_while_the_clock_was_ahead_are_a_minute_old_at_most(client, jump):
    addresses.sample_site()
    jump(DAY)
    before = client.get(PAIR).content
    jump(0)
    client.get(PAIR)
    cast(Tool.objects.get(slug="alpha"), "ship")
    age_cached_pages(56)
    assert client.get(PAIR).content != before


def test_what_is_scheduled_is_hidden_again_when_the_clock_is_set_back(client, jump):
    addresses.sample_site()
    jump(0)
    Take.objects.update(published_at=timezone.now() + timedelta(hours=1))
    before = client.get(PAIR).content
    jump(DAY)
    assert client.get(PAIR).content != before
    jump(0)
    assert client.get(PAIR).content == before


def test_a_clock_that_is_set_back_makes_no_request_wait_until_it_catches_up(
    client, jump, monkeypatch
):
    addresses.sample_site()
    waits: list[float] = []

    def wait_for(_: Condition, is_met: Callable[[], bool], timeout: float) -> bool:
        waits.append(timeout)
        return is_met()

    monkeypatch.setattr(Condition, "wait_for", wait_for)
    current_version.in_background = True
    try:
        jump(DAY)
        client.get(PAIR)
        jump(0)
        client.get(PAIR)
        assert all(timeout < DAY / 2 for timeout in waits)
    finally:
        current_version.stop()
        current_version.in_background = False


def test_nginx_stores_a_page_until_its_own_second_ends(client, jump):
    addresses.sample_site()

    def expiry(sent: str) -> str:
        return str(client.get(PAIR, headers={"x-front": sent})["X-Accel-Expires"])

    jump(0.0)
    now = int(time())
    assert expiry(f"{now + 2}.123") == f"@{now + 2}"
    assert int(expiry("1").removeprefix("@")) - now < 60, "a site.conf of an earlier release"
    for wrong in (f"{now + DAY:.3f}", f"{now - 2 * MAX_DIFFERENCE}.000", "", "nan", "1e9", "٣"):
        assert expiry(wrong) == EXPIRED, wrong
    jump(DAY)  # of the machine that nginx and the site share
    assert expiry(f"{now + DAY:.3f}") == EXPIRED
    jump(0)
    assert expiry(f"{now}.000") == EXPIRED
    jump(0, later=STEADY_SECONDS + 1)
    assert expiry(f"{now + STEADY_SECONDS + 1}.000") == f"@{now + STEADY_SECONDS + 1}"
