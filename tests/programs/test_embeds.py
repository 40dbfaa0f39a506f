"""What other sites show: badges, frames, oEmbed, and the index for language models."""

from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from django.conf import settings

from shipskip.page_cache.middleware import cache
from tests import factories as make
from tests.addresses import sample_site
from tests.markup import Document, read
from tools.models import Category, Tool

pytestmark = pytest.mark.django_db

EMBEDS = ["/tools/alpha/embed/", "/compare/alpha-vs-beta/embed/"]


def test_a_badge_is_an_image_with_verdict_and_takes(client):
    make.panel(on=make.tool(slug="alpha"), ship=1, skip=3)
    for name in ("Alpha", '<b>&"x"</b>', "كلب", "A" * 120):
        Tool.objects.filter(slug="alpha").update(name=name)
        answer = client.get("/tools/alpha/badge.svg")
        assert answer["Content-Type"] == "image/svg+xml"
        picture = ElementTree.fromstring(answer.content)  # noqa: S314 - our own document
        (title, *_) = (each.text for each in picture.iter() if each.tag.endswith("title"))
        assert title == f"{name}: Skip · 1 of 4 ship"
    make.tool(slug="beta", name="Beta")
    assert b"<title>Beta: No verdict yet</title>" in client.get("/tools/beta/badge.svg").content


def test_what_readers_do_not_see_is_not_listed_elsewhere_and_a_renamed_tool_is(client, page_cache):
    sample_site()
    make.tool(slug="draft", published_at=None)
    Tool.objects.get(slug="gamma").delete()
    Tool.objects.get(slug="beta").rename("renamed")
    Tool.objects.filter(slug="alpha").update(published_at=None)
    shown: dict[str, set[bytes]] = {"badge.svg": set(), "embed/": set()}
    for slug in ("unknown", "draft", "gamma", "alpha"):
        for name, status in [("badge.svg", 200), ("embed/", 404)]:
            answer = client.get(f"/tools/{slug}/{name}", headers={"x-front": "1"})
            assert answer.status_code == status
            assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"
            assert answer.get("X-Accel-Expires", "0") == "0"
            shown[name].add(answer.content)
    shown["embed/"].add(client.get("/compare/renamed-vs-alpha/embed/").content)
    assert [len(each) for each in shown.values()] == [1, 1]
    assert b">not listed</text>" in shown["badge.svg"].pop()
    assert b"Ship or Skip lists no such tool or comparison." in shown["embed/"].pop()
    card = client.get("/tools/unknown/embed/")
    assert "frame-ancestors *" in card["Content-Security-Policy"]
    assert not card.has_header("X-Frame-Options")
    assert len(cache.pages.pages) == len(cache.others.pages) == 0
    for name in ("badge.svg", "embed/"):
        moved = client.get(f"/tools/beta/{name}")
        assert (moved.status_code, moved["Location"]) == (301, f"/tools/renamed/{name}")
        assert moved["Cross-Origin-Resource-Policy"] == "cross-origin"


def linked(page: Document) -> dict[str, str]:
    """The addresses that the head of a page names as itself in another form, by media type."""
    rows = [row.attributes for row in page.all("link") if row.attributes["rel"] == "alternate"]
    return {row["type"]: row["href"] for row in rows}


def test_a_frame_has_links_to_the_site_and_its_page_leads_to_oembed(client):
    sample_site()
    for address in EMBEDS:
        answer = client.get(address)
        page = read(answer)
        policy = answer["Content-Security-Policy"]
        for rule in ("frame-ancestors *", "form-action 'none'", "script-src 'none'"):
            assert rule in policy, address
        assert "X-Frame-Options" not in answer
        names = {each.name for each in page.elements}
        assert not names & {"form", "button", "script"}, address
        path = address.removesuffix("embed/")
        assert page.links == [f"{settings.SITE_URL}{path}"]
        head = linked(read(client.get(path)))
        assert head["text/markdown"] == f"{path[:-1]}.md"
        found = head["application/json+oembed"]
        assert found == f"{settings.SITE_URL}/oembed?url={settings.SITE_URL}{path}"
        found = found.removeprefix(settings.SITE_URL)
        values = client.get(f"{found}&format=json&maxwidth=300").json()
        assert (values["type"], values["width"]) == ("rich", 300)
        assert f'src="{settings.SITE_URL}{address}"' in values["html"]


