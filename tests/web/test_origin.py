"""Whether a form was sent from a page of this site, by the browser's headers."""

import pytest
from django.test import Client, RequestFactory

from shipskip.web.origin import from_our_own_page


@pytest.mark.parametrize(
    ("headers", "ours"),
    [
        ({}, False),
        ({"origin": "http://testserver"}, True),
        ({"origin": "https://testserver"}, False),
        ({"origin": "http://testserver:81"}, False),
        ({"origin": "http://testserver.evil.example"}, False),
        ({"origin": "null"}, False),
        ({"origin": ""}, False),
        ({"origin": "http://["}, False),
        ({"origin": "null", "referer": "http://testserver/"}, False),
        ({"origin": "http://testserver", "referer": "https://evil.example/"}, True),
        ({"referer": "http://testserver/newsletter/?a=b"}, True),
        ({"referer": "http://testserver"}, True),
        ({"referer": "https://testserver/"}, False),
        ({"referer": "http://testserver:81/"}, False),
        ({"referer": "http://testserver.evil.example/"}, False),
        ({"referer": "http://testserver@evil.example/"}, False),
        ({"referer": "http://["}, False),
        ({"referer": ""}, False),
    ],
)
def test_only_our_own_scheme_host_and_port_are_ours(
    rf: RequestFactory, headers: dict[str, str], ours: bool
):
    assert from_our_own_page(rf.post("/", headers=headers)) is ours


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/newsletter/join/", "/admin/login/", "/admin/tools/tool/add/"])
def test_a_referer_that_is_no_address_is_refused_and_no_fault_of_ours(path: str):
    client = Client(enforce_csrf_checks=True)
    for secure in (False, True):
        for name in ("referer", "origin", "hx-current-url"):
            response = client.post(path, {"a": "b"}, secure=secure, headers={name: "http://[::1"})
            assert response.status_code == 403
