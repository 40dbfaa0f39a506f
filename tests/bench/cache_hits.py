"""How many page views of readers without a cookie reach Python behind our nginx."""

import re
from contextlib import ExitStack
from pathlib import Path
from time import time

from tests.bench.load import Request, load
from tests.bench.pages import comparison, slug
from tests.deploy.production_site import Nginx, Server, get

TOKEN = "the-token-of-the-bench"
PATHS = [
    "/",
    "/tools/",
    f"/tools/{slug(0)}/",
    comparison(0, 1),
    "/reviewers/critic-0/",
    "/methodology/",
]
ENCODINGS = ["br", "gzip"]


def answered_by_python(port: int) -> int:
    """All requests for public pages that Python answered, by its own metrics."""
    text = get(port, "/metrics", Authorization=f"Bearer {TOKEN}").body.decode()
    return round(sum(map(float, re.findall(r"^shipskip_memory_total\{.*\} (\S+)", text, re.M))))


def measure_reach(env: dict[str, str], folder: Path, seconds: float) -> tuple[int, int, int]:
    """Load pages through nginx: the number of views, how many of them reached Python, and how many
    are allowed to: one for each page, encoding and clock second.
    """
    place = folder / "reach"
    place.mkdir(exist_ok=True)
    views = [(path, encoding) for encoding in ENCODINGS for path in PATHS]
    with ExitStack() as stack:
        server = stack.enter_context(Server(env | {"METRICS_TOKEN": TOKEN}, place, WORKERS="1"))
        nginx = stack.enter_context(Nginx(place, [f"127.0.0.1:{server.port} max_fails=0"]))
        for path, encoding in views:  # the first request renders the page, it does not revalidate
            get(nginx.port, path, Accept_Encoding=encoding)
        before, start = answered_by_python(server.port), int(time())
        sent = [Request(path, {"Accept-Encoding": encoding}) for path, encoding in views]
        found = load(nginx.port, sent, seconds, connections=32)
        passed = int(time()) - start + 1
        reached = answered_by_python(server.port) - before
    assert not found.failures, found
    return round(found.rate * seconds), reached, len(views) * passed
