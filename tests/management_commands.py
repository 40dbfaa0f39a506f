"""Programs and management commands in processes of their own, and their environment."""

import os
import secrets
import subprocess
import sys
from pathlib import Path

from tests.source_files import ROOT


def environment(url: str) -> dict[str, str]:
    """The environment of a site: this database, and no limit on votes."""
    return os.environ | {
        "DATABASE_URL": url,
        "SECRET_KEY": secrets.token_urlsafe(50),
        "SITE_URL": "http://127.0.0.1:8000",
        "ALLOWED_HOSTS": "127.0.0.1",
        "TRUSTED_PROXIES": "",
        "DEBUG": "false",
        "DJANGO_SETTINGS_MODULE": "shipskip.settings",
        "VOTES_PER_NETWORK_PER_DAY": "1000000",
        "VOTES_PER_VISITOR_PER_MINUTE": "1000000",
        "NEW_VISITORS_PER_NETWORK_PER_HOUR": "1000000",
    }


def ran(
    *command: str | Path, env: dict[str, str] | None = None, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run a program; its exit status and what it printed."""
    return subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, check=False)


def manage(
    env: dict[str, str], *arguments: str, must: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a management command; raises CalledProcessError if it fails, unless `must` is false."""
    done = ran(sys.executable, "manage.py", *arguments, env=env)
    if must:
        done.check_returncode()
    return done
