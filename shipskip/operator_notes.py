"""What an operator should know and may leave: for `doctor`, and for publishers at the desk."""

import os
import re
import subprocess
from collections.abc import Iterator

from django.conf import settings

from shipskip import __version__
from shipskip.checks import is_local
from shipskip.folders import BASE_DIR, DATA_DIR

GIT_SECONDS = 20
"""How long the repository may take to answer."""


def notes() -> Iterator[str]:
    """A sentence for each; none asks another machine."""
    if settings.EMAIL_BACKEND.endswith(".mail_files.EmailBackend") and not is_local():
        yield (
            "No mail is sent, because neither EMAIL_URL nor MAIL_PROVIDER is set: mails are"
            " written to files in var/mail."
        )
    file = settings.VAR_DIR / "newest_release"
    newest = file.read_text() if file.exists() else ""
    if numbers(newest) > numbers(__version__):
        yield f"A newer release exists: {newest}. This site runs {__version__}."


def look_for_release() -> str | None:
    """Store the highest release of the repository that this site was installed from, for `notes`;
    why it could not be asked, or None. A checkout that no `deploy/upgrade` made asks nobody.
    """
    if BASE_DIR.parent.name != "releases":
        return None
    command = ["git", "config", "--file", str(DATA_DIR / ".git/config"), "remote.origin.url"]
    try:
        url = _output(command).strip()
        listed = _output(["git", "ls-remote", "--tags", "--refs", "--", url, "v[0-9]*"])
    except (OSError, subprocess.SubprocessError):
        return f"The repository of {DATA_DIR} could not be asked for newer releases."
    tags = re.findall(r"refs/tags/v(\d+(?:\.\d+)*)$", listed, re.M)
    (settings.VAR_DIR / "newest_release").write_text(max(tags, key=numbers, default=""))
    return None


def numbers(release: str) -> list[int]:
    """The numbers of a release, which sort as releases do."""
    return [int(number) for number in re.findall(r"\d+", release)]


def _output(command: list[str]) -> str:
    env = os.environ | {"GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": "ssh -o BatchMode=yes"}
    done = subprocess.run(  # noqa: S603
        command, cwd="/", env=env, capture_output=True, text=True, timeout=GIT_SECONDS, check=True
    )
    return done.stdout
