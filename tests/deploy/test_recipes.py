"""The files for containers and systemd name only commands and files that exist."""

import os
import pwd
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from django.db.backends.postgresql.features import DatabaseFeatures

from shipskip.env import OF_SERVE
from tests.management_commands import ran
from tests.source_files import ROOT

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = (DEPLOY / "compose.yaml").read_text()
SETTINGS = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.M))
REPORTERS = {"shipskip-failed@.service", "shipskip-given-up@.service"}
"""The units that other ones start when they fail."""

SERVER_S = {*OF_SERVE, "PORT"}
"""Read by deploy/serve, from the environment only."""


COMMANDS = {path.stem for path in ROOT.glob("*/**/management/commands/[a-z]*.py")}


def test_the_image_holds_the_code_alone_runs_as_its_own_user_and_has_a_health_check():
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.M)
    names = {name for each in copied for name in each.split()}
    assert [name for name in names if not (ROOT / name).exists()] == []
    apps = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert apps | {"templates", "static"} <= names
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().split()
    assert {".git", ".env", "var", "tests", ".venv", "db.sqlite3*"} <= set(ignored)
    site = DOCKERFILE.partition(" AS site")[2].partition("\nFROM ")[0]
    assert re.search(r"^USER shipskip$", site, re.M)
    assert "HEALTHCHECK" in site
    assert 'ENTRYPOINT ["deploy/serve"]' in site


OF_COMPOSE = {"POSTGRES_PASSWORD", "OUTER_PROXIES", "HTTP_PORT", "HTTPS_PORT", "SITE_MEMORY"}
SERVICES = yaml.safe_load(COMPOSE)["services"]
SITE_SERVICES = ("app1", "app2", "jobs")


def test_compose_passes_every_setting_on_and_keeps_data_and_backups():
    for name in SITE_SERVICES:
        service = SERVICES[name]
        assert service["env_file"] == ["../.env"]
        assert set(service["environment"]) <= SETTINGS | SERVER_S | {"DATABASE_URL"}
        kept = {row.partition(":")[2].removeprefix("/srv/shipskip/") for row in service["volumes"]}
        assert kept == {f"var/{each}" for each in ("uploads", "data", "mail", "backups")}
        assert [folder for folder in kept if folder not in DOCKERFILE] == [], "root would own it"
    assert set(re.findall(r"\$\{([A-Z_]+)", COMPOSE)) <= SETTINGS | SERVER_S | OF_COMPOSE
    described = COMPOSE.partition("\nname:")[0]
    assert [name for name in OF_COMPOSE if name not in described] == []


def test_compose_defines_every_service_and_volume_with_limits_and_a_health_check():
    assert set(SERVICES) == {*SITE_SERVICES, "front", "database"}
    addresses = {
        name: row["networks"]["inside"]["ipv4_address"]
        for name, row in SERVICES.items()
        if isinstance(row["networks"], dict)
    }
    servers = (DEPLOY / "nginx/servers.compose.conf").read_text()
    asked = set(re.findall(r"^server (\S+):8000", servers, re.M))
    assert asked == {addresses["app1"], addresses["app2"]}
    assert SERVICES["app1"]["environment"]["TRUSTED_PROXIES"] == addresses["front"]
    volumes = yaml.safe_load(COMPOSE)["volumes"]
    for name, row in SERVICES.items():
        assert row["restart"] == "unless-stopped", name
        assert row["mem_limit"], name
        assert row["logging"]["options"] == {"max-size": "10m", "max-file": "5"}, name
        assert row["healthcheck"]["test"], name
        for source in (volume.partition(":")[0] for volume in row.get("volumes", [])):
            is_of_host = source.startswith("/")
            assert is_of_host or source in volumes or (DEPLOY / source).exists(), source


def test_compose_pins_postgresql_and_the_image_has_its_client():
    (version,) = re.findall(r"^postgres:(\d+)-alpine$", SERVICES["database"]["image"])
    assert f"postgresql-client-{version} " in DOCKERFILE
    oldest = DatabaseFeatures.minimum_database_version
    assert oldest
    assert (int(version),) >= oldest


