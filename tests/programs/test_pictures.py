"""Pictures of cards: what they show, their addresses, and that they never block."""

import re
import struct
from xml.etree import ElementTree

import pytest
from django.conf import settings

from reviews.models import Take
from shipskip.content.share_picture import PictureRow, SharePicture
from shipskip.programs.pictures import drawing
from shipskip.programs.pictures.lines import drawable, in_lines, runs, width
from tests import factories as make
from tests.addresses import PAGES, sample_site
from tests.markup import read

MARKS = [(10, "skip"), (55, "ship"), (84, "ship")]


def picture(*names: str, text: str = "Ship it.") -> SharePicture:
    """A picture of tools with these names."""
    rows = [PictureRow(name, "the-slug", "ship", "2 of 3 ship", "49.7", MARKS) for name in names]
    return SharePicture(f"/{len(names)}{names[0]}", rows, text, "Judged June 2026")


def test_a_picture_has_its_size_and_few_bytes():
    for names in [
        ["W" * 200, "كلب البحث الذكي للمطورين", "<b>&\"'</b>", "\U0001f680 日本"],
        [f"Tool {number} with a rather long name" for number in range(10)],
    ]:
        found = drawing.png(picture(*names, text=f"Ship {' and '.join(names)}; skip nothing. " * 5))
        assert found.startswith(b"\x89PNG"), names
        assert struct.unpack(">II", found[16:24]) == (1200, 630), names
        assert len(found) <= 60_000, names


@pytest.mark.parametrize("number", [1, 2, 10], ids=["one tool", "two tools", "ten tools"])
def test_every_text_and_badge_has_its_place(number, snapshot):
    drawn = drawing.svg(picture(*(f"Tool {n}" for n in range(number)), text="Ship it."))
    tree = ElementTree.fromstring(drawn)  # noqa: S314 - our own document
    places = []
    for each in tree.iter():
        place = [f"{key} {each.get(key)}" for key in ("x", "y", "font-size") if each.get(key)]
        if place and not each.tag.endswith("image"):
            text = "".join(each.itertext()).strip()
            places.append(" · ".join([each.tag.rpartition("}")[2], *place, text]))
    assert places[: 40 if number < 10 else 20] == snapshot


def test_texts_are_cut_between_words_and_drawn_in_fonts_that_have_them():
    assert drawable("\U0001f680 Rocket", "rocket") == "Rocket"
    text = drawing.svg(picture("日本", text="Ship 日本."))
    assert text.count("the-slug") == 2, "a name without letters of our fonts"
    lines = in_lines("one two three four five six " * 9, 40, 400, 3)
    assert len(lines) == 3
    assert lines[-1].endswith("…")
    assert all(width(line, 40) <= 400 for line in lines)
    assert " ".join(lines).startswith("one two three")
    found = [(text, family) for text, family, _ in runs("Ship כלב אב now", 10, 64)]
    assert found == [("Ship ", ""), ("כלב אב", "Noto Sans Hebrew"), (" now", "")]


@pytest.mark.django_db
def test_every_public_page_has_what_a_card_of_its_link_shows(client):
    sample_site()
    for name, path in PAGES.items():
        page = read(client.get(path))
        said = {
            each.attributes.get("property") or each.attributes["name"]: each.attributes["content"]
            for each in page.elements
            if each.name == "meta" and {"name", "property"} & each.attributes.keys()
        }
        for key in ("og:title", "og:description", "og:url", "og:image", "twitter:card"):
            assert said.get(key), (name, key)
        assert said["og:image"].startswith(f"{settings.SITE_URL}/"), name
        assert said["og:url"] == page.one("link", rel="canonical").attributes["href"], name
        own = "/pictures/" in said["og:image"]
        assert said["twitter:card"] == ("summary_large_image" if own else "summary"), name


@pytest.mark.django_db
def test_a_public_page_s_picture_changes_its_address_and_a_draft_has_none(client):
    sample_site()
    make.tool(slug="draft", published_at=None)
    make.reviewer(slug="hidden", published_at=None)

    def addresses() -> dict[str, str]:
        pages = {
            page: re.findall(r'og:image" content="([^"]+)"', client.get(page).content.decode())
            for page in ("/compare/alpha-vs-beta/", "/tools/alpha/", "/reviewers/builder/")
        }
        assert all(url.startswith(settings.SITE_URL) for (url,) in pages.values())
        return {page: url.removeprefix(settings.SITE_URL) for page, (url,) in pages.items()}

    first = addresses()
    for path in first.values():
        response = client.get(path)
        assert response["Content-Type"] == "image/png"
        assert response["Cross-Origin-Resource-Policy"] == "cross-origin"
    Take.objects.filter(tool__slug="alpha", reviewer__slug="builder").update(score=12)
    for page, second in addresses().items():
        assert second != first[page], page
        assert client.get(first[page])["Location"] == second
    for path in ("tools/draft", "compare/alpha-vs-draft", "compare/alpha", "reviewers/hidden"):
        assert client.get(f"/pictures/{path}/-.png").status_code == 404, path


def test_no_cache_stores_pictures_of_pairs_that_no_editor_made(client, page_cache):
    """Anyone could fill a cache with them."""
    sample_site()
    for pair, is_shared in (("alpha-vs-beta", True), ("alpha-vs-gamma", False)):
        path = client.get(f"/pictures/compare/{pair}/-.png")["Location"]
        response = client.get(path, headers={"x-front": "1"})
        assert response["Content-Type"] == "image/png"
        assert (response["X-Accel-Expires"] != "0") is is_shared, pair


@pytest.mark.django_db
def test_a_reader_does_not_wait_while_others_draw(client, monkeypatch):
    make.take(on=make.tool(slug="alpha"))
    path = client.get("/pictures/tools/alpha/-.png")["Location"]
    monkeypatch.setattr(drawing, "_kept", {})
    for _ in range(drawing.MOST_AT_ONCE):
        assert drawing._turns.acquire(blocking=False)
    try:
        response = client.get(path)
    finally:
        for _ in range(drawing.MOST_AT_ONCE):
            drawing._turns.release()
    assert response.status_code == 503
    assert response["Retry-After"] == "2"
