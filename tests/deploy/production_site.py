"""The site as it runs in production: its server and nginx with our own configuration."""

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple, Self

from tests.free_port import free_port
from tests.management_commands import environment, ran
from tests.postgres import address, new_database
from tests.source_files import ROOT
from tests.waiting import WAIT, wait_until

ANY_CERTIFICATE = ssl.create_default_context()
ANY_CERTIFICATE.check_hostname = False
ANY_CERTIFICATE.verify_mode = ssl.CERT_NONE

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
PATIENCE = re.findall(r"^server \S+ (.*);", (ROOT / "deploy/nginx/servers.conf").read_text(), re.M)[
    0
]
"""How nginx treats a server that fails."""


class Answer(NamedTuple):
    """The answer to a request."""

    status: int
    headers: Any
    body: bytes


def get(
    port: int,
    path: str,
    method: str = "GET",
    body: bytes | None = None,
    timeout: float = WAIT,
    client: str = "127.0.0.1",
    *,
    tls: bool = False,
    **headers: str,
) -> Answer:
    """One request on a connection of its own; headers as keywords, `_` for `-`. With `tls` any
    certificate is accepted.
    """
    source = (client, 0)
    connection = (
        HTTPSConnection(
            "127.0.0.1", port, timeout=timeout, source_address=source, context=ANY_CERTIFICATE
        )
        if tls
        else HTTPConnection("127.0.0.1", port, timeout, source_address=source)
    )
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


class Program:
    """A process that runs inside `with`; its output goes to a log file."""

    def __init__(self, command: list[str], folder: Path, env: dict[str, str] | None = None) -> None:
        self.command, self.env, self.folder = command, env, folder
        self.checkout = ROOT
        self.log = folder / f"{Path(command[0]).name}-{id(self)}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, or start it again."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command, env=self.env, cwd=self.checkout, stdout=log, stderr=log
            )

    @property
    def pid(self) -> int:
        """Its process id."""
        assert self.process is not None
        return self.process.pid

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Stop it and wait for its end; its exit status."""
        self.send(number)
        assert self.process is not None
        return self.process.wait(WAIT)

    def wait_for_answer(self, port: int) -> None:
        """Wait for its first answer on that port, of any status. Raises AssertionError with the log
        when it has ended, or after five minutes.
        """

        def answers() -> bool:
            assert self.process
            assert self.process.poll() is None, self.last_lines()
            with suppress(OSError, HTTPException):
                get(port, "/livez")
                return True
            return False

        wait_until(answers, self.last_lines)

    def last_lines(self) -> str:
        """The end of its log."""
        return self.log.read_text()[-2000:]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            try:
                self.stop()
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Server(Program):
    """`deploy/serve alone` of a checkout, ours by default: the last step of `make serve`."""

    def __init__(
        self, env: dict[str, str], folder: Path, checkout: Path = ROOT, **settings: str
    ) -> None:
        self.port = free_port()
        own = {"PORT": str(self.port), "HOST": "127.0.0.1", "WORKERS": "2"}
        super().__init__(["deploy/serve", "alone"], folder, env | own | settings)
        self.checkout = checkout

    def __enter__(self) -> Self:
        super().__enter__()
        self.wait_for_answer(self.port)
        return self

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        (self.checkout / f"var/serve-{self.port}.pid").unlink(missing_ok=True)
        metrics = self.checkout / f"var/metrics-{self.port}"
        shutil.rmtree(metrics.resolve(), ignore_errors=True)
        metrics.unlink(missing_ok=True)

    def workers(self) -> list[int]:
        """The ids of its worker processes; none while deploy/serve still prepares."""
        if b"granian" not in Path(f"/proc/{self.pid}/cmdline").read_bytes():
            return []
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        return [int(number) for number in children.split()]

    def replace(self, worker: int) -> None:
        """Kill a worker and wait until another one is in its place."""
        os.kill(worker, signal.SIGKILL)
        wait_until(lambda: worker not in self.workers() and len(self.workers()) >= 2)

    @contextmanager
    def supervised(self) -> Iterator[Self]:
        """Inside `with` it is restarted whenever it ends, as by systemd's `Restart=always`."""
        going = True

        def watch() -> None:
            while going:
                if self.process and self.process.poll() is not None:
                    self.start()
                time.sleep(0.1)

        thread = Thread(target=watch)
        thread.start()
        try:
            yield self
        finally:
            going = False
            thread.join()


def impatient(folder: Path) -> Path:
    """Make a checkout of the same files, whose `deploy/serve` waits a second for a server."""
    for path in ROOT.iterdir():
        if path.name != "deploy":
            (folder / path.name).symlink_to(path)
    (folder / "deploy").mkdir()
    text = (ROOT / "deploy/serve").read_text()
    (folder / "deploy/serve").write_text(text.replace("ready_seconds=120", "ready_seconds=1"))
    (folder / "deploy/serve").chmod(0o755)
    return folder


