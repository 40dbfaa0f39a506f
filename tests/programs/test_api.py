"""The API: what it answers, what it refuses, and that it is as its description says."""

from typing import cast
from urllib.parse import urlsplit

import pytest
import schemathesis
from django.test import Client
from hypothesis import given
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import positive_data_acceptance

from shipskip.wsgi import application
from tests import factories as make
from tests.addresses import sample_site
from tools.models import Tool

pytestmark = pytest.mark.django_db

V1 = "/api/v1"


@pytest.mark.django_db(transaction=True)  # a request of WSGI closes its connection
def test_every_answer_is_as_described_whatever_is_asked():
    sample_site()
    schema = schemathesis.openapi.from_wsgi(f"{V1}/openapi.json", application)
    for found in schema.get_all_operations():
        operation = cast(Ok[APIOperation], found).ok()

        @given(operation.as_strategy())
        def check(case):
            # Which slugs, cursors and texts exist, the description cannot say: such a fault is 400.
            case.call_and_validate(
                headers={"Accept-Encoding": "identity"}, excluded_checks=[positive_data_acceptance]
            )

        check()


def test_an_answer_is_complete_and_public_and_a_draft_is_in_none(client):
    sample_site()
    hidden = make.tool(slug="hidden", name="Hidden draft", published_at=None)
    make.take(on=hidden, body="Hidden draft")
    alpha = Tool.objects.get(slug="alpha")
    make.decision(tool=alpha, result="spam")
    make.report(tool=alpha)
    assert client.get(f"{V1}/tools/alpha").json()["corrections"] == 1, "the decided one alone"
    description = client.get(f"{V1}/openapi.json").json()
    names = {"alpha": "{slug}", "agents": "{slug}", "builder": "{slug}", "alpha-vs-beta": "{pair}"}
    described = """
        /tools /tools?verdict=ship&verdict=skip&sort=name /tools/alpha
        /tools?q=alpha /tools/alpha/facts /tools/alpha/plans /search?q=alpha
        /takes?reviewer=builder /takes?since=2020-01-01T00:00:00Z /changes /takes
        /comparisons /comparisons/alpha-vs-beta?weigh-builder=2 /methodology
        /categories/agents /reviewers/builder /attributes /search?q=hidden
    """
    for address in described.split():
        answer = client.get(f"{V1}{address}")
        assert answer.status_code == 200, (address, answer.content)
        parts = address.partition("?")[0].strip("/").split("/")
        operation = description["paths"][f"{V1}/" + "/".join(names.get(p, p) for p in parts)]["get"]
        shape = operation["responses"]["200"]["content"]["application/json"]
        Draft202012Validator({**description, **shape["schema"]}).validate(answer.json())
        assert answer["Access-Control-Allow-Origin"] == "*", address
        assert b"idden draft" not in answer.content, address
    assert client.head(f"{V1}/tools").status_code == 200
    found = client.get(f"{V1}/search?q=agents").json()
    assert [row["slug"] for row in found["categories"]] == ["agents"]


def test_a_fault_is_a_problem_with_a_sentence(client, snapshot):
    sample_site()
    make.tool(slug="hidden", published_at=None)
    found = {}
    wrong = """
        /tools?verdict=perhaps /tools?sort=worst /tools?weigh-none=2
        /tools?weigh-builder=1&weigh-builder=2 /tools?limit=0 /tools?cursor=%00junk
        /tools?cursor=WzEsLTFd /tools?colour=red /tools?fact.none=yes
        /tools?weigh-builder=9 /tools/alpha?fields=slug,secret /takes?since=yesterday
        /tools/none /comparisons/alpha-vs-none /comparisons/alpha
        /comparisons/a--b /takes?reviewer=nobody /tools/hidden /comparisons/alpha-vs-hidden
    """
    for address in wrong.split():
        answer = client.get(f"{V1}{address}")
        assert answer["Content-Type"] == "application/problem+json", address
        assert answer["Access-Control-Allow-Origin"] == "*", address
        problem = answer.json()
        assert problem["status"] == answer.status_code, address
        found[address] = f"{answer.status_code} {problem['detail']}"
    assert found == snapshot


ASKED = {
    "origin": "https://other.example",
    "access-control-request-method": "GET",
    "access-control-request-headers": "if-none-match",
}


MANY_KEYS = "&".join(f"k{number}" for number in range(1_001))


@pytest.mark.parametrize(
    ("path", "headers", "status", "detail"),
    [
        (f"{V1}/tools?{MANY_KEYS}", {}, 400, "A query has at most 1,000 keys."),
        (f"{V1}/tools", {"host": "other.example"}, 400, "The request names another host"),
        ("/tools/alpha.json", {"host": "other.example"}, 400, "The request names another host"),
        ("/tools/none.md", {}, 404, "There is no tool at this address."),
        ("/data/none", {}, 404, "There is nothing at this address."),
    ],
)
def test_what_programs_read_has_no_page_as_a_fault(calm_client, path, headers, status, detail):
    answer = calm_client.get(path, headers=headers)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert answer.json()["detail"].startswith(detail)
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("path", ["/data/catalogue.json", "/tools.json"])
def test_another_method_or_a_body_in_chunks_is_a_problem_too(client, path):
    refused = client.delete(path)
    assert (refused.status_code, refused["Content-Type"]) == (405, "application/problem+json")
    assert "GET" in refused["Allow"]
    chunked = client.post(path, headers={"transfer-encoding": "chunked"})
    assert (chunked.status_code, chunked["Content-Type"]) == (411, "application/problem+json")


@pytest.mark.parametrize("address", ["/tools", "/", "/a//%00/ü"])
def test_any_site_may_ask_and_unknown_addresses_and_other_methods_are_problems(client, address):
    answer = client.options(f"{V1}{address}", headers=ASKED)
    assert (answer.status_code, answer.content) == (204, b"")
    allowed = {name: value for name, value in answer.items() if name.startswith("Access-")}
    assert allowed.pop("Access-Control-Max-Age", None)
    assert allowed == {
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Allow-Methods": "GET, HEAD",
        "Access-Control-Allow-Headers": "If-None-Match",
        "Access-Control-Expose-Headers": "ETag, Link, Data-Version",
    }
    refused = Client(enforce_csrf_checks=True).post(f"{V1}{address}")
    assert (refused.status_code, refused["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert (refused["Content-Type"], refused.json()["status"]) == ("application/problem+json", 405)
    if address == "/tools":
        return
    answer = client.get(f"{V1}{address}")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "/api/v1/openapi.json lists all" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("limit", "lengths"),
    [(2, [2, 2, 2]), (4, [4, 2]), (6, [6]), (7, [6])],
)
def test_parts_follow_each_other_and_lose_nothing_when_a_tool_appears(client, limit, lengths):
    agents = make.category()
    for letter in "abcdef":
        make.tool(slug=letter, name=letter.upper(), in_category=agents)
    parts: list[list[dict[str, str]]] = []
    address = f"{V1}/tools?sort=name&limit={limit}&fields=slug"
    while address and len(parts) < 9:
        page = client.get(address).json()
        parts.append(page["items"])
        url = urlsplit(page["next"] or "")
        address = page["next"] and f"{url.path}?{url.query}"
        if len(parts) == 1:
            make.tool(slug="first", name="0", in_category=agents)
    assert [len(items) for items in parts] == lengths, "no part after the last tool"
    assert [item for items in parts for item in items] == [{"slug": slug} for slug in "abcdef"]
