"""Pictures of cards: what they show, their addresses, and that they never block."""

import fcntl
import os
import re
import struct
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.utils import timezone

from comparisons.models import ReadPair, tools_key
from reviews.models import Take
from shipskip.content.share_picture import PictureRow, SharePicture
from shipskip.programs.pictures import drawing, storage
from shipskip.programs.pictures.drawing_process import png
from shipskip.programs.pictures.lines import drawable, in_lines, runs, width
from shipskip.web.static_files import SITE_PICTURE
from tests import factories as make
from tests.addresses import PAGES, sample_site
from tests.markup import read
from tests.waiting import wait_until
from tools.models import Tool

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
        text = f"Ship {' and '.join(names)}; skip nothing. " * 5
        found = png(drawing.svg(picture(*names, text=text)))
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


@pytest.fixture
def folder(own_var: Path) -> Path:
    """The folder of drawn pictures, which does not exist yet."""
    return own_var / "pictures"


def drawn(client, path: str, **headers: str):
    """The answer with a picture, once the process beside the site has drawn it."""

    def answer():
        response = client.get(path, headers=headers)
        if response.status_code == 302:
            assert response["Location"].endswith(f"/{SITE_PICTURE}")
            assert response["Cache-Control"] == "private, no-store"
            return None
        return response

    return wait_until(answer)


def picture_on(client, page: str) -> str:
    """The address of a page's picture, without the site."""
    (url,) = re.findall(r'og:image" content="([^"]+)"', client.get(page).content.decode())
    assert url.startswith(settings.SITE_URL)
    return str(url.removeprefix(settings.SITE_URL))


@pytest.mark.django_db
def test_a_public_page_s_picture_changes_its_address_and_a_draft_has_none(client, folder):
    sample_site()
    make.tool(slug="draft", published_at=None)
    make.reviewer(slug="hidden", published_at=None)
    pages = ("/compare/alpha-vs-beta/", "/tools/alpha/", "/reviewers/builder/")
    first = {page: picture_on(client, page) for page in pages}
    for path in first.values():
        response = drawn(client, path)
        assert response["Content-Type"] == "image/png"
        assert response["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert b"".join(response.streaming_content).startswith(b"\x89PNG")
        again = client.get(path, headers={"if-none-match": response["ETag"]})
        assert (again.status_code, again["ETag"]) == (304, response["ETag"])
    Take.objects.filter(tool__slug="alpha", reviewer__slug="builder").update(score=12)
    for page in pages:
        assert picture_on(client, page) != first[page], page
        assert client.get(first[page])["Location"] == picture_on(client, page)
    for path in ("tools/draft", "compare/alpha-vs-draft", "compare/alpha", "reviewers/hidden"):
        assert client.get(f"/pictures/{path}/-.png").status_code == 404, path


def test_editors_comparisons_and_pairs_that_are_read_have_a_picture(client, page_cache, folder):
    """Anyone could have those of all other sets drawn and stored."""
    sample_site()
    alpha, gamma = (Tool.objects.get(slug=slug) for slug in ("alpha", "gamma"))
    ReadPair.objects.create(tools_key=tools_key([alpha.pk, gamma.pk]))
    for pair, own, is_shared in (
        ("alpha-vs-beta", True, True),
        ("alpha-vs-gamma", True, False),
        ("beta-vs-gamma", False, False),
        ("alpha-vs-beta-vs-gamma", False, False),
    ):
        path = picture_on(client, f"/compare/{pair}/")
        other = client.get(f"/pictures/compare/{'-vs-'.join(pair.split('-vs-')[::-1])}/-.png")
        assert (other.status_code, other["Location"]) == (302, path), pair
        assert ("/pictures/" in path) is own, pair
        if own:
            response = drawn(client, path, **{"x-front": "1"})
            assert (response["X-Accel-Expires"] != "0") is is_shared, pair
            assert "X-Accel-Expires" not in client.get(path).headers, pair
    assert len(list(folder.glob("*.png"))) == 2


def test_one_process_draws_and_no_more_than_some_pictures_wait(folder, monkeypatch):
    folder.mkdir()
    monkeypatch.setattr(storage, "MAX_WAITING", 3)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # as the process that draws has it
        for number in range(5):
            storage.draw_later(picture(f"Tool {number}"))
            storage.draw_later(picture(f"Tool {number}"))
        assert len(list(folder.glob("*.svg"))) == 3
    storage.draw_later(picture("Tool 0"))
    wait_until(lambda: len(list(folder.glob("*.png"))) == 3)
    assert not [*folder.glob("*.svg"), *folder.glob("*.draft")]
    assert storage.path_of(picture("Tool 0")).exists()


def test_tidy_keeps_the_pictures_that_were_drawn_last(folder, monkeypatch):
    folder.mkdir()
    now = timezone.now()
    for number in range(5):
        (folder / f"{number}.png").write_bytes(b"x" * 100)
        os.utime(folder / f"{number}.png", (number, number))
    for minutes in (1, 61):  # of a picture that is being drawn, and of one that ended its process
        draft = folder / f"{minutes}.draft"
        draft.touch()
        os.utime(draft, (now.timestamp() - minutes * 60,) * 2)
    monkeypatch.setattr(storage, "MAX_STORED_BYTES", 250)
    assert storage.delete_oldest(now) == 4
    assert {path.name for path in folder.iterdir()} == {"3.png", "4.png", "1.draft"}


@pytest.mark.django_db
def test_a_picture_whose_drawing_ended_is_drawn_again_after_an_hour(client, folder):
    sample_site()
    path = picture_on(client, "/tools/alpha/")
    assert drawn(client, path)
    (stored,) = folder.glob("*.png")
    draft = stored.with_suffix(".draft")
    stored.rename(draft)  # as if the process had ended while it drew
    old = (timezone.now() - storage.DRAFT_LIFETIME - timedelta(seconds=1)).timestamp()
    os.utime(draft, (old, old))
    assert drawn(client, path)


@pytest.mark.django_db
def test_a_full_disk_leaves_the_site_s_own_picture(client, folder):
    sample_site()
    folder.write_text("no folder")
    path = picture_on(client, "/tools/alpha/")
    assert client.get(path)["Location"].endswith(f"/{SITE_PICTURE}")
