"""One site under measurement: its database, its servers on one core, and what is measured."""

import json
import os
import random
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
from time import monotonic, sleep, time

import psycopg

from tests.bench.load import SERVER_CORE, LoadResult, Request, load, voters, votes
from tests.deploy.production_site import Nginx, Program, Server, database, get
from tests.free_port import free_port
from tests.management_commands import environment
from tests.source_files import ROOT
from tests.waiting import wait_until

RENDERED, BESIDE = "rendered each time", "against the other checkout"
CACHED = "cached, and visitors"
BARE = "a bare Django view"
ENCODINGS = "gzip, deflate, br, zstd"
TOKEN = "the-token-of-the-bench"
HOT = 24
"""How many tools readers ask for most of the time."""
FILTERS = "fact.asked-01=yes&fact.asked-00.min=300"
OWN = "weigh-critic-0=3&weigh-critic-1=0"
EDITS = 5
AFTER_EDIT = 2.0
"""Seconds after an edit in which lists are requested."""

Measurement = Callable[[float], LoadResult]


def slug(number: int) -> str:
    """The slug of a tool of tests/bench/data.py."""
    return f"tool-{number:05}"


def comparison(*numbers: int) -> str:
    """The path of a comparison of these tools."""
    return f"/compare/{'-vs-'.join(map(slug, sorted(numbers)))}/"


PAGE = comparison(0, 1)
VIEWS = ["/", "/tools/", f"/tools/{slug(0)}/", PAGE, "/reviewers/critic-0/", "/methodology/"]


def pages(tools: int) -> dict[str, list[str]]:
    """The pages that are rendered each time: the addresses of a row, requested in turn."""
    chance = random.Random(3)  # noqa: S311 - no secret
    pairs = [comparison(n, m) for n in range(HOT) for m in range(n + 2, HOT, 3)]
    return {
        "comparison of two tools": pairs,
        "comparison of any two of all tools": [
            comparison(*chance.sample(range(tools), 2)) for _ in range(3_000)
        ],
        "comparison of ten tools": [comparison(*range(n, n + 10)) for n in range(HOT - 10)],
        "a tool": [f"/tools/{slug(n)}/" for n in range(HOT)],
        "`/tools/`": ["/tools/"],
        "a category with two fact filters": [f"/categories/kind-0/?{FILTERS}"],
        "home": ["/"],
        "own weights: two tools": [f"{path}?{OWN}" for path in pairs],
        "own weights: `/tools/`": [f"/tools/?{OWN}"],
        "`/search/`": ["/search/?q=tool+00012", "/search/?q=reviews+code"],
    }


