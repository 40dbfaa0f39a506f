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


@pytest.mark.parametrize(
    "address",
    [
        *("/tools", "/tools?verdict=ship&verdict=skip&sort=name", "/tools/alpha"),
        *("/tools?q=alpha", "/tools/alpha/facts", "/tools/alpha/plans", "/search?q=alpha"),
        *("/takes?reviewer=builder", "/takes?since=2020-01-01T00:00:00Z", "/changes"),
        *("/comparisons", "/comparisons/beta-vs-alpha?weigh-builder=2", "/methodology"),
        *("/categories/agents", "/reviewers/builder", "/attributes"),
    ],
)
def test_an_answer_is_not_empty_and_is_complete(client, address):
    sample_site()
    description = client.get(f"{V1}/openapi.json").json()
    answer = client.get(f"{V1}{address}")
    assert answer.status_code == 200, answer.content
    path, _, _ = address.partition("?")
    names = {"alpha": "{slug}", "agents": "{slug}", "builder": "{slug}", "beta-vs-alpha": "{pair}"}
    route = f"{V1}/" + "/".join(names.get(part, part) for part in path.strip("/").split("/"))
    shape = description["paths"][route]["get"]["responses"]["200"]["content"]["application/json"]
    whole = {**description, **shape["schema"]}
    Draft202012Validator(whole).validate(answer.json())
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert client.head(f"{V1}{address}").status_code == 200


@pytest.mark.parametrize(
    ("address", "status", "says"),
    [
        ("/tools?verdict=perhaps", 400, "There is no verdict “perhaps” here."),
        ("/tools?sort=worst", 400, "There is no sort “worst” here."),
        ("/tools?weigh-none=2", 400, "“weigh-none” is no reviewer’s weight."),
        ("/tools?weigh-builder=1&weigh-builder=2", 400, "has more than one weight."),
        ("/tools?limit=0", 400, "a number from 1 to 100"),
        ("/tools?cursor=%00junk", 400, "Cursor cannot contain"),
        ("/tools?cursor=WzEsLTFd", 400, "start without one"),
        ("/tools?colour=red", 400, "“colour” is no parameter"),
        ("/tools?fact.none=yes", 400, "“fact.none” is no parameter"),
        ("/tools?weigh-builder=9", 400, "Use 0, 1, 2 or 3."),
        ("/tools/alpha?fields=slug,secret", 400, "“secret” is no field here"),
        ("/takes?since=yesterday", 400, "a moment such as"),
        ("/tools/none", 404, "There is no tool at this address."),
        ("/comparisons/alpha-vs-none", 404, "There is no tool “none” here"),
        ("/comparisons/alpha", 404, "at least two"),
        ("/comparisons/a--b", 404, "not the name"),
        ("/takes?reviewer=nobody", 404, "no reviewer"),
    ],
)
def test_a_fault_is_a_problem_with_a_sentence(client, address, status, says):
    sample_site()
    answer = client.get(f"{V1}{address}")
    assert answer.status_code == status
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["Access-Control-Allow-Origin"] == "*"
    problem = answer.json()
    assert problem["status"] == status
    assert says in problem["detail"]
    assert "left out" not in problem["detail"]


def test_other_methods_are_refused(client):
    answer = client.post(f"{V1}/tools")
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert answer.json()["status"] == 405


@pytest.mark.parametrize("address", ["/tools", "/tools/alpha", "/openapi.json", "/none", "/"])
def test_a_script_of_another_site_may_ask_whether_it_may_revalidate(client, address):
    answer = client.options(
        f"{V1}{address}",
        headers={
            "origin": "https://other.example",
            "access-control-request-method": "GET",
            "access-control-request-headers": "if-none-match",
        },
    )
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert answer["Access-Control-Allow-Headers"] == "If-None-Match"
    assert "Access-Control-Allow-Credentials" not in answer


@pytest.mark.parametrize("address", ["/", "/tools/", "/none", "/tools/alpha/none/", "/a//%00/ü"])
def test_an_unknown_address_is_a_problem(client, address):
    answer = client.get(f"{V1}{address}")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert answer["Cache-Control"] == "private, no-store"
    assert "/api/v1/openapi.json lists all" in answer.json()["detail"]
    refused = Client(enforce_csrf_checks=True).post(f"{V1}{address}")
    assert (refused.status_code, refused["Content-Type"]) == (405, answer["Content-Type"])
    assert client.head(f"{V1}{address}").status_code == 404


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


def test_a_comparison_says_the_same_as_its_twin(client):
    sample_site()
    for weights in ("", "?weigh-builder=0"):
        twin = client.get(f"/compare/alpha-vs-beta.json{weights}").json()
        assert client.get(f"{V1}/comparisons/alpha-vs-beta{weights}").json() == twin


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
