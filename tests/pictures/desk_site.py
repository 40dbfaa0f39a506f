"""A running site with the sample catalogue and a week of work at the desk, to look at.

It has its own SQLite file and its own mail server on 127.0.0.1.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.newsletter.smtp_server import MailServer, running
from tests.stress_site import ROOT, Workers, environment, manage

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
EDITORS = {"ana": "Publishers", "ben": "Publishers", "wim": "Writers"}
"""The accounts at the desk, and the group of each."""
PASSWORD = "a-long-good-one"
TAKE = (
    "It reads the whole repository, writes a plan that a person can argue with, and stops when the "
    "tests are red. I let it loose on three real chores and kept two of the patches; the third was "
    "wrong in a way that the review caught within a minute."
)
"""A take that is long enough for no caution."""
CATALOGUE = ROOT / "fixtures" / "catalogue.json"


@dataclass
class DeskSite:
    """Its address, the environment of its processes, and the mail server."""

    address: str
    env: dict[str, str]
    mails: MailServer

    def send_newsletter(self) -> None:
        """Send what is due, as the sender's process does."""
        manage(self.env, "newsletter", "--once")


@contextmanager
def desk_site(catalogue: Path = CATALOGUE) -> Iterator[DeskSite]:
    """Start the site on a free port."""
    with tempfile.TemporaryDirectory() as folder, running() as mails:
        env = environment(f"sqlite:///{folder}/db.sqlite3")
        env |= {"EMAIL_URL": mails.url, "VOTES_PER_NETWORK_PER_DAY": "20"}
        manage(env, "migrate", "--verbosity", "0")
        manage(env, "load_catalogue", str(catalogue))
        subprocess.run([sys.executable, "-m", "tests.pictures.data"], env=env, cwd=ROOT, check=True)
        with Workers(env, 1) as workers:
            yield DeskSite(f"http://127.0.0.1:{workers.ports[0]}", env, mails)
