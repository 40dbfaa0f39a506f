"""Redis behind the memory: it saves rendering a page in each process, and may be absent."""

import json
import shutil
import subprocess
import sys
from time import time

import pytest

from shipskip.page_cache import response_counts, storage
from shipskip.page_cache.cached_page import CachedPage
from shipskip.page_cache.content_version import current_version
from shipskip.page_cache.middleware import PageCache, cache
from shipskip.page_cache.release import release
from shipskip.page_cache.storage import PageSerializer
from tests import addresses
from tests.conftest import start_process
from tests.page_cache.conftest import OwnRedis, use_redis
from tests.reviews.voters import cast
from tests.source_files import ROOT
from tests.stress_site import environment
from tools.models import Tool

PAIR = "/compare/alpha-vs-beta/"


@pytest.fixture
def shared(page_cache: PageCache, settings, own_redis: OwnRedis) -> OwnRedis:
    """Pages are cached, with a Redis behind the memory."""
    use_redis(settings, own_redis)
    addresses.sample_site()
    return own_redis


def outcome(client, path: str) -> str:
    """Whether a page was rendered, or came from memory or Redis."""
    before = dict(response_counts)
    assert client.get(path).status_code == 200
    changed = {key for key in response_counts if response_counts[key] != before.get(key, 0)}
    return "shared" if "shared" in changed else changed.pop()


def test_a_page_is_rendered_once_for_all_processes(client, shared, django_assert_num_queries):
    for path in (PAIR, "/", "/tools/", "/sitemap.xml"):
        start_process()
        rendered = client.get(path, headers={"accept-encoding": "gzip"})
        before = response_counts["shared"]
        start_process()
        current_version.get()
        with django_assert_num_queries(1):  # the version
            found = client.get(path, headers={"accept-encoding": "gzip"})
        assert found.headers == rendered.headers
        assert (found.status_code, found.content) == (rendered.status_code, rendered.content)
        assert response_counts["shared"] == before + 1


def test_other_processes_see_a_change(client, shared):
    assert outcome(client, PAIR) == "miss"
    start_process()
    Tool.objects.filter(slug="alpha").update(name="Renamed")
    assert outcome(client, PAIR) == "miss"
    assert b"Renamed" in client.get(PAIR).content


def test_a_page_with_tallies_expires_55_seconds_after_its_rendering(client, shared, monkeypatch):
    """Reading it from Redis does not extend its life."""
    start = time()
    set_cache_clock(monkeypatch, start)
    assert outcome(client, PAIR) == outcome(client, "/reviewers/") == "miss"
    for key in shared.client.keys("*"):
        assert 0 < shared.client.ttl(key) <= 3600
    before = client.get(PAIR).content
    cast(Tool.objects.get(slug="alpha"), "ship")
    set_cache_clock(monkeypatch, start + 54)
    start_process()
    assert outcome(client, PAIR) == outcome(client, "/reviewers/") == "shared"
    assert client.get(PAIR).content == before
    set_cache_clock(monkeypatch, start + 56)
    assert outcome(client, PAIR) == "miss"
    assert outcome(client, "/reviewers/") == "hit"
    assert client.get(PAIR).content != before


def set_cache_clock(monkeypatch, moment: float) -> None:
    """Set the clock of the page cache, and of its memory."""
    for module in ("storage", "middleware"):
        monkeypatch.setattr(f"shipskip.page_cache.{module}.time", lambda: moment)
    memory = cache.pages.pages
    monkeypatch.setattr(cache, "pages", storage.PageMemory(int(memory.maxsize)))
    for key, page in memory.items():
        cache.pages.set(key, page)


def test_sites_with_different_settings_share_no_pages(client, shared, settings):
    assert outcome(client, PAIR) == "miss"
    settings.SITE_URL = "https://other.example"
    start_process()
    release.cache_clear()
    assert outcome(client, PAIR) == "miss"


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        ("shipskip/urls.py", True),
        ("shipskip/newsletter/urls.py", True),
        ("brand-new-folder/deep/inside.py", True),
        ("templates/tools/detail.html", True),
        ("another/templates/page.md", True),
        ("fixtures/texts.toml", True),
        ("requirements.lock", True),
        ("var/static/staticfiles.json", True),
        ("var/backups/today.json", False),
        (".git/index", False),
        ("tools/__pycache__/models.pyc", False),
        ("db.sqlite3", False),
    ],
)
def test_the_name_of_a_release_depends_on_its_code_and_not_on_its_folder(
    settings, tmp_path, place, changes
):
    base = tmp_path / "site"
    settings.BASE_DIR, settings.VAR_DIR = base, base / "var"
    settings.STATIC_ROOT = base / "var" / "static"
    path = base / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("before")
    release.cache_clear()
    before = release()
    path.write_text("after")
    release.cache_clear()
    assert (release() != before) == changes
    moved = shutil.copytree(base, tmp_path / "elsewhere")
    settings.BASE_DIR, settings.VAR_DIR = moved, moved / "var"
    settings.STATIC_ROOT = moved / "var" / "static"
    name = release()
    release.cache_clear()
    assert release() == name, "two machines may keep it in different folders"


