"""`deploy/upgrade` to invented next releases and back, while visitors read and vote."""

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.deploy.production_site import PATIENCE, Nginx, Server, get
from tests.faults.load import Load
from tests.management_commands import ran
from tests.operations import sites
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
        command = ("/usr/bin/python3", "deploy/upgrade")  # Debian's own, whatever PATH has first
        done = ran(*command, *arguments, env=self.env, cwd=self.folder)
        assert (done.returncode == 0) == must, done.stdout + done.stderr
        return done.stdout + done.stderr

    def server(self) -> Server:
        """A server of the release that is current when it starts, as deploy/systemd starts it."""
        server = Server(self.env, self.folder / "var", self.folder / "current", WORKERS="1")
        server.command = ["deploy/serve"]
        return server


MIGRATION = """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("reviews", "{newest}")]
    origin = models.CharField(default="", db_default="", max_length=9)
    operations = [migrations.AddField("vote", "origin", origin)]
"""
"""What a next release may do to the database: add what the code before does not mind."""


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """This release, one that adds a column and changes a page, and one whose home page fails."""
    made = Repository(tmp_path_factory.mktemp("repository"))
    newest = max(path.stem for path in (ROOT / "reviews/migrations").glob("0*.py"))
    made.edit("reviews/migrations/9999_origin.py", "", MIGRATION.format(newest=newest))
    field = "    origin = models.CharField(default='', db_default='', max_length=9)\n"
    fields = "class Vote(models.Model):"
    text = (ROOT / "reviews/models/votes.py").read_text()
    docstring = text.partition(fields)[2].partition('"""\n\n')[0] + '"""\n\n'
    made.edit("reviews/models/votes.py", docstring, docstring + field)
    made.edit("templates/_footer.html", "Ship or Skip scores", "Ship or Skip 1.1 scores")
    made.release("1.1.0")
    made.edit("templates/home/home.html", "{% block main %}", "{% block main %}{% url 'none' %}")
    made.release("1.2.0")
    return made


@pytest.fixture
def site(repository: Repository, tmp_path: Path, django_db_blocker) -> Iterator[Site]:
    """A site that was installed with this release, with the sample catalogue."""
    with django_db_blocker.unblock(), sites.temporary_site(tmp_path, full=False) as migrated:
        made = Site(tmp_path / "site", repository.folder, migrated.url)
        assert "1.0.0 is installed" in made.upgrade("1.0.0")
        migrated.manage("load_catalogue", sites.SAMPLE)
        yield made


def test_two_servers_are_upgraded_and_go_back_without_a_failed_request(site, tmp_path):
    first, second = site.server(), site.server()
    names = [f"127.0.0.1:{server.port} {PATIENCE}" for server in (first, second)]
    front = site.folder / "var/front"
    with ExitStack() as stack:
        for server in (first, second):
            stack.enter_context(server)
            stack.enter_context(server.supervised())
        nginx = stack.enter_context(Nginx(tmp_path, names, front=front))
        stale = site.folder / "var/serve-1.pid"
        stale.write_text("1")
        assert "No server runs on port 1." in site.upgrade("1.1.0", must=False)
        stale.unlink()
        with Load(nginx.port, "/", "smollm3", voters=1, pause=0.8) as visitors:
            said = site.upgrade("1.1.0")
        assert not visitors.failed(), (said, visitors.failed())
        assert site.current.name == "1.1.0"
        for server in (first, second):
            assert b"Ship or Skip 1.1 scores" in get(server.port, "/").body

        said = site.upgrade("1.2.0", must=False)
        assert "/: status 500" in said
        assert "1.1.0 runs again" in said
        assert site.current.name == "1.1.0"

        with Load(nginx.port, "/", "smollm3", voters=1, pause=0.8) as visitors:
            said = site.upgrade("--back", "--yes")
        assert not visitors.failed(), (said, visitors.failed())
        assert "nothing is lost" in said
        for server in (first, second):
            assert b"Ship or Skip scores" in get(server.port, "/").body
        assert "Every tally agrees" in sites.Site(site.url).manage("recount", "--check")


