"""Fixtures of the tests of downloads and uploads."""

import pytest
from django.test import Client

from shipskip.roles import PUBLISHERS
from tests.desk.loading import client_of


@pytest.fixture
def own_folder(settings, tmp_path):
    """Store uploads in a temporary folder."""
    settings.VAR_DIR = tmp_path


@pytest.fixture
def publisher(db: None, own_folder: None) -> Client:
    """A browser in which a publisher is logged in."""
    return client_of(PUBLISHERS)
