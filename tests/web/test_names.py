"""Names are shown as written, with any characters."""

import pytest
from django.utils import timezone

from reviews.models import Reviewer
from tests import addresses
from tests import factories as make
from tests.markup import Document, read
from tools.models import Tool

pytestmark = pytest.mark.django_db

NAMES = {
    "signs and templates": (
        "Model – (12B) 👩‍💻 %s %(name)s {0} {name} & It's **bold** [x](javascript:x) {{ 7|add:7 }} "
        "{% now 'Y' %}"
    ),
    "markup": (
        "A & Test &amp; \"><img src=x onerror='a'><script>alert(1)</script></title></head><body>"
    ),
    "right to left in both directions": "Tool مقارنة (نسخة ٢) שלום",
}
SHOWS_A_TOOL = {
    name: path
    for name, path in addresses.PAGES.items()
    if name
    not in {
        "tools:categories",
        "search:results",
        "reviews:reviewers",
        "comparisons:picker",
        "newsletter:archive",
        "reports:suggest",
        "programs:about",
    }
}


def assert_without_markup(page: Document, path: str) -> None:
    """Assert that no name in a page was read as HTML or as a template."""
    assert len([row for row in page.all("script") if "src" in row.attributes]) == 2, path
    assert not [e for e in page.all("img") if "onerror" in e.attributes], path
    assert page.one("body"), path
    assert "14 20" not in page.text, path


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_every_page_shows_names_as_written(client, name):
    addresses.sample_site(name=name, tagline=name, panel_name=name, kind_name=name)
    pages = {path: read(client.get(path)) for path in SHOWS_A_TOOL.values()}
    for path, page in pages.items():
        assert name in page.text, path
        assert_without_markup(page, path)
    for path in ("/tools/alpha/", "/reviewers/builder/", "/categories/agents/"):
        assert pages[path].heading == name, path
        assert pages[path].title.startswith(name), path
    compared = pages["/compare/alpha-vs-beta/"]
    assert compared.heading == f"{name} vs Beta"
    assert compared.title.startswith(f"{name} vs Beta")
    # In a `bdi`, a right-to-left name does not change the order of the words beside it.
    assert name in [element.text for element in compared.all("bdi")]
    missing = client.get("/tools/alphaa/")
    assert missing.status_code == 404
    assert name in [link.text for link in read(missing).all("a", href="/tools/alpha/")]
    options = read(client.get("/compare/suggest/", {"tools": name[:40]})).all("li", role="option")
    assert name in [option.attributes["data-value"] for option in options]
    if "<" in name:
        listed = addresses.PAGES | addresses.PRIVATE | {"picker with a fault": "/compare/?tools=x"}
        for key, path in listed.items():
            if key not in addresses.NOT_HTML and key not in SHOWS_A_TOOL:
                assert_without_markup(read(client.get(path)), path)


def test_two_tools_of_one_name_are_distinguished_on_every_page_that_lists_both(client):
    addresses.sample_site(name="Twin", tagline="The first")
    other = make.tool(
        slug="alpha-2",
        name="Twin",
        tagline="The second",
        in_category=Tool.objects.get(slug="alpha").category,
        published_at=timezone.now(),
    )
    make.take(on=other, by=Reviewer.objects.get(slug="builder"))
    make.comparison(tools=(other, Tool.objects.get(slug="gamma")), featured=True)
    for path in [
        "/",
        "/tools/",
        "/tools/alpha/",
        "/tools/alphas/",
        "/categories/agents/",
        "/reviewers/builder/",
        "/compare/",
        "/compare/?tools=Twin",
        "/compare/alpha-vs-beta/",
        "/compare/alpha-vs-alpha-2/",
    ]:
        text = read(client.get(path)).text
        assert "The first" in text, path
        assert "The second" in text, path
