"""`deploy/upgrade` to invented next releases and back, while visitors read and vote."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from django.db import connection

from tests.deploy.production_site import PATIENCE, Nginx, database, get
from tests.deploy.releases import Repository, Site, serving
from tests.faults.load import Load
from tests.management_commands import ROOT

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
def site(repository: Repository, template: str, tmp_path: Path) -> Iterator[Site]:
    """A site that was installed with this release, with the sample catalogue."""
    with database(tmp_path, connection.vendor, template) as url:
        made = Site(tmp_path / "site", repository.folder, url)
        assert "1.0.0 is installed" in made.upgrade("1.0.0")
        made.manage("load_catalogue", "fixtures/catalogue.json")
        yield made


def test_two_servers_are_upgraded_and_go_back_without_a_failed_request(site, tmp_path):
    first, second = site.server(), site.server()
    names = [f"127.0.0.1:{server.port} {PATIENCE}" for server in (first, second)]
    front = site.folder / "var/front"
    with ExitStack() as stack:
        stack.enter_context(serving(first, second))
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
        assert "Every tally agrees" in site.manage("recount", "--check")


def script() -> ModuleType:
    """deploy/upgrade as a module."""
    loader = SourceFileLoader("upgrade", str(ROOT / "deploy/upgrade"))
    module = ModuleType("upgrade")
    loader.exec_module(module)
    return module


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