def test_pages_with_a_query_are_not_shared(client, shared):
    assert outcome(client, "/tools/?sort=name") == "miss"
    start_process()
    assert outcome(client, "/tools/?sort=name") == "miss"
    assert shared.client.keys("*") == []


def test_pairs_that_no_editor_published_and_redirects_stay_in_memory(client, shared):
    for path in ("/compare/alpha-vs-gamma/", "/compare/beta-vs-alpha/"):
        client.get(path)
        before = response_counts["hit"]
        client.get(path)
        assert response_counts["hit"] == before + 1
    assert shared.client.keys("*") == []
    assert len(cache.others.pages) == 2


def test_a_page_that_reports_a_bad_value_is_not_shared(client, shared):
    client.get("/tools/?page=99")
    client.get("/tools/unknown/")
    assert shared.client.keys("*") == []


@pytest.mark.parametrize(
    "junk", [b"", b"{}", b"junk\n", b'{"status": 200}\n', b"\xff\n\x00", b"[200, [1], 1]\n", b"7"]
)
def test_junk_in_redis_is_a_miss(client, shared, junk):
    client.get(PAIR)
    for key in shared.client.keys("*"):
        shared.client.set(key, junk)
    start_process()
    assert outcome(client, PAIR) == "miss"


def replace_values_by_lists(server: OwnRedis) -> None:
    for key in server.client.keys("*"):
        server.client.delete(key)
        server.client.lpush(key, "x")


def lock(server: OwnRedis) -> None:
    server.client.config_set("requirepass", "x")
    server.client.client_kill_filter(_type="normal", skipme=True)


FAILURES = {
    "dead": lambda server: server.kill(),
    "frozen": lambda server: server.freeze(),
    "paused": lambda server: server.client.execute_command("CLIENT", "PAUSE", 600_000, "ALL"),
    "full": lambda server: server.client.config_set("maxmemory", "1"),
    "locked": lock,
    "holding lists": replace_values_by_lists,
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failing_redis_is_a_miss_and_a_line_in_the_log(
    client, shared, settings, failure, caplog, monkeypatch
):
    monkeypatch.setattr(storage, "PAUSE", 1000)
    client.get(PAIR)
    failure(shared)
    if failure in (FAILURES["frozen"], FAILURES["paused"]):
        use_redis(settings, shared, seconds=0.2)
    start_process()
    # A full Redis still returns what it contains.
    assert outcome(client, PAIR) == ("shared" if failure is FAILURES["full"] else "miss")
    assert outcome(client, PAIR) == "hit"
    for path in ("/", "/tools/", "/reviewers/"):
        assert outcome(client, path) == "miss"
    lines = [row for row in caplog.records if "Redis is not used" in row.getMessage()]
    assert len(lines) == 1


def test_a_redis_that_recovers_is_used_again(client, shared, monkeypatch):
    monkeypatch.setattr(storage, "PAUSE", 0)
    shared.kill()
    assert outcome(client, PAIR) == "miss"
    shared.start()
    assert outcome(client, "/tools/") == "miss"
    start_process()
    assert outcome(client, "/tools/") == "shared"


def test_a_page_is_serialised_without_pickle():
    page = CachedPage(200, {"X-A": "é", "ETag": '"1"'}, b"<p>\xc3\xa9\n</p>" * 90, 5.5)
    value = PageSerializer().dumps(page)
    assert PageSerializer().loads(value) == page
    assert json.loads(value.partition(b"\n")[0])[0] == 200


def test_a_site_without_redis_starts_without_loading_its_library(tmp_path):
    env = environment(f"sqlite:///{tmp_path / 'db.sqlite3'}") | {"CACHE_URL": ""}
    command = [sys.executable, "-c", "import sys, shipskip.wsgi; print('redis' in sys.modules)"]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
