"""nginx with our own configuration in front of two servers, as deployed."""

import re
import shutil
import signal
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import brotli
import pytest
from django.db import connection
from django.utils import timezone

from shipskip.web.cache_control import PUBLIC
from tests.deploy.production_site import (
    NGINX,
    PATIENCE,
    Answer,
    Nginx,
    Server,
    answer_to_partial_request,
    get,
    impatient,
    prepared,
    reload,
)
from tests.faults.load import Load
from tests.operations import sites
from tests.source_files import ROOT
from tests.waiting import WAIT, wait_until
from tools.models import Tool

pytestmark = pytest.mark.skipif(not shutil.which(NGINX), reason="nginx is not installed")
PAGE = "/tools/smollm3/"
FILE = "/data/catalogue.json"
PAIR = "/compare/cursor-background-agent-vs-smollm3/"
FORM = "application/x-www-form-urlencoded"


class Site(NamedTuple):
    """Two servers on one database, with nginx in front of them."""

    nginx: Nginx
    first: Server
    second: Server
    env: dict[str, str]
    folder: Path
    """Of nginx's cache and logs."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, django_db_blocker):
    """Each server has one worker, as on a machine of two cores. `prepare` migrates SQLite's file;
    PostgreSQL's database is a copy, because to migrate it takes 15 s of processor time.
    """
    folder = tmp_path_factory.mktemp("nginx")
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        if connection.vendor == "sqlite":
            url = f"sqlite:///{folder / 'site.sqlite3'}"
        else:
            url = stack.enter_context(sites.temporary_site(folder, full=False)).url
        # A busy machine may take longer than a second to open a connection to the database.
        env = prepared(url, DJANGO_SETTINGS_MODULE="tests.deploy.patient")
        first, second = (stack.enter_context(Server(env, folder, WORKERS="1")) for _ in range(2))
        names = [f"127.0.0.1:{server.port} {PATIENCE}" for server in (first, second)]
        nginx = stack.enter_context(Nginx(folder, names))
        yield Site(nginx, first, second, env, folder)


@pytest.fixture
def nginx(site: Site) -> Nginx:
    return site.nginx


def at_the_desk(site: Site, act) -> None:
    """Change the site's rows, from this process."""
    sites.Site(site.env["DATABASE_URL"]).run(act)


def first_answer(
    nginx: Nginx, path: str, is_sought: Callable[[str], bool], **headers: str
) -> Answer:
    """The first answer whose `X-Front`, which says whether nginx had it, is the one sought."""

    def sought() -> Answer | None:
        answer = get(nginx.port, path, **headers)
        return answer if is_sought(answer.headers["X-Front"]) else None

    return wait_until(sought)


def request_until_cached(nginx: Nginx, path: str, **headers: str) -> Answer:
    """Request the page until nginx answers from its cache; the last answer. On a busy machine a
    page may take longer than the second for which it is stored.
    """
    return first_answer(nginx, path, lambda front: front in ("HIT", "BYPASS"), **headers)


def answer_of_a_new_second(nginx: Nginx, path: str) -> Answer:
    """The first answer for which nginx asks the site again: its clock second has just begun."""
    return first_answer(nginx, path, lambda front: front != "HIT")


def tool_paths(nginx: Nginx) -> list[str]:
    """The pages of the tools, except those that other tests read."""
    listed = get(nginx.port, "/tools/").body.decode()
    return sorted(set(re.findall(r'href="(/tools/[a-z0-9-]+/)"', listed)) - {PAGE})


@pytest.fixture(scope="module")
def silent_clients(site):
    """The bytes that clients receive after half a request; they wait while other tests run."""
    starts = [
        b"",
        b"GET / HTTP/1.1\r\nHost: x\r\n",
        b"POST /newsletter/join/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nchoice",
    ]
    with ThreadPoolExecutor(len(starts)) as pool:
        yield pool.map(lambda start: answer_to_partial_request(site.nginx.port, start), starts)


