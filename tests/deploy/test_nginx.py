"""nginx with our own configuration in front of two servers, as deployed."""

import re
import shutil
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import combinations

import brotli
import pytest

from shipskip.web.cache_control import PUBLIC
from tests.deploy.production_site import (
    NGINX,
    START,
    Nginx,
    Readers,
    answer_to_partial_request,
    get,
    impatient,
    reload,
    wait_until,
)
from tests.faults.load import Load, first_tool
from tests.stress_site import ROOT, manage

pytestmark = [
    pytest.mark.skipif(
        not shutil.which(NGINX),
        reason="nginx is not installed",
    ),
]
PAGE = "/tools/smollm3/"
FILE = "/data/catalogue.json"
PAIR = "/compare/cursor-background-agent-vs-smollm3/"


def request_until_cached(nginx, path, **headers):
    """Request the page until nginx answers from its cache; the last answer. On a busy machine a
    page may take longer than the second for which it is stored.
    """
    end = time.monotonic() + 60
    while True:
        answer = get(nginx.port, path, **headers)
        if answer.headers["X-Front"] in ("HIT", "BYPASS") or time.monotonic() > end:
            return answer


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
        yield pool.map(lambda start: answer_to_partial_request(site[0].port, start), starts)


@pytest.mark.usefixtures("silent_clients")
def test_a_public_page_is_served_by_nginx(nginx):
    answer = request_until_cached(nginx, PAGE)
    assert (answer.status, answer.headers["X-Front"]) == (200, "HIT")
    assert answer.headers["Cache-Control"] == PUBLIC
    assert "X-Accel-Expires" not in answer.headers


@pytest.mark.parametrize("path", [PAIR, FILE])
@pytest.mark.parametrize("encoding", ["br", "gzip", "identity"])
def test_the_body_has_the_bytes_that_the_server_sent(site, encoding, path):
    nginx, server, *_ = site
    cached = request_until_cached(nginx, path, Accept_Encoding=encoding)
    sent = get(server.port, path, Accept_Encoding=encoding)
    assert cached.headers["X-Front"] == "HIT"
    assert cached.body == sent.body
    assert cached.headers["ETag"] == sent.headers["ETag"]
    assert cached.headers.get("Content-Encoding", "identity") == encoding


def test_a_reader_who_has_the_page_gets_304(nginx):
    tag = request_until_cached(nginx, PAGE).headers["ETag"]
    answer = request_until_cached(nginx, PAGE, If_None_Match=tag)
    assert (answer.status, answer.headers["X-Front"], answer.body) == (304, "HIT", b"")


@pytest.mark.parametrize("path", [PAGE, FILE])
def test_nginx_revalidates_in_the_next_second_and_gets_304(nginx, path):
    request_until_cached(nginx, path)
    end = time.monotonic() + START
    while (seen := get(nginx.port, path).headers["X-Front"]) == "HIT":
        assert time.monotonic() < end
    assert seen == "REVALIDATED"


def test_readers_see_a_change(site):
    nginx, _, _, env = site
    request_until_cached(nginx, PAGE)
    manage(
        env,
        "shell",
        "-c",
        "from tools.models import Tool; "
        "Tool.objects.filter(slug='smollm3').update(tagline='Seen at once')",
    )
    wait_until(lambda: b"Seen at once" in get(nginx.port, PAGE).body)


@pytest.mark.parametrize(
    "path", ["/me/", "/bookmarks/", f"{PAGE}vote/", "/admin/login/", "/tools/none/"]
)
def test_a_private_page_is_never_cached(nginx, path):
    first, second = get(nginx.port, path), get(nginx.port, path)
    assert first.headers["X-Front"] != "HIT" != second.headers["X-Front"]
    assert "no-store" in second.headers["Cache-Control"]


def test_a_cookie_makes_no_difference_to_a_public_page(nginx):
    assert (
        request_until_cached(nginx, PAGE).body
        == request_until_cached(nginx, PAGE, Cookie="sessionid=x; visitor=y").body
    )


def test_a_filter_is_cached_by_itself_and_advertising_keys_are_ignored(nginx):
    plain, page = (
        request_until_cached(nginx, "/tools/"),
        request_until_cached(nginx, "/tools/?sort=name"),
    )
    assert plain.body != page.body
    assert (plain.headers["X-Front"], page.headers["X-Front"]) == ("HIT", "HIT")
    request_until_cached(nginx, "/tools/")
    marked = get(nginx.port, "/tools/?utm_source=letter&gclid=1")
    assert marked.headers["X-Front"] in ("HIT", "REVALIDATED")  # the second may have ended
    assert marked.body == plain.body


@pytest.mark.parametrize(
    "query", ["x=1", "q=code", "Page=2", "%70age=2", "page=2&x=1", "sort=a%20b"]
)
def test_any_other_query_is_sent_to_the_site_and_not_cached(nginx, query):
    assert request_until_cached(nginx, f"/tools/?{query}").headers["X-Front"] == "BYPASS"


