"""Commands run as the owner of the data: files of another user, such as root, stop the site's own
jobs, which cannot write them.
"""

import os
import pwd
import shlex
from pathlib import Path

from django.conf import settings


def refusal(arguments: list[str]) -> str | None:
    """Why this user may not run a command here, and how to run it; None if the user may."""
    user = os.geteuid()
    for path in _data():
        owner = path.stat().st_uid
        if owner != user:
            name, own_name = _name(owner), _name(user)
            become = "" if user == 0 else f"sudo -u {name} "
            command = shlex.join([str(settings.BASE_DIR / "deploy/manage"), *arguments])
            return (
                f"{path} belongs to {name}, who could not use what {own_name} writes there. Run:"
                f"\n  {become}{command}"
            )
    return None


def _data() -> list[Path]:
    """The folder of the data and the file of the database, as far as they exist."""
    database = settings.DATABASES["default"]
    found = [settings.VAR_DIR, settings.BACKUP_DIR]
    if database["ENGINE"] == "django.db.backends.sqlite3" and database["NAME"] != ":memory:":
        found.append(Path(database["NAME"]))
    return [path for path in found if path.exists()]


def _name(user: int) -> str:
    """The name of a user, or # and its number where it has none."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return f"#{user}"