def test_no_query_passes_the_copy_of_a_file_and_none_shows_what_is_withdrawn(site):
    nginx = site.nginx
    etags = {
        encoding: request_until_cached(nginx, FILE, Accept_Encoding=encoding).headers["ETag"]
        for encoding in ("br", "gzip", "identity")
    }
    request_until_cached(nginx, f"{FILE}?one=1&two=2")
    at_the_desk(site, lambda: Tool.objects.get(slug="chroma").withdraw(timezone.now()))
    statuses: set[int] = set()

    def newer(encoding: str) -> Answer | None:
        answer = get(nginx.port, FILE, Accept_Encoding=encoding)
        statuses.add(answer.status)
        return answer if answer.headers["ETag"] != etags[encoding] else None

    for encoding in etags:
        wait_until(partial(newer, encoding))
    assert statuses == {200, 404}
    wait_until(lambda: (answer := newer("identity")) and answer.status == 200)
    assert '"chroma"' not in get(nginx.port, FILE).body.decode()
    at_the_desk(site, lambda: Tool.objects.get(slug="chroma").publish(timezone.now()))


@pytest.mark.usefixtures("silent_clients")
@pytest.mark.parametrize("path", [PAIR, FILE])
def test_a_public_page_is_served_by_nginx_and_revalidated_in_the_next_second(site, path):
    nginx, server = site.nginx, site.first
    for encoding in ("br", "gzip", "identity"):
        answer = request_until_cached(nginx, path, Accept_Encoding=encoding)
        sent = get(server.port, path, Accept_Encoding=encoding)
        assert (answer.status, answer.headers["X-Front"]) == (200, "HIT")
        assert answer.headers["Cache-Control"] == PUBLIC or path == FILE
        assert "X-Accel-Expires" not in answer.headers
        assert (answer.body, answer.headers["ETag"]) == (sent.body, sent.headers["ETag"])
        assert answer.headers.get("Content-Encoding", "identity") == encoding
    known = request_until_cached(nginx, path, If_None_Match=answer.headers["ETag"])
    assert (known.status, known.headers["X-Front"], known.body) == (304, "HIT", b"")
    assert answer_of_a_new_second(nginx, path).headers["X-Front"] == "REVALIDATED"


