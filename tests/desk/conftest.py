"""Fixtures of the tests of the desk."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from shipskip.roles import PUBLISHERS, WRITERS
from tests.desk.editor_clients import desk_of


@pytest.fixture
def publisher(db: None) -> Client:
    """A browser in which Paula, a publisher, is logged in."""
    return desk_of(PUBLISHERS, name="paula")


@pytest.fixture
def writer(db: None) -> Client:
    """A browser in which Wanda, a writer, is logged in."""
    return desk_of(WRITERS, name="wanda")


@pytest.fixture
def upload_folder(settings: Settings, tmp_path: Path) -> None:
    """Store uploads in a temporary folder."""
    settings.VAR_DIR = tmp_path