@pytest.mark.parametrize("name", ["jobs", "nginx/start.sh"])
def test_a_script_is_executable_and_has_no_syntax_error(name):
    script = DEPLOY / name
    assert script.stat().st_mode & 0o111 == 0o111
    subprocess.run(["sh", "-n", str(script)], check=True)


def started_front(folder: Path, **env: str) -> dict[str, str]:
    """The files of nginx's container after start.sh, by name; its folders lie in `folder`."""
    text = (DEPLOY / "nginx/start.sh").read_text()
    for path in ("/usr/share/shipskip/nginx", "/etc/nginx/shipskip", "/etc/nginx/conf.d"):
        text = text.replace(path, f"{folder}{path}")
    text = text.replace('"/etc/letsencrypt', f'"{folder}/etc/letsencrypt')
    for path in ("etc/nginx/shipskip", "etc/nginx/conf.d", "etc/letsencrypt/live"):
        (folder / path).mkdir(parents=True, exist_ok=True)
    files = folder / "usr/share/shipskip/nginx"
    if not files.exists():
        shutil.copytree(DEPLOY / "nginx", files)
    subprocess.run(["sh", "-c", text], env=os.environ | env, check=True)
    return {path.name: path.read_text() for path in (folder / "etc/nginx").glob("*/*.conf")}


def test_nginx_in_a_container_uses_a_certificate_once_there_is_one(tmp_path):
    site = {"SITE_URL": "https://ship.example"}
    before = started_front(tmp_path, **site)
    assert set(before) == {"shipskip.conf", "http.server.conf", "challenge.server.conf"}
    (tmp_path / "etc/letsencrypt/live/ship.example").mkdir()
    (tmp_path / "etc/letsencrypt/live/ship.example/fullchain.pem").touch()
    after = started_front(tmp_path, **site)
    assert set(after) == {"shipskip.conf", "https.server.conf", "shipskip-redirect.conf"}
    assert "/live/ship.example/privkey.pem" in after["https.server.conf"]
    assert "site.example" not in re.sub(r"#.*", "", after["https.server.conf"])


def test_nginx_in_a_container_believes_the_proxies_in_front_of_it(tmp_path):
    site = {"SITE_URL": "https://ship.example"}
    assert "X-Forwarded-Proto $scheme" in started_front(tmp_path, **site)["shipskip.conf"]
    found = started_front(tmp_path, **site, OUTER_PROXIES="10.0.0.1,192.0.2.0/24")
    assert found["outer.server.conf"].splitlines() == [
        "set_real_ip_from 10.0.0.1;",
        "set_real_ip_from 192.0.2.0/24;",
        "real_ip_header X-Forwarded-For;",
        "real_ip_recursive on;",
    ]
    assert "X-Forwarded-Proto https" in found["shipskip.conf"]


def test_manage_runs_as_the_owner_of_the_data_from_any_folder(tmp_path):
    """With a program in the place of Python that says who runs it, where, and with what."""
    release = tmp_path / "releases/1.0.0"
    (release / "deploy").mkdir(parents=True)
    (release / ".venv/bin").mkdir(parents=True)
    (release / "manage.py").touch()
    (tmp_path / "deploy").mkdir()
    for folder in (tmp_path, release):
        shutil.copy(DEPLOY / "manage", folder / "deploy/manage")
    python = release / ".venv/bin/python"
    python.write_text('#!/bin/sh\necho "$(id -u) $(pwd) $DATA_DIR $*"\n')
    python.chmod(0o755)
    (tmp_path / "current").symlink_to("releases/1.0.0")

    def run() -> subprocess.CompletedProcess[str]:
        command = [tmp_path / "deploy/manage", "backup", "--days", "30"]
        return ran(*command, env={"PATH": os.environ["PATH"]}, cwd=Path("/"))

    missing = run()
    assert missing.returncode == 1
    assert "install -d -o shipskip" in missing.stderr
    (tmp_path / "var").mkdir()
    owner = os.geteuid()
    if owner == 0:
        owner = pwd.getpwnam("nobody").pw_uid
        os.chown(tmp_path / "var", owner, -1)
        for folder in (tmp_path, *tmp_path.parents[:3]):
            folder.chmod(0o755)
    expected = f"{owner} {release} {tmp_path} manage.py backup --days 30\n"
    assert run().stdout == expected, run().stderr


