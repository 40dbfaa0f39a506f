"""A site as deploy/upgrade makes it: its repository, its releases and servers."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.deploy.production_site import Server
from tests.management_commands import ran
from tests.source_files import ROOT

MAKEFILE = f"""
.venv/.installed:
	ln -s {Path(sys.prefix)} .venv
"""
"""Instead of the project's: the packages of the tests are those of every release."""
UNCOMPRESSED = 'WHITENOISE_SKIP_COMPRESS_EXTENSIONS = ["css", "js", "svg", "txt"]\n'
GIT = ("git", "-c", "user.name=Test", "-c", "user.email=test@example.org")


class Repository:
    """The repository from which a site fetches its releases; the first one is this code."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ran("git", "ls-files", "-co", "--exclude-standard").stdout.splitlines():
            if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/")):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        (folder / "Makefile").write_text(MAKEFILE)
        # A busy machine may take longer than a second to open a connection to the database.
        self.edit("shipskip/serving.py", "POOL_WAIT_SECONDS = 1", "POOL_WAIT_SECONDS = 60")
        # Compressing takes four seconds of processor time a release; test_server.py proves it.
        self.edit("shipskip/serving.py", "WHITENOISE_KEEP", f"{UNCOMPRESSED}WHITENOISE_KEEP")
        self.git("init", "--quiet", "--initial-branch=main")
        self.release("1.0.0")

    def git(self, *arguments: str) -> None:
        """Run git in it."""
        subprocess.run([*GIT, *arguments], cwd=self.folder, check=True)

    def edit(self, name: str, before: str, after: str) -> None:
        """Replace a text of a file; the empty text is a new file."""
        path = self.folder / name
        text = path.read_text() if before else ""
        assert before in text
        path.write_text(text.replace(before, after, 1) if before else after)

    def release(self, version: str) -> None:
        """Commit and tag what is there as a release."""
        path = self.folder / "shipskip/__init__.py"
        text = path.read_text().rpartition("\n__version__")[0]
        path.write_text(f'{text}\n__version__ = "{version}"\n')
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", f"Release {version}")
        self.git("tag", f"v{version}")


class Site:
    """A site in a folder of its own, on that database."""

    def __init__(self, folder: Path, source: Path, url: str) -> None:
        self.folder, self.url = folder, url
        subprocess.run(["git", "clone", "--quiet", source, folder], check=True)
        (folder / "var").mkdir(mode=0o700)
        (folder / ".env").write_text(
            f"DATABASE_URL={url}\nALLOWED_HOSTS=127.0.0.1\nTRUSTED_PROXIES=127.0.0.1\n"
            "VOTES_PER_NETWORK_PER_DAY=1000000\nVOTES_PER_VISITOR_PER_MINUTE=1000000\n"
        )
        (folder / ".env").chmod(0o600)
        ours = ("DATABASE_URL", "DJANGO_SETTINGS_MODULE", "SECRET_KEY")
        self.env = {name: text for name, text in os.environ.items() if name not in ours}

    @property
    def current(self) -> Path:
        """The folder of the release that runs."""
        return (self.folder / "current").resolve()

    def upgrade(self, *arguments: str, must: bool = True) -> str:
        """What `deploy/upgrade` prints."""
        done = ran("deploy/upgrade", *arguments, env=self.env, cwd=self.folder)
        assert (done.returncode == 0) == must, done.stdout + done.stderr
        return done.stdout + done.stderr

    def server(self) -> "Service":
        """A server of the release that is current when it starts."""
        return Service(self)


class Service(Server):
    """`deploy/serve` of the current release, as deploy/systemd starts it."""

    def __init__(self, site: Site) -> None:
        super().__init__(site.env, site.folder / "var", site.folder / "current", WORKERS="1")
        self.command, self.site = ["deploy/serve"], site

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        (self.site.folder / f"var/serve-{self.port}.pid").unlink(missing_ok=True)


@contextmanager
def serving(*servers: Service) -> Iterator[None]:
    """Inside `with` the servers run, and start again when they end."""
    with ExitStack() as stack:
        for server in servers:
            stack.enter_context(server)
        for server in servers:
            stack.enter_context(server.supervised())
        yield
