"""The twins of pages: Markdown, JSON and CSV at the page's address."""

import csv
import io
import json
import re
from decimal import Decimal

import pytest

from reviews.models import ToolTally
from shipskip.programs.agent_tools import bounded
from tests import factories as make
from tests.addresses import FOR_PROGRAMS, sample_site
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


def test_a_page_names_its_twins_and_they_name_the_page(client):
    sample_site()
    names = r'<(/(?!oembed)[^>]+)>; rel="alternate"; type="([^"]+)"'
    for page, formats in PAGES.items():
        linked = re.findall(names, client.get(page)["Link"])
        assert [address for address, _ in linked] == [f"{page[:-1]}.{end}" for end in formats]
        for address, media_type in linked:
            answer = client.get(address)
            assert answer.status_code == 200, address
            assert answer["Content-Type"] == f"{media_type}; charset=utf-8"
            assert answer["Link"].startswith(f'<{page}>; rel="canonical"')
            assert answer["Access-Control-Allow-Origin"] == "*", address


def test_every_twin_is_one_of_a_page_above():
    twins = [path for name, path in FOR_PROGRAMS.items() if name.endswith("_twin")]
    assert [path for path in twins if f"{path.rpartition('.')[0]}/" not in PAGES] == []


def two_judged_tools() -> None:
    """Alpha ships and Beta is split; each has a plan, votes and two takes."""
    agents = make.category()
    builder, skeptic = make.reviewer(name="Builder"), make.reviewer(name="Skeptic")
    for name, score in [("Alpha", 84), ("Beta", 61)]:
        tool = make.tool(name=name, slug=name.lower(), in_category=agents)
        make.plan(on=tool)
        make.take(on=tool, by=builder, score=score, because=f"{name} does it.")
        verdict = "ship" if name == "Alpha" else "skip"
        make.take(on=tool, by=skeptic, score=score - 10, verdict=verdict)
        ToolTally.objects.create(tool=tool, ship=8, skip=4)


def add_attribute() -> None:
    """A question that did not exist before, and its answer by each tool."""
    context = make.attribute(name="Context window", kind="number", unit="tokens")
    for tool in Tool.objects.all():
        quote = f"{tool.name}: 128k."
        make.fact(Decimal(128_000), on=tool, to=context, source="https://example.com/", quote=quote)


def unescaped(markdown: str) -> str:
    """Markdown without its backslashes."""
    return re.sub(r"\\(.)", r"\1", markdown)


