"""The site as several processes on one database, one of which can be killed at any moment."""

import os
import secrets
import signal
import subprocess
import sys
import tempfile
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic, sleep
from typing import Self

from tests.free_port import free_port

ROOT = Path(__file__).resolve().parent.parent
START = 300
"""Seconds a worker may take to answer."""


def environment(url: str) -> dict[str, str]:
    """The environment of the workers: this database, and no limit on votes."""
    return os.environ | {
        "DATABASE_URL": url,
        "SECRET_KEY": secrets.token_urlsafe(50),
        "SITE_URL": "http://127.0.0.1:8000",
        "ALLOWED_HOSTS": "127.0.0.1",
        "TRUSTED_PROXIES": "",
        "DEBUG": "false",
        "DJANGO_SETTINGS_MODULE": "shipskip.settings",
        "VOTES_PER_NETWORK_PER_DAY": "1000000",
        "VOTES_PER_VISITOR_PER_MINUTE": "1000000",
        "NEW_VISITORS_PER_NETWORK_PER_HOUR": "1000000",
    }


def manage(
    env: dict[str, str], *arguments: str, must: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a management command; raises CalledProcessError if it fails, unless `must` is false."""
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, env=env, cwd=ROOT, check=must, capture_output=True, text=True)


class Workers:
    """Django's development servers with threads and without reloading, one process each."""

    def __init__(self, env: dict[str, str], count: int) -> None:
        self.env = env
        self.ports = [free_port() for _ in range(count)]
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the workers
        self.processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        self.processes = [self._start(port) for port in self.ports]
        for port in self.ports:
            wait_for_worker(port)
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
        self.log.close()

    def kill_and_restart(self) -> None:
        """Kill the first worker while it works, then start it again."""
        first = self.processes[0]
        os.kill(first.pid, signal.SIGKILL)
        assert first.wait() == -signal.SIGKILL
        self.processes[0] = self._start(self.ports[0])
        wait_for_worker(self.ports[0])

    def tools(self) -> list[str]:
        """The slugs of all public tools, from the sitemap."""
        connection = HTTPConnection("127.0.0.1", self.ports[0], timeout=START)
        connection.request("GET", "/sitemap-tools.xml")
        text = connection.getresponse().read().decode()
        connection.close()
        return [part.split("/")[0] for part in text.split("/tools/")[1:]]

    def logged_errors(self) -> list[str]:
        """The last lines of each error in the output of the workers."""
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").splitlines()
        return [line for line in lines if "Error" in line and "BrokenPipe" not in line][-5:]

    def _start(self, port: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "manage.py", "runserver", "--noreload", "--skip-checks"]
        return subprocess.Popen(
            [*command, f"127.0.0.1:{port}"],
            env=self.env,
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
            stderr=self.log,
        )


def wait_for_worker(port: int) -> None:
    """Wait until the worker answers; raises TimeoutError if it does not."""
    end = monotonic() + START
    while monotonic() < end:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/livez")
            if connection.getresponse().status == 200:
                return
        except OSError:
            sleep(0.1)
        finally:
            connection.close()
    raise TimeoutError(f"no worker answers on port {port}")
