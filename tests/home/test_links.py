"""Every link and form leads to a page of the site."""

from urllib.parse import urldefrag, urljoin

import pytest

from tests import addresses
from tests import factories as make
from tests.markup import Document, read

pytestmark = pytest.mark.django_db


def test_every_link_and_form_of_every_page_has_an_existing_target(client, keep_content):
    """Walk the site from its home page, as a crawler would."""
    addresses.sample_site()
    addresses.crowd(tools=30)
    keep_content()
    seen: dict[str, Document] = {}
    fragments: set[tuple[str, str]] = set()
    ahead = {"/"}
    while ahead:
        path = ahead.pop()
        response = client.get(path)
        assert response.status_code == 200, path
        if path.endswith(".atom"):
            continue  # a feed
        page = seen[path] = read(response)
        targets = [link for link in page.links if not link.startswith("https://")]
        targets += [e.attributes["action"] for e in page.all("form")]
        for target in targets:
            url, fragment = urldefrag(urljoin(path, target))
            if fragment:
                fragments.add((url, fragment))
            if url not in seen and not url.startswith("/compare/many-"):
                ahead.add(url)
    beyond = {addresses.PAGES["tools:changes"]}  # linked once a tool's page cannot hold them all
    assert set(addresses.PAGES.values()) - beyond <= set(seen)
    assert "/tools/?page=2" in seen
    for url, fragment in fragments:
        assert url not in seen or seen[url].by_id(fragment), f"{url}#{fragment}"


def test_every_page_has_one_title_one_heading_and_one_address(client):
    addresses.sample_site()
    titles = set()
    for path in addresses.PAGES.values():
        page = read(client.get(path))
        assert page.heading
        assert page.one("meta", name="description").attributes["content"]
        assert page.one("link", rel="canonical").attributes["href"].endswith(path)
        assert page.one("html").attributes["lang"] == "en"
        titles.add(page.title)
    assert len(titles) == len(addresses.PAGES)


def test_no_id_is_given_twice(client):
    addresses.sample_site()
    make.take(on=make.tool(slug="main"), by=make.reviewer(slug="main"))
    for path in [
        *addresses.PAGES.values(),
        "/tools/main/",
        "/reviewers/main/",
        "/compare/alpha-vs-main/",
    ]:
        ids = [e.attributes["id"] for e in read(client.get(path)).elements if "id" in e.attributes]
        assert len(ids) == len(set(ids)), path
