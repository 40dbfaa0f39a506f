"""Forms of other sites are refused: with nginx, TLS, and a proxy that rewrites Host."""

import shutil

import pytest

from tests.deploy.production_site import NGINX, Nginx, Server, get

pytestmark = [
    pytest.mark.skipif(
        not shutil.which(NGINX),
        reason="nginx is not installed",
    ),
]
ACCEPTED, REFUSED = 400, 403
"""Forms without an address: the site reads them and stores nothing."""


def status(port: int, *, tls: bool = False, **headers: str) -> int:
    """The status of the answer to a form with these headers."""
    answer = get(port, "/newsletter/join/", "POST", b"", tls=tls, **headers)
    assert (b"Nothing was changed" in answer.body) is (answer.status == REFUSED)
    return answer.status


def test_behind_our_nginx_the_origin_includes_the_reader_s_port(nginx: Nginx):
    own = f"http://127.0.0.1:{nginx.port}"
    assert status(nginx.port, Origin=own) == ACCEPTED
    assert status(nginx.port, Referer=f"{own}/tools/") == ACCEPTED
    assert status(nginx.port, Origin=own, Sec_Fetch_Site="same-site") == REFUSED
    assert status(nginx.port, Origin="http://127.0.0.1") == REFUSED
    assert status(nginx.port, Origin="null") == REFUSED
    assert status(nginx.port) == REFUSED


def test_behind_our_nginx_with_tls_the_origin_is_https(site, tmp_path):
    with Nginx(tmp_path, [f"127.0.0.1:{site[1].port}"], tls=True) as nginx:
        own = f"https://127.0.0.1:{nginx.port}"
        assert status(nginx.port, tls=True, Origin=own) == ACCEPTED
        assert status(nginx.port, tls=True, Sec_Fetch_Site="same-origin") == ACCEPTED
        assert status(nginx.port, tls=True, Origin=own.replace("https", "http")) == REFUSED
        assert status(nginx.port, tls=True, Origin="https://127.0.0.1") == REFUSED
        assert status(nginx.port, tls=True, Sec_Fetch_Site="cross-site", Origin=own) == REFUSED


def test_behind_a_proxy_that_rewrites_host_site_url_is_the_origin(site, folder):
    """Such a proxy is simulated by a request from a trusted address with another Host."""
    _, server, _, env = site
    proxy_headers = {"Host": "127.0.0.1", "X_Forwarded_Proto": "https"}
    own, other = "https://ship.example", "https://www.ship.example"
    assert status(server.port, Origin=own, **proxy_headers) == REFUSED
    assert (
        status(server.port, Sec_Fetch_Site="same-origin", Origin=own, **proxy_headers) == ACCEPTED
    )
    with Server(env, folder, SITE_URL=own, WORKERS="1") as mended:
        assert status(mended.port, Origin=own, **proxy_headers) == ACCEPTED
        assert status(mended.port, Referer=f"{own}/tools/", **proxy_headers) == ACCEPTED
        assert status(mended.port, Origin=other, **proxy_headers) == REFUSED
        assert status(mended.port, Origin="http://ship.example", **proxy_headers) == REFUSED
