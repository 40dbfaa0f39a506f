"""What other sites show: badges, frames, oEmbed, and the index for language models."""

from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from django.conf import settings

from tests import factories as make
from tests.addresses import sample_site
from tests.markup import read
from tools.models import Category, Tool

pytestmark = pytest.mark.django_db

EMBEDS = ["/tools/alpha/embed/", "/compare/alpha-vs-beta/embed/"]


@pytest.mark.parametrize("name", ["Alpha", '<b>&"x"</b>', "كلب", "A" * 120])
def test_a_badge_is_an_image_with_verdict_and_share(client, name):
    sample_site(name=name)
    answer = client.get("/tools/alpha/badge.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
    picture = ElementTree.fromstring(answer.content)  # noqa: S314 - our own document
    (title, *_) = (each.text for each in picture.iter() if each.tag.endswith("title"))
    panel = client.get("/tools/alpha.json").json()["panel"]
    assert title == f"{name}: {panel['words']} {panel['share']}%"


@pytest.mark.parametrize("address", EMBEDS)
def test_a_frame_has_links_to_the_site_and_nothing_else_to_press(client, address):
    sample_site()
    answer = client.get(address)
    page = read(answer)
    policy = answer["Content-Security-Policy"]
    assert "frame-ancestors *" in policy
    assert "form-action 'none'" in policy
    assert "script-src 'none'" in policy
    assert "X-Frame-Options" not in answer
    assert not [each.name for each in page.elements if each.name in ("form", "button", "script")]
    assert page.links == [f"{settings.SITE_URL}{address.removesuffix('embed/')}"]


def test_pages_lead_to_their_oembed(client):
    sample_site()
    for address in EMBEDS:
        page = address.removesuffix("embed/")
        found = f"/oembed?url={quote(settings.SITE_URL + page, safe='')}"
        assert found in client.get(page)["Link"]
        values = client.get(f"{found}&format=json&maxwidth=300").json()
        assert values["type"] == "rich"
        assert values["width"] == 300
        assert f'src="{settings.SITE_URL}{address}"' in values["html"]


@pytest.mark.parametrize(
    ("page", "codes", "height"),
    [
        ("/tools/alpha/", ["badge.txt", "embed.txt"], 190),
        ("/compare/alpha-vs-beta/", ["embed.txt"], 318),
        ("/compare/alpha-vs-beta-vs-delta-vs-gamma/", ["embed.txt"], 446),
    ],
)
def test_a_page_has_the_code_to_copy_of_what_it_embeds(client, page, codes, height):
    sample_site(name='"Alpha" & <b>')
    make.tool(slug="delta", in_category=Category.objects.get(slug="agents"))
    shown = read(client.get(page))
    copied = [row.attributes["href"] for row in shown.all("a") if "data-copy" in row.attributes]
    assert [href for href in copied if href.endswith(".txt")] == [page + name for name in codes]
    for name in codes:
        answer = client.get(page + name)
        assert answer["Content-Type"] == "text/plain; charset=utf-8"
        code = answer.content.decode()
        embedded = page + {"badge.txt": "badge.svg", "embed.txt": "embed/"}[name]
        assert f"{settings.SITE_URL}{embedded}" in code
        assert client.get(embedded).status_code == 200
        assert page.startswith("/compare/") or code.strip() in shown.text
    oembed = client.get(f"/oembed?url={quote(settings.SITE_URL + page, safe='')}").json()
    assert oembed["html"] == code.strip()
    assert f'width="480" height="{height}"' in code


@pytest.mark.parametrize(
    ("address", "status", "target"),
    [
        ("/tools/former/badge.txt", 301, "/tools/alpha/badge.txt"),
        ("/tools/former/embed.txt", 301, "/tools/alpha/embed.txt"),
        ("/compare/beta-vs-alpha/embed.txt", 301, "/compare/alpha-vs-beta/embed.txt"),
        ("/tools/draft/badge.txt", 404, ""),
        ("/tools/draft/embed.txt", 404, ""),
        ("/compare/alpha-vs-draft/embed.txt", 404, ""),
        ("/compare/alpha/embed.txt", 404, ""),
    ],
)
def test_a_code_has_the_address_of_its_page(client, address, status, target):
    sample_site()
    make.tool(slug="draft", published_at=None)
    Tool.objects.get(slug="alpha").former_slugs.create(slug="former")
    answer = client.get(address)
    assert (answer.status_code, answer.get("Location", "")) == (status, target)


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 404),
        ("url=", 404),
        ("url=https://evil.example/tools/alpha/", 404),
        (f"url={settings.SITE_URL}/tools/draft/", 404),
        (f"url={settings.SITE_URL}/admin/", 404),
        ("url=http://[", 404),
        (f"url={settings.SITE_URL}/compare/a--b/", 404),
        (f"url={settings.SITE_URL}/tools/alpha/&format=xml", 501),
        (f"url={settings.SITE_URL}/tools/alpha/&maxwidth=-1", 404),
    ],
)
def test_what_oembed_does_not_answer(client, query, status):
    sample_site()
    make.tool(slug="draft", published_at=None)
    assert client.get(f"/oembed?{query}").status_code == status


def test_the_index_for_language_models_names_twins_that_exist(client):
    sample_site()
    text = client.get("/llms.txt").content.decode()
    assert text.startswith("# Ship or Skip\n\n> ")
    links = [line.rpartition("](")[2].rstrip(")") for line in text.splitlines() if "](" in line]
    assert links
    for link in links:
        assert client.get(link.removeprefix(settings.SITE_URL)).status_code == 200
