"""Security headers: on every answer, always the same."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError
from django.test import Client

from tests import addresses
from tests.markup import read

pytestmark = pytest.mark.django_db

SHOWN_BY_OTHERS = {
    *("/static/site.css", "/static/site.js"),
    *(path for path in addresses.PUBLIC.values() if path.startswith("/pictures/")),
}
"""Pictures of cards, and the style of frames; also where an earlier picture redirects."""


def test_every_answer_has_the_headers_against_other_sites(client):
    addresses.sample_site()
    others = ("/unknown/", "/static/none.css", "/static/site.css", "/static/site.js")
    listed = [*addresses.PUBLIC.values(), *addresses.PRIVATE.values(), *others, "/admin/login/"]
    for path in listed:
        response = client.get(path)
        assert response["Cross-Origin-Opener-Policy"] == "same-origin", path
        assert response["Cross-Origin-Embedder-Policy"] == "require-corp", path
        is_for_programs = path in addresses.FOR_PROGRAMS.values() or path.startswith("/api/")
        is_for_others = is_for_programs or path in SHOWN_BY_OTHERS
        readers = "cross-origin" if is_for_others else "same-origin"
        assert response["Cross-Origin-Resource-Policy"] == readers, path
        assert "camera=()" in response["Permissions-Policy"], path
        assert response["Referrer-Policy"] == "same-origin", path
        assert response["X-Content-Type-Options"] == "nosniff", path
        framed = "frame-ancestors *" if path.endswith("/embed/") else "frame-ancestors 'none'"
        assert framed in response["Content-Security-Policy"], path
        assert "unsafe" not in response["Content-Security-Policy"], path
        if path in addresses.PAGES.values():
            parts = response["Content-Security-Policy"].split(";")
            policy = dict(part.strip().split(" ", 1) for part in parts)
            assert policy["default-src"] == "'none'", path
            for kind in ("script-src", "style-src", "manifest-src"):
                assert policy[kind] == "'self'", (path, kind)
            assert response["X-Frame-Options"] == "DENY", path


MANY = "&".join(f"a{number}=1" for number in range(1_001))
REFUSED = {
    "a page with thousands of query keys": ("get", f"/tools/?{MANY}", {}, 400),
    "a private page with them": ("get", f"/newsletter/join/?{MANY}", {}, 400),
    "a form with them": (
        "post",
        "/newsletter/join/",
        {"data": MANY, "headers": {"origin": "http://testserver"}},
        400,
    ),
    "a host that is not ours": ("get", "/", {"headers": {"host": "evil.example"}}, 400),
    "a page with that host": ("get", "/me/", {"headers": {"host": "evil.example"}}, 400),
    "a form without a token": ("post", "/me/forget/", {"data": "a=b"}, 403),
    "a wrong method": ("post", "/", {"data": "a=b"}, 405),
    "a body that is too long": ("post", "/", {"CONTENT_LENGTH": f"{2**20 + 1}"}, 413),
    "one of the desk": ("post", "/admin/login/", {"CONTENT_LENGTH": f"{2**25 + 1}"}, 413),
}


def test_a_refusal_has_every_header_and_a_page_of_the_site(calm_client):
    usual = set(dict(calm_client.get("/unknown/").items())) - {"Content-Length"}
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    for name, (method, path, sent, status) in REFUSED.items():
        form = {"content_type": "application/x-www-form-urlencoded"} if method == "post" else {}
        response = getattr(client, method)(path, **sent, **form)
        assert response.status_code == status, name
        assert usual <= set(dict(response.items())), name
        assert response["Cache-Control"] == "private, no-store", name
        assert b"Ship or Skip" in response.content, name
    headers = {"origin": "https://evil.example", "access-control-request-method": "GET"}
    for method in ("get", "post", "put", "options", "head"):
        response = getattr(calm_client, method)("/", headers=headers)
        assert response["Cross-Origin-Resource-Policy"] == "same-origin", method
        assert not [key for key in response.headers if key.startswith("Access-Control")], method


def test_the_site_sends_hsts_where_it_uses_https(client, settings):
    assert "Strict-Transport-Security" not in client.get("/")
    settings.SECURE_SITE, settings.SECURE_HSTS_SECONDS = True, 31_536_000
    for secure in (True, False):  # a cached page goes to everybody
        response = client.get("/", secure=secure)
        assert response["Strict-Transport-Security"] == "max-age=31536000"
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = settings.SECURE_HSTS_PRELOAD = True
    header = client.get("/")["Strict-Transport-Security"]
    assert header == "max-age=31536000; includeSubDomains; preload"


def test_security_txt_names_a_contact_and_an_expiry_ahead(client, clock, settings):
    settings.SECURITY_CONTACT = "mailto:safe@example.org"
    for now in (datetime(2026, 5, 1, 9, tzinfo=UTC), datetime(2031, 1, 1, tzinfo=UTC)):
        clock(now)
        response = client.get("/.well-known/security.txt")
        assert response["Content-Type"] == "text/plain; charset=utf-8"
        fields = dict(line.split(": ", 1) for line in response.content.decode().splitlines())
        assert fields["Contact"] == "mailto:safe@example.org"
        assert fields["Canonical"] == f"{settings.SITE_URL}/.well-known/security.txt"
        expires = datetime.fromisoformat(fields["Expires"])
        assert timedelta(days=30) < expires - now < timedelta(days=365)


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
