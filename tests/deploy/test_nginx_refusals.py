"""Requests that nginx refuses, the headers that it sends to the site, and its logs."""

import re
import shutil
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.deploy.production_site import NGINX, START, Answer, Nginx, get, wait_until

pytestmark = [
    pytest.mark.skipif(
        not shutil.which(NGINX),
        reason="nginx is not installed",
    ),
]
PAGE = "/tools/smollm3/"


def test_a_too_long_body_is_refused(nginx):
    answer = get(nginx.port, f"{PAGE}vote/", "POST", b"x" * 1_200_000)
    assert answer.status == 413


def test_each_address_may_log_in_once_a_second(nginx):
    def attempt(client: str, path: str = "/admin/login/") -> Answer:
        return get(nginx.port, path, "POST", b"username=x", client=client)

    start, paths = time.monotonic(), ["/admin/login/", "/%61dmin/login/"] * 15
    with ThreadPoolExecutor(len(paths)) as pool:  # the site may take longer than a second for one
        answers = list(pool.map(lambda path: attempt("127.0.0.3", path), paths))
    refused = [row for row in answers if row.status == 429]
    reached = [row for row in answers if row.status == 403]  # without a token
    assert len(refused) + len(reached) == len(answers)
    assert 5 <= len(reached) <= 6 + time.monotonic() - start
    for row in refused:
        assert row.headers["Retry-After"] == "2"
        assert b"Too many attempts" in row.body
    assert attempt("127.0.0.4").status == 403
    assert get(nginx.port, f"{PAGE}vote/", "POST", b"", client="127.0.0.3").status == 403


CLIENT, KEY = "127.9.0.9", "Kq3-vX_9pWmZ7sYtR2uBnE5hJ8cLfDaG"
REFUSED = {
    "by the site": ("POST", f"/newsletter/forget/{KEY}/", 403),
    "an odd path": ("GET", f"//newsletter/%66orget/{KEY}/", 404),
    "a preview": ("GET", f"/preview/tools/{KEY}/", 404),
    "a method": ("POST", f"/?key={KEY}", 405),
    "too long an address": ("GET", f"/?key={KEY}{'x' * 9_000}", 414),
}


def test_no_key_address_or_query_is_in_any_log_of_nginx(nginx, folder, tmp_path):
    """Refusals by the site, by nginx itself, and while no server answers."""
    who = {"client": CLIENT, "Referer": f"https://ship.example/{KEY}", "User_Agent": KEY}
    for method, path, status in REFUSED.values():
        assert get(nginx.port, path, method, **who).status == status
    path = f"/newsletter/confirm/{KEY}/?{KEY}"
    assert get(nginx.port, path, "POST", b"x" * 1_200_000, **who).status == 413
    with ThreadPoolExecutor(150) as pool:  # more than may wait for their turn
        posts = pool.map(lambda _: get(nginx.port, path, "POST", b"", **who).status, range(150))
        assert 429 in set(posts)
    site = ("127.0.0.1", nginx.port)
    with socket.create_connection(site, START, source_address=(CLIENT, 0)) as one:
        one.sendall(f"GET /{KEY} {KEY} HTTP/1.1\r\n\r\n".encode())
        assert b" 400 " in one.recv(4096)
    get(nginx.redirect, path, **who)
    with Nginx(tmp_path, ["127.0.0.1:1"]) as alone:
        assert get(alone.port, path, **who).status == 503
    nginx.send(signal.SIGUSR1)  # reopens the log files, so that all lines are written
    logs = [*folder.glob("*.log"), *tmp_path.glob("*.log")]
    assert {"access.log", "error.log"} <= {log.name for log in logs}

    def text_of_logs() -> str:
        named = [log for log in logs if log.name.startswith(("access", "error", "nginx"))]
        return "".join(log.read_text() for log in named)

    expected = {"400", "403", "404", "405", "413", "414", "429", "503"}
    wait_until(lambda: expected <= set(re.findall(r" (\d{3}) \d+ ", text_of_logs())))
    text = text_of_logs()
    assert "/newsletter/forget/... 403" in text
    for secret in (KEY, KEY[:12], CLIENT, "ship.example", "?"):
        assert secret not in text


UNCACHED = {
    "a comparison": "/compare/smollm3-vs-aider/?x={}",
    "an unknown page": "/compare/none{}-vs-nothing/",
    "a search": "/search/?q=word{}",
    "a search, spelled otherwise": "/search/?%71=word{}",
    "own weights, spelled otherwise": "/tools/?%77eigh-pm={}",
    "a form": "/tools/smollm3/vote/?x={}",
    "an unknown file": "/static/none{}.css",
    "the desk": "/admin/none{}/",
}


def test_what_reaches_python_is_limited_by_network(nginx):
    """However it is spelled; other networks, and pages in nginx's cache, are not affected."""

    def answers_to(number: int, path: str) -> list[Answer]:
        def request(turn: int) -> Answer:
            client = f"127.{20 + number}.0.{1 + turn % 90}"
            return get(nginx.port, path.format(turn), client=client)

        with ThreadPoolExecutor(180) as pool:
            return list(pool.map(request, range(180)))

    with ThreadPoolExecutor(len(UNCACHED) // 2) as pool:  # requests wait for their turn
        tried = pool.map(answers_to, range(len(UNCACHED)), UNCACHED.values())
    for number, (kind, path) in enumerate(UNCACHED.items()):
        answers = next(tried)
        refused = [answer for answer in answers if answer.status == 429]
        assert 60 <= len(answers) - len(refused) < len(answers), kind
        assert refused[0].headers["Retry-After"] == "2"
        assert b"Too many attempts" in refused[0].body
        assert get(nginx.port, path.format(1), client=f"127.{20 + number}.1.1").status != 429, kind
        assert get(nginx.port, PAGE, client=f"127.{20 + number}.0.1").status == 200, kind


def test_probes_are_not_for_readers(nginx):
    assert {get(nginx.port, path).status for path in ("/livez", "/readyz", "/%6civez")} == {404}


def test_port_80_redirects_to_https_and_answers_certbot(nginx, folder):
    proof = folder / ".well-known/acme-challenge/token"
    proof.parent.mkdir(parents=True, exist_ok=True)
    proof.write_text("proof")
    assert get(nginx.redirect, "/.well-known/acme-challenge/token").body == b"proof"
    answer = get(nginx.redirect, f"{PAGE}?a=b", Host="ship.example")
    assert (answer.status, answer.headers["Location"]) == (301, f"https://ship.example{PAGE}?a=b")
