"""The twins of pages: Markdown, JSON and CSV at the page's address."""

import csv
import io
import re
from decimal import Decimal

import pytest

from reviews.models import ToolTally
from tests import factories as make
from tests.addresses import sample_site
from tests.markup import read
from tools.models import Tool

pytestmark = pytest.mark.django_db

PAGES = {
    "/tools/": ["md", "json", "csv"],
    "/tools/alpha/": ["md", "json"],
    "/compare/alpha-vs-beta/": ["md", "json", "csv"],
    "/categories/agents/": ["md", "json", "csv"],
    "/reviewers/builder/": ["md", "json"],
    "/methodology/": ["md", "json"],
}
TWINS = [f"{page[:-1]}.{each}" for page, formats in PAGES.items() for each in formats]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_its_twins_and_they_name_the_page(client, page):
    sample_site()
    names = r'<(/(?!oembed)[^>]+)>; rel="alternate"; type="([^"]+)"'
    linked = re.findall(names, client.get(page)["Link"])
    assert [address for address, _ in linked] == [f"{page[:-1]}.{end}" for end in PAGES[page]]
    for address, media_type in linked:
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert answer["Content-Type"] == f"{media_type}; charset=utf-8"
        assert answer["Link"].startswith(f'<{page}>; rel="canonical"')
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert answer["Cache-Control"] == client.get(page)["Cache-Control"]
        again = client.get(address, headers={"if-none-match": answer["ETag"]})
        assert again.status_code == 304


def test_every_twin_has_what_the_comparison_page_says(client):
    agents = make.category()
    context = make.attribute(name="Context window", kind="number", unit="tokens")
    builder, skeptic = make.reviewer(name="Builder"), make.reviewer(name="Skeptic")
    for name, score in [("Alpha", 84), ("Beta", 61)]:
        tool = make.tool(name=name, slug=name.lower(), in_category=agents)
        make.fact(
            Decimal(128_000),
            on=tool,
            to=context,
            source="https://example.com/",
            quote=f"{name}: 128k.",
        )
        make.plan(on=tool)
        make.take(on=tool, by=builder, score=score, because=f"{name} does it.")
        make.take(on=tool, by=skeptic, score=score - 10, verdict="skip")
        ToolTally.objects.create(tool=tool, ship=8, skip=4)
    shown = read(client.get("/compare/alpha-vs-beta/")).text
    values = client.get("/compare/alpha-vs-beta.json").json()
    cells = [cell for row in values["rows"] for cell in row["cells"]]
    said = [values["answer"], values["firmness"], values["judged_by"], values["relations"]]
    said += [row["name"] for row in values["rows"]]
    said += [answer["words"] for cell in cells for answer in cell["answers"]]
    said += [take["because"] for row in values["scorecard"] for take in row["takes"] if take]
    said += [
        answer["source"]["quote"] for c in cells for answer in c["answers"] if answer["source"]
    ]
    assert "128,000 tokens" in said
    markdown = re.sub(r"\\(.)", r"\1", client.get("/compare/alpha-vs-beta.md").content.decode())
    for text in filter(None, said):
        assert text in shown
        assert text in markdown
    rows = list(csv.reader(io.StringIO(client.get("/compare/alpha-vs-beta.csv").content.decode())))
    assert rows[0] == ["group", "row", "Alpha", "Beta"]
    assert [row[:2] for row in rows[1 : len(values["rows"]) + 1]] == [
        [row["group"], row["name"]] for row in values["rows"]
    ]


def test_no_twin_has_a_draft(client):
    sample_site()
    make.take(on=make.tool(name="Hidden draft", published_at=None), body="Hidden draft")
    make.take(on=Tool.objects.get(slug="alpha"), body="Hidden draft", published_at=None)
    make.reviewer(name="Hidden draft", published_at=None)
    for twin in TWINS:
        assert b"Hidden draft" not in client.get(twin).content, twin


@pytest.mark.parametrize(
    ("address", "status", "target"),
    [
        ("/compare/beta-vs-alpha.md", 301, "/compare/alpha-vs-beta.md"),
        ("/compare/Alpha-vs-beta.json", 301, "/compare/alpha-vs-beta.json"),
        ("/compare/alpha.json", 404, ""),
        ("/compare/alpha-vs-nothing.csv", 404, ""),
        ("/tools/nothing.md", 404, ""),
        ("/tools/alpha.csv", 404, ""),
        ("/tools/alpha.xml", 404, ""),
        ("/categories/nothing.json", 404, ""),
    ],
)
def test_an_address_that_is_no_twin_redirects_or_is_not_found(client, address, status, target):
    sample_site()
    answer = client.get(address)
    assert (answer.status_code, answer.get("Location", "")) == (status, target)


def test_a_name_is_no_markup_and_no_formula(client):
    agents = make.category(slug="agents")
    make.tool(name="=1+1 | [x](http://evil.example) <b>", slug="alpha", in_category=agents)
    text = client.get("/tools/alpha.md").content.decode()
    assert r"=1+1 \| \[x\](http://evil.example) \<b\>" in text
    (_, row) = csv.reader(io.StringIO(client.get("/categories/agents.csv").content.decode()))
    assert row[1].startswith("'=1+1")


def test_own_weights_change_the_twin(client):
    sample_site()
    plain = client.get("/tools/alpha.json").json()
    weighted = client.get("/tools/alpha.json?weigh-builder=0").json()
    assert weighted["panel"] != plain["panel"]
