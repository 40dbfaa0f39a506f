"""The API: what it answers, what it refuses, and that it is as its description says."""

from typing import cast
from urllib.parse import urlsplit

import pytest
import schemathesis
from django.test import Client
from hypothesis import given, settings
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import positive_data_acceptance

from shipskip.wsgi import application
from tests import factories as make
from tests.addresses import sample_site
from tests.markup import read

pytestmark = pytest.mark.django_db

V1 = "/api/v1"

EXAMPLES = 8
"""How many requests schemathesis invents for each address."""


def test_every_answer_is_as_described_whatever_is_asked():
    sample_site()
    schema = schemathesis.openapi.from_wsgi(f"{V1}/openapi.json", application)
    for found in schema.get_all_operations():
        operation = cast(Ok[APIOperation], found).ok()

        @given(operation.as_strategy())
        @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
        def check(case):
            # Which slugs, cursors and texts exist, the description cannot say: such a fault is 400.
            case.call_and_validate(
                headers={"Accept-Encoding": "identity"}, excluded_checks=[positive_data_acceptance]
            )

        check()


def test_an_answer_is_not_empty_and_is_complete(client):
    sample_site()
    description = client.get(f"{V1}/openapi.json").json()
    names = {"alpha": "{slug}", "agents": "{slug}", "builder": "{slug}", "beta-vs-alpha": "{pair}"}
    for address in (
        *("/tools", "/tools?verdict=ship&verdict=skip&sort=name", "/tools/alpha"),
        *("/tools?q=alpha", "/tools/alpha/facts", "/tools/alpha/plans", "/search?q=alpha"),
        *("/takes?reviewer=builder", "/takes?since=2020-01-01T00:00:00Z", "/changes"),
        *("/comparisons", "/comparisons/beta-vs-alpha?weigh-builder=2", "/methodology"),
        *("/categories/agents", "/reviewers/builder", "/attributes"),
    ):
        answer = client.get(f"{V1}{address}")
        assert answer.status_code == 200, (address, answer.content)
        parts = address.partition("?")[0].strip("/").split("/")
        operation = description["paths"][f"{V1}/" + "/".join(names.get(p, p) for p in parts)]["get"]
        shape = operation["responses"]["200"]["content"]["application/json"]
        Draft202012Validator({**description, **shape["schema"]}).validate(answer.json())
        assert answer["Access-Control-Allow-Origin"] == "*", address
        assert client.head(f"{V1}{address}").status_code == 200, address


def test_a_fault_is_a_problem_with_a_sentence(client, snapshot):
    sample_site()
    found = {}
    for address in (
        *("/tools?verdict=perhaps", "/tools?sort=worst", "/tools?weigh-none=2"),
        *("/tools?weigh-builder=1&weigh-builder=2", "/tools?limit=0", "/tools?cursor=%00junk"),
        *("/tools?cursor=WzEsLTFd", "/tools?colour=red", "/tools?fact.none=yes"),
        *("/tools?weigh-builder=9", "/tools/alpha?fields=slug,secret", "/takes?since=yesterday"),
        *("/tools/none", "/comparisons/alpha-vs-none", "/comparisons/alpha"),
        *("/comparisons/a--b", "/takes?reviewer=nobody"),
    ):
        answer = client.get(f"{V1}{address}")
        assert answer["Content-Type"] == "application/problem+json", address
        assert answer["Access-Control-Allow-Origin"] == "*", address
        problem = answer.json()
        assert problem["status"] == answer.status_code, address
        found[address] = f"{answer.status_code} {problem['detail']}"
    assert found == snapshot


def test_a_script_of_another_site_may_ask_whether_it_may_revalidate(client):
    asked = {
        "origin": "https://other.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "if-none-match",
    }
    for address in ("/tools", "/tools/alpha", "/openapi.json", "/none", "/"):
        answer = client.options(f"{V1}{address}", headers=asked)
        assert (answer.status_code, answer.content) == (204, b""), address
        assert answer["Access-Control-Allow-Origin"] == "*", address
        assert answer["Access-Control-Allow-Methods"] == "GET, HEAD", address
        assert answer["Access-Control-Allow-Headers"] == "If-None-Match", address
        assert "Access-Control-Allow-Credentials" not in answer, address


def test_unknown_addresses_and_other_methods_are_problems(client):
    for address in ("/", "/tools/", "/none", "/tools/alpha/none/", "/a//%00/ü"):
        answer = client.get(f"{V1}{address}")
        assert answer.status_code == 404, address
        assert answer["Content-Type"] == "application/problem+json", address
        assert answer["Access-Control-Allow-Origin"] == "*", address
        assert answer["Cache-Control"] == "private, no-store", address
        assert "/api/v1/openapi.json lists all" in answer.json()["detail"], address
        refused = Client(enforce_csrf_checks=True).post(f"{V1}{address}")
        assert (refused.status_code, refused["Content-Type"]) == (405, answer["Content-Type"])
        assert client.head(f"{V1}{address}").status_code == 404, address
    answer = client.post(f"{V1}/tools")
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert answer.json()["status"] == 405


def test_parts_follow_each_other_and_lose_nothing_when_a_tool_appears(client):
    agents = make.category()
    for letter in "abcde":
        make.tool(slug=letter, name=letter.upper(), in_category=agents)
    seen, address = [], f"{V1}/tools?sort=name&limit=2&fields=slug"
    while address:
        page = client.get(address).json()
        seen += [item["slug"] for item in page["items"]]
        assert all([*item] == ["slug"] for item in page["items"])
        parts = urlsplit(page["next"] or "")
        address = page["next"] and f"{parts.path}?{parts.query}"
        if len(seen) == 2:
            make.tool(slug="first", name="0", in_category=agents)
    assert seen == ["a", "b", "c", "d", "e"]


def test_no_draft_is_in_any_answer(client):
    sample_site()
    hidden = make.tool(slug="hidden", name="Hidden draft", published_at=None)
    make.take(on=hidden, body="Hidden draft")
    for address in ("/tools", "/takes", "/comparisons", "/search?q=hidden", "/changes"):
        assert b"idden" not in client.get(f"{V1}{address}").content
    for address in ("/tools/hidden", "/comparisons/alpha-vs-hidden"):
        assert client.get(f"{V1}{address}").status_code == 404


def test_the_examples_for_people_work(client):
    sample_site()
    page = read(client.get("/programs/"))
    examples = [link for link in page.links if link.startswith(("/api/v1/", "/compare/", "/tools"))]
    assert len(examples) >= 8
    for address in {*examples, *(link for link in page.links if link.startswith("/feeds/"))}:
        assert client.get(address).status_code == 200, address
