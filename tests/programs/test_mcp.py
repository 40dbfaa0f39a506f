"""MCP: what agents get, by the official client in both revisions and by raw messages."""

import io
import json
import sys
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client as Browser

from shipskip.programs import agent_tools, mcp_protocol
from tests import factories as make
from tests.addresses import sample_site

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
STATELESS = {"mcp-protocol-version": "2026-07-28"}
ALPHA, COMPARISON = "/tools/alpha/", "/compare/alpha-vs-beta/"


def sent(browser: Browser, message: object, **headers: str) -> Any:
    """The response to a message, as text or as what becomes JSON."""
    body = message if isinstance(message, str) else json.dumps(message)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return browser.post("/mcp/", body, content_type="application/json", headers=named)


def request(method: str, **params: object) -> dict[str, object]:
    """A request with the id 7."""
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


def called(browser: Browser, tool: str, **arguments: object) -> dict[str, Any]:
    """The result of a tool."""
    response = sent(browser, request("tools/call", name=tool, arguments=arguments))
    result: dict[str, Any] = response.json()["result"]
    return result


async def _everything(url: str, mode: str) -> tuple[str, list[Any]]:
    """The revision that a client agrees on, and what it gets."""
    # Here, because the import takes a second of each process that collects tests.
    from mcp import Client, MCPError

    async with Client(f"{url}/mcp/", mode=mode) as client:
        found: list[Any] = [
            sorted(tool.name for tool in (await client.list_tools()).tools),
            sorted(str(row.uri) for row in (await client.list_resources()).resources),
            [
                row.uri_template
                for row in (await client.list_resource_templates()).resource_templates
            ],
        ]
        for name, arguments in CALLS:
            result: Any = await client.call_tool(name, arguments)
            assert result.is_error == (arguments == {"slug": 7})
            found.append(result.content[0].text)
        for path in (ALPHA, COMPARISON):
            read: Any = await client.read_resource(f"{settings.SITE_URL}{path}")
            found.append(read.contents[0].text)
        for refused in (
            client.call_tool("drop_tools", {}),
            client.read_resource("https://elsewhere.example/é"),
            client.list_prompts(),
        ):
            with pytest.raises(MCPError) as error:
                await refused
            found.append(error.value.code)
        return client.protocol_version, found


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_tools", {"query": "alpha"}),
    ("list_categories", {}),
    ("explain_verdict", {"slug": "alpha"}),
    ("get_tool", {"slug": 7}),
    ("get_tool", {"slug": "alpha"}),
    ("compare_tools", {"tools": ["beta", "alpha"]}),
]


@pytest.mark.django_db(transaction=True)
def test_the_official_client_gets_the_same_in_both_revisions(live_server, client, snapshot):
    sample_site()
    version, found = anyio.run(_everything, live_server.url, "auto")
    older_version, older = anyio.run(_everything, live_server.url, "legacy")
    assert (version, older_version) == ("2026-07-28", "2025-11-25")
    assert found == older
    *found, tool, compared, read_tool, read_comparison, tools, pages, prompts = found
    assert found == snapshot
    twins = [client.get(f"{path[:-1]}.md").content.decode() for path in (ALPHA, COMPARISON)]
    bounded = [agent_tools.bounded(text) for text in twins]
    assert [tool, compared] == [read_tool, read_comparison] == bounded
    assert [tools, pages, prompts] == [-32602, -32602, -32601]