def reload(
    env: dict[str, str], *servers: Server, checkout: Path = ROOT, **settings: str
) -> subprocess.CompletedProcess[str]:
    """`deploy/serve reload` of these servers, each started again when it ends, from a shell whose
    HOST is not theirs.
    """
    with ExitStack() as stack:
        ports = [str(stack.enter_context(server.supervised()).port) for server in servers]
        own = env | {"HOST": "127.0.0.9"} | settings
        return ran("deploy/serve", "reload", *ports, env=own, cwd=checkout)


def certificate(folder: Path) -> None:
    """Make a self-signed certificate and its key where certbot would put them."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "1"]
    command += ["-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", f"{folder}/privkey.pem"]
    subprocess.run([*command, "-out", f"{folder}/fullchain.pem"], check=True, capture_output=True)


def nginx_configuration(
    folder: Path,
    port: int,
    redirect: int,
    servers: list[str],
    *,
    tls: bool = False,
    front: Path = ROOT / "var/front",
) -> Path:
    """Write a main configuration around our files, for this folder and these ports.

    In our files only ports and paths are replaced. With `tls` it makes a certificate. `front` has
    the pages that nginx serves itself.
    """
    text = (ROOT / "deploy/nginx/site.conf").read_text()
    places = {
        "/etc/nginx/shipskip/": f"{folder}/",
        "/var/cache/shipskip": f"{folder}/cache",
        "/var/log/nginx/": f"{folder}/",
        "/usr/share/shipskip": str(front),
    }
    for here, there in places.items():
        text = text.replace(here, there)
    text = text.replace("127.0.0.1:8009", f"127.0.0.1:{free_port()}")
    (folder / "site.conf").write_text(text)
    pages = (ROOT / "deploy/nginx/pages.conf").read_text()
    (folder / "pages.conf").write_text(
        pages.replace("/usr/share/shipskip", places["/usr/share/shipskip"])
    )
    kind = "https" if tls else "http"
    listen = (ROOT / f"deploy/nginx/{kind}.server.conf").read_text()
    listen = listen.replace("\nlisten [::]:443 ssl http2;", "").replace(
        "listen 80;", f"listen {port};"
    )
    listen = listen.replace("\nlisten 443", f"\nlisten 127.0.0.1:{port}")
    if tls:
        certificate(folder)
        listen = listen.replace("/etc/letsencrypt/live/site.example", str(folder))
    (folder / f"{kind}.server.conf").write_text(listen)
    (folder / "servers.conf").write_text("".join(f"server {name};\n" for name in servers))
    text = (ROOT / "deploy/nginx/redirect.conf").read_text()
    text = text.replace("listen 80;", f"listen 127.0.0.1:{redirect};")
    text = text.replace("listen [::]:80;", "").replace("/var/www/html", str(folder))
    text = text.replace("/var/log/nginx/", f"{folder}/")
    (folder / "redirect.conf").write_text(text)
    for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi"):
        (folder / name).mkdir(exist_ok=True)
    main = folder / "nginx.conf"
    user = "user root;\n" if os.geteuid() == 0 else ""
    main.write_text(
        f"{user}daemon off; worker_processes 1;\n"
        f"pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
        "worker_rlimit_nofile 20000; events { worker_connections 8192; }\n"
        f"http {{ client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;\n"
        f"fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;\n"
        f"scgi_temp_path {folder}/scgi; access_log {folder}/access.log;\n"
        f"include {folder}/redirect.conf; include {folder}/site.conf; }}\n"
    )
    return main


class Nginx(Program):
    """nginx with deploy/nginx/site.conf and redirect.conf."""

    def __init__(self, folder: Path, servers: list[str], **options: Any) -> None:
        self.port, self.redirect = free_port(), free_port()
        main = nginx_configuration(folder, self.port, self.redirect, servers, **options)
        limited = re.search(
            r"listen 127\.0\.0\.1:(\d+);\n    set_real", (folder / "site.conf").read_text()
        )
        assert limited
        self.limited = int(limited[1])
        """The port of the second server, which takes the client from X-Forwarded-For."""
        super().__init__([NGINX, "-p", str(folder), "-c", str(main)], folder)

    def __enter__(self) -> Self:
        super().__enter__()
        self.wait_for_answer(self.port)
        return self


@contextmanager
def database(folder: Path, kind: str) -> Iterator[str]:
    """The address of an empty database (`sqlite` or `postgresql`), which is dropped at the end."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'site.sqlite3'}"
        return
    with new_database() as name:
        yield address(name)


PREPARE = """
import django
django.setup()
from django.core.management import call_command
call_command("prepare")
call_command("load_catalogue", "fixtures/catalogue.json")
"""


def prepared(url: str, **settings: str) -> dict[str, str]:
    """The environment of a site on that database, with the sample catalogue in it."""
    env = environment(url) | {"TRUSTED_PROXIES": "127.0.0.1"}
    env |= {"DJANGO_SETTINGS_MODULE": "shipskip.serving"} | settings
    command = [sys.executable, "-c", PREPARE]
    subprocess.run(command, env=env, cwd=ROOT, check=True, capture_output=True)
    return env


def answer_to_partial_request(port: int, start: bytes) -> bytes:
    """The bytes that a client receives if it sends only this beginning of a request."""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as one:
        one.sendall(start)
        rest = b""
        try:
            while more := one.recv(4096):
                rest += more
        except ConnectionResetError:
            pass
    return rest