def test_a_page_and_its_markdown_are_cached_apart(site):
    nginx, server = site.nginx, site.first
    tags = set()
    for encoding in ("br", "gzip", "identity"):
        for accept, path in [("text/markdown", f"{PAIR[:-1]}.md"), ("text/html, */*", PAIR)] * 2:
            asked = {"Accept": accept, "Accept_Encoding": encoding}
            answer = request_until_cached(nginx, PAIR, **asked)
            sent = get(server.port, path, Accept_Encoding=encoding)
            assert (answer.headers["X-Front"], answer.body) == ("HIT", sent.body)
            assert answer.headers["Content-Type"] == sent.headers["Content-Type"]
            assert answer.headers.get("Content-Encoding", "identity") == encoding
            asked["If_None_Match"] = answer.headers["ETag"]
            known = request_until_cached(nginx, PAIR, **asked)
            assert (known.status, known.headers["ETag"]) == (304, answer.headers["ETag"])
            assert answer.headers["Vary"] == known.headers["Vary"] == "Accept-Encoding, Accept"
            tags.add(answer.headers["ETag"])
    assert len(tags) == 6
    style = re.findall(rb'href="(/static/site\.[^"]+)"', get(nginx.port, PAIR).body)[0].decode()
    assert get(nginx.port, style).headers["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_readers_see_a_change(site):
    request_until_cached(site.nginx, PAGE)
    rows = Tool.objects.filter(slug="smollm3")
    at_the_desk(site, lambda: rows.update(tagline="Seen at once"))
    wait_until(lambda: b"Seen at once" in get(site.nginx.port, PAGE).body)


def test_a_private_page_is_never_cached(nginx):
    for path in ("/me/", "/bookmarks/", f"{PAGE}vote/", "/admin/login/", "/tools/none/"):
        first, second = get(nginx.port, path), get(nginx.port, path)
        assert first.headers["X-Front"] != "HIT" != second.headers["X-Front"], path
        assert "no-store" in second.headers["Cache-Control"], path


def test_cookies_and_keys_of_advertising_are_ignored_and_only_known_filters_cached(nginx):
    plain, cookie = (
        request_until_cached(nginx, "/tools/", **sent)
        for sent in ({}, {"Cookie": "sessionid=x; visitor=y"})
    )
    sorted_page = request_until_cached(nginx, "/tools/?sort=name")
    assert cookie.body == plain.body != sorted_page.body
    assert {answer.headers["X-Front"] for answer in (plain, cookie, sorted_page)} == {"HIT"}
    request_until_cached(nginx, "/tools/")
    marked = get(nginx.port, "/tools/?utm_source=letter&gclid=1")
    assert marked.headers["X-Front"] in ("HIT", "REVALIDATED")  # the second may have ended
    assert marked.body == plain.body
    for query in ("x=1", "q=code", "Page=2", "%70age=2", "page=2&x=1", "sort=a%20b"):
        assert get(nginx.port, f"/tools/?{query}").headers["X-Front"] == "BYPASS", query


def test_many_requests_at_once_reach_the_server_once(site):
    missed = []
    # A page is stored for the rest of its second, which may end too early on a busy machine, where
    # rendering it may also take longer than requests wait for one another: so it is rendered first.
    for path in tool_paths(site.nginx):
        for server in (site.first, site.second):
            get(server.port, path)
        request_until_cached(site.nginx, PAIR)
        answer_of_a_new_second(site.nginx, PAIR)
        with ThreadPoolExecutor(30) as pool:
            answers = list(pool.map(lambda _, path=path: get(site.nginx.port, path), range(30)))
        assert {row.status for row in answers} == {200}
        missed.append([row.headers["X-Front"] for row in answers].count("MISS"))
        if missed[-1] == 1:
            break
    assert missed[-1] == 1, missed


def files_in_cache(folder):
    """The files of nginx's cache."""
    return {path.name for path in (folder / "cache").rglob("*") if path.is_file()}


def test_unknown_urls_leave_no_file_in_the_cache(site):
    """Queries such as `?p=x1…` and `?page=zz…` could otherwise fill the disk."""
    slugs = [path.split("/")[2] for path in tool_paths(site.nginx)]
    for path in ("/", "/tools/", "/compare/", PAGE):
        request_until_cached(site.nginx, path)
    edited = request_until_cached(site.nginx, "/compare/").body.decode()
    before = files_in_cache(site.folder)
    assert len(before) >= 4
    tries = range(60, 63)
    attacks = [
        *(f"{PAGE}?p=x{number}" for number in tries),
        *(f"/?page={number}" for number in tries),
        *(f"/tools/?page=zz{number}" for number in tries),
        *(f"/tools/?page={number}" for number in tries),
        *(f"/tools/?category=none-{number}" for number in tries),
        *("/tools/?" + "&".join(["page=1"] * number) for number in tries),
        *(f"/sitemap-tools.xml?p={number}" for number in tries),
        *(f"/tools/none-{number}/" for number in tries),
        *(f"/compare/{a}-vs-{b}/" for a, b in combinations(slugs[:4], 2)),
        *(f"/compare/{b}-vs-{a}/" for a, b in combinations(slugs[:4], 2)),
    ]
    answers = [get(site.nginx.port, path).status for path in attacks if path not in edited]
    assert len(answers) > 30
    assert set(answers) == {200, 301, 404}
    assert files_in_cache(site.folder) <= before


def test_a_page_that_is_no_longer_public_is_not_shown(site):
    """This is true also for readers whose requests arrive while nginx revalidates its copy."""
    path = tool_paths(site.nginx)[-1]
    request_until_cached(site.nginx, path)
    tools = Tool.objects.filter(slug=path.split("/")[2])
    at_the_desk(site, lambda: tools.get().rename("moved-away"))
    ports = (site.first.port, site.second.port)
    wait_until(lambda: {get(port, path).status for port in ports} == {301})
    with ThreadPoolExecutor(20) as pool:
        for _ in range(2):
            seen = {answer_of_a_new_second(site.nginx, path).status}
            seen |= {*pool.map(lambda _: get(site.nginx.port, path).status, range(40))}
            assert seen == {301}


def test_a_vote_reaches_the_site_and_is_shown(nginx):
    origin = f"http://127.0.0.1:{nginx.port}"
    path = f"{PAGE}vote/"
    answer = get(nginx.port, path, "POST", b"choice=ship", Content_Type=FORM, Origin=origin)
    assert answer.status == 303
    sent = [line.partition(";")[0] for line in answer.headers.get_all("Set-Cookie")]
    mine = f"/me/marks/?tools={PAGE.split('/')[2]}"
    marks = get(nginx.port, mine, Cookie="; ".join(sent), Accept_Encoding="br, gzip")
    assert (marks.headers["Content-Encoding"], marks.headers["X-Front"]) == ("br", "BYPASS")
    assert b'aria-pressed="true"' in brotli.decompress(marks.body)


def test_a_header_name_with_underscores_does_not_reach_the_site(site):
    """The server treats underscores and hyphens alike."""

    def is_used(port: int, name: str) -> bool:
        with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as one:
            head = f"GET /me/ HTTP/1.1\r\nHost: 127.0.0.1\r\n{name}: of-a-stranger\r\n"
            one.sendall(head.encode() + b"Connection: close\r\n\r\n")
            return b"of-a-stranger" in b"".join(iter(lambda: one.recv(65536), b""))

    assert is_used(site.first.port, "X_Request_ID")
    assert not is_used(site.nginx.port, "X_Request_ID")
    conf = (ROOT / "deploy/nginx/site.conf").read_text()
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in conf  # what a client sends is lost


ACCEPTED, REFUSED = 400, 403
"""Forms without an address: the site reads them and stores nothing."""


def status(port: int, *, tls: bool = False, **headers: str) -> int:
    """The status of the answer to a form with these headers."""
    answer = get(port, "/newsletter/join/", "POST", b"", tls=tls, **headers)
    assert (b"Nothing was changed" in answer.body) is (answer.status == REFUSED)
    return answer.status


def test_the_origin_of_our_own_forms_includes_the_reader_s_port(nginx: Nginx):
    own = f"http://127.0.0.1:{nginx.port}"
    assert status(nginx.port, Origin=own) == ACCEPTED
    assert status(nginx.port, Referer=f"{own}/tools/") == ACCEPTED
    assert status(nginx.port, Origin=own, Sec_Fetch_Site="same-site") == REFUSED
    assert status(nginx.port, Origin="http://127.0.0.1") == REFUSED
    assert status(nginx.port) == REFUSED


def speaks_http2(port: int) -> bool:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2", "http/1.1"])
    with socket.create_connection(("127.0.0.1", port)) as one, context.wrap_socket(one) as tls:
        return tls.selected_alpn_protocol() == "h2"


def test_with_tls_the_origin_of_our_own_forms_is_https(site, tmp_path):
    with Nginx(tmp_path, [f"127.0.0.1:{site.first.port}"], tls=True) as nginx:
        own = f"https://127.0.0.1:{nginx.port}"
        assert speaks_http2(nginx.port)
        assert status(nginx.port, tls=True, Origin=own) == ACCEPTED
        assert status(nginx.port, tls=True, Sec_Fetch_Site="same-origin") == ACCEPTED
        assert status(nginx.port, tls=True, Origin=own.replace("https", "http")) == REFUSED
        assert status(nginx.port, tls=True, Origin="https://127.0.0.1") == REFUSED
        assert status(nginx.port, tls=True, Sec_Fetch_Site="cross-site", Origin=own) == REFUSED


def test_each_address_may_log_in_once_a_second(nginx):
    def attempt(client: str, path: str = "/admin/login/") -> Answer:
        return get(nginx.port, path, "POST", b"username=x", client=client)

    start, paths = time.monotonic(), ["/admin/login/", "/%61dmin/login/"] * 16
    answers: list[Answer] = []
    most = 6.0
    # On a slow machine more tries are needed, so that twice as many would be too many.
    with ThreadPoolExecutor(len(paths)) as pool:
        while len(answers) < 3 * most:
            answers += pool.map(lambda path: attempt("127.0.0.3", path), paths)
            most = 6 + time.monotonic() - start
    refused = [row for row in answers if row.status == 429]
    reached = [row for row in answers if row.status == 403]  # without a token
    assert len(refused) + len(reached) == len(answers)
    assert 5 <= len(reached) <= most
    for row in refused:
        assert row.headers["Retry-After"] == "2"
        assert b"Too many attempts" in row.body
    assert attempt("127.0.0.4").status == 403
    assert get(nginx.port, f"{PAGE}vote/", "POST", b"", client="127.0.0.3").status == 403


CLIENT, KEY = "127.9.0.9", "Kq3-vX_9pWmZ7sYtR2uBnE5hJ8cLfDaG"
WHO = {"client": CLIENT, "Referer": f"https://ship.example/{KEY}", "User_Agent": KEY}
UNCACHED = {
    "a comparison": "/compare/smollm3-vs-aider/?x={}",
    "an unknown page": "/compare/none{}-vs-nothing/",
    "a search": "/search/?q=word{}",
    "a search, spelled otherwise": "/search/?%71=word{}",
    "own weights, spelled otherwise": "/tools/?%77eigh-pm={}",
    "the API": "/api/v1/tools?x={}",
    "a form": "/tools/smollm3/vote/?x={}",
    "an unknown file": "/static/none{}.css",
    "the desk": "/admin/none{}/",
    "a link of a mail": f"/newsletter/confirm/{KEY}/?{KEY}{{}}",
}
WAITING = 60
"""Requests of a network that may wait for their turn: see `limit_req` in site.conf."""


def test_what_reaches_python_is_limited_by_network(nginx):
    """However it is spelled; other networks, and pages in nginx's cache, are not affected."""
    kinds = list(UNCACHED) * 15
    unknown = [f"/none{number}/" for number in range(WAITING + 30)]

    def request(path: str, client: str = CLIENT) -> Answer:
        return get(nginx.port, path, **(WHO | {"client": client}))

    with ThreadPoolExecutor(len(unknown) + len(kinds)) as pool:
        first = [pool.submit(request, path) for path in unknown]
        wait_until(lambda: any(one.done() and one.result().status == 429 for one in first))
        paths = [UNCACHED[kind].format(number) for number, kind in enumerate(kinds)]
        answers = list(pool.map(request, paths))
        assert request(PAGE).status == 200
    assert sum(one.result().status != 429 for one in first) >= WAITING
    for kind, answer in zip(kinds, answers, strict=True):
        if answer.status == 429:
            assert answer.headers["Retry-After"] == "2", kind
            words = b'"title": "Too many requests"' if kind == "the API" else b"Too many attempts"
            assert words in answer.body, kind
    refused = {kind for kind, answer in zip(kinds, answers, strict=True) if answer.status == 429}
    assert refused == UNCACHED.keys()
    for path in UNCACHED.values():
        assert request(path.format(1), client="127.9.1.1").status != 429, path


def test_a_48_of_ipv6_has_a_limit_of_its_own_whatever_its_64s_are(nginx):
    def request(prefix: str, number: int) -> int:
        client = f"{prefix}:{number % 20:x}::1"
        return get(nginx.limited, "/livez", X_Forwarded_For=client).status

    with ThreadPoolExecutor(200) as pool:
        flood = [pool.submit(request, "2001:db8:1", number) for number in range(200)]
        wait_until(lambda: any(one.done() and one.result() == 429 for one in flood))
        assert request("2001:db8:2", 0) == 200
    refused = sum(one.result() == 429 for one in flood)
    assert 0 < refused <= 200 - 120


REFUSALS = {
    "by the site": ("POST", f"/newsletter/forget/{KEY}/", 403),
    "an odd path": ("GET", f"//newsletter/%66orget/{KEY}/", 404),
    "a preview": ("GET", f"/preview/tools/{KEY}/", 404),
    "a method": ("POST", f"/?key={KEY}", 405),
    "too long an address": ("GET", f"/?key={KEY}{'x' * 9_000}", 414),
}


def test_no_key_address_or_query_is_in_any_log_of_nginx(site, tmp_path):
    """Refusals by the site, by nginx itself (also those of the test before), and while no server
    answers.
    """
    nginx, folder = site.nginx, site.folder
    for method, path, refused in REFUSALS.values():
        assert get(nginx.port, path, method, **WHO).status == refused
    path = UNCACHED["a link of a mail"]
    assert get(nginx.port, path, "POST", b"x" * 1_200_000, **WHO).status == 413
    with socket.create_connection(
        ("127.0.0.1", nginx.port), WAIT, source_address=(CLIENT, 0)
    ) as one:
        one.sendall(f"GET /{KEY} {KEY} HTTP/1.1\r\n\r\n".encode())
        assert b" 400 " in one.recv(4096)
    get(nginx.redirect, path, **WHO)
    with Nginx(tmp_path, ["127.0.0.1:1"]) as alone:
        assert get(alone.port, path, **WHO).status == 503
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


def test_probes_are_not_for_readers(nginx):
    assert {get(nginx.port, path).status for path in ("/livez", "/readyz", "/%6civez")} == {404}


def test_port_80_redirects_to_https_and_answers_certbot(site):
    proof = site.folder / ".well-known/acme-challenge/token"
    proof.parent.mkdir(parents=True)
    proof.write_text("proof")
    port = site.nginx.redirect
    assert get(port, "/.well-known/acme-challenge/token").body == b"proof"
    answer = get(port, f"{PAGE}?a=b", Host="ship.example")
    assert (answer.status, answer.headers["Location"]) == (301, f"https://ship.example{PAGE}?a=b")


def test_connections_of_silent_clients_are_closed(silent_clients):
    for rest in silent_clients:
        assert rest == b"" or b" 408 " in rest


def test_no_request_fails_while_both_servers_are_replaced_in_turn(site):
    nginx, first, second, env, _ = site
    before = {*first.workers(), *second.workers()}
    with Load(nginx.port, PAGE, "smollm3", voters=2, pause=0.1) as load:
        found = reload(env, first, second)
    assert found.returncode == 0, found.stderr
    assert len({*first.workers(), *second.workers()} - before) == 2
    assert not load.failed()


@pytest.fixture
def vanished() -> Iterator[list[int]]:
    """Two ports that drop the packets of new connections, as a machine that is gone: their queues
    are full.
    """
    with ExitStack() as stack:
        ports = []
        for _ in range(2):
            gone = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
            ports.append(gone.getsockname()[1])
            for _ in range(3):
                client = stack.enter_context(socket.socket())
                client.setblocking(False)
                client.connect_ex(("127.0.0.1", ports[-1]))
        yield ports


def test_no_request_fails_while_a_machine_with_two_of_four_servers_is_gone(
    site, vanished, tmp_path
):
    """For an hour here, not for two seconds: so each of them is tried once, however slowly."""
    text = (ROOT / "deploy/nginx/servers.conf").read_text()
    (patience,) = {*re.findall(r"^# server \S+ (.*) fail_timeout=2s;", text, re.M)}
    ports = [*vanished, site.first.port, site.second.port]
    names = [f"127.0.0.1:{port} {patience} fail_timeout=1h" for port in ports]
    with Nginx(tmp_path, names) as nginx:
        clients = [f"127.0.{number}.1" for number in range(20)]
        seen = {get(nginx.port, "/bookmarks/", client=one).status for one in clients}
    assert seen == {200}
    log = (tmp_path / "servers.log").read_text()
    assert [len(re.findall(rf":{port}\b", log)) for port in vanished] == [1, 1]


def test_no_request_fails_while_one_server_is_down_because_its_release_does_not_start(
    site, tmp_path
):
    """The error is in a setting that only the server reads. It stays down for the next test."""
    nginx, first, second, env, _ = site
    before = second.workers()
    first.env = env | {"SENTRY_DSN": "nonsense", "PORT": str(first.port)}
    with Load(nginx.port, PAIR, "smollm3", voters=1, pause=0.1) as load:
        found = reload(env, first, second, checkout=impatient(tmp_path))
    assert found.returncode == 1
    assert f"The server on port {first.port} is not ready after 1 seconds" in found.stderr
    assert second.workers() == before
    assert not load.failed()


def test_without_servers_cached_pages_are_shown_and_an_error_page_for_the_rest(site):
    nginx, first, second, *_ = site
    before = request_until_cached(nginx, PAIR)
    asset = re.findall(rb'href="(/static/site\.[^"]+)"', before.body)[0].decode()
    request_until_cached(nginx, asset)
    first.__exit__()
    second.stop()
    wait_until(lambda: get(nginx.port, PAIR).headers["X-Front"] == "STALE")
    cached, missing = get(nginx.port, PAIR), get(nginx.port, "/bookmarks/")
    assert (cached.status, cached.body, cached.headers["X-Front"]) == (200, before.body, "STALE")
    assert get(nginx.port, asset).status == 200
    assert (missing.status, missing.headers["Retry-After"]) == (503, "5")
    assert b"Back in a moment" in missing.body
    assert b"/away.css" in missing.body
    assert b"<script" not in missing.body
    assert get(nginx.port, "/away.css").status == 200
    second.__enter__()
    wait_until(lambda: get(nginx.port, "/bookmarks/").status == 200)
