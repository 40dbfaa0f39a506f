"""A Redis for tests, which may fill, pause and kill it."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from time import monotonic, sleep

import pytest
import redis
from pytest_django.fixtures import Settings

from tests.free_port import free_port


class OwnRedis:
    """A Redis server that only these tests use."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = redis.Redis.from_url(self.url)

    def start(self) -> None:
        """Start it and wait until it answers."""
        self._run()
        end = monotonic() + 300
        while monotonic() < end:
            try:
                self.client.ping()
            except redis.RedisError:
                sleep(0.05)
            else:
                return
        raise TimeoutError("redis-server does not answer")

    def _run(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def kill(self) -> None:
        """Kill it."""
        assert self.process
        self.process.kill()
        self.process.wait()

    def freeze(self) -> None:
        """Pause it; its connections stay open."""
        assert self.process
        os.kill(self.process.pid, signal.SIGSTOP)


@pytest.fixture
def own_redis() -> Iterator[OwnRedis]:
    """A running Redis."""
    if not shutil.which("redis-server"):
        if os.environ.get("CI") == "true":
            pytest.fail("redis-server is not installed")
        pytest.skip("NOT TESTED WITH REDIS: redis-server is not installed")
    server = OwnRedis()
    server.start()
    yield server
    server.kill()


def use_redis(settings: Settings, server: OwnRedis, *, seconds: float = 60) -> None:
    """Share pages through this server, with the options of CACHE_URL but for its time-outs: on a
    busy machine a server that is well may take longer than their 50 milliseconds.
    """
    options = {
        "serializer": "shipskip.page_cache.storage.PageSerializer",
        "socket_timeout": seconds,
        "socket_connect_timeout": seconds,
        "retry": None,
    }
    backend = "django.core.cache.backends.redis.RedisCache"
    shared = {"BACKEND": backend, "LOCATION": server.url, "OPTIONS": options}
    settings.CACHES = settings.CACHES | {"shared_pages": shared}
