"""`make serve`: production settings and files; starting, reloading and stopping."""

import fcntl
import os
import re
import shutil
import signal
import socket
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
from django.core.management import call_command

from shipskip import granian_server
from shipskip import settings as site_settings
from shipskip.granian_server import MAX_DEATHS, WINDOW_SECONDS, Respawns
from shipskip.operations.management.commands import prepare
from tests.deploy.production_site import (
    Server,
    answer_to_partial_request,
    get,
    impatient,
    prepared,
    reload,
)
from tests.free_port import free_port, is_listening
from tests.management_commands import ran
from tests.migrated_database import migrated_file
from tests.source_files import ROOT
from tests.waiting import WAIT, wait_until


@pytest.fixture(scope="module")
def env(django_db_blocker, tmp_path_factory):
    """A site on a copy of the migrated file; that of test_nginx.py is migrated by `prepare`."""
    path = tmp_path_factory.mktemp("server") / "site.sqlite3"
    with django_db_blocker.unblock():
        shutil.copyfile(migrated_file(), path)
    return prepared(f"sqlite:///{path}")


@pytest.fixture(scope="module")
def server(env, tmp_path_factory):
    with Server(env, tmp_path_factory.mktemp("logs")) as running:
        yield running


def test_one_server_alone_replaces_its_workers(server, env):
    """Without a second server, granian replaces them itself."""
    before = set(server.workers())
    found = reload(env, PORT=str(server.port))
    assert found.returncode == 0, found.stderr
    assert not set(server.workers()) & before
    assert len(server.workers()) == 2
    assert get(server.port, "/").status == 200


def test_a_reload_to_a_release_that_does_not_load_fails_and_changes_nothing(server, env):
    before = server.workers()
    found = reload(env, PORT=str(server.port), SENTRY_DSN="nonsense")
    assert found.returncode == 1
    assert server.workers() == before


def test_while_another_program_holds_sqlite_s_lock_a_vote_is_refused_and_pages_are_read(
    server, env
):
    """Votes that wait for it longer take all threads, and readers wait too."""
    vote = partial(
        get, server.port, "/tools/smollm3/vote/", "POST", b"choice=ship", 15,
        Sec_Fetch_Site="same-origin", Content_Type="application/x-www-form-urlencoded",
    )  # fmt: skip
    path = env["DATABASE_URL"].removeprefix("sqlite:///")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = vote()
        assert get(server.port, "/").status == 200
        assert get(server.port, "/search/?q=editor").status == 200
        other.execute("ROLLBACK")
    assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
    assert vote().status == 303


def test_a_server_survives_several_deaths_of_the_same_worker(server):
    """granian alone ended all of it at the second one within 5.5 seconds."""
    other = server.workers()[0]
    for _ in range(2):
        (dying,) = {*server.workers()} - {other}
        server.replace(dying)
        assert get(server.port, "/").status == 200
    assert other in server.workers()
    assert len(server.workers()) == 2


def test_a_place_may_lose_its_worker_a_few_times_a_minute_and_each_place_counts_apart(monkeypatch):
    now = 1_000.0
    monkeypatch.setattr(granian_server, "monotonic", lambda: now)
    respawns = Respawns()

    def is_loop(place: int) -> bool:
        return now - respawns.get(place, 0) <= 5.5

    for _ in range(MAX_DEATHS - 1):
        now += 1
        assert not is_loop(0)
        assert not is_loop(1)
        respawns.clear()
        respawns[0] = now
    assert is_loop(0)
    now += WINDOW_SECONDS + 1
    assert not is_loop(1)


@pytest.fixture(scope="module")
def silent_client(server):
    """The bytes that a client receives after half its headers; it waits while other tests run."""
    start = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(answer_to_partial_request, server.port, start)


