"""The files for containers and systemd name only commands and files that exist."""

import re
import subprocess

import pytest
import yaml

from shipskip.env import OF_SERVE
from tests.stress_site import ROOT

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE = (DEPLOY / "compose.yaml").read_text()
SETTINGS = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.M))
REPORTERS = {"shipskip-failed@.service", "shipskip-given-up@.service"}
"""The units that other ones start when they fail."""

SERVER_S = {*OF_SERVE, "PORT"}
"""Read by deploy/serve, from the environment only."""


def commands() -> set[str]:
    """The site's own commands."""
    return {path.stem for path in ROOT.glob("*/**/management/commands/[a-z]*.py")} | {
        path.stem for path in ROOT.glob("*/management/commands/[a-z]*.py")
    }


def test_every_file_that_the_image_copies_exists():
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.M)
    assert copied
    for names in copied:
        for name in names.split():
            assert (ROOT / name).exists(), name


def test_the_image_contains_no_tests_and_no_local_files():
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().split()
    assert {".git", ".env", "var", "tests", ".venv", "db.sqlite3*"} <= set(ignored)


def test_every_app_is_in_the_image():
    copied = set(re.findall(r"^COPY (\w+) \w+$", DOCKERFILE, re.M))
    apps = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert apps <= copied
    assert {"templates", "static"} <= copied


def test_the_image_does_not_run_as_root_and_has_a_health_check():
    site = DOCKERFILE.partition(" AS site")[2].partition("\nFROM ")[0]
    assert re.search(r"^USER shipskip$", site, re.M)
    assert "HEALTHCHECK" in site
    assert 'ENTRYPOINT ["deploy/serve"]' in site


def test_compose_sets_only_what_the_site_reads():
    found = yaml.safe_load(COMPOSE)
    for name in ("app1", "app2"):
        assert set(found["services"][name]["environment"]) <= SETTINGS | SERVER_S
    assert set(re.findall(r"\$\{([A-Z_]+)", COMPOSE)) <= SETTINGS | SERVER_S | {"POSTGRES_PASSWORD"}


def test_compose_defines_every_service_and_volume():
    found = yaml.safe_load(COMPOSE)
    assert set(found["services"]) == {"app1", "app2", "front", "database"}
    addresses = {
        name: row["networks"]["inside"]["ipv4_address"]
        for name, row in found["services"].items()
        if isinstance(row["networks"], dict)
    }
    servers = (DEPLOY / "nginx/servers.compose.conf").read_text()
    assert set(re.findall(r"^server (\S+):8000", servers, re.M)) == {
        addresses["app1"],
        addresses["app2"],
    }
    assert found["services"]["app1"]["environment"]["TRUSTED_PROXIES"] == addresses["front"]
    for row in found["services"].values():
        for volume in row.get("volumes", []):
            source = volume.partition(":")[0]
            assert source in found["volumes"] or (DEPLOY / source).exists(), volume


@pytest.mark.parametrize("path", sorted((DEPLOY / "systemd").iterdir()), ids=lambda path: path.name)
def test_a_unit_starts_a_command_that_exists(path):
    text = path.read_text()
    for command in re.findall(
        r"^Exec\w+=/srv/shipskip/current/(\S+)(?: manage.py (\S+))?", text, re.M
    ):
        program, word = command
        assert program == ".venv/bin/python" or (ROOT / program).exists()
        assert word in ("", "%i") or word in commands()
    for unit in re.findall(r"^Unit=(\S+)", text, re.M):
        assert (path.parent / unit).exists()
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


def test_the_systemd_service_has_a_start_limit_a_reload_and_metrics_in_memory():
    unit = (DEPLOY / "systemd/shipskip@.service").read_text()
    lines = set(unit.splitlines())
    assert {"Type=notify", "ExecReload=/srv/shipskip/current/deploy/serve reload"} <= lines
    assert {"RuntimeDirectory=shipskip-%i", "Environment=METRICS_DIR=/run/shipskip-%i"} <= lines
    (starts,) = re.findall(r"^StartLimitBurst=(\d+)", unit, re.M)
    unit = (DEPLOY / "systemd/shipskip-given-up@.service").read_text()
    assert f"{starts} starts failed" in unit


def test_a_script_is_executable_and_has_no_syntax_error():
    script = DEPLOY / "serve"
    assert script.stat().st_mode & 0o111 == 0o111
    subprocess.run(["sh", "-n", str(script)], check=True)


def test_nginx_uses_the_servers_that_systemd_starts():
    unit = (DEPLOY / "systemd/shipskip@.service").read_text()
    started = re.findall(r"shipskip@(\d+)", unit)
    asked = re.findall(
        r"^server 127\.0\.0\.1:(\d+) ", (DEPLOY / "nginx/servers.conf").read_text(), re.M
    )
    assert started == asked
    assert "WORKERS=1\n" in unit
    manual = (ROOT / "docs/operations.md").read_text()
    assert "shipskip@8001 shipskip@8002" in manual
    assert "deploy/serve reload 8001 8002" in manual


def test_an_unknown_argument_of_serve_is_refused():
    found = subprocess.run(
        [DEPLOY / "serve", "restart"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 2
    for word in ("prepare", "reload PORT", "alone", "healthy"):
        assert f"deploy/serve {word}" in found.stderr
