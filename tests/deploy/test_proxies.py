"""Caddy and HAProxy with our files: what they pass on, tried with a server that shows it."""

import json
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.production_site import ANY_CERTIFICATE, Answer, Program, certificate, get
from tests.free_port import free_port
from tests.http_server import Handler, running
from tests.source_files import ROOT
from tests.waiting import WAIT, wait_until

FILES = ROOT / "deploy/proxies"
PATH = f"{os.environ['PATH']}:/usr/sbin"


class Shown(Handler):
    """Answers with what arrived, as JSON."""

    began: list[str] = []

    def do_GET(self) -> None:
        self.began.append(self.command)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        found = json.dumps({"path": self.path, "body": body, "headers": dict(self.headers)})
        self.send_response(200)
        self.send_header("Content-Length", str(len(found)))
        self.end_headers()
        self.wfile.write(found.encode())

    do_POST = do_GET


def caddy(folder: Path, port: int, server: int) -> list[str]:
    text = (FILES / "Caddyfile").read_text()
    text = text.replace("site.example", f"http://127.0.0.1:{port}")
    text = text.replace(
        "127.0.0.1:8001 127.0.0.1:8002", f"127.0.0.1:{free_port()} 127.0.0.1:{server}"
    )
    text = text.replace("/srv/shipskip/var/static", str(folder))
    (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n}}\n{text}")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", f"{folder}/Caddyfile"]


def haproxy(folder: Path, port: int, server: int) -> list[str]:
    certificate(folder)
    key, chain = folder / "privkey.pem", folder / "fullchain.pem"
    (folder / "site.pem").write_text(chain.read_text() + key.read_text())
    text = (FILES / "haproxy.cfg").read_text()
    text = text.replace("bind :80\n", f"bind 127.0.0.1:{free_port()}\n")
    text = text.replace("bind :443", f"bind 127.0.0.1:{port}")
    text = text.replace("/etc/haproxy/site.pem", f"{folder}/site.pem")
    text = text.replace("127.0.0.1:8001", f"127.0.0.1:{free_port()}")
    (folder / "haproxy.cfg").write_text(text.replace("127.0.0.1:8002", f"127.0.0.1:{server}"))
    return ["haproxy", "-db", "-f", f"{folder}/haproxy.cfg"]


PROXIES = {"caddy": caddy, "haproxy": haproxy}


@pytest.fixture(params=PROXIES)
def proxy(request, tmp_path) -> Iterator[tuple[str, int]]:
    """A proxy before two servers, of which one is down; its name and its port."""
    if not shutil.which(request.param, path=PATH):
        pytest.skip(f"{request.param} is not installed")
    port = free_port()
    with running(Shown) as server:
        command = PROXIES[request.param](tmp_path, port, server.server_port)
        env = os.environ | {"HOME": str(tmp_path), "PATH": PATH}
        with Program(command, tmp_path, env) as program:

            def serves() -> bool:
                with suppress(OSError, HTTPException):
                    return ask((request.param, port), "/").status == 200
                return False

            wait_until(serves, program.last_lines)
            yield request.param, port


def ask(proxy: tuple[str, int], path: str, **more: Any) -> Answer:
    """One request; HAProxy's file speaks TLS alone, for Caddy the test leaves it out."""
    return get(proxy[1], path, tls=proxy[0] == "haproxy", **more)


def test_it_replaces_what_a_client_may_forge_and_hides_the_servers_own_pages(proxy):
    forged = {"X_Forwarded_For": "198.51.100.7", "Sec_Fetch_Site": "same-origin"}
    answer = ask(proxy, "/tools/?q=a", Host="127.0.0.1", **forged)
    found = json.loads(answer.body)
    assert found["path"] == "/tools/?q=a"
    headers = {name.lower(): value for name, value in found["headers"].items()}
    assert headers["x-forwarded-for"] == "127.0.0.1"
    assert headers["sec-fetch-site"] == "same-origin"
    assert headers["x-forwarded-proto"] == ("https" if proxy[0] == "haproxy" else "http")
    for path in ("/livez", "/readyz", "/metrics"):
        assert ask(proxy, path).status == 404, path


def raw(proxy: tuple[str, int]) -> socket.socket:
    """A connection to the proxy."""
    one = socket.create_connection(("127.0.0.1", proxy[1]), WAIT)
    tls = proxy[0] == "haproxy"
    return ANY_CERTIFICATE.wrap_socket(one) if tls else one


def test_a_name_with_underscores_does_not_reach_the_site(proxy):
    with raw(proxy) as one:
        one.sendall(
            b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX_Forwarded_For: 198.51.100.7\r\n"
            b"Connection: close\r\n\r\n"
        )
        found = b"".join(iter(partial(one.recv, 65_536), b""))
    assert b'"body"' in found
    assert b"198.51.100.7" not in found


def test_a_slow_body_occupies_no_thread_of_the_site(proxy):
    Shown.began.clear()
    with raw(proxy) as one:
        one.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 20\r\n")
        one.sendall(b"Connection: close\r\n\r\n0123456789")
        assert ask(proxy, "/").status == 200, "another request is answered meanwhile"
        assert len([path for path in Shown.began if path == "POST"]) == 0
        one.sendall(b"abcdefghij")
        found = b"".join(iter(partial(one.recv, 65_536), b""))
    assert b"0123456789abcdefghij" in found


def test_static_files_come_from_the_disk_where_the_proxy_can(proxy, tmp_path):
    (tmp_path / "site.css").write_text("plain")
    (tmp_path / "site.css.br").write_bytes(b"brotli")
    answer = ask(proxy, "/static/site.css", Accept_Encoding="br")
    if proxy[0] == "haproxy":
        assert json.loads(answer.body)["path"] == "/static/site.css", "the site serves them"
        return
    assert (answer.body, answer.headers["Content-Encoding"]) == (b"brotli", "br")
    assert "immutable" in answer.headers["Cache-Control"]
