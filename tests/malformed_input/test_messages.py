"""Every string as a message of an agent, and as a part of one."""

import json

import pytest
from django.conf import settings
from django.test import Client

from tests.malformed_input.checking import Checker
from tests.reviews.voters import row_counts


def messages(text: str) -> list[str]:
    """The messages with a string in each place where a message has one."""
    parts: list[tuple[str, object]] = [
        (text, {}),
        ("tools/call", {"name": text}),
        ("tools/call", {"name": "get_tool", "arguments": {"slug": text}}),
        ("tools/call", {"name": "compare_tools", "arguments": {"tools": ["beta", text]}}),
        ("tools/call", {"name": "list_categories", "arguments": {text: text}}),
        ("resources/read", {"uri": text}),
        ("resources/read", {"uri": f"{settings.SITE_URL}/tools/{text}/"}),
        ("resources/read", {"uri": f"{settings.SITE_URL}/compare/alpha-vs-{text}/"}),
        ("resources/list", {"cursor": text}),
        ("initialize", {"protocolVersion": text}),
        ("ping", {"_meta": {"io.modelcontextprotocol/protocolVersion": text}}),
    ]
    return [
        json.dumps({"jsonrpc": "2.0", "id": text, "method": method, "params": params})
        for method, params in parts
    ]


@pytest.mark.usefixtures("reaches_no_query")
def test_no_message_breaks_an_answer_to_an_agent(strings, client: Client, checker: Checker):
    """As a whole message, and in one of the places in turn."""
    before = row_counts()
    for number, sent in enumerate(strings):
        text = sent.decode(errors="replace")
        parts = messages(text)
        for body in (text or " ", parts[number % len(parts)]):
            response = client.post("/mcp/", body, content_type="application/json")
            assert not checker.faults(response, sent), body
            assert response.status_code in (200, 400), body
            assert json.loads(response.content)["jsonrpc"] == "2.0", body
    assert row_counts() == before