def test_many_requests_at_once_reach_the_server_once(site):
    nginx, first, second, _ = site
    missed = []
    # A page is stored for the rest of its second, which may end too early on a busy machine, where
    # rendering it may also take longer than requests wait for one another: so it is rendered first.
    for path in tool_paths(nginx):
        for server in (first, second):
            get(server.port, path)
        time.sleep(1 - time.time() % 1)
        with ThreadPoolExecutor(30) as pool:
            answers = list(pool.map(lambda _, path=path: get(nginx.port, path), range(30)))
        assert {row.status for row in answers} == {200}
        missed.append([row.headers["X-Front"] for row in answers].count("MISS"))
        if missed[-1] == 1:
            break
    assert missed[-1] == 1, missed


def files_in_cache(folder):
    """The files of nginx's cache."""
    return {path.name for path in (folder / "cache").rglob("*") if path.is_file()}


def test_unknown_urls_leave_no_file_in_the_cache(site, folder):
    """Queries such as `?p=x1…` and `?page=zz…` could otherwise fill the disk."""
    nginx, *_ = site
    slugs = [path.split("/")[2] for path in tool_paths(nginx)]
    for path in ("/", "/tools/", "/compare/", PAGE):
        request_until_cached(nginx, path)
    edited = request_until_cached(nginx, "/compare/").body.decode()
    before = files_in_cache(folder)
    assert len(before) >= 4
    tries = range(60, 66)
    attacks = [
        *(f"{PAGE}?p=x{number}" for number in tries),
        *(f"/?page={number}" for number in tries),
        *(f"/tools/?page=zz{number}" for number in tries),
        *(f"/tools/?page={number}" for number in tries),
        *(f"/tools/?category=none-{number}" for number in tries),
        *("/tools/?" + "&".join(["page=1"] * number) for number in tries),
        *(f"/sitemap-tools.xml?p={number}" for number in tries),
        *(f"/tools/none-{number}/" for number in tries),
        *(f"/compare/{a}-vs-{b}/" for a, b in combinations(slugs[:5], 2)),
        *(f"/compare/{b}-vs-{a}/" for a, b in combinations(slugs[:5], 2)),
    ]
    answers = [get(nginx.port, path).status for path in attacks if path not in edited]
    assert len(answers) > 60
    assert set(answers) == {200, 301, 404}
    assert files_in_cache(folder) <= before


def test_a_page_that_is_no_longer_public_is_not_shown(site):
    """This is true also for readers whose requests arrive while nginx revalidates its copy."""
    nginx, first, second, env = site
    path = tool_paths(nginx)[-1]
    request_until_cached(nginx, path)
    rename = f"Tool.objects.get(slug='{path.split('/')[2]}').rename('moved-away')"
    manage(env, "shell", "-c", f"from tools.models import Tool; {rename}")
    wait_until(lambda: {get(server.port, path).status for server in (first, second)} == {301})
    seen = set()
    with ThreadPoolExecutor(20) as pool:
        for _ in range(3):
            time.sleep(1 - time.time() % 1)
            get(nginx.port, path)
            seen |= {row.status for row in pool.map(lambda _: get(nginx.port, path), range(40))}
    assert seen == {301}


def test_a_vote_reaches_the_site_and_is_shown(nginx):
    origin = f"http://127.0.0.1:{nginx.port}"
    kind = "application/x-www-form-urlencoded"
    path = f"{PAGE}vote/"
    answer = get(nginx.port, path, "POST", b"choice=ship", Content_Type=kind, Origin=origin)
    assert answer.status == 303
    sent = [line.partition(";")[0] for line in answer.headers.get_all("Set-Cookie")]
    mine = f"/me/marks/?tools={PAGE.split('/')[2]}"
    marks = get(nginx.port, mine, Cookie="; ".join(sent), Accept_Encoding="br, gzip")
    assert (marks.headers["Content-Encoding"], marks.headers["X-Front"]) == ("br", "BYPASS")
    assert b'aria-pressed="true"' in brotli.decompress(marks.body)


def test_an_agent_s_message_reaches_the_site(nginx):
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    answer = get(nginx.port, "/mcp/", "POST", body, Content_Type="application/json")
    assert (answer.status, answer.headers["Cache-Control"]) == (200, "private, no-store")
    assert answer.body == b'{"jsonrpc": "2.0", "id": 1, "result": {}}'


def test_a_client_cannot_forge_its_address(site):
    nginx, *_ = site
    answer = get(nginx.port, "/me/", X_Forwarded_For="203.0.113.9", X_Forwarded_Proto="https")
    assert answer.status == 200
    conf = (ROOT / "deploy/nginx/site.conf").read_text()
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in conf


