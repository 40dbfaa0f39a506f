"""The load: wrk on a separate core, and the visitors whose votes it sends."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

SERVER_CORE, LOAD_CORE = "0", "1"
VISITORS = 64
MILLISECONDS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}

VOTES = """
local turn = 0
request = function()
  turn = turn + 1
  local one = visitors[turn % #visitors + 1]
  local tool = tools[turn % #tools + 1]
  local choice = math.floor(turn / #visitors) % 2 == 0 and "ship" or "skip"
  return wrk.format("POST", "/tools/" .. tool .. "/vote/", {
    ["Cookie"] = one, ["Content-Type"] = "application/x-www-form-urlencoded",
    ["Host"] = "127.0.0.1", ["Sec-Fetch-Site"] = "same-origin"}, "choice=" .. choice)
end
"""


@dataclass
class LoadResult:
    """The result of one run: answers a second, and waits in milliseconds."""

    rate: float
    p50: float
    p99: float
    failures: int


def wrk(
    url: str, seconds: float, *, connections: int = 32, script: Path | None = None, **headers: str
) -> LoadResult:
    """One run; raises AssertionError if the output of wrk cannot be read."""
    program = shutil.which("wrk")
    assert program, "wrk is not installed (package wrk)"
    command = ["taskset", "-c", LOAD_CORE, program, "-t1", f"-c{connections}", f"-d{seconds:g}s"]
    command += ["--latency", "--timeout", "30s"]
    if script:
        command += ["-s", str(script)]
    for name, value in headers.items():
        command += ["-H", f"{name.replace('_', '-')}: {value}"]
    text = subprocess.run([*command, url], capture_output=True, text=True, check=True).stdout
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    assert rate, text
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    errors = re.search(r"Socket errors: (.*)", text)
    failures = int(bad[1]) if bad else 0
    failures += sum(int(n) for n in re.findall(r"\d+", errors[1])) if errors else 0
    return LoadResult(float(rate[1]), _wait(text, "50%"), _wait(text, "99%"), failures)


def _wait(text: str, part: str) -> float:
    found = re.search(rf"{part}\s+([\d.]+)(us|ms|s|m)", text)
    assert found, text
    return float(found[1]) * MILLISECONDS[found[2]]


def voters(port: int, tool: str) -> list[str]:
    """Visitors who have voted once: the cookies of each."""
    found = []
    sent = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
    for _ in range(VISITORS):
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("POST", f"/tools/{tool}/vote/", "choice=ship", sent)
        response = connection.getresponse()
        response.read()
        cookies = response.headers.get_all("Set-Cookie", [])
        connection.close()
        found.append("; ".join(line.partition(";")[0] for line in cookies))
    return found


def vote_script(path: Path, visitors: list[str], tools: list[str]) -> Path:
    """Write the script with which wrk sends these visitors' votes on these tools, in turn."""
    lines = ",".join(f'"{cookies}"' for cookies in visitors)
    names = ",".join(f'"{name}"' for name in tools)
    path.write_text(f"visitors = {{{lines}}}\ntools = {{{names}}}\n{VOTES}")
    return path
