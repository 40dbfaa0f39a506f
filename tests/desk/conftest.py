"""Fixtures of the tests of the desk."""

import pytest
from django.test import Client

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