def test_a_page_has_the_code_to_copy_of_what_it_embeds(client):
    sample_site(name='"Alpha" & <b>')
    make.tool(slug="delta", in_category=Category.objects.get(slug="agents"))
    for page, codes, height in [
        ("/tools/alpha/", ["badge.txt", "embed.txt"], 190),
        ("/compare/alpha-vs-beta/", ["embed.txt"], 318),
        ("/compare/alpha-vs-beta-vs-delta-vs-gamma/", ["embed.txt"], 446),
    ]:
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
    example = client.get("/tools/alpha/badge.txt").content.decode().strip()
    about = read(client.get("/programs/"))
    assert example in about.text
    assert [href for href in about.links if href.startswith("/compare/") and href.endswith(".md")]


def test_codes_twins_and_oembed_have_the_addresses_of_public_pages_alone(client):
    sample_site()
    make.tool(slug="draft", published_at=None)
    Tool.objects.get(slug="alpha").former_slugs.create(slug="former")
    for address, target in [
        ("/tools/former/badge.txt", "/tools/alpha/badge.txt"),
        ("/tools/former/embed.txt", "/tools/alpha/embed.txt"),
        ("/compare/beta-vs-alpha/embed.txt", "/compare/alpha-vs-beta/embed.txt"),
        ("/tools/former.md", "/tools/alpha.md"),
        ("/compare/beta-vs-alpha.json", "/compare/alpha-vs-beta.json"),
    ]:
        answer = client.get(address)
        assert (answer.status_code, answer["Location"]) == (301, target)
    site = settings.SITE_URL
    missing = f"""
        /tools/draft/badge.txt /tools/draft/embed.txt
        /compare/alpha-vs-draft/embed.txt /compare/alpha/embed.txt
        /oembed /oembed?url= /oembed?url=http://[ /oembed?url=https://evil.example/tools/alpha/
        /oembed?url={site}/tools/draft/ /oembed?url={site}/admin/
        /oembed?url={site}/compare/a--b/
    """
    for address in missing.split():
        assert client.get(address).status_code == 404, address
    assert client.get(f"/oembed?url={site}/tools/alpha/&format=xml").status_code == 501
    for size in ("maxwidth=-1", "maxwidth=abc", "maxheight=0"):
        assert client.get(f"/oembed?url={site}/tools/alpha/&{size}").status_code == 400, size


def test_oembed_knows_every_address_from_which_the_site_leads_to_a_page(client, settings):
    settings.SITE_URL = "https://ship.example"
    sample_site()
    Tool.objects.get(slug="alpha").former_slugs.create(slug="former")
    tool, pair = "/tools/alpha/", "/compare/alpha-vs-beta/"
    for url, path in [
        ("https://ship.example/tools/alpha", tool),
        ("http://ship.example/tools/alpha/", tool),
        ("https://www.ship.example/tools/alpha/", tool),
        ("https://SHIP.example:443/tools/alpha/?weigh-builder=0&utm_source=x#prices", tool),
        ("https://ship.example/tools/%61lpha/", tool),
        ("https://ship.example/tools/former/", tool),
        ("https://ship.example/compare/alpha-vs-former/", tool),
        ("http://www.ship.example/compare/beta-vs-alpha?rows=all", pair),
        ("https://ship.example/compare/Beta-vs-former/#decision", pair),
    ]:
        answer = client.get("/oembed", {"url": url})
        assert answer.status_code == 200, url
        assert f'src="https://ship.example{path}embed/"' in answer.json()["html"], url
    settings.SITE_URL = "https://www.ship.example:8443"
    for url, status in [
        ("https://ship.example:8443/tools/alpha/", 200),
        ("https://ship.example/tools/alpha/", 404),
        ("ftp://ship.example:8443/tools/alpha/", 404),
        ("https://ship.example:x/tools/alpha/", 404),
        ("//ship.example:8443/tools/alpha/", 404),
    ]:
        assert client.get("/oembed", {"url": url}).status_code == status, url


@pytest.mark.usefixtures("own_var")
def test_the_index_for_language_models_names_twins_that_exist(client):
    sample_site(name="Alpha](/) <b>", kind_name="[Agents](/) & `x`")
    text = client.get("/llms.txt").content.decode()
    assert text.startswith("# Ship or Skip\n\n> ")
    links = [line.rpartition("](")[2].rstrip(")") for line in text.splitlines() if "](" in line]
    assert links
    assert r"[\[Agents\](/) & \`x\`](" in text
    assert r"[Alpha\](/) \<b\> vs " in text
    for link in links:
        assert client.get(link.removeprefix(settings.SITE_URL)).status_code == 200
