"""How many page views of readers without a cookie reach Python behind our nginx."""

import re
from contextlib import ExitStack
from pathlib import Path
from time import time

from tests.bench.load import wrk
from tests.deploy.production_site import Nginx, Server, get

TOKEN = "the-token-of-the-bench"
PATHS = (
    *("/", "/tools/", "/tools/tool-00000/", "/compare/tool-00000-vs-tool-00001/"),
    *("/reviewers/critic-0/", "/methodology/"),
)
ENCODINGS = ("br", "gzip")

READERS = """
local turn = 0
request = function()
  turn = turn + 1
  return wrk.format("GET", paths[turn % #paths + 1], {["Host"] = "127.0.0.1",
    ["Accept-Encoding"] = encodings[math.floor(turn / #paths) % #encodings + 1]})
end
"""


def answered_by_python(port: int) -> int:
    """All requests for public pages that Python answered, by its own metrics."""
    text = get(port, "/metrics", Authorization=f"Bearer {TOKEN}").body.decode()
    return round(sum(map(float, re.findall(r"^shipskip_memory_total\{.*\} (\S+)", text, re.M))))


def measure_reach(env: dict[str, str], folder: Path, seconds: float) -> tuple[int, int, int]:
    """Load pages through nginx: the number of views, how many of them reached Python, and how many
    are allowed to: one for each page, encoding and clock second.
    """
    script, place = folder / "readers.lua", folder / "reach"
    place.mkdir(exist_ok=True)
    lists = {"paths": PATHS, "encodings": ENCODINGS}
    head = [
        f"{name} = {{{','.join(f'{text!r}' for text in texts)}}}" for name, texts in lists.items()
    ]
    script.write_text("\n".join([*head, READERS]))
    with ExitStack() as stack:
        server = stack.enter_context(Server(env | {"METRICS_TOKEN": TOKEN}, place, WORKERS="1"))
        nginx = stack.enter_context(Nginx(place, [f"127.0.0.1:{server.port} max_fails=0"]))
        for path in PATHS:  # the first request for a page renders it and does not revalidate
            for encoding in ENCODINGS:
                get(nginx.port, path, Accept_Encoding=encoding)
        before, start = answered_by_python(server.port), int(time())
        found = wrk(f"http://127.0.0.1:{nginx.port}/", seconds, script=script)
        passed = int(time()) - start + 1
        reached = answered_by_python(server.port) - before
    assert not found.failures, found
    return round(found.rate * seconds), reached, len(PATHS) * len(ENCODINGS) * passed
