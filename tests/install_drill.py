"""`make install-drill`: an empty Debian 12, and the ten commands of docs/operations.md as printed.

Debian is made by debootstrap in a temporary folder and started with its own systemd
(systemd-nspawn) and its own network (pasta), so that PostgreSQL, nginx, the units with all their
restrictions and the timers are real. Three things are not: REPOSITORY is the last commit here,
served by `git daemon`; NAME is ship.test; and `certbot` is a script that fetches its challenge
through nginx as a certificate authority would, and signs the certificate itself. Root has the umask
027 and a Python of its own in /root. Then the site is upgraded, with changed files of nginx, with
broken ones, and back.

Run it as root on Debian with debootstrap, systemd-container, passt and git. The settings of apt and
pip of this machine hold in the new one too.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.source_files import ROOT

NAME = "ship.test"
PROGRAMS = ("debootstrap", "systemd-nspawn", "pasta", "git", "ip", "nsenter")
PASSWORD = "a-drill-of-the-installation"
GIT = ("git", "-c", "user.name=Drill", "-c", "user.email=drill@example.org")

CERTBOT = f"""#!/bin/sh
# Stands for certbot and its certificate authority: fetches the challenge by HTTP, and signs itself.
set -eu
umask 022
challenge=/.well-known/acme-challenge/drill live=/etc/letsencrypt/live/{NAME}
mkdir -p /var/www/html/.well-known/acme-challenge "$live"
echo proof > "/var/www/html$challenge"
fetch='import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())'
python3 -c "$fetch" "http://{NAME}$challenge" | grep -q proof
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \\
  -subj "/CN={NAME}" -keyout "$live/privkey.pem" -out "$live/fullchain.pem" 2>/dev/null
"""
LOOK = """
import http.client, ssl, sys
reader = http.client.HTTPSConnection("127.0.0.1", context=ssl._create_unverified_context())
form = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
headers = {"Host": "ship.test"} | (form if len(sys.argv) > 2 else {})
method, body = ("POST", sys.argv[2]) if len(sys.argv) > 2 else ("GET", None)
reader.request(method, sys.argv[1], body, headers)
response = reader.getresponse()
print(response.status, response.headers.get("X-Drill", "-"), len(response.read()))
"""


def say(text: str) -> None:
    """Print a line with the time."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """The output of a program, which must succeed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


def ten_commands() -> list[str]:
    """The commands of docs/operations.md, with REPOSITORY and NAME filled in."""
    section = (ROOT / "docs/operations.md").read_text().partition("One machine in ten commands")[2]
    commands = section.partition("```sh\n")[2].partition("```")[0].splitlines()
    assert len(commands) == 10
    filled = (line.replace("REPOSITORY", "git://127.0.0.1/repository.git") for line in commands)
    return [re.sub(r"\bNAME\b", NAME, line) for line in filled]


# --- The machine ----------------------------------------------------------------------------------


def debian(folder: Path) -> None:
    """Make an empty Debian 12 with systemd."""
    include = "--include=systemd-sysv,dbus"
    run("debootstrap", "--variant=minbase", include, "bookworm", folder)


def pip_settings(debian_folder: Path) -> list[str]:
    """Give the new machine pip's settings of this one; the folders that they name."""
    settings: dict[str, str] = {}
    folders = []
    for line in run(sys.executable, "-m", "pip", "config", "list").splitlines():
        name, _, text = line.partition("=")
        value = str(ast.literal_eval(text))
        for word in value.split():
            path = Path(word.removeprefix("file://"))
            if path.is_absolute() and path.is_file():
                shutil.copy(path, debian_folder / "etc" / f"pip-{path.name}")
                value = value.replace(word, f"/etc/pip-{path.name}")
            elif path.is_absolute() and path.is_dir():
                folders.append(str(path.parent if "index" in name else path))
        settings.setdefault(name.rpartition(".")[2], " ".join(value.split()))  # the first one holds
    lines = [f"{name} = {value}\n" for name, value in settings.items()]
    (debian_folder / "etc/pip.conf").write_text("".join(["[global]\n", *lines]))
    return folders


def apt_settings(debian_folder: Path) -> None:
    """Give the new machine apt's settings of this one."""
    for name in ("sources.list", "sources.list.d/debian.sources"):
        path = Path("/etc/apt") / name
        if path.exists():
            shutil.copy(path, debian_folder / "etc/apt" / name)
    text = run("apt-config", "dump", "Acquire")
    (debian_folder / "etc/apt/apt.conf.d/99machine").write_text(text)


