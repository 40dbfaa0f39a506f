"""One site under measurement: its database, its servers on one core, and the measurements."""

import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.bench.cache_hits import measure_reach
from tests.bench.load import SERVER_CORE, LoadResult, vote_script, voters, wrk
from tests.deploy.production_site import Answer, Nginx, Program, Server, database, get
from tests.free_port import free_port
from tests.stress_site import environment, manage

PAIR = "/compare/tool-00000-vs-tool-00001/"
"""Of two tools without facts."""
LISTS = {
    "j": "/tools/?fact.asked-01=yes",
    "k": "/categories/kind-0/?sort=fact.asked-00",
}
BROWSER = {"Accept_Encoding": "gzip, deflate, br, zstd"}
TOOLS = 24


@dataclass(frozen=True)
class Size:
    """The amount of content of a site."""

    title: str
    tools: int
    votes: int


class Site:
    """The servers for one dataset; to be used inside `with`."""

    def __init__(self, kind: str, size: Size, folder: Path) -> None:
        self.kind, self.size, self.folder = kind, size, folder
        self.measurements: dict[str, Callable[[float], LoadResult]] = {}
        self.first_view = ""
        self.reach: Callable[[float], tuple[int, int, int]] = lambda _: (0, 0, 0)
        self.stack = ExitStack()

    @property
    def title(self) -> str:
        """The heading of its column."""
        return f"{self.kind}, {self.size.title}"

    def __enter__(self) -> "Site":
        url = self.stack.enter_context(database(self.folder, self.kind))
        env = environment(url) | {"HASHED_ASSETS": "true", "TRUSTED_PROXIES": "127.0.0.1"}
        env |= {"WORKERS": "1", "LOG_FORMAT": "text"}
        manage(env, "prepare")
        numbers = [str(self.size.tools), str(self.size.votes)]
        subprocess.run([sys.executable, "-m", "tests.bench.data", *numbers], env=env, check=True)
        caching = self._server(env)
        page = get(caching.port, PAIR, **BROWSER)
        assert page.status == 200, page.status
        bytes_file = self.folder / "page.br"
        bytes_file.write_bytes(page.body)
        rendered = self._server(env | {"PAGE_MEMORY_MB": "0"})
        own = {"DJANGO_SETTINGS_MODULE": "tests.bench.bare_django", "BENCH_BYTES": str(bytes_file)}
        bare = self._server(env | own, path="/bare/")
        nginx = Nginx(self.folder, [f"127.0.0.1:{caching.port} max_fails=0"])
        self._pinned(nginx)
        get(nginx.port, PAIR, **BROWSER)  # fills the cache of nginx
        plain = self._plain(page)
        self._define(caching, rendered, bare, nginx.port, plain)
        self.first_view = first_view(caching.port, page.body)
        self.reach = lambda seconds: measure_reach(env, self.folder, seconds)
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def _pinned(self, program: Program) -> None:
        program.command = ["taskset", "-c", SERVER_CORE, *program.command]
        self.stack.enter_context(program)

    def _server(self, env: dict[str, str], path: str = PAIR) -> Server:
        server = Server(env, self.folder, WORKERS="1")
        self._pinned(server)
        get(server.port, path)
        return server

    def _plain(self, page: Answer) -> int:
        """nginx with the page's bytes as files: `/page` with its headers and nginx's log line,
        `/bare` without either; its port.
        """
        port, folder = free_port(), self.folder / "plain"
        folder.mkdir()
        own = {"content-length", "content-type", "date", "server", "etag", "connection"}
        headers = [(name, text) for name, text in page.headers.items() if name.lower() not in own]
        for name in ("page", "bare"):
            (folder / name).write_bytes(page.body)
        main = folder / "nginx.conf"
        main.write_text(
            f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;\n"
            "user root; events { worker_connections 2048; } http { log_format line\n"
            "'$time_iso8601 $request_method $uri $status $body_bytes_sent $request_time';\n"
            f"open_file_cache max=10; server {{ listen 127.0.0.1:{port}; root {folder};\n"
            "default_type text/html; access_log off; location = /page {\n"
            f"access_log {folder}/access.log line buffer=32k flush=5s;\n"
            + "".join(f'add_header {name} "{text}";\n' for name, text in headers)
            + "} location = /bare { add_header Content-Encoding br; } } }\n"
        )
        self._pinned(Program(["/usr/sbin/nginx", "-p", str(folder), "-c", str(main)], folder))
        return port

    def _define(
        self, caching: Server, rendered: Server, bare: Server, nginx: int, plain: int
    ) -> None:
        def load_on(
            port: int, path: str = PAIR, connections: int = 32, **more: str
        ) -> Callable[[float], LoadResult]:
            url, headers = f"http://127.0.0.1:{port}{path}", BROWSER | more
            return lambda seconds: wrk(url, seconds, connections=connections, **headers)

        cookies = voters(caching.port, "tool-00000")
        names = [f"tool-{n:05}" for n in range(TOOLS)]
        one = vote_script(self.folder / "one.lua", cookies, names[:1])
        many = vote_script(self.folder / "many.lua", cookies, names)
        target = f"http://127.0.0.1:{caching.port}/"
        marks_path = "/me/marks/?tools=tool-00000&tools=tool-00001"
        self.measurements = {
            "a0": load_on(plain, "/bare"),
            "a": load_on(plain, "/page"),
            "b": load_on(nginx),
            "c": load_on(caching.port),
            "d": lambda seconds: load_on(
                caching.port, If_None_Match=get(caching.port, PAIR, **BROWSER).headers["ETag"]
            )(seconds),
            "e": load_on(rendered.port),
            "e1": load_on(rendered.port, connections=1),
            "i2": load_on(rendered.port, rich_comparison(2), connections=1),
            "i10": load_on(rendered.port, rich_comparison(10), connections=1),
            **{key: load_on(rendered.port, path, connections=1) for key, path in LISTS.items()},
            "f": load_on(bare.port, "/bare/"),
            "g1": lambda seconds: wrk(target, seconds, script=one),
            "g24": lambda seconds: wrk(target, seconds, script=many),
            "h": load_on(caching.port, marks_path, Cookie=cookies[0]),
        }


def rich_comparison(tools: int) -> str:
    """The path of a comparison of this many tools with 30 attributes each."""
    return f"/compare/{'-vs-'.join(f'tool-{n:05}' for n in range(2, 2 + tools))}/"


def first_view(port: int, page: bytes) -> str:
    """The bytes of a first view as a browser gets them: page and style, all, requests."""
    html = get(port, PAIR).body.decode()
    head = html.partition("</head>")[0]
    paths = re.findall(r'(?:href|src)="(/static/[^"]+)"', head)
    sizes = {path: len(get(port, path, Accept_Encoding="br").body) for path in paths}
    style = sum(size for path, size in sizes.items() if path.endswith(".css"))
    total = len(page) + sum(sizes.values())
    return (
        f"page {len(page):,} B and style {style:,} B: {len(page) + style:,} B of 14,336;"
        f" all of it {total:,} B of 46,080 in {len(sizes) + 1} requests of 5"
    )
