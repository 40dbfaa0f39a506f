"""`make machines`: several machines, of which one after another is lost under load.

Machines are network namespaces: a balancer (nginx), three with the site, two with PostgreSQL (a
primary, and a replica that confirms each commit), and one with visitors. Only root on Linux can
make them. Exit status 1 if a reader of a cached page got anything but the page, an acknowledged
vote or save is lost, or no vote is stored for 30 seconds.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import psycopg

from tests.deploy.production_site import NGINX, Program, nginx_configuration
from tests.faults.load import Load, RequestLog, Voter, lost, stored_votes, tool_slugs
from tests.faults.postgres import program_folder
from tests.management_commands import environment, manage
from tests.markup import Document
from tests.source_files import ROOT
from tests.waiting import wait_until

NETWORK = "10.77"
BALANCER, PRIMARY, REPLICA = f"{NETWORK}.0.10", f"{NETWORK}.0.20", f"{NETWORK}.0.21"
SITES = [f"{NETWORK}.0.{number}" for number in (11, 12, 13)]
FOURTH = f"{NETWORK}.0.14"
VISITORS = f"{NETWORK}.0.100"
PORT, SITE_PORT = 8080, 8001
READERS, VOTERS, PAUSE = 200, 20, 4.0
"""Visitors, and the seconds between two requests of one."""
LASTING = 6.0
"""Seconds that a machine is away."""
MOST_SECONDS = 30
PAGE = "/tools/smollm3/"
PASSWORD = "a-password-of-the-drill"
ADD_SERVER = r"^ *(printf 'server .*servers\.conf.*)$"
"""The command of docs/operations.md with which nginx gets one more machine."""


def name_of(ip: str) -> str:
    """The name of the namespace with this address."""
    return f"shipskip-{os.environ.get('DRILL', os.getpid())}-{ip.rpartition('.')[2]}"


def ip(*arguments: str, must: bool = True) -> str:
    """Run `ip`; what it printed."""
    done = subprocess.run(["ip", *arguments], check=must, capture_output=True, text=True)
    return done.stdout


@contextmanager
def network() -> Iterator[None]:
    """A namespace for each machine, on one bridge in a namespace of its own."""
    switch = name_of("switch.0")
    machines = [BALANCER, PRIMARY, REPLICA, *SITES, FOURTH, VISITORS]
    try:
        ip("netns", "add", switch)
        ip("-n", switch, "link", "add", "bridge", "type", "bridge")
        ip("-n", switch, "link", "set", "bridge", "up")
        for each in machines:
            name, port = name_of(each), f"to{each.rpartition('.')[2]}"
            ip("netns", "add", name)
            ip("-n", name, *f"link add eth0 type veth peer name {port} netns {switch}".split())
            ip("-n", switch, "link", "set", port, "master", "bridge", "up")
            addresses = [each]
            if each == VISITORS:  # a network for each visitor, because of nginx's limits
                addresses += [f"{NETWORK}.{number}.1" for number in range(1, 251)]
            for address in addresses:
                ip("-n", name, "addr", "add", f"{address}/16", "dev", "eth0")
            for link in ("eth0", "lo"):
                ip("-n", name, "link", "set", link, "up")
        yield
    finally:
        for each in [*machines, "switch.0"]:
            for process in ip("netns", "pids", name_of(each), must=False).split():
                with suppress(ProcessLookupError):
                    if int(process) != os.getpid():
                        os.kill(int(process), signal.SIGKILL)
            ip("netns", "del", name_of(each), must=False)


class Machine(Program):
    """A program on the machine with this address."""

    def __init__(self, address: str, folder: Path, command: list[str], **env: str) -> None:
        self.address = address
        inside = ["ip", "netns", "exec", name_of(address), *command]
        super().__init__(inside, folder, os.environ | env)
        self.log = folder / f"log-{address}"

    def kill(self) -> None:
        """End every process of the machine, as a power cut does, and take it off the network."""
        self.plug(is_in=False)
        for process in ip("netns", "pids", name_of(self.address)).split():
            with suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
        if self.process:
            self.process.wait()

    def plug(self, *, is_in: bool) -> None:
        """Put the machine on the network, or take it off."""
        switch = name_of("switch.0")
        port = f"to{self.address.rpartition('.')[2]}"
        ip("-n", switch, "link", "set", port, "up" if is_in else "down")

    def boot(self) -> None:
        """Start again after `kill`."""
        self.plug(is_in=True)
        self.start()


class Database(Machine):
    """PostgreSQL on a machine of its own; its folder belongs to `postgres`."""

    def __init__(self, address: str, folder: Path) -> None:
        programs = program_folder()
        assert programs
        self.programs, self.data = programs, folder / f"postgres-{address}"
        self.data.mkdir(mode=0o700)
        shutil.chown(self.data, "postgres")
        options = f"listen_addresses={address} unix_socket_directories= wal_keep_size=64"
        settings = [part for option in options.split() for part in ("-c", option)]
        command = self.as_postgres("postgres", "-D", str(self.data), *settings)
        super().__init__(address, folder, command)

    def as_postgres(self, program: str, *arguments: str) -> list[str]:
        who = ["--reuid=postgres", "--regid=postgres", "--clear-groups"]
        return ["setpriv", *who, str(self.programs / program), *arguments]

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs on this machine."""
        inside = ["ip", "netns", "exec", name_of(self.address)]
        command = [*inside, *self.as_postgres(program, *arguments)]
        subprocess.run(command, check=True, capture_output=True, cwd="/")

    def sql(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements; the rows of the last one."""
        url = f"postgres://postgres@{self.address}/postgres?connect_timeout=2"
        with psycopg.connect(url, autocommit=True) as server:
            for statement in statements:
                cursor = server.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def answers(self) -> bool:
        with suppress(psycopg.Error):
            return bool(self.sql("SELECT 1"))
        return False

    def begin_as_primary(self) -> None:
        """Make a database and start it."""
        self.run("initdb", "-D", str(self.data), "--auth=trust", "--username=postgres", "--no-sync")
        with (self.data / "pg_hba.conf").open("a") as file:
            file.write(f"host all,replication all {NETWORK}.0.0/16 trust\n")
        self.start()
        wait_until(self.answers, self.last_lines)

    def begin_as_replica_of(self, primary: "Database") -> None:
        """Copy the primary, follow it, and let it wait for this replica at each commit."""
        for path in self.data.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        source = f"host={primary.address} user=postgres application_name=replica"
        copy = ["-D", str(self.data), "-d", source, "--write-recovery-conf", "--checkpoint=fast"]
        self.run("pg_basebackup", *copy)
        self.start()
        self.wait_for_standby(primary)
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")

    def wait_for_standby(self, primary: "Database") -> None:
        state = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"
        wait_until(lambda: self.answers() and primary.sql(state), self.last_lines)

    def go_on_alone(self) -> None:
        """Let commits wait for no replica."""
        self.sql("ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()")

    def promote(self) -> None:
        """Make the replica the primary."""
        self.go_on_alone()
        self.run("pg_ctl", "promote", "-D", str(self.data), "--wait")


class Editor(Voter):
    """Logs in and saves a category's description, again and again."""

    def __init__(self, form: str) -> None:
        super().__init__(PORT, 249, BALANCER, NETWORK)
        self.form, self.log, self.going = form, RequestLog(), True
        self.acknowledged, self.turn = "", 0
        self.sent: list[str] = []
        self.thread = Thread(target=self.work, daemon=True)

    def fields(self, page: bytes, form: str = "") -> dict[str, str]:
        """What a browser would send of a form of the page."""
        found = {}
        for element in Document(page.decode()).elements:
            around, given = element.within("form"), element.attributes
            if around and (not form or around.attributes.get("id") == form) and "name" in given:
                if element.name == "textarea":
                    found[given["name"]] = "".join(element.pieces).lstrip("\n")
                elif element.name == "input" and given.get("type") not in ("submit", "checkbox"):
                    found[given["name"]] = given.get("value", "")
        return found

    def log_in(self) -> None:
        path = "/admin/login/"
        names = {"username": "editor", "password": PASSWORD, "next": "/admin/"}
        fields = self.fields(self.page("GET", path)[1]) | names
        assert self.page("POST", path, urlencode(fields))[0] == 302, "the editor is not let in"

    def save(self) -> int:
        """Save the form with another text; the status."""
        status, page = self.page("GET", self.form)
        if status != 200:
            return status
        self.turn += 1
        text = f"Edited {self.turn} times."
        self.sent.append(text)
        fields = self.fields(page, "category_form") | {"description": text, "_save": "Save"}
        status, _ = self.page("POST", self.form, urlencode(fields))
        if status == 302:
            self.acknowledged = text
        return 303 if status == 302 else status

    def work(self) -> None:
        while self.going:
            start = time.monotonic()
            self.log.rows.append((start, self.save(), time.monotonic() - start))
            time.sleep(1)


class Drill:
    """The machines, and what visitors got while one of them was lost."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.stack = folder, stack
        self.primary, self.replica = Database(PRIMARY, folder), Database(REPLICA, folder)
        self.primary.begin_as_primary()
        self.replica.begin_as_replica_of(self.primary)
        self.url = f"postgres://postgres@{PRIMARY},{REPLICA}/postgres"
        self.env = environment(f"{self.url}?target_session_attrs=read-write") | {
            "DJANGO_SETTINGS_MODULE": "shipskip.serving",
            "SITE_URL": f"http://{BALANCER}:{PORT}",
            "ALLOWED_HOSTS": BALANCER,
            "TRUSTED_PROXIES": BALANCER,
            "WORKERS": "1",
            "PORT": str(SITE_PORT),
        }
        first, *others = [self.site(address) for address in SITES]
        manage(first.env, "prepare")
        manage(first.env, "load_catalogue", "fixtures/catalogue.json")
        make = "from django.contrib.auth.models import User"
        make += f"; User.objects.create_superuser('editor', password='{PASSWORD}')"
        make += "; from tools.models import Category; print(Category.objects.first().pk)"
        category = manage(first.env, "shell", "--verbosity", "0", "-c", make).stdout.split()[-1]
        self.sites = [first, *others]
        for site in others:
            self.share_files(site)
        for site in self.sites:
            site.start()
        self.nginx = self.balancer()
        for site in self.sites:
            self.wait_for(site)
        self.editor = Editor(f"/admin/tools/category/{category}/change/")
        self.editor.log_in()

    def site(self, address: str) -> Machine:
        """A machine with the site, and a folder of its own for data."""
        data = self.folder / f"site-{address}"
        data.mkdir()
        own = self.env | {"HOST": address, "DATA_DIR": str(data)}
        return Machine(address, self.folder, ["deploy/serve", "alone"], **own)

    def share_files(self, site: Machine) -> None:
        """Copy the collected static files, to save each machine some seconds of a core."""
        assert site.env
        for name in ("static", "manifests"):
            first = self.folder / f"site-{SITES[0]}" / "var" / name
            shutil.copytree(first, Path(site.env["DATA_DIR"], "var", name))

    def wait_for(self, site: Machine) -> None:
        """Wait until the machine's server is ready."""
        other = Voter(SITE_PORT, 248, site.address, NETWORK)
        wait_until(lambda: other.request("GET", "/readyz", Host=BALANCER) == 200, site.last_lines)

    def balancer(self) -> Machine:
        """nginx with our files and the lines for several machines."""
        lines = [f"{address}:{SITE_PORT} max_fails=1 fail_timeout=2s" for address in SITES]
        front = self.folder / f"site-{SITES[0]}" / "var/front"
        (inside := self.folder / "nginx").mkdir()
        main = nginx_configuration(inside, PORT, PORT + 1, lines, front=front)
        command = [NGINX, "-p", str(inside), "-c", str(main)]
        nginx = Machine(BALANCER, self.folder, command)
        nginx.start()
        ask = Voter(PORT, 247, BALANCER, NETWORK)
        wait_until(lambda: ask.request("GET", "/") == 200, nginx.last_lines)
        return nginx


def nothing(_: Drill) -> None:
    """Nothing is lost: to compare."""
    time.sleep(LASTING)


def site_is_killed(drill: Drill) -> None:
    """A machine with the site loses its power, and comes back."""
    drill.sites[0].kill()
    time.sleep(LASTING)
    drill.sites[0].boot()
    drill.wait_for(drill.sites[0])


def site_is_unplugged(drill: Drill) -> None:
    """Another one loses its network: nginx's connections to it get no answer."""
    drill.sites[1].plug(is_in=False)
    time.sleep(LASTING)
    drill.sites[1].plug(is_in=True)
    drill.wait_for(drill.sites[1])


def fourth_is_added(drill: Drill) -> None:
    """A fourth machine with the site is added."""
    fourth = drill.site(FOURTH)
    drill.share_files(fourth)
    fourth.start()
    drill.wait_for(fourth)
    (command,) = re.findall(ADD_SERVER, (ROOT / "docs/operations.md").read_text(), re.M)
    inside = drill.folder / "nginx"
    for there, here in {
        "10.0.0.14:8001": f"{FOURTH}:{SITE_PORT}",
        "10.0.0.14:8002": f"{FOURTH}:{SITE_PORT}",
        "/etc/nginx/shipskip": str(inside),
        "nginx -t": f"{NGINX} -t -p {inside} -c {inside}/nginx.conf",
        "systemctl reload nginx": f"kill -HUP {drill.nginx.pid}",
    }.items():
        assert there in command, there
        command = command.replace(there, here)
    within = ["ip", "netns", "exec", name_of(BALANCER), "sh", "-c", command]
    subprocess.run(within, check=True, capture_output=True)
    log = inside / "servers.log"
    wait_until(lambda: f"{FOURTH}:{SITE_PORT}" in log.read_text(), drill.nginx.last_lines)
    drill.sites.append(fourth)


def replica_is_killed(drill: Drill) -> None:
    """The replica is lost: commits wait until an operator lets the primary go on alone."""
    drill.replica.kill()
    time.sleep(LASTING)
    drill.primary.go_on_alone()
    time.sleep(LASTING)
    drill.replica.boot()
    drill.replica.wait_for_standby(drill.primary)
    drill.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
    wait_until(lambda: drill.primary.sql("SHOW synchronous_standby_names")[0] == ("*",))


def primary_is_killed(drill: Drill) -> None:
    """The primary is lost; an operator promotes the replica, and the old one returns as replica."""
    old, new = drill.primary, drill.replica
    old.kill()
    time.sleep(LASTING)
    new.promote()
    drill.primary, drill.replica = new, old
    time.sleep(2 * LASTING)
    old.plug(is_in=True)
    old.begin_as_replica_of(new)


STEPS: list[Callable[[Drill], None]] = [
    *(nothing, site_is_killed, site_is_unplugged, fourth_is_added),
    *(replica_is_killed, primary_is_killed),
]
TITLES = [
    "what is lost",
    "lasted (s)",
    "pages failed",
    "votes failed",
    "longest time without a vote (s)",
]
TITLES += ["saves failed", "99 of 100 pages within (ms)", "votes within (ms)"]


def drill(folder: Path, stack: ExitStack) -> list[str]:
    """Lose one machine after another and print a row for each; the problems."""
    machines = Drill(folder, stack)
    tools = tool_slugs(Voter(PORT, 246, BALANCER, NETWORK).page("GET", "/tools/")[1])
    wrong, editor = [], machines.editor
    print("| " + " | ".join(TITLES) + " |\n" + "|---" * len(TITLES) + "|", flush=True)
    at = {"host": BALANCER, "network": NETWORK}
    editor.thread.start()
    with Load(
        PORT, PAGE, tools[0], VOTERS, pause=PAUSE, readers=READERS, tools=tools, **at
    ) as load:
        for step in STEPS:
            start = time.monotonic()
            step(machines)
            time.sleep(LASTING / 2)
            end = time.monotonic()
            reads, votes, saves = (
                log.between(start, end) for log in (load.readers, load.votes, editor.log)
            )
            cells = [
                (step.__doc__ or "").strip(),
                f"{end - start:.0f}",
                *(f"{len(log.bad())} of {len(log.rows)}" for log in (reads, votes)),
                f"{load.votes.longest_gap(start, end):.1f}",
                f"{len(saves.bad())} of {len(saves.rows)}",
                *(f"{log.percentile(99):.0f}" for log in (reads, votes)),
            ]
            print("| " + " | ".join(cells) + " |", flush=True)
            if reads.bad():
                wrong.append(f"{step.__name__}: readers got {dict(reads.statuses())}")
            if (gap := load.votes.longest_gap(start, end)) > MOST_SECONDS:
                wrong.append(f"{step.__name__}: no vote was stored for {gap:.0f} s")
    editor.going = False
    editor.thread.join()
    url = f"postgres://postgres@{machines.primary.address}/postgres"
    acknowledged = sum(status == 303 for _, status, _ in load.votes.rows)
    lines = lost(load.voters, stored_votes(url))
    pk = editor.form.split("/")[4]
    query = "SELECT description FROM tools_category WHERE id = " + pk  # noqa: S608 - our own number
    ((stored,),) = machines.primary.sql(query)
    if stored not in editor.sent[editor.sent.index(editor.acknowledged) :]:
        lines.append(f"a save: {editor.acknowledged}; stored: {stored}")
    saved = sum(status == 303 for _, status, _ in editor.log.rows)
    print(f"\n{acknowledged} votes and {saved} saves acknowledged, {len(lines)} lost.")
    return wrong + lines


def main() -> int:
    """Make the machines and run the drill on the visitors' one; the process's exit status."""
    if os.geteuid() or not program_folder() or not shutil.which("ip"):
        print("NOT RUN  it needs root, PostgreSQL (postgresql) and ip (iproute2)")
        return int(os.environ.get("CI") == "true")
    if "DRILL" not in os.environ:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        os.environ["DRILL"] = str(os.getpid())
        with network():
            inside = ["ip", "netns", "exec", name_of(VISITORS), sys.executable, "-m"]
            return subprocess.run([*inside, __spec__.name], check=False, cwd=ROOT).returncode
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o711)
        wrong = drill(folder, stack)
    for line in wrong:
        print(f"FAILED   {line}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
