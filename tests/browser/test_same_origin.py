"""The headers that Chromium sends with a form of each origin, and the site's answer."""

from collections.abc import Iterator
from functools import partial
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Response
from pytest_django import Settings

from tests.browser.site import Site
from tests.http_server import Handler, running

ACCEPTED, REFUSED = 400, 403
"""The address in these forms is wrong: the site reads it, and stores nothing."""

SANDBOX = "sandbox allow-forms"


class OtherSite(Handler):
    """Another site: a page with a form that is sent to the address in its query.

    The path `/sandbox` gives the page an origin of its own, as in a sandboxed frame.
    """

    def do_GET(self) -> None:
        """Answer with the form."""
        parts = urlsplit(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        if parts.path == "/sandbox":
            self.send_header("Content-Security-Policy", SANDBOX)
        self.end_headers()
        form = f"<form method=post action='{parts.query}'><input name=address value=nobody><button>"
        self.wfile.write(form.encode())


@pytest.fixture
def other_site() -> Iterator[int]:
    """The port of the other site, on every name of this machine."""
    with running(OtherSite) as server:
        yield server.server_port


@pytest.fixture
def page(site: Site, settings: Settings) -> Page:
    """A window without JavaScript; the site answers at every name."""
    settings.ALLOWED_HOSTS = ["*"]
    return site.window(java_script_enabled=False)


def sent(page: Page) -> Response:
    with page.expect_navigation() as answered:
        page.locator("form[method=post] button").click()
    assert answered.value
    return answered.value


# The host of the site, the place of the form, Sec-Fetch-Site and Origin, and the answer. Chromium
# sends Sec-Fetch-Site to HTTPS and localhost alone; ship.test is as 192.168.1.20 on a LAN, or as
# any host in a browser that does not send it.
CASES = [
    ("localhost", "{site}/methodology/", "same-origin", "{site}", ACCEPTED),
    ("localhost", "http://127.0.0.1:{port}", "cross-site", "http://127.0.0.1:{port}", REFUSED),
    ("localhost", "http://localhost:{port}", "same-site", "http://localhost:{port}", REFUSED),
    ("localhost", "http://localhost:{port}/sandbox", "cross-site", "null", REFUSED),
    ("a.me.localhost", "http://b.me.localhost:{port}", "same-site", None, REFUSED),
    ("ship.test", "{site}/methodology/", None, "{site}", ACCEPTED),
    ("ship.test", "http://evil.test:{port}", None, "http://evil.test:{port}", REFUSED),
    ("ship.test", "http://ship.test:{port}", None, "http://ship.test:{port}", REFUSED),
    ("ship.test", "http://ship.test:{port}/sandbox", None, "null", REFUSED),
]


def test_a_form_is_accepted_only_from_our_own_pages(page: Page, address: str, other_site: int):
    for host, place, site_header, origin, status in CASES:
        ours = f"http://{host}:{urlsplit(address).port}"
        fill = partial(str.format, site=ours, port=other_site)
        url = fill(place)
        if url.startswith(ours):
            page.goto(url)
            page.get_by_label("Get the next comparison in your inbox").fill("nobody")
        else:
            page.goto(f"{url}?{ours}/newsletter/join/")
        answer = sent(page)
        headers = answer.request.all_headers()
        case = (host, place, headers)
        assert headers.get("sec-fetch-site") == site_header, case
        assert origin is None or headers["origin"] == fill(origin), case
        assert answer.status == status, case
        if status == REFUSED:
            assert "Nothing was changed" in page.locator("main").inner_text()