def script() -> ModuleType:
    """deploy/upgrade as a module."""
    loader = SourceFileLoader("upgrade", str(ROOT / "deploy/upgrade"))
    module = ModuleType("upgrade")
    loader.exec_module(module)
    return module


def test_without_tags_the_default_branch_is_the_newest_release(tmp_path):
    source, folder = tmp_path / "source", tmp_path / "site"
    subprocess.run([*GIT, "init", "--quiet", "--initial-branch=trunk", source], check=True)
    commit = [*GIT, "-C", source, "commit", "--quiet", "--allow-empty", "--message=First"]
    subprocess.run(commit, check=True)
    subprocess.run(["git", "clone", "--quiet", source, folder], check=True)
    (folder / "var").mkdir()
    upgrade = script()
    site = upgrade.Site(folder)
    assert upgrade.newest_release(site) == "origin/HEAD"
    for tag in ("v1.9.0", "v1.10.0", "v1.11.0-rc1"):
        subprocess.run([*GIT, "-C", folder, "tag", tag], check=True)
    assert upgrade.newest_release(site) == "v1.10.0"


def test_a_release_gets_a_python_that_the_site_s_user_can_run(tmp_path, monkeypatch):
    """Root's own may lie in /root, which no other user may enter."""
    own = tmp_path / "bin/python3"
    own.parent.mkdir()
    own.symlink_to("/usr/bin/python3")
    monkeypatch.setenv("PATH", f"{own.parent}:{os.environ['PATH']}")
    monkeypatch.delenv("PYTHON", raising=False)
    upgrade, site = script(), SimpleNamespace(owner=os.geteuid())
    assert upgrade.python_for(site) == str(own)
    if os.geteuid() == 0:
        tmp_path.chmod(0o700)
        site.owner = pwd.getpwnam("nobody").pw_uid
        assert upgrade.python_for(site) == "/usr/bin/python3"
    monkeypatch.setattr(upgrade, "runs_for", lambda *given: False)
    with pytest.raises(upgrade.RefusedError, match="python3-venv"):
        upgrade.python_for(site)


def test_copies_of_nginx_s_files_become_links_and_edited_ones_stay(tmp_path, capsys):
    before, nginx = tmp_path / "releases/1.0.0", tmp_path / "nginx"
    shutil.copytree(ROOT / "deploy/nginx", before / "deploy/nginx")
    for name in ("site.conf", "redirect.conf"):
        (before / "deploy/nginx" / name).write_text("of the release before\n")
    for folder in ("conf.d", "shipskip"):
        (nginx / folder).mkdir(parents=True)
    upgrade = script()
    site = SimpleNamespace(link=tmp_path / "current")
    assert upgrade.link_nginx(site, before, ROOT, nginx) == [], "no nginx of ours is here"
    places = {name: nginx / place for name, place in upgrade.NGINX_FILES.items()}
    for name, place in places.items():
        shutil.copy(before / "deploy/nginx" / name, place)
    places["redirect.conf"].write_text("edited by hand\n")
    ours = [places["site.conf"], places["pages.conf"]]
    assert upgrade.link_nginx(site, before, ROOT, nginx) == ours
    assert {path.readlink() for path in ours} == {
        tmp_path / "current/deploy/nginx" / path.name.replace("shipskip", "site") for path in ours
    }
    assert places["redirect.conf"].read_text() == "edited by hand\n"
    link = f"ln -sf {tmp_path}/current/deploy/nginx/redirect.conf {places['redirect.conf']}"
    assert f"{link} && nginx -t && systemctl reload nginx" in capsys.readouterr().out
    assert upgrade.link_nginx(site, before, ROOT, nginx) == [places["site.conf"]], "a link"
    assert upgrade.link_nginx(site, ROOT, ROOT, nginx) == []


