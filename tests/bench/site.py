"""One site under measurement: its database, its servers on one core, and what is measured."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from time import monotonic, sleep

import psycopg

from tests.bench.cache_hits import measure_reach
from tests.bench.load import SERVER_CORE, LoadResult, Request, load, voters, votes
from tests.bench.pages import PAGES, comparison, slug
from tests.deploy.production_site import Answer, Nginx, Program, Server, database, get
from tests.free_port import free_port
from tests.stress_site import ROOT, environment

ENCODINGS = "gzip, deflate, br, zstd"
PAGE = comparison(0, 1)
DATA = ROOT / "tests/bench/data.py"
BARE = "a bare Django view"
UNCACHED = {"DJANGO_SETTINGS_MODULE": "tests.bench.uncached"}
UNCACHED_BEFORE_1_0 = {"PAGE_MEMORY_MB": "0"}
"""Each page is rendered each time."""

EDITS = 5
AFTER_EDIT = 2.0
"""Seconds after an edit in which lists are requested."""

Measurement = Callable[[float], LoadResult]


class Site:
    """The servers for one dataset; to be used inside `with`. `beside` is another checkout, which
    serves the same content from a database of its own.
    """

    def __init__(self, kind: str, tools: int, folder: Path, beside: Path | None = None) -> None:
        self.kind, self.tools, self.folder, self.beside = kind, tools, folder, beside
        self.stack = ExitStack()
        self.pages: dict[str, Measurement] = {}
        self.pages_beside: dict[str, Measurement] = {}
        self.cached: dict[str, Measurement] = {}

    def __enter__(self) -> "Site":
        self.url, self.env = self._content(ROOT, self.folder)
        self.caching = self._server(self.env)
        self.page = get(self.caching.port, PAGE, Accept_Encoding=ENCODINGS)
        assert self.page.status == 200, self.page.status
        bytes_file = self.folder / "page.br"
        bytes_file.write_bytes(self.page.body)
        self.rendering = self._server(self.env | UNCACHED)
        own = {"DJANGO_SETTINGS_MODULE": "tests.bench.bare_django", "BENCH_BYTES": str(bytes_file)}
        self.bare = self._server(self.env | own)
        self.pages = {BARE: partial(self._load, self.bare, ["/bare/"])}
        self.pages |= self._rendered(self.rendering)
        if self.beside:
            folder = self.folder / "beside"
            folder.mkdir()
            _, env = self._content(self.beside, folder)
            is_old = not (self.beside / "shipskip/env.py").exists()
            uncached = UNCACHED_BEFORE_1_0 if is_old else UNCACHED
            other = self._server(env | uncached, self.beside)
            self.pages_beside = self._rendered(other)
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def _content(self, checkout: Path, folder: Path) -> tuple[str, dict[str, str]]:
        """Make a database with the content of tests/bench/data.py: its address, and the
        environment of a checkout's servers on it.
        """
        url = self.stack.enter_context(database(folder, self.kind))
        env = environment(url) | {"TRUSTED_PROXIES": "127.0.0.1", "WORKERS": "1"}
        if (checkout / "tests/bench/quiet.py").exists():
            env["DJANGO_SETTINGS_MODULE"] = "tests.bench.quiet"
        else:
            env |= {"HASHED_ASSETS": "true", "LOG_FORMAT": "text"}
        python = sys.executable if checkout == ROOT else str(checkout / ".venv/bin/python")
        for command in (["manage.py", "prepare"], [str(DATA), str(self.tools)]):
            subprocess.run(
                [python, *command], env=env, cwd=checkout, check=True, capture_output=True
            )
        return url, env

    def _pinned(self, program: Program) -> None:
        program.command = ["taskset", "-c", SERVER_CORE, *program.command]
        self.stack.enter_context(program)

    def _server(self, env: dict[str, str], checkout: Path = ROOT) -> Server:
        server = Server(env, self.folder, checkout, WORKERS="1")
        self._pinned(server)
        return server

    def _load(self, server: Server, paths: list[str], seconds: float) -> LoadResult:
        """One run, after a request that is not measured."""
        get(server.port, paths[0], Accept_Encoding=ENCODINGS)
        sent = [Request(path, {"Accept-Encoding": ENCODINGS}) for path in paths]
        return load(server.port, sent, seconds, pids=server.workers())

    def _rendered(self, server: Server) -> dict[str, Measurement]:
        return {
            title: partial(self._load, server, list(paths(self.tools)))
            for title, paths in PAGES.items()
        }

    def start_cached(self) -> None:
        """Define the measurements of cached pages and of visitors: nginx, memory, 304, votes."""
        nginx = Nginx(self.folder, [f"127.0.0.1:{self.caching.port} max_fails=0"])
        self._pinned(nginx)
        get(nginx.port, PAGE, Accept_Encoding=ENCODINGS)  # fills the cache of nginx
        plain, port = self._plain(), self.caching.port
        cookies = voters(port, slug(0))
        marks = f"/me/marks/?tools={slug(0)}&tools={slug(1)}"
        names = [slug(n) for n in range(24)]

        def quick(port: int, path: str, **headers: str) -> Measurement:
            sent = [Request(path, {"Accept-Encoding": ENCODINGS} | headers)]
            return lambda seconds: load(port, sent, seconds, connections=32)

        etag = get(port, PAGE, Accept_Encoding=ENCODINGS).headers["ETag"]
        self.cached = {
            "nginx, the page as a file": quick(plain, "/page"),
            "our nginx, cached": quick(nginx.port, PAGE),
            "from the server's memory": quick(port, PAGE),
            "304": quick(port, PAGE, **{"If-None-Match": etag}),
            BARE: quick(self.bare.port, "/bare/"),
            "`/me/marks/`, two tools": quick(port, marks, Cookie=cookies[0]),
            "votes, one tool": partial(votes, port, cookies, names[:1]),
            "votes, 24 tools": partial(votes, port, cookies, names),
        }

    def _plain(self) -> int:
        """The port of an nginx with the page's bytes as a file, its headers and a log line."""
        port, folder = free_port(), self.folder / "plain"
        folder.mkdir()
        own = {"content-length", "content-type", "date", "server", "etag", "connection"}
        named = self.page.headers.items()
        headers = [(name, text) for name, text in named if name.lower() not in own]
        (folder / "page").write_bytes(self.page.body)
        main = folder / "nginx.conf"
        main.write_text(
            f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;\n"
            "user root; events { worker_connections 2048; } http { log_format line\n"
            "'$time_iso8601 $request_method $uri $status $body_bytes_sent $request_time';\n"
            f"open_file_cache max=10; server {{ listen 127.0.0.1:{port}; root {folder};\n"
            f"default_type text/html; access_log {folder}/access.log line buffer=32k flush=5s;\n"
            + "".join(f"add_header {name} {json.dumps(text)};\n" for name, text in headers)
            + "} }\n"
        )
        self._pinned(Program(["/usr/sbin/nginx", "-p", str(folder), "-c", str(main)], folder))
        return port

    def edits(self) -> dict[str, float]:
        """Publish EDITS changes of a tool. `shown`: the longest time in seconds until the caching
        server shows one. `list`: the median of lists not cached after an edit in milliseconds, and
        `first`: the slowest list after each edit, the median of all edits.

        Each server is alone on its core meanwhile: a site has a core for each process that builds.
        """
        shown, first, others = [], [], []
        for number in range(EDITS):
            tagline = f"Edited for the {number}th time"
            get(self.caching.port, f"/tools/{slug(2)}/")  # kept, as a page that readers open is
            with self._paused(self.rendering):
                self._publish(slug(2), tagline)
                shown.append(self._until_shown(self.caching, slug(2), tagline))
            self._until_shown(self.rendering, slug(2), tagline)
            with self._paused(self.caching):
                self._publish(slug(3), tagline)
                waits = self._lists()
                self._until_shown(self.rendering, slug(3), tagline)
            first.append(max(waits))
            others += waits
            self._until_shown(self.caching, slug(3), tagline)
        return {"shown": max(shown), "first": median(first), "list": median(others)}

    @contextmanager
    def _paused(self, server: Server) -> Iterator[None]:
        """A server that takes no time of its core."""
        workers = server.workers()
        for pid in workers:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in workers:
                os.kill(pid, signal.SIGCONT)

    def _until_shown(self, server: Server, tool: str, text: str) -> float:
        """Request the page of a tool until it shows a text; the seconds that took."""
        start = monotonic()
        while text.encode() not in get(server.port, f"/tools/{tool}/").body:
            assert monotonic() - start < 60, "an edit is not shown"
            sleep(0.02)
        return monotonic() - start

    def _lists(self) -> list[float]:
        """The milliseconds of each list that is requested within AFTER_EDIT seconds."""
        waits, end = [], monotonic() + AFTER_EDIT
        while (start := monotonic()) < end:
            assert get(self.rendering.port, "/tools/").status == 200
            waits.append((monotonic() - start) * 1000)
            sleep(0.03)
        return waits

    def _publish(self, tool: str, tagline: str) -> None:
        """Change a tool's tagline in SQL; the triggers raise the content version."""
        if self.kind == "sqlite":
            with closing(sqlite3.connect(self.url.removeprefix("sqlite:///"), timeout=30)) as file:
                file.execute("UPDATE tools_tool SET tagline = ? WHERE slug = ?", [tagline, tool])
                file.commit()
            return
        with psycopg.connect(self.url) as connection:
            connection.execute(
                "UPDATE tools_tool SET tagline = %s WHERE slug = %s", [tagline, tool]
            )

    def content(self) -> dict[str, float]:
        """The figures of tests/bench/content.py."""
        command = ["taskset", "-c", SERVER_CORE, sys.executable, "-m", "tests.bench.content"]
        text = subprocess.run(
            command, env=self.env, cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout
        found: dict[str, float] = json.loads(text.splitlines()[-1])
        return found

    def reach(self, seconds: float) -> tuple[int, int, int]:
        """How many page views of readers without a cookie reach Python behind our nginx."""
        return measure_reach(self.env, self.folder, seconds)

    def first_view(self) -> tuple[int, int, int]:
        """The bytes of a first view as a browser gets them: page and style, all; and requests."""
        return first_view(self.caching.port, self.page)


def first_view(port: int, page: Answer) -> tuple[int, int, int]:
    """The bytes of page and style, and of all that the page's head loads, and the requests."""
    head = get(port, PAGE).body.decode().partition("</head>")[0]
    paths = re.findall(r'(?:href|src)="(/static/[^"]+)"', head)
    sizes = {path: len(get(port, path, Accept_Encoding="br").body) for path in paths}
    style = sum(size for path, size in sizes.items() if path.endswith(".css"))
    return len(page.body) + style, len(page.body) + sum(sizes.values()), len(sizes) + 1
