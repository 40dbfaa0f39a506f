"""Behind a proxy that terminates HTTPS: only headers from a trusted proxy are used."""

import pytest
from django.db import OperationalError
from django.test import Client

from reviews.models import Vote
from shipskip.web.network import trust_own_proxies
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db
ORIGIN = "https://shiporskip.example"


def test_a_vote_through_the_proxy_counts(settings):
    settings.SITE_URL = ORIGIN
    settings.SECURE_SITE = True
    settings.ALLOWED_HOSTS = ["shiporskip.example"]
    settings.CSRF_TRUSTED_ORIGINS = [ORIGIN]
    settings.TRUSTED_PROXIES = ["127.0.0.1/32"]
    url = f"/tools/{make.tool().slug}/vote/"
    response = Client(enforce_csrf_checks=True).post(
        url,
        {"choice": "ship"},
        headers={
            "host": "shiporskip.example",
            "x-forwarded-proto": "https",
            "origin": ORIGIN,
            "referer": f"{ORIGIN}{url}",
        },
    )
    assert response.status_code == 303
    assert Vote.objects.count() == 1


def test_a_forwarded_protocol_from_an_unknown_proxy_is_ignored(rf, settings):
    settings.TRUSTED_PROXIES = ["10.0.0.0/8"]
    seen = []
    middleware = trust_own_proxies(lambda request: seen.append(request.is_secure()))
    for address in ("10.1.2.3", "192.0.2.1", ""):
        middleware(rf.get("/", REMOTE_ADDR=address, HTTP_X_FORWARDED_PROTO="https"))
    assert seen == [True, False, False]


def test_without_its_database_every_page_asks_to_try_again(calm_client, monkeypatch, snapshot):
    def away(*args, **kwargs):
        raise OperationalError("gone")

    monkeypatch.setattr("django.db.models.sql.compiler.SQLCompiler.execute_sql", away)
    monkeypatch.setattr("django.db.backends.utils.CursorWrapper.execute", away)
    for path in ("/", "/tools/", "/compare/", "/methodology/"):
        response = calm_client.get(path)
        assert response.status_code == 503, path
        assert response["Retry-After"] == "5"
        assert read(response).visible_text == snapshot(name="without its database"), path