def asked_by_agent(client, tool: str, **arguments: object) -> str:
    """What an agent reads that calls a tool of MCP."""
    params = {"name": tool, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = client.post("/mcp/", json.dumps(message), content_type="application/json")
    (content,) = answer.json()["result"]["content"]
    return unescaped(content["text"])


def twins_with_facts(client) -> dict[str, str]:
    """The text of every twin that has the facts of a tool, by its address or its call."""
    pair, tool = "/compare/alpha-vs-beta", "/tools/alpha"
    texts = {path: read(client.get(path)).text for path in (f"{pair}/", f"{tool}/")}
    for path in (
        *(f"{pair}.{end}" for end in ("md", "json", "csv")),
        *(f"{tool}.{end}" for end in ("md", "json")),
        *(f"/api/v1{path}" for path in ("/comparisons/alpha-vs-beta", tool, f"{tool}/facts")),
    ):
        texts[path] = unescaped(client.get(path).content.decode())
    texts["compare_tools"] = asked_by_agent(client, "compare_tools", tools=["alpha", "beta"])
    texts["get_tool"] = asked_by_agent(client, "get_tool", slug="alpha")
    return texts


def test_an_attribute_added_later_is_in_every_twin(client):
    two_judged_tools()
    for name, text in twins_with_facts(client).items():
        assert "Context window" not in text, name
    add_attribute()
    for name, text in twins_with_facts(client).items():
        assert "Context window" in text, name
        assert "128,000 tokens" in text, name
        assert "Alpha: 128k." in text or name.endswith(".csv"), name
    assert "Context window" in client.get("/api/v1/attributes").content.decode()
    markdown = client.get("/compare/alpha-vs-beta.md").content.decode()
    assert "- Alpha · Context window: <https://example.com/>" in markdown
    assert "- Beta · Context window: <https://example.com/>" in markdown


def test_every_twin_has_the_words_and_numbers_of_the_comparison_page(client):
    two_judged_tools()
    add_attribute()
    page = read(client.get("/compare/alpha-vs-beta/"))
    values = client.get("/compare/alpha-vs-beta.json").json()
    markdown = unescaped(client.get("/compare/alpha-vs-beta.md").content.decode())
    table = list(csv.reader(io.StringIO(client.get("/compare/alpha-vs-beta.csv").content.decode())))
    frame = read(client.get("/compare/alpha-vs-beta/embed/")).text
    assert client.get("/api/v1/comparisons/alpha-vs-beta").json() == values
    agent = asked_by_agent(client, "compare_tools", tools=["beta", "alpha"])
    assert agent == unescaped(bounded(client.get("/compare/alpha-vs-beta.md").content.decode()))
    assert values["answer"] == "Ship Alpha; the panel is split on Beta."
    for text in (values["answer"], values["firmness"], values["judged_by"], values["relations"]):
        assert text in page.text
        assert text in markdown
    assert values["answer"] in frame
    assert table[0] == ["group", "row", "Alpha", "Beta"]
    shown = [each.text for each in page.elements if each.name == "tr"]
    for row, line in zip(values["rows"], table[1:], strict=False):
        words = [cell["words"] for cell in row["cells"]]
        assert line == [row["group"], row["name"], *words]
        assert f"| {row['name']} | {' | '.join(words)} |" in markdown
        (found,) = [text for text in shown if text.startswith(row["name"])]
        for each in words:
            assert each in found, (row["name"], each)
    for column in values["columns"]:
        panel = column["panel"]
        said = [panel["words"], f"mean score {panel['score']}", column["price"]]
        listed = asked_by_agent(client, "search_tools", query=column["name"])
        api = client.get(f"/api/v1/tools/{column['slug']}").json()
        assert column == {key: api[key] for key in column}
        for text in said:
            assert text in page.text
            assert text in frame
            assert text in listed
    for row in values["scorecard"]:
        for name, take in zip(["Alpha", "Beta"], row["takes"], strict=True):
            points = f"{take['score']}/100 · {take['verdict']}"
            assert f"{name}: {points}" in page.text
            assert f"**{name}**: {points}" in markdown
            assert ["Takes", row["reviewer"]["name"]] in [line[:2] for line in table]
            assert points in " ".join(cell for line in table for cell in line)


def test_no_twin_has_a_draft_and_other_addresses_redirect_or_are_not_found(client):
    sample_site()
    make.take(on=make.tool(name="Hidden draft", published_at=None), body="Hidden draft")
    make.take(on=Tool.objects.get(slug="alpha"), body="Hidden draft", published_at=None)
    make.reviewer(name="Hidden draft", published_at=None)
    for twin in TWINS:
        assert b"Hidden draft" not in client.get(twin).content, twin
    for address, target in [
        ("/compare/beta-vs-alpha.md", "/compare/alpha-vs-beta.md"),
        ("/compare/Alpha-vs-beta.json", "/compare/alpha-vs-beta.json"),
    ]:
        answer = client.get(address)
        assert (answer.status_code, answer["Location"]) == (301, target)
    missing = """
        /compare/alpha.json /compare/alpha-vs-nothing.csv /tools/nothing.md
        /tools/alpha.csv /tools/alpha.xml /categories/nothing.json
    """
    for address in missing.split():
        assert client.get(address).status_code == 404, address


def test_a_name_is_no_markup_and_no_formula(client):
    agents = make.category(slug="agents")
    make.tool(name="=1+1 | [x](http://evil.example) <b>", slug="alpha", in_category=agents)
    text = client.get("/tools/alpha.md").content.decode()
    assert r"=1+1 \| \[x\](http://evil.example) \<b\>" in text
    (_, row) = csv.reader(io.StringIO(client.get("/categories/agents.csv").content.decode()))
    assert row[1].startswith("'=1+1")


def test_own_weights_change_the_twins_and_the_api_says_the_same(client):
    sample_site()
    plain = client.get("/tools/alpha.json").json()
    weighted = client.get("/tools/alpha.json?weigh-builder=0").json()
    assert weighted["panel"] != plain["panel"]
    twin = client.get("/compare/alpha-vs-beta.json?weigh-builder=0").json()
    assert twin != client.get("/compare/alpha-vs-beta.json").json()
    assert client.get("/api/v1/comparisons/alpha-vs-beta?weigh-builder=0").json() == twin