@pytest.mark.parametrize("path", sorted((DEPLOY / "systemd").iterdir()), ids=lambda path: path.name)
def test_a_unit_starts_a_command_that_exists(path):
    text = path.read_text()
    for program, word in re.findall(r"^Exec\w+=/srv/shipskip/current/(\S+)(?: (\S+))?", text, re.M):
        assert (ROOT / program).exists()
        assert program != "deploy/manage" or word in COMMANDS
    assert ("\nExecStart=/srv/shipskip/current/" in text) == ("\nUMask=0077\n" in text)
    for name in re.findall(r"^Environment=(\w+)=", text, re.M):
        assert name in SETTINGS | SERVER_S
    if path.suffix == ".service":
        assert "\nTimeoutStartSec=" in text
        assert "\nOnFailure=" in text or path.name in REPORTERS
    for other in re.findall(r"^OnFailure=(\S+?)%[in]", text, re.M):
        assert (path.parent / f"{other}.service").exists()
    # Root owns the code, so that a compromised worker cannot change it.
    writable = re.findall(r"^ReadWritePaths=(.*)", text, re.M)
    assert writable == ["/srv/shipskip/var"] * text.count("\nUser=shipskip\n")


def test_every_unit_has_the_same_restrictions_and_little_exposure():
    """`make install-drill` runs all of them under a real systemd."""
    blocks = set()
    for path in (DEPLOY / "systemd").glob("*.service"):
        block = path.read_text().partition("\nProtectSystem=strict\n")[2].partition("\n\n")[0]
        assert ("ReadWritePaths" in block) == (path.name not in REPORTERS)
        blocks.add(block.replace("ReadWritePaths=/srv/shipskip/var\n", "").strip())
        if shutil.which("systemd-analyze"):
            command = ("systemd-analyze", "security", "--offline=true", "--no-pager", path)
            level = re.findall(r"exposure level for \S+: ([\d.]+)", ran(*command).stdout)
            assert [float(each) <= 2 for each in level] == [True], path.name
    (block,) = blocks
    assert "SystemCallFilter=@system-service" in block


def test_the_systemd_service_notifies_reloads_and_gives_up_and_nginx_asks_its_servers():
    unit = (DEPLOY / "systemd/shipskip@.service").read_text()
    lines = {"Type=notify", "ExecReload=/srv/shipskip/current/deploy/serve reload", "WORKERS=1"}
    assert {*lines, "RuntimeDirectory=shipskip-%i"} <= {
        line.removeprefix("Environment=") for line in unit.splitlines()
    }
    (starts,) = re.findall(r"^StartLimitBurst=(\d+)", unit, re.M)
    given_up = (DEPLOY / "systemd/shipskip-given-up@.service").read_text()
    assert f"{starts} starts failed" in given_up
    servers = (DEPLOY / "nginx/servers.conf").read_text()
    ports = re.findall(r"^server 127\.0\.0\.1:(\d+) ", servers, re.M)
    assert re.findall(r"shipskip@(\d+)", unit) == ports == ["8001", "8002"]
    manual = (ROOT / "docs/operations.md").read_text()
    assert "shipskip@8001 shipskip@8002" in manual
    assert "deploy/serve reload 8001 8002" in manual


def test_an_unknown_argument_of_serve_is_refused():
    found = ran(DEPLOY / "serve", "restart")
    assert found.returncode == 2
    for word in ("prepare", "reload PORT", "alone", "healthy"):
        assert f"deploy/serve {word}" in found.stderr
