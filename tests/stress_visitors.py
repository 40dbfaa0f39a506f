"""Visitors of a stress test: each with a connection, cookies and a record of the answers."""

import random
from http.client import HTTPConnection, HTTPException, HTTPResponse
from urllib.parse import urlencode

from tests.stress_site import Workers

TIMEOUT = 30
"""Seconds a visitor waits for an answer."""

ATTEMPTS = 10
CHOICES = {"ship": "ship", "skip": "skip", "none": ""}


class Visitor:
    """One browser: it uses one worker until the connection fails, then the next."""

    def __init__(self, workers: Workers, number: int) -> None:
        self.workers = workers
        self.worker = number
        self.random = random.Random(number)  # noqa: S311
        self.cookies: dict[str, str] = {}
        self.connection: HTTPConnection | None = None
        self.possible: dict[str, set[str]] = {}
        """What may be in the database, by tool: one choice once a vote was acknowledged."""

    @property
    def name(self) -> str:
        """The visitor's id, which is the part of the cookie before its signature."""
        return self.cookies["visitor"].partition(":")[0]

    def cast_first_vote(self, tool: str) -> str:
        """Cast a first vote, which makes a visitor; try again if the answer sets no cookie."""
        for _ in range(ATTEMPTS):
            answer = self._post_vote(tool, "ship")
            if "visitor" in self.cookies:
                return answer
        return "no first vote"

    def vote(self, tools: list[str]) -> str:
        """Cast, change or withdraw a vote on one tool: `stored`, `busy`, `lost` or `error`."""
        return self._post_vote(self.random.choice(tools), self.random.choice([*CHOICES]))

    def _post_vote(self, tool: str, choice: str) -> str:
        sent = {"choice": choice}
        self.possible.setdefault(tool, {""})
        try:
            status = self._request("POST", f"/tools/{tool}/vote/", urlencode(sent)).status
        except (OSError, HTTPException):
            status = 0
        if status in (200, 303):
            self.possible[tool] = {CHOICES[choice]}
            return "stored"
        self.possible[tool] = self.possible[tool] | {CHOICES[choice]}
        return {0: "lost", 503: "busy", 429: "busy"}.get(status, "error")

    def _request(self, method: str, path: str, body: str | None = None) -> HTTPResponse:
        """Send a request and read its answer. If there is none, use the next worker from now on."""
        if self.connection is None:
            port = self.workers.ports[self.worker % len(self.workers.ports)]
            self.connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        headers = {"Cookie": "; ".join(f"{name}={v}" for name, v in self.cookies.items())}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            headers["Sec-Fetch-Site"] = "same-origin"
        try:
            self.connection.request(method, path, body, headers)
            response = self.connection.getresponse()
            response.read()
        except (OSError, HTTPException):
            self.connection.close()
            self.connection = None
            self.worker += 1
            raise
        for line in response.headers.get_all("Set-Cookie", []):
            name, _, rest = line.partition("=")
            self.cookies[name] = rest.partition(";")[0].strip('"')
        return response