class Machine:
    """A running Debian; its first process has the number `pid` here."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def run(self, command: str, *, must: bool = True) -> str:
        """What a command of root's shell prints."""
        done = subprocess.run(
            ["nsenter", f"--target={self.pid}", "--all", "--root", *SHELL, f"cd && {command}"],
            capture_output=True, text=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        printed = done.stdout + done.stderr
        if (done.returncode == 0) != must:
            sys.exit(f"{command}\n{printed[-6000:]}")
        return printed.strip()

    def look(self, path: str, form: str = "") -> list[str]:
        """Request a page as a reader does: status, the header of changed files of nginx, bytes."""
        return self.run(f"python3 /root/look.py {path} {form}").split()


SHELL = ("env", "-i", "HOME=/root", "TERM=dumb", "LANG=C.UTF-8", "bash", "--login", "-c")


@contextmanager
def started(folder: Path, network: str, binds: list[str]) -> Iterator[Machine]:
    """Start Debian in a network of its own; it is stopped at the end."""
    command = ["systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit", "-D", folder]
    command += [f"--network-namespace-path=/run/netns/{network}", "--hostname=drill"]
    command += [f"--bind-ro={path}" for path in binds]
    with (folder / "boot.log").open("w") as log:
        nspawn = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        children = Path(f"/proc/{nspawn.pid}/task/{nspawn.pid}/children")
        end = time.monotonic() + 120
        state = ""
        while "running" not in state and "degraded" not in state:
            time.sleep(1)
            if time.monotonic() > end or nspawn.poll() is not None:
                sys.exit(f"Debian did not start:\n{(folder / 'boot.log').read_text()[-3000:]}")
            if found := children.read_text().split():
                pid = found[0]
                ask = ["nsenter", f"--target={pid}", "--all", "--root", "systemctl"]
                asked = subprocess.run([*ask, "is-system-running"], capture_output=True, text=True)
                state = asked.stdout
        yield Machine(int(pid))
    finally:
        nspawn.terminate()
        nspawn.wait(60)


@contextmanager
def own_network(name: str) -> Iterator[None]:
    """A network namespace that reaches the outside and is not reached from there."""
    run("ip", "netns", "add", name)
    try:
        none = [word for option in ("-t", "-u", "-T", "-U") for word in (option, "none")]
        pasta = ["pasta", "--config-net", "--quiet", "--runas", "0:0", *none]
        subprocess.run([*pasta, "--netns", f"/run/netns/{name}"], check=True, capture_output=True)
        yield
    finally:
        run("ip", "netns", "del", name)  # pasta ends with it


# --- The repository -------------------------------------------------------------------------------


class Repository:
    """The repository from which the site is installed, without a tag to begin with."""

    def __init__(self, folder: Path, network: str, stack: ExitStack) -> None:
        self.bare, self.work = folder / "repository.git", folder / "work"
        run("git", "init", "--quiet", "--bare", "--initial-branch=main", self.bare)
        run("git", "push", "--quiet", self.bare, "HEAD:refs/heads/main")
        run("git", "clone", "--quiet", self.bare, self.work)
        serve = ["git", "daemon", "--export-all", f"--base-path={folder}", "--listen=127.0.0.1"]
        daemon = subprocess.Popen(["nsenter", f"--net=/run/netns/{network}", *serve])
        stack.callback(daemon.terminate)

    def release(self, version: str, before: str, after: str) -> None:
        """Publish and tag a release with another file for nginx."""
        path = self.work / "deploy/nginx/site.conf"
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after, 1))
        stated = self.work / "shipskip/__init__.py"
        stated.write_text(re.sub(r'"\d.*"', f'"{version}"', stated.read_text()))
        run(*GIT, "commit", "--quiet", "--all", "--message", f"Release {version}", cwd=self.work)
        run(*GIT, "tag", f"v{version}", cwd=self.work)
        run("git", "push", "--quiet", "--tags", "origin", "HEAD", cwd=self.work)


# --- The drill ------------------------------------------------------------------------------------


def prepare(folder: Path) -> None:
    """What lies on the machine before: the names, the answers of `make_editor`, root's habits."""
    for name, text in {
        "etc/hosts": f"127.0.0.1 localhost {NAME}\n",
        "usr/local/bin/certbot": CERTBOT,
        "root/look.py": LOOK,
        "root/answers": f"drill\npublisher\n{PASSWORD}\n{PASSWORD}\n",
        "root/.profile": "umask 027\nPATH=/root/python/bin:$PATH\n",
    }.items():
        (folder / name).write_text(text)
    (folder / "usr/local/bin/certbot").chmod(0o755)
    (folder / "root").chmod(0o700)
    (folder / "root/python/bin").mkdir(parents=True)
    (folder / "root/python/bin/python3").symlink_to("/usr/bin/python3")


