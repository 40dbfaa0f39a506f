"""Behind a proxy that terminates HTTPS: only headers from a trusted proxy are used."""

import pytest
from django.db import OperationalError
from django.test import Client

from reviews.models import Vote
from tests import factories as make

pytestmark = pytest.mark.django_db
ORIGIN = "https://shiporskip.example"


@pytest.fixture
def https(settings):
    settings.SITE_URL = ORIGIN
    settings.SECURE_SITE = True
    settings.ALLOWED_HOSTS = ["shiporskip.example"]
    settings.CSRF_TRUSTED_ORIGINS = [ORIGIN]
    settings.TRUSTED_PROXIES = ["127.0.0.1/32"]


def vote_from(address, scheme):
    browser = Client(
        enforce_csrf_checks=True,
        REMOTE_ADDR=address,
        HTTP_HOST="shiporskip.example",
        HTTP_X_FORWARDED_PROTO=scheme,
    )
    url = f"/tools/{make.tool().slug}/vote/"
    data = {"choice": "ship"}
    return browser.post(url, data, headers={"origin": ORIGIN, "referer": f"{ORIGIN}{url}"})


@pytest.mark.usefixtures("https")
def test_a_vote_through_the_proxy_counts():
    assert vote_from("127.0.0.1", "https").status_code == 303
    assert Vote.objects.count() == 1


def test_a_forwarded_protocol_from_an_unknown_proxy_is_ignored(rf, settings):
    from shipskip.web.network import trust_own_proxies

    settings.TRUSTED_PROXIES = ["10.0.0.0/8"]
    seen = []
    middleware = trust_own_proxies(lambda request: seen.append(request.is_secure()))
    for address in ("10.1.2.3", "192.0.2.1", ""):
        middleware(rf.get("/", REMOTE_ADDR=address, HTTP_X_FORWARDED_PROTO="https"))
    assert seen == [True, False, False]


@pytest.mark.parametrize("path", ["/", "/tools/", "/compare/", "/methodology/"])
def test_without_its_database_every_page_asks_to_try_again(path, calm_client, monkeypatch):
    def away(*args, **kwargs):
        raise OperationalError("gone")

    monkeypatch.setattr("django.db.models.sql.compiler.SQLCompiler.execute_sql", away)
    monkeypatch.setattr("django.db.backends.utils.CursorWrapper.execute", away)
    response = calm_client.get(path)
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert "try again" in response.content.decode()