def catches_sigterm(worker: int) -> bool:
    """Whether a process has its own handler for SIGTERM: a worker does not while it loads."""
    text = Path(f"/proc/{worker}/status").read_text()
    caught = int(re.findall(r"^SigCgt:\s*(\w+)", text, re.MULTILINE)[0], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def sent(port: int, path: str, headers: str, body: bytes, *, vanishes: bool) -> bytes:
    """The status of the answer to a form, whose sender may vanish after `body`."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n{headers}"
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as one:
        one.sendall(head.encode() + b"\r\n\r\n" + body)
        if vanishes:
            one.shutdown(socket.SHUT_WR)
        return one.recv(12)[9:]


URLENCODED = "Content-Type: application/x-www-form-urlencoded\r\n"
MULTIPART = "Content-Type: multipart/form-data; boundary=b\r\n"
FIELD = b'--b\r\nContent-Disposition: form-data; name="choice"\r\n\r\nship\r\n--b--\r\n'
PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'


@pytest.mark.parametrize(
    ("path", "kind", "body", "status"),
    [
        ("/tools/smollm3/vote/", URLENCODED, b"choice=ship", b"303"),
        ("/tools/smollm3/vote/", MULTIPART, FIELD, b"303"),
        ("/mcp/", "Content-Type: application/json\r\n", PING, b"200"),
    ],
)
def test_a_body_that_ends_too_early_or_has_no_length_is_refused(server, path, kind, body, status):
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    for headers, bytes_sent, expected in (
        (f"Content-Length: {len(body)}", body, status),
        (f"Content-Length: {len(body) + 9}", body, b"400"),
        (f"Content-Length: {len(body)}", b"", b"400"),
        ("Transfer-Encoding: chunked", chunks, b"411"),
    ):
        is_cut = expected == b"400"
        found = sent(server.port, path, kind + headers, bytes_sent, vanishes=is_cut)
        assert found == expected, headers


@pytest.mark.usefixtures("silent_client")
def test_a_worker_that_loads_ends_at_sigterm_and_one_that_answers_does_so_first(env, tmp_path):
    """Otherwise a server that stops while it starts waits 30 seconds, then kills its workers; and
    a form whose last byte comes after SIGTERM is lost. systemd hears when the server is ready.
    """
    path = tmp_path / "notify"
    server = Server(env | {"NOTIFY_SOCKET": str(path)}, tmp_path, WORKERS="1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notifications:
        notifications.bind(str(path))
        notifications.settimeout(WAIT)
        server.start()
        (worker,) = wait_until(server.workers)
        wait_until(lambda: not catches_sigterm(worker))
        os.kill(worker, signal.SIGTERM)
        wait_until(lambda: worker not in server.workers())
        server.wait_for_answer(server.port)  # of the next worker
        if shutil.which("systemd-notify"):
            assert notifications.recv(100).startswith(b"READY=1")
    body = b"choice=ship"
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as one:
        one.sendall(
            b"POST /tools/smollm3/vote/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n"
            b"Sec-Fetch-Site: same-origin\r\nExpect: 100-continue\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)
        )
        assert one.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"  # it reads the form
        one.sendall(body[:-1])
        server.send(signal.SIGTERM)
        wait_until(lambda: not is_listening(server.port))  # the signal has reached the worker
        one.sendall(body[-1:])
        answer = one.recv(100)
    assert answer.startswith(b"HTTP/1.1 303 ")
    assert server.stop() == 0


def test_a_client_that_sends_no_headers_is_disconnected(server, silent_client):
    rest = silent_client.result()
    assert rest == b"" or b" 408 " in rest
    assert "Traceback" not in server.log.read_text()  # no traceback for an error of the client


KEY = "aB3-" * 8
PERSON = {"X_Forwarded_For": "203.0.113.77", "User_Agent": "Somebodys/1.0"}
SENT = (KEY[:12], "203.0.113", "Somebodys", "ada.love", "a-word", "a-cookie", "a-password")
"""Parts of all personal data in the requests below."""


def refused(port: int) -> list[int]:
    """The statuses of requests with personal data, each refused for another reason."""
    key = {name: f"/newsletter/{name}/{KEY}/" for name in ("confirm", "leave", "forget", "allow")}
    own = {"Referer": f"http://127.0.0.1:{port}/?ada.love@mail.example", "Cookie": "a=a-cookie"}
    tried = [
        *(("POST", f"{path}?a-word", {}) for path in key.values()),
        *(("POST", path, own | {"Origin": "https://evil.example"}) for path in key.values()),
        *(("GET", path, {"Host": "evil.example"}) for path in key.values()),
        ("POST", f"{key['forget']}junk?a-word", {}),
        ("POST", f"/newsletter//forget/{KEY}", {}),
        ("GET", f"/newsleter/forget/{KEY}/", {}),
        ("GET", f"/preview/tools/a-word:1a:{KEY}/", {}),
        ("GET", "/ada.love%40mail.example/?ada.love@mail.example", {}),
        ("GET", "/search?q=a-word", {}),
        ("GET", "/tools?q=a-word", {}),
        ("GET", "/tools/?" + "a-word=1&" * 1001, {}),
        (
            "POST",
            "/admin/login/?next=/a-word/",
            own | {"Referer": "https://a.example/a-word?a-word"},
        ),
    ]
    statuses = [get(port, path, method, **(PERSON | more)).status for method, path, more in tried]
    page = get(port, "/admin/login/", **PERSON)
    token = re.findall(r"csrftoken=(\w+)", page.headers["Set-Cookie"])[0]
    form = f"csrfmiddlewaretoken={token}&username=ada.love%40mail.example&password=a-password"
    browser = {"Cookie": f"csrftoken={token}", "Content_Type": "application/x-www-form-urlencoded"}
    for _ in range(6):
        login = get(port, "/admin/login/", "POST", form.encode(), **(PERSON | browser))
        statuses.append(login.status)
    return statuses


def test_no_line_of_the_log_contains_a_key_an_address_or_a_query(server):
    statuses = refused(server.port)
    text = server.log.read_text()
    assert set(statuses) >= {400, 403, 404, 429}
    assert text.count("Forbidden (") >= 5
    assert "after repeated login failures" in text
    assert "/newsletter/forget/[key]/" in text
    assert {word: word in text for word in SENT} == dict.fromkeys(SENT, False)


def test_too_long_headers_are_refused(server):
    for line in ("GET /{} HTTP/1.1", "GET / HTTP/1.1\r\nX-Long: {}"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as one:
            one.sendall(line.format("x" * 100_000).encode() + b"\r\nHost: 127.0.0.1\r\n\r\n")
            try:
                answer = one.recv(100)
            except ConnectionResetError:
                answer = b""
        assert answer[:12] in (b"", b"HTTP/1.1 414", b"HTTP/1.1 431", b"HTTP/1.1 400"), line


def test_a_port_in_use_is_refused(env, server, tmp_path):
    second = Server(env, tmp_path, PORT=str(server.port))
    second.start()
    assert second.process
    assert second.process.wait(WAIT) != 0
    assert "in use" in second.log.read_text()
    assert get(server.port, "/livez").status == 200
    pid_file = ROOT / f"var/serve-{server.port}.pid"
    assert pid_file.read_text() == f"{server.pid}\n"
    assert stat.S_IMODE(pid_file.stat().st_mode) == 0o600


def healthy(env, path, **settings) -> bool:
    """The result of `deploy/serve healthy`."""
    return ran("deploy/serve", "healthy", path, env=env | settings).returncode == 0


def test_a_server_is_healthy_while_it_answers(env, server):
    assert healthy(env, "/readyz", PORT=str(server.port))
    assert not healthy(env, "/unknown/", PORT=str(server.port))
    assert not healthy(env, "/livez", PORT=str(free_port()))


def test_a_reload_that_names_a_stopped_server_changes_nothing(env, server, tmp_path):
    before, database = server.workers(), tmp_path / "new.sqlite3"
    other = str(free_port())
    own = env | {"DATABASE_URL": f"sqlite:///{database}"}
    found = ran("deploy/serve", "reload", str(server.port), other, env=own)
    assert found.returncode == 1
    assert f"No server runs on port {other}." in found.stderr
    assert server.workers() == before
    assert not database.exists()


def test_static_files_have_hashed_names_and_are_compressed(server):
    page = get(server.port, "/", Accept_Encoding="br")
    assert page.headers["Content-Encoding"] == "br"
    text = get(server.port, "/").body.decode()
    path = re.findall(r'href="(/static/site\.[0-9a-f]{12}\.css)"', text)[0]
    for encoding in ("br", "gzip"):
        file = get(server.port, path, Accept_Encoding=encoding)
        assert file.headers["Content-Encoding"] == encoding
        assert "immutable" in file.headers["Cache-Control"]


def test_a_worker_serves_files_of_a_newer_release_and_404_for_impossible_names(server):
    late = ROOT / "var/static/late.txt"
    late.write_text("newer")
    try:
        assert get(server.port, "/static/late.txt").body == b"newer"
    finally:
        late.unlink()
    impossible = ("/static/%00", "/static/" + "x" * 300, "/static/../manage.py")
    for path in ("/static/late.txt", *impossible, "/unknown/"):
        answer = get(server.port, path)
        assert answer.status == 404, path
        assert b"Traceback" not in answer.body, path
        assert b"urlpatterns" not in answer.body, path


def test_only_its_owner_can_read_the_secret_key(tmp_path, monkeypatch):
    monkeypatch.setattr(site_settings, "VAR_DIR", tmp_path / "var")
    assert site_settings._secret_key() == site_settings._secret_key()
    key_file = tmp_path / "var/secret_key"
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert len(key_file.read_text()) >= 50


def test_of_two_preparations_at_once_the_second_waits_for_the_first(
    settings, tmp_path, monkeypatch
):
    settings.VAR_DIR, steps = tmp_path, []
    for name in ("migrate", "collect", "write_nginx_pages"):
        monkeypatch.setattr(prepare, name, lambda *_, name=name: steps.append(name))
    second = Thread(target=call_command, args=("prepare", "--files-only"))
    with (tmp_path / "prepare.lock").open("w") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        second.start()
        waits = f"-> FLOCK .*:{(tmp_path / 'prepare.lock').stat().st_ino} "
        wait_until(lambda: re.search(waits, Path("/proc/locks").read_text()))
        assert steps == []
    second.join(WAIT)
    assert steps == ["collect", "write_nginx_pages"]


def test_a_reload_fails_with_a_message_if_workers_do_not_end_and_sigterm_ends_it(
    server, env, tmp_path
):
    """It ends the server, and comes last."""
    stopped = server.workers()
    for worker in stopped:
        os.kill(worker, signal.SIGSTOP)
    found = reload(env, checkout=impatient(tmp_path), PORT=str(server.port))
    for worker in stopped:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGCONT)
    assert found.returncode == 1
    assert "has not replaced its workers after 1 seconds" in found.stderr
    assert server.stop() == 0


def test_no_worker_continues_after_its_server_is_killed(env, tmp_path):
    with Server(env, tmp_path, WORKERS="1") as server:
        (worker,) = server.workers()
        server.stop(signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{worker}").exists())
