"""Management commands in processes of their own, and the environment of such processes."""

import os
import secrets
import subprocess
import sys

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


def manage(
    env: dict[str, str], *arguments: str, must: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a management command; raises CalledProcessError if it fails, unless `must` is false."""
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, env=env, cwd=ROOT, check=must, capture_output=True, text=True)
