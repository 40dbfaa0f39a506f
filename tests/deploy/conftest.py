"""The site as it is deployed, started once for all tests of nginx in front."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.db import connection
from pytest_django import DjangoDbBlocker

from tests.deploy.production_site import Nginx, Server, database, prepared
from tests.postgres import migrated_template
from tests.stress_site import ROOT

Site = tuple[Nginx, Server, Server, dict[str, str]]
PATIENCE = re.findall(r"^server \S+ (.*);", (ROOT / "deploy/nginx/servers.conf").read_text(), re.M)[
    0
]
"""How nginx treats a server that fails."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of nginx's cache and logs."""
    return tmp_path_factory.mktemp("nginx")


@pytest.fixture(scope="session")
def template(django_db_blocker: DjangoDbBlocker) -> str:
    """The PostgreSQL database to copy: migrated, because migrating takes 15 s of processor time."""
    if connection.vendor == "sqlite":
        return ""
    with django_db_blocker.unblock():
        return migrated_template()


@pytest.fixture(scope="session")
def site(folder: Path, template: str) -> Iterator[Site]:
    """Two servers on one database, with nginx in front of them. Each has one worker,
    as on a machine of two cores.
    """
    with ExitStack() as stack:
        url = stack.enter_context(database(folder, connection.vendor, template))
        # A busy machine may take longer than a second to open a connection to the database.
        env = prepared(url, DJANGO_SETTINGS_MODULE="tests.deploy.patient")
        first, second = (stack.enter_context(Server(env, folder, WORKERS="1")) for _ in range(2))
        names = [f"127.0.0.1:{row.port} {PATIENCE}" for row in (first, second)]
        yield stack.enter_context(Nginx(folder, names)), first, second, env


@pytest.fixture
def nginx(site: Site) -> Nginx:
    """nginx in front of the two servers."""
    return site[0]