PING, LIST = request("ping"), request("tools/list", _meta=META)
READ = "resources/read"
COMING = {"io.modelcontextprotocol/protocolVersion": "2030-01-01"}
MESSAGES: dict[str, tuple[object, dict[str, str]]] = {
    "no JSON": ("{", {}),
    "an id that is no number": (PING | {"id": float("nan")}, {}),
    "half a character": ('{"jsonrpc": "2.0", "id": "\\ud800"}', {}),
    "deep": ("[" * 60_000, {}),
    "a batch": ([PING], {}),
    "no id": (PING | {"id": None}, {}),
    "a list": (PING | {"params": []}, {}),
    "another JSON-RPC": (PING | {"jsonrpc": "1.0"}, {}),
    "a long message": ("x" * 70_000, {}),
    "an unknown method": (request("prompts/list"), {}),
    "a method of the other": (request("server/discover"), {}),
    "no revision": (request("initialize"), {}),
    "no tool": (request("tools/call"), {}),
    "arguments": (request("tools/call", name="get_tool", arguments=[]), {}),
    "a cursor": (request("resources/list", cursor="x"), {}),
    "another site": (request(READ, uri="https://a.example/"), {}),
    "another page": (request(READ, uri=f"{settings.SITE_URL}/methodology/"), {}),
    "an unknown slug": (request(READ, uri=f"{settings.SITE_URL}/tools/nobody/"), {}),
    "an old header": (PING, {"mcp-protocol-version": "1999-01-01"}),
    "no _meta": (request("tools/list"), STATELESS),
    "no headers": (LIST, {}),
    "another method": (LIST, STATELESS | {"mcp-method": "tools/call"}),
    "another name": (
        request("tools/call", _meta=META, name="get_tool"),
        STATELESS | {"mcp-method": "tools/call", "mcp-name": "x"},
    ),
    "an unknown stateless method": (
        request("ping", _meta=META),
        STATELESS | {"mcp-method": "ping"},
    ),
    "a coming revision": (
        request("ping", _meta=META | COMING),
        {"mcp-protocol-version": "2030-01-01"},
    ),
}


@pytest.mark.django_db
def test_a_bad_message_gets_a_status_and_a_sentence(client, snapshot):
    found = {}
    for case, (message, headers) in MESSAGES.items():
        response = sent(client, message, **headers)
        assert response["Content-Type"] == "application/json", case
        error = response.json()["error"]
        found[case] = f"{response.status_code} {error['code']} {error['message']}"
    assert found == snapshot


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("asked", "agreed"),
    [
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2024-11-05"),
        ("2030-01-01", "2025-11-25"),
        ("2024-01-01", "2025-11-25"),
    ],
)
def test_a_handshake_agrees_on_a_revision_without_batches(client, asked, agreed):
    answer = sent(client, request("initialize", protocolVersion=asked))
    assert answer.json()["result"]["protocolVersion"] == agreed


@pytest.mark.django_db
def test_what_third_parties_say_stands_on_lines_of_its_own(client):
    said = {"tagline": "Tagline by its maker", "quote": "Quote of its source"}
    tool = make.tool(slug="alpha", tagline=said["tagline"])
    about = {"source": "https://alpha.example/", "quote": said["quote"]}
    make.fact("MIT", on=tool, to=make.attribute(kind="text"), **about)
    make.tool(slug="beta", in_category=tool.category)
    answers = [
        called(client, name, **arguments)["content"][0]["text"]
        for name, arguments in [
            ("search_tools", {"query": "alpha"}),
            ("get_tool", {"slug": "alpha"}),
            ("compare_tools", {"tools": ["alpha", "beta"]}),
        ]
    ]
    lines = [line for answer in answers for line in answer.splitlines() if line[:1] != "|"]
    for what, words in said.items():
        found = {line for line in lines if words in line}
        assert found == {f"> {words}"}, what
    for answer in answers:
        assert answer.startswith("Lines that begin with “>” quote")


