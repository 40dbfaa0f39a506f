"""A site as deploy/upgrade makes it: its repository, its releases, servers and visitors."""

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPException
from pathlib import Path
from threading import Thread
from typing import Self

from tests.deploy.production_site import Server, get
from tests.stress_site import ROOT

MAKEFILE = f"""
.venv/.installed:
	ln -s {Path(sys.prefix)} .venv
"""
"""Instead of the project's: the packages of the tests are those of every release."""
GIT = ("git", "-c", "user.name=Test", "-c", "user.email=test@example.org")


class Repository:
    """The repository from which a site fetches its releases; the first one is this code."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tracked = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        for name in tracked.stdout.splitlines():
            if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/")):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        (folder / "Makefile").write_text(MAKEFILE)
        # A busy machine may take longer than a second to open a connection to the database.
        self.edit("shipskip/serving.py", "POOL_WAIT_SECONDS = 1", "POOL_WAIT_SECONDS = 60")
        self.git("init", "--quiet", "--initial-branch=main")
        self.release("1.0.0")

    def git(self, *arguments: str) -> None:
        """Run git in it. A release's files are as old as its commit: here all are of one age, so
        that only the first one has its static files collected and compressed.
        """
        env = os.environ | {"GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
        subprocess.run([*GIT, *arguments], cwd=self.folder, check=True, env=env)

    def edit(self, name: str, before: str, after: str) -> None:
        """Replace a text of a file; the empty text is a new file."""
        path = self.folder / name
        text = path.read_text() if before else ""
        assert before in text
        path.write_text(text.replace(before, after, 1) if before else after)

    def release(self, version: str) -> None:
        """Commit and tag what is there as a release."""
        path = self.folder / "shipskip/__init__.py"
        text = path.read_text().rpartition("\n__version__")[0]
        path.write_text(f'{text}\n__version__ = "{version}"\n')
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", f"Release {version}")
        self.git("tag", f"v{version}")


class Site:
    """A site in a folder of its own, on that database."""

    def __init__(self, folder: Path, source: Path, url: str) -> None:
        self.folder = folder
        subprocess.run(["git", "clone", "--quiet", source, folder], check=True)
        (folder / "var").mkdir(mode=0o700)
        (folder / ".env").write_text(
            f"DATABASE_URL={url}\nALLOWED_HOSTS=127.0.0.1\nTRUSTED_PROXIES=127.0.0.1\n"
            "VOTES_PER_NETWORK_PER_DAY=1000000\nNEW_VISITORS_PER_NETWORK_PER_HOUR=1000000\n"
        )
        (folder / ".env").chmod(0o600)
        ours = ("DATABASE_URL", "DJANGO_SETTINGS_MODULE", "SECRET_KEY")
        self.env = {name: text for name, text in os.environ.items() if name not in ours}

    @property
    def current(self) -> Path:
        """The folder of the release that runs."""
        return (self.folder / "current").resolve()

    def upgrade(self, *arguments: str, must: bool = True) -> str:
        """What `deploy/upgrade` prints."""
        done = subprocess.run(
            ["deploy/upgrade", *arguments],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode == 0) == must, done.stdout + done.stderr
        return done.stdout + done.stderr

    def manage(self, *arguments: str) -> str:
        """What a command of the current release prints."""
        return subprocess.run(
            ["deploy/manage", *arguments],
            cwd=self.current,
            env=self.env,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def server(self) -> "Service":
        """A server of the release that is current when it starts."""
        return Service(self)


class Service(Server):
    """`deploy/serve` of the current release, as deploy/systemd starts it."""

    def __init__(self, site: Site) -> None:
        super().__init__(site.env, site.folder / "var", site.folder / "current", WORKERS="1")
        self.command, self.site = ["deploy/serve"], site

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        (self.site.folder / f"var/serve-{self.port}.pid").unlink(missing_ok=True)


class Visitors:
    """Requests at a steady rate: half of them for cached pages, the others searches and votes."""

    KINDS = ("page", "search", "page", "search", "vote") + ("page", "search") * 2 + ("page",)

    A_SECOND = 5

    def __init__(self, port: int) -> None:
        self.port, self.going = port, True
        self.answers: Counter[tuple[str, str]] = Counter()
        self.failed_at: list[float] = []
        self.longest = 0.0
        self.thread = Thread(target=self._run)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.going = False
        self.thread.join()

    def failed(self) -> dict[tuple[str, str], int]:
        """How many requests failed, by kind and status."""
        return {row: many for row, many in self.answers.items() if row[1] not in ("200", "303")}

    def report(self) -> str:
        """What the visitors noticed."""
        seconds = self.failed_at[-1] - self.failed_at[0] if self.failed_at else 0
        return (
            f"{self.answers.total()} requests, failed: {self.failed()} within {seconds:.1f} s;"
            f" longest wait {self.longest:.1f} s"
        )

    def _run(self) -> None:
        with ThreadPoolExecutor(40) as pool:
            number, start = 0, time.monotonic()
            while self.going:
                pool.submit(self._request, number)
                number += 1
                time.sleep(max(0, start + number / self.A_SECOND - time.monotonic()))

    def _request(self, number: int) -> None:
        kind, client = self.KINDS[number % 10], f"127.0.{number % 200 + 1}.1"
        start = time.monotonic()
        try:
            if kind == "vote":
                answer = get(
                    self.port, "/tools/smollm3/vote/", "POST", b"choice=ship", client=client,
                    Sec_Fetch_Site="same-origin", Content_Type="application/x-www-form-urlencoded",
                )  # fmt: skip
            else:
                path = "/" if kind == "page" else f"/search/?q=editor+{number}"
                answer = get(self.port, path, client=client)
            status = str(answer.status)
        except (OSError, HTTPException) as error:
            status = type(error).__name__
        self.answers[kind, status] += 1
        self.longest = max(self.longest, time.monotonic() - start)
        if status not in ("200", "303"):
            self.failed_at.append(start)


@contextmanager
def serving(*servers: Service) -> Iterator[None]:
    """Inside `with` the servers run, and start again when they end."""
    with ExitStack() as stack:
        for server in servers:
            stack.enter_context(server)
        for server in servers:
            stack.enter_context(server.supervised())
        yield