def install(machine: Machine, folder: Path) -> None:
    """Run the ten commands in one shell of root."""
    lines = ["exec < /dev/null"]
    for number, command in enumerate(ten_commands(), 1):
        lines += [f'echo "=== {number} $(date +%s)"']
        lines += ["exec < /root/answers"] if "make_editor" in command else []
        lines += [command, "[ $? = 0 ] || exit 1"]
    (folder / "root/commands.sh").write_text("\n".join([*lines, 'echo "=== 11 $(date +%s)"', ""]))
    printed = machine.run("bash --login /root/commands.sh 2>&1")
    (folder / "root/commands.log").write_text(printed)
    times = [int(second) for second in re.findall(r"^=== \d+ (\d+)", printed, re.M)]
    for number, (begun, ended) in enumerate(pairwise(times), 1):
        say(f"Command {number}: {ended - begun} s")
    assert "Traceback" not in printed, printed[-6000:]
    assert "drill may now write and publish" in printed, printed[-3000:]


NETWORKS_LOG = "access_log /var/log/nginx/networks.log shipskip_networks buffer=32k flush=5s;"
UNITS = ("shipskip@8001", "shipskip@8002", "nginx", "postgresql")
TIMERS = tuple(f"shipskip-{job}.timer" for job in ("newsletter", "work", "nightly"))


def check_site(machine: Machine) -> None:
    """Check that all runs, with the restrictions of the units, and that readers may vote."""
    machine.run(f"systemctl is-active {' '.join((*UNITS, *TIMERS))}")
    assert machine.look("/")[0] == "200"
    for job in ("work", "newsletter", "nightly"):  # before there are sources to ask
        machine.run(f"systemctl start shipskip-{job} || (journalctl --no-pager -n 40; exit 1)")
    sample = "/srv/shipskip/current/fixtures/catalogue.json"
    machine.run(f"/srv/shipskip/deploy/manage load_catalogue {sample}")
    assert machine.look("/tools/smollm3/")[0] == "200"
    assert machine.look("/tools/smollm3/vote/", "choice=ship")[0] == "303"
    assert machine.look("/admin/login/")[0] == "200"
    say(machine.run("/srv/shipskip/deploy/manage doctor"))
    machine.run("systemctl start shipskip-failed@drill shipskip-given-up@8003")
    for unit in (
        "shipskip@8001",
        *(f"shipskip-{job}" for job in ("work", "newsletter", "nightly")),
    ):
        say(machine.run(f"systemd-analyze security --no-pager {unit} | tail -n 1"))
    machine.run("/srv/shipskip/current/deploy/serve reload 8001 8002")
    machine.run("systemctl reload shipskip@8001")
    machine.run(f"echo '{NETWORKS_LOG}' > /etc/nginx/shipskip/networks.server.conf")
    machine.run("nginx -t && systemctl reload nginx")
    assert machine.look("/")[0] == "200"
    machine.run("sleep 6; grep '^127.0.0.0 - - .*GET / HTTP/1.1. 200' /var/log/nginx/networks.log")
    written = machine.run("journalctl --no-pager --unit 'shipskip*' | grep -c Traceback || true")
    assert written == "0", machine.run("journalctl --no-pager --unit 'shipskip*' | tail -n 50")


FRONT = "add_header X-Front $upstream_cache_status always;"


def check_upgrades(machine: Machine, repository: Repository) -> None:
    """Upgrade by tags, with files of nginx that change, that are broken, and back."""
    upgrade = "/srv/shipskip/current/deploy/upgrade"
    assert "runs already" in machine.run(upgrade, must=False)
    repository.release("1.0.1", FRONT, f"{FRONT} add_header X-Drill 1.0.1 always;")
    assert "A newer release exists: 1.0.1" in machine.run("/srv/shipskip/deploy/manage doctor")
    say(machine.run(upgrade))
    assert machine.look("/")[:2] == ["200", "1.0.1"]
    repository.release("1.0.2", "X-Drill 1.0.1", "X-Drill 1.0.2 nonsense")
    printed = machine.run(upgrade, must=False)
    assert "nginx -t refuses the files of 1.0.2" in printed, printed
    assert "1.0.1 runs again" in printed
    machine.run("nginx -t && systemctl reload nginx")
    assert machine.look("/")[:2] == ["200", "1.0.1"]
    say(machine.run(f"{upgrade} --back --yes"))
    assert machine.look("/")[:2] == ["200", "-"]


def main() -> None:
    """Make the machine, install, check, upgrade."""
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if os.geteuid() or missing:
        sys.exit(f"Run this as root on Debian, with {', '.join(missing or PROGRAMS)}.")
    started_at = time.monotonic()
    with TemporaryDirectory(prefix="drill-", dir="/var/tmp") as made, ExitStack() as stack:
        folder, network = Path(made) / "debian", Path(made).name
        debian(folder)
        say(f"An empty Debian after {time.monotonic() - started_at:.0f} s.")
        apt_settings(folder)
        binds = pip_settings(folder)
        prepare(folder)
        stack.enter_context(own_network(network))
        repository = Repository(Path(made), network, stack)
        machine = stack.enter_context(started(folder, network, binds))
        install(machine, folder)
        check_site(machine)
        check_upgrades(machine, repository)
    say(f"The ten commands install the site: {time.monotonic() - started_at:.0f} s in all.")


if __name__ == "__main__":
    main()