@pytest.mark.django_db
def test_bad_arguments_are_a_result_that_the_agent_reads(client, snapshot):
    make.tool(slug="alpha")
    make.tool(slug="draft", published_at=None)
    found = {}
    for case, (tool, arguments) in {
        "an unknown tool": ("get_tool", {"slug": "nobody"}),
        "a draft": ("explain_verdict", {"slug": "draft"}),
        "an unknown key": ("get_tool", {"slug": "alpha", "x": 1}),
        "one tool": ("compare_tools", {"tools": ["alpha"]}),
        "the same twice": ("compare_tools", {"tools": ["alpha", "alpha"]}),
        "eleven": ("compare_tools", {"tools": ["alpha"] * 11}),
        "a number": ("compare_tools", {"tools": ["alpha", 7]}),
        "no number": ("get_tool", {"slug": float("nan")}),
        "a huge number": ("get_tool", {"slug": 10**4000}),
        "a draft beside it": ("compare_tools", {"tools": ["alpha", "draft"]}),
        "no query": ("search_tools", {}),
        "a long query": ("search_tools", {"query": "x" * 500}),
    }.items():
        result = called(client, tool, **arguments)
        assert result["isError"], case
        found[case] = result["content"][0]["text"]
    assert found == snapshot
    for query in ("\x00 <b>", "draft"):
        result = called(client, "search_tools", query=query)
        assert not result["isError"]
        assert "/tools/draft/" not in result["content"][0]["text"]


@pytest.mark.django_db
def test_a_message_needs_no_cookie_and_gets_none(editor_client):
    make.tool(slug="alpha")
    message = request("tools/call", name="get_tool", arguments={"slug": "alpha"})
    strict = Browser(enforce_csrf_checks=True)
    response = sent(strict, message, origin="https://elsewhere.example")
    assert response.content == sent(editor_client, message).content
    assert response["Cache-Control"] == "private, no-store"
    assert not response.cookies
    assert "Cookie" not in response.get("Vary", "")
    assert response["Access-Control-Allow-Origin"] == "*"
    assert sent(strict, message, host="rebound.example").status_code == 400
    asked = strict.options("/mcp/", headers={"origin": "https://elsewhere.example"})
    assert (asked.status_code, asked["Access-Control-Allow-Methods"]) == (204, "POST")
    refused = strict.get("/mcp/")
    assert (refused.status_code, refused["Allow"]) == (405, "POST, OPTIONS")
    assert strict.post("/mcp/", {"a": "b"}).status_code == 415
    notified = sent(strict, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (notified.status_code, notified.content) == (202, b"")


@pytest.mark.django_db
def test_a_long_answer_is_cut_and_a_long_list_has_pages(client, monkeypatch):
    sample_site()
    monkeypatch.setattr(agent_tools, "MAX_ANSWER", 100)
    monkeypatch.setattr(agent_tools, "RESOURCES_PER_PAGE", 3)
    (content,) = called(client, "get_tool", slug="alpha")["content"]
    assert len(content["text"]) < 500
    assert "(Cut after 100 characters" in content["text"]
    assert content["text"].endswith(f"Source: {settings.SITE_URL}{ALPHA}\n")
    first = sent(client, request("resources/list")).json()["result"]
    second = sent(client, request("resources/list", cursor=first["nextCursor"])).json()["result"]
    assert len({row["uri"] for row in [*first["resources"], *second["resources"]]}) == 4
    assert "nextCursor" not in second


@pytest.mark.django_db
def test_the_command_answers_line_by_line(monkeypatch):
    make.tool(slug="alpha", name="Alpha")
    lines = [
        json.dumps(request("ping")),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "x" * 70_000,
        json.dumps(request("server/discover", _meta=META)),
        json.dumps(request("tools/call", name="get_tool", arguments={"slug": "alpha"})),
    ]
    stdin = SimpleNamespace(buffer=io.BytesIO("\n".join(lines).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    out = io.StringIO()
    call_command("mcp", stdout=out)
    ping, long, discovered, tool = map(json.loads, out.getvalue().splitlines())
    assert ping["result"] == {}
    assert long["error"]["message"] == "A message has at most 64 KiB."
    assert discovered["result"]["supportedVersions"] == [*mcp_protocol.VERSIONS]
    assert "# Alpha" in tool["result"]["content"][0]["text"]
