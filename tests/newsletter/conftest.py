"""Fixtures for all tests of the newsletter."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.test import Client
from pytest_django import Settings

from tests.newsletter import smtp_server
from tests.newsletter.smtp_server import MailServer

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)
"""A Monday morning."""


@pytest.fixture(autouse=True)
def _site_url(settings: Settings) -> None:
    settings.SITE_URL = "https://shiporskip.example"


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[MailServer]:
    with smtp_server.running() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        yield server


@pytest.fixture
def strict_client() -> Client:
    return Client(enforce_csrf_checks=True)
