"""Every link and form leads to a page of the site, and each page has an address of its own."""

import re
from urllib.parse import urldefrag, urljoin

import pytest
from django.conf import settings

from tests import addresses
from tests import factories as make
from tests.markup import Document, read

pytestmark = pytest.mark.django_db


def targets(page: Document) -> list[str]:
    links = [link.removeprefix(settings.SITE_URL) for link in page.links]
    links = [link for link in links if not link.startswith("https://")]
    return links + [form.attributes["action"] for form in page.all("form")]


@pytest.mark.usefixtures("own_var")
def test_links_lead_to_places_of_pages_and_each_page_has_one_title_and_address(
    client, keep_content
):
    """From the home page on, as a crawler finds the pages. Of pages that differ only in a tool
    or in weights, one is opened. The name of a tool and a reviewer is also an id of each page.
    """
    addresses.sample_site()
    make.take(on=make.tool(slug="main"), by=make.reviewer(slug="main"))
    keep_content()
    known, pages = set(addresses.PAGES.values()), dict[str, Document]()
    ahead = ["/", "/tools/main/", "/reviewers/main/", "/compare/alpha-vs-main/"]
    shapes = set(ahead)
    while ahead:
        path = ahead.pop()
        response = client.get(path)
        assert response.status_code == 200, path
        if not response["Content-Type"].startswith("text/html"):
            response.getvalue()  # the client closes what was read
            continue
        page = pages[path] = read(response)
        for target in targets(page):
            url = re.sub(r"&weigh-[\w-]+=\d", "", urldefrag(urljoin(path, target)).url)
            shape = url
            if url not in known:
                shape = re.sub(r"alpha|beta|gamma|main|tools=[\w-]*", "tool", url)
            shape = re.sub(r"weigh[\w-]*=\w+", "weight", shape)
            if shape not in shapes:
                shapes.add(shape)
                ahead.append(url)
    beyond = {addresses.PAGES["tools:changes"]}  # linked once a tool's page cannot hold them all
    assert known - beyond <= set(pages)
    for path, page in pages.items():
        ids = [row.attributes["id"] for row in page.elements if "id" in row.attributes]
        assert len(ids) == len(set(ids)), path
        for target in targets(page):
            url, fragment = urldefrag(urljoin(path, target))
            if fragment and url in pages:
                assert pages[url].by_id(fragment), f"{path}: {target}"
    titles = set()
    for path in known - beyond:
        page = pages[path]
        assert page.heading, path
        assert page.one("meta", name="description").attributes["content"], path
        assert page.one("link", rel="canonical").attributes["href"].endswith(path)
        assert page.one("html").attributes["lang"] == "en"
        titles.add(page.title)
    assert len(titles) == len(known - beyond)