class Site:
    """The servers for one dataset; to be used inside `with`. `beside` is another checkout, which
    serves the same content from a database of its own.
    """

    def __init__(self, kind: str, tools: int, folder: Path, beside: Path | None = None) -> None:
        self.kind, self.tools, self.folder, self.beside = kind, tools, folder, beside
        self.stack = ExitStack()
        self.measurements: dict[tuple[str, str], Measurement] = {}
        """By table and row, in the order in which they take turns."""

    def __enter__(self) -> "Site":
        self.url, self.env = self._content(ROOT, self.folder)
        self.caching = self._server(self.env)
        self.page = get(self.caching.port, PAGE, Accept_Encoding=ENCODINGS)
        assert self.page.status == 200, self.page.status
        page_file = self.folder / "page"
        page_file.write_bytes(self.page.body)
        uncached = {"DJANGO_SETTINGS_MODULE": "tests.bench.uncached"}
        self.rendering = self._server(self.env | uncached)
        own = {"DJANGO_SETTINGS_MODULE": "tests.bench.bare_django", "BENCH_BYTES": str(page_file)}
        bare = self._server(self.env | own)
        other = None
        if self.beside:
            folder = self.folder / "beside"
            folder.mkdir()
            env = self._content(self.beside, folder)[1]
            if not (self.beside / "shipskip/env.py").exists():  # before 1.0
                uncached = {"PAGE_MEMORY_MB": "0"}
            other = self._server(env | uncached, self.beside)
        self.measurements[RENDERED, BARE] = partial(self._load, bare, ["/bare/"])
        for title, paths in pages(self.tools).items():
            self.measurements[RENDERED, title] = partial(self._load, self.rendering, paths)
            if other:
                self.measurements[BESIDE, title] = partial(self._load, other, paths)
        self._add_cached(bare)
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
        for command in (
            ["manage.py", "prepare"],
            [str(ROOT / "tests/bench/data.py"), str(self.tools)],
        ):
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

    def _add_cached(self, bare: Server) -> None:
        """The measurements of cached pages and of visitors: nginx, memory, 304, votes."""
        nginx = Nginx(self.folder, [f"127.0.0.1:{self.caching.port} max_fails=0"])
        self._pinned(nginx)
        get(nginx.port, PAGE, Accept_Encoding=ENCODINGS)  # fills the cache of nginx
        port = self.caching.port
        etag = get(port, PAGE, Accept_Encoding=ENCODINGS).headers["ETag"]
        visitors = voters(port, slug(0))
        names = [slug(n) for n in range(HOT)]

        def add(title: str, port: int, path: str, **headers: str) -> None:
            sent = [Request(path, {"Accept-Encoding": ENCODINGS} | headers)]
            self.measurements[CACHED, title] = partial(load, port, sent, connections=32)

        add("nginx, the page as a file", self._plain(), "/page")
        add("our nginx, cached", nginx.port, PAGE)
        add("from the server's memory", port, PAGE)
        add("304", port, PAGE, **{"If-None-Match": etag})
        add(BARE, bare.port, "/bare/")
        marks = f"/me/marks/?tools={slug(0)}&tools={slug(1)}"
        add("`/me/marks/`, two tools", port, marks, Cookie=visitors[0])
        for title, voted in (("votes, one tool", names[:1]), ("votes, 24 tools", names)):
            self.measurements[CACHED, title] = partial(votes, port, visitors, voted)

    def _plain(self) -> int:
        """The port of an nginx with the page's bytes as a file, its headers and a log line."""
        port = free_port()
        own = {"content-length", "content-type", "date", "server", "etag", "connection"}
        headers = "".join(
            f"add_header {name} {json.dumps(text)};\n"
            for name, text in self.page.headers.items()
            if name.lower() not in own
        )
        main = self.folder / "plain.conf"
        main.write_text(
            "daemon off; worker_processes 1; pid plain.pid; error_log plain-errors.log;\n"
            "user root; events { worker_connections 2048; } http { log_format line\n"
            "'$time_iso8601 $request_method $uri $status $body_bytes_sent $request_time';\n"
            f"open_file_cache max=10; server {{ listen 127.0.0.1:{port}; root {self.folder};\n"
            "default_type text/html; access_log plain.log line buffer=32k flush=5s;\n"
            f"{headers}}} }}\n"
        )
        command = ["/usr/sbin/nginx", "-p", str(self.folder), "-c", str(main)]
        self._pinned(Program(command, self.folder))
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
        wait_until(lambda: text.encode() in get(server.port, f"/tools/{tool}/").body)
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
        """How many page views of readers without a cookie reach Python behind our nginx, of how
        many, and how many are allowed to: one for each page, encoding and clock second.
        """
        folder = self.folder / "reach"
        folder.mkdir()
        views = [
            Request(path, {"Accept-Encoding": code}) for code in ("br", "gzip") for path in VIEWS
        ]
        with ExitStack() as stack:
            env = self.env | {"METRICS_TOKEN": TOKEN}
            server = stack.enter_context(Server(env, folder, WORKERS="1"))
            nginx = stack.enter_context(Nginx(folder, [f"127.0.0.1:{server.port} max_fails=0"]))
            for view in views:  # the first request renders the page, it does not revalidate
                get(nginx.port, view.path, Accept_Encoding=view.headers["Accept-Encoding"])
            before, start = answered_by_python(server.port), int(time())
            found = load(nginx.port, views, seconds, connections=32)
            most = len(views) * (int(time()) - start + 1)
            reached = answered_by_python(server.port) - before
        assert not found.failures, found
        return reached, round(found.rate * seconds), most

    def first_view(self) -> tuple[int, int, int]:
        """The bytes of a first view as a browser gets them: page and style, all that the page's
        head loads; and the requests.
        """
        head = get(self.caching.port, PAGE).body.decode().partition("</head>")[0]
        sizes = {
            path: len(get(self.caching.port, path, Accept_Encoding="br").body)
            for path in re.findall(r'(?:href|src)="(/static/[^"]+)"', head)
        }
        style = sum(size for path, size in sizes.items() if path.endswith(".css"))
        page = len(self.page.body)
        return page + style, page + sum(sizes.values()), len(sizes) + 1


def answered_by_python(port: int) -> int:
    """All requests for public pages that Python answered, by its own metrics."""
    text = get(port, "/metrics", Authorization=f"Bearer {TOKEN}").body.decode()
    return round(sum(map(float, re.findall(r"^shipskip_memory_total\{.*\} (\S+)", text, re.M))))
