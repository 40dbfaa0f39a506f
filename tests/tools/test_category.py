"""The categories, and the tools of one."""

from datetime import timedelta

import pytest
from django.utils import timezone

from shipskip.web.paging import PAGE_SIZE
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def test_all_public_categories_are_listed(client):
    assert "No categories yet." in read(client.get("/categories/")).text
    make.category(slug="b", name="B tools")
    make.category(slug="a", name="A tools", description="What they are.")
    make.category(name="Hidden", published_at=None)
    page = read(client.get("/categories/"))
    assert page.texts("a", class_="pair__names") == ["A tools", "B tools"]
    assert "What they are." in page.text
    assert "No tools in this category yet." in read(client.get("/categories/a/")).text


def test_the_best_panel_comes_first(client):
    category = make.category(slug="agents", name="Agents", description="They act.")
    make.tool(name="Not reviewed", in_category=category)
    make.take(on=make.tool(name="Low", in_category=category), score=10)
    make.take(on=make.tool(name="High", in_category=category), score=90)
    make.tool(name="Elsewhere")
    make.tool(name="Draft", in_category=category, published_at=None)
    page = read(client.get("/categories/agents/"))
    assert page.heading == "Agents"
    assert page.title == "Agents: AI tools, best panel first — Ship or Skip"
    assert "They act." in page.text
    assert page.texts("p", class_="tool-row__name") == ["High", "Low", "Not reviewed"]


def test_long_categories_have_pages(client):
    category = make.category(slug="agents")
    for _ in range(PAGE_SIZE + 1):
        make.tool(in_category=category)
    assert read(client.get("/categories/agents/")).one("a", rel="next")
    page = read(client.get("/categories/agents/?page=2"))
    assert len(page.all("li", class_="tool-row")) == 1
    assert "page 2" in page.title


def test_an_invalid_page_number_shows_the_first_page_and_a_notice(client):
    make.tool(name="Alpha", in_category=make.category(slug="agents"))
    for number in ("-1", "0", "x", "99999999999999999999", "500"):
        response = client.get(f"/categories/agents/?page={number}")
        assert response.status_code == 200, number
        page = read(response)
        [notice] = page.notices
        assert "this is the first" in notice, number
        assert page.texts("p", class_="tool-row__name") == ["Alpha"], number
    for slug in ("unknown", "AGENTS", "a" * 5000):
        response = client.get(f"/categories/{slug}/")
        assert response.status_code == 404, slug
        assert "matches the given query" not in response.content.decode()


def test_a_category_appears_at_its_publication_time(client, clock):
    now = timezone.now()
    make.category(slug="agents", published_at=now)
    make.category(slug="draft", published_at=None)
    clock(now - MINUTE)
    assert client.get("/categories/agents/").status_code == 404
    clock(now + MINUTE)
    assert client.get("/categories/agents/").status_code == 200
    assert client.get("/categories/draft/").status_code == 404