def test_a_failed_release_that_needs_its_own_database_brings_the_backup_back(tmp_path, monkeypatch):
    upgrade, done = script(), []

    class Server:
        address = "127.0.0.1"

        def __init__(self, port: int) -> None:
            self.port = port

        def env(self) -> dict[str, str]:
            return {}

        def process(self) -> None:
            return None

        def stop(self) -> None:
            done.append(f"stop {self.port}")

        def wait(self, host: str, release: Path) -> None:
            assert made.current() == release
            done.append(f"wait {self.port} {release.name}")

    def run(release, name: str, *arguments: str) -> str:
        words = [each for each in arguments if not each.startswith("/")]
        done.append(" ".join([release.folder.name, name, *words]))
        if name == "check_pages":
            raise upgrade.RefusedError("/: status 500.")
        return ""

    monkeypatch.setattr(upgrade, "servers_of", lambda site: [Server(8001), Server(8002)])
    monkeypatch.setattr(upgrade, "use_units", lambda *given: None)
    monkeypatch.setattr(upgrade, "NGINX", tmp_path / "nginx")
    monkeypatch.setattr(upgrade, "PAUSE_SECONDS", 0)
    monkeypatch.setattr(upgrade.Release, "run", run)
    monkeypatch.setattr(upgrade.Release, "host", lambda release: "localhost")
    for name in ("1.0.0", "2.0.0"):
        (tmp_path / f"releases/{name}/shipskip").mkdir(parents=True)
        text = f'__version__ = "{name}"\n'
        (tmp_path / f"releases/{name}/shipskip/__init__.py").write_text(text)
    (tmp_path / ".git").mkdir()
    (tmp_path / "var").mkdir()
    (tmp_path / "var/prepare.lock").touch()
    made = upgrade.Site(tmp_path)
    made.point(tmp_path / "releases/1.0.0")
    with pytest.raises(upgrade.RefusedError, match=r"2\.0\.0 was not kept: 1\.0\.0 runs again"):
        upgrade.install(made, tmp_path / "releases/2.0.0")
    assert done == [
        *("2.0.0 doctor --no-jobs", "2.0.0 backup", "stop 8001", "stop 8002", "2.0.0 prepare"),
        *("stop 8001", "wait 8001 2.0.0", "2.0.0 check_pages 127.0.0.1:8001"),
        *("stop 8001", "stop 8002", "1.0.0 restore --replace", "1.0.0 prepare --files-only"),
        *("stop 8001", "wait 8001 1.0.0", "stop 8002", "wait 8002 1.0.0"),
    ]
    assert made.current().name == "1.0.0"
    assert not made.state.exists()


def test_units_are_replaced_edited_ones_are_kept_and_timers_follow_the_release(tmp_path, capsys):
    before, units = tmp_path / "before", tmp_path / "units"
    wanted = units / "timers.target.wants"
    shutil.copytree(ROOT / "deploy/systemd", before / "deploy/systemd")
    for name in ("shipskip-nightly.service", "shipskip-work.timer"):
        (before / "deploy/systemd" / name).write_text("of the release before\n")
    (before / "deploy/systemd/shipskip-votes.timer").write_text("gone since\n")
    shutil.copytree(before / "deploy/systemd", units)
    (units / "shipskip-work.timer").write_text("edited by hand\n")
    wanted.mkdir()
    for name in ("shipskip-votes.timer", "shipskip-work.timer"):
        (wanted / name).symlink_to(units / name)
    site = SimpleNamespace(folder=Path("/opt/site"))
    commands = script().install_units(site, before, ROOT, units)
    timers = {path.name for path in (ROOT / "deploy/systemd").glob("*.timer")}
    assert commands == [
        ["systemctl", "disable", "--now", "shipskip-votes.timer"],
        ["rm", str(units / "shipskip-votes.timer")],
        ["systemctl", "daemon-reload"],
        ["systemctl", "enable", "--now", *sorted(timers - {"shipskip-work.timer"})],
    ]
    assert (units / "shipskip-work.timer.edited").read_text() == "edited by hand\n"
    assert not (units / "shipskip-nightly.service.edited").exists()
    assert "WorkingDirectory=/opt/site/current" in (units / "shipskip-nightly.service").read_text()
    assert "systemctl edit shipskip-work.timer" in capsys.readouterr().out
