"""One tool's page."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Take
from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


def test_the_page_shows_the_tool_its_verdict_and_its_facts(client):
    tool = make.tool(
        slug="alpha",
        name="Alpha",
        maker="Acme",
        website="https://www.acme.example/alpha",
        tagline="Quick",
        description="Writes **code**.",
        best_for="Small teams",
        entry="freemium",
        pricing="Pro $20/mo",
    )
    make.panel(on=tool, ship=3, skip=1, score=84)
    page = read(client.get("/tools/alpha/"))
    assert page.heading == "Alpha"
    assert page.title == "Alpha: ship or skip? — Ship or Skip"
    assert page.one("p", class_="answer answer--tool").text == (
        "Ship 3 of 4 ship · judged May 2026"
    )
    assert page.all("time", datetime="2026-05")
    for words in (
        "84.0 of 100",
        "Acme",
        "Quick",
        "Writes code.",
        "Small teams",
        "Freemium",
        "Pro $20/mo",
    ):
        assert words in page.text
    assert page.one("a", href="https://www.acme.example/alpha").text == "acme.example"


def test_takes_stand_in_panel_order_with_their_points(client):
    tool = make.tool(slug="alpha")
    make.take(on=tool, by=make.reviewer(name="Second", position=2), score=10, verdict="skip")
    make.take(on=tool, by=make.reviewer(name="First", position=1), score=84, body="*Why*")
    Take.objects.filter(score=84).update(basis="documentation")
    page = read(client.get("/tools/alpha/"))
    takes = [element.text for element in page.of_class("take")]
    assert takes == [
        "F First 84/100 · ship 1 May 2026 · from documentation Why Something wrong? First",
        "S Second 10/100 · skip 1 May 2026 It does what it says. Something wrong? Second",
    ]
    assert len(page.all("time", datetime="2026-05-01")) == 2
    assert "Two personas" in page.by_id("takes").text


def test_a_long_take_opens_after_its_first_sentence(client):
    make.take(on=make.tool(slug="alpha", description="One. Two."), body="*Why* not? Because.")
    page = read(client.get("/tools/alpha/"))
    assert page.texts("summary")[:2] == ["One. Read on", "Why not? Read on"]
    assert page.of_class("take__body")[0].text == "Why not? Read on Because."


def test_a_tool_with_nothing_but_a_name_has_a_page(client):
    make.tool(slug="alpha", name="Alpha")
    page = read(client.get("/tools/alpha/"))
    assert "No verdict yet" in page.text
    assert "The panel has not reviewed this tool yet." in page.text
    assert "No community votes yet" in page.by_id("community").text


def test_takes_that_are_not_public_are_not_shown(client, clock):
    now = timezone.now()
    tool = make.tool(slug="alpha")
    make.take(on=tool, body="A draft", published_at=None)
    make.take(on=tool, body="Scheduled", published_at=now)
    make.take(on=tool, body="Unseated", by=make.reviewer(published_at=None))
    clock(now - MINUTE)
    page = read(client.get("/tools/alpha/"))
    assert page.of_class("take") == []
    clock(now + MINUTE)
    page = read(client.get("/tools/alpha/"))
    assert "Scheduled" in page.of_class("take")[0].text


def test_other_tools_and_a_picker_that_holds_the_tool_lead_to_comparisons(client):
    tool = make.tool(slug="m")
    make.tool(slug="a", in_category=tool.category)
    make.tool(slug="z", in_category=tool.category)
    page = read(client.get("/tools/m/"))
    assert {"/compare/a-vs-m/", "/compare/m-vs-z/"} <= set(page.links)
    assert page.one("input", type="hidden", name="tools").attributes["value"] == "m"


def test_namesakes_are_distinguished_in_title_and_heading(client):
    make.tool(slug="one", name="Twin", label="first")
    make.tool(slug="two", name="Twin", label="second")
    page = read(client.get("/tools/one/"))
    assert page.title == "Twin (first): ship or skip? — Ship or Skip"
    assert page.heading == "Twin first"


def test_an_unknown_tool_or_a_draft_is_not_found_and_the_nearest_names_are_offered(
    client, editor_client
):
    """The page is public, so it is the same for editors; the desk has the preview."""
    make.tool(slug="smollm3", name="SmolLM3")
    make.tool(slug="cursor")
    make.tool(slug="secret-plan", name="Secret", published_at=None).rename("secret-scheme")
    for browser in (client, editor_client):
        for slug in ("secret-scheme", "secret-plan"):
            response = browser.get(f"/tools/{slug}/")
            assert response.status_code == 404, slug
            assert "Secret" not in response.content.decode()
    assert "secret-scheme" not in client.get("/tools/secret-plan/").content.decode()
    for slug in ("unknown", "CURSOR", "cursor-", "a" * 5000, "vs", "-"):
        assert client.get(f"/tools/{slug}/").status_code == 404, slug
    response = client.get("/tools/smollm-3/")
    assert response.status_code == 404
    page = read(response)
    assert "There is no tool at this address." in page.text
    assert "/tools/smollm3/" in page.links
    assert "/tools/cursor/" not in page.links
    assert page.one("form", class_="filters").attributes["action"] == "/search/"


def test_a_tool_appears_at_its_publication_time_and_that_of_its_category(client, clock):
    now = timezone.now()
    make.tool(slug="alpha", published_at=now)
    make.tool(slug="beta", in_category=make.category(published_at=now))
    for moment, status in ((now - MINUTE, 404), (now + MINUTE, 200)):
        clock(moment)
        for slug in ("alpha", "beta"):
            assert client.get(f"/tools/{slug}/").status_code == status, slug


def test_an_earlier_address_redirects_permanently(client):
    tool = make.tool(slug="old")
    tool.rename("newer")
    tool.rename("newest")
    for slug in ("old", "newer"):
        response = client.get(f"/tools/{slug}/")
        assert (response.status_code, response["Location"]) == (301, "/tools/newest/")
    assert client.get("/tools/newest/").status_code == 200


def test_a_tool_at_the_earlier_address_of_another_is_shown(client):
    make.tool(slug="old").rename("new")
    make.tool(slug="old", name="The present one")
    assert read(client.get("/tools/old/")).heading == "The present one"