def test_a_header_name_with_underscores_does_not_reach_the_site(site):
    """The server treats underscores and hyphens alike."""
    nginx, server, *_ = site

    def is_used(port: int, name: str) -> bool:
        with socket.create_connection(("127.0.0.1", port), timeout=START) as one:
            head = f"GET /me/ HTTP/1.1\r\nHost: 127.0.0.1\r\n{name}: of-a-stranger\r\n"
            one.sendall(head.encode() + b"Connection: close\r\n\r\n")
            return b"of-a-stranger" in b"".join(iter(lambda: one.recv(65536), b""))

    assert is_used(server.port, "X_Request_ID")
    assert not is_used(nginx.port, "X_Request_ID")


def test_connections_of_silent_clients_are_closed(silent_clients):
    for rest in silent_clients:
        assert rest == b"" or b" 408 " in rest


def test_no_request_fails_while_both_servers_are_replaced_in_turn(site):
    nginx, first, second, env = site
    before = {*first.workers(), *second.workers()}
    tool = first_tool(get(nginx.port, "/tools/").body)
    with ExitStack() as stack:
        groups = [
            stack.enter_context(Readers(nginx.port, "/bookmarks/", keep=keep, number=2))
            for keep in (True, False)
        ]
        load = stack.enter_context(Load(nginx.port, PAGE, tool, pause=0.05))
        found = reload(env, first, second)
        time.sleep(1)
    assert found.returncode == 0, found.stderr
    assert len({*first.workers(), *second.workers()} - before) == 2
    for readers in groups:
        assert set(readers.answers) == {"200"}
        assert readers.answers["200"] > 10
    for log in (load.readers, load.others, load.votes):
        assert log.rows
        assert log.bad() == []


def test_a_release_that_does_not_start_leaves_the_other_server_running(site, tmp_path):
    """The error is in a setting that only the server reads."""
    nginx, first, second, env = site
    before, whole = second.workers(), first.env
    first.env = env | {"SENTRY_DSN": "nonsense", "PORT": str(first.port)}
    try:
        with Readers(nginx.port, "/bookmarks/", keep=False, number=1) as readers:
            found = reload(env, first, second, checkout=impatient(tmp_path))
    finally:
        first.env = whole
        first.__exit__()
        first.__enter__()
    assert found.returncode == 1
    assert f"The server on port {first.port} is not ready after 1 seconds" in found.stderr
    assert second.workers() == before
    assert set(readers.answers) == {"200"}


def test_no_request_fails_while_one_server_is_down(site):
    nginx, _, second, _ = site
    time.sleep(3)  # nginx does not use the server that failed in the previous test
    second.send(signal.SIGTERM)
    end = time.monotonic() + 3
    seen = set()
    while time.monotonic() < end:
        seen.add(get(nginx.port, PAIR).status)
        seen.add(get(nginx.port, "/bookmarks/").status)
        time.sleep(0.01)
    second.__exit__()
    second.__enter__()
    assert seen == {200}


@pytest.fixture
def vanished():
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
    _, first, second, _ = site
    text = (ROOT / "deploy/nginx/servers.conf").read_text()
    (patience,) = {*re.findall(r"^# server \S+ (.*);", text, re.M)}
    ports = [*vanished, first.port, second.port]
    with Nginx(tmp_path, [f"127.0.0.1:{port} {patience}" for port in ports]) as nginx:
        clients = [f"127.0.{number}.1" for number in range(200)]
        seen = {get(nginx.port, "/bookmarks/", client=one).status for one in clients}
    assert seen == {200}
    tried = re.findall(r' "([^"]+)" "[^"]+"$', (tmp_path / "servers.log").read_text(), re.M)
    waited = [row for row in tried if any(str(port) in row for port in vanished)]
    assert 0 < len(waited) < len(tried) / 2, "each request waits for a machine that is gone"


def test_without_servers_cached_pages_are_shown_and_an_error_page_for_the_rest(site):
    nginx, first, second, _ = site
    before = request_until_cached(nginx, PAIR)
    asset = re.findall(rb'href="(/static/site\.[^"]+)"', before.body)[0].decode()
    request_until_cached(nginx, asset)
    first.stop()
    second.stop()
    try:
        time.sleep(1.5)
        cached, missing = get(nginx.port, PAIR), get(nginx.port, "/bookmarks/")
        assert (cached.status, cached.body, cached.headers["X-Front"]) == (
            200,
            before.body,
            "STALE",
        )
        assert get(nginx.port, asset).status == 200
        assert (missing.status, missing.headers["Retry-After"]) == (503, "5")
        assert b"Back in a moment" in missing.body
        assert b"/away.css" in missing.body
        assert b"<script" not in missing.body
        assert get(nginx.port, "/away.css").status == 200
    finally:
        first.__enter__()
        second.__enter__()
    assert get(nginx.port, "/bookmarks/").status == 200
