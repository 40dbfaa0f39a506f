"""The licence of a tool in a document: the key `license` is the fact of the attribute `licence`."""

from datetime import date
from typing import Any

import pytest

from tests import factories as make
from tests.catalogue.documents import (
    as_file,
    assert_comes_back,
    document,
    dumped,
    empty_the_site,
    faults_of,
    load,
    tool,
)
from tools.models import Attribute, Fact

pytestmark = pytest.mark.django_db
SOURCE = {"source": "https://example.org/LICENSE", "checked_on": date(2026, 5, 1)}
FACT: dict[str, Any] = {"attribute": "licence", "value": "MIT"}


def with_tool(**keys: Any) -> dict[str, Any]:
    """A document of the newest format with one tool, which has these keys."""
    return document(tools=[tool(**keys)], comparisons=[])


def stated() -> list[tuple[str, str, str | None]]:
    """The facts of the site: attribute, text and source."""
    return list(Fact.objects.values_list("attribute__slug", "text", "source"))


def test_the_key_loads_as_a_fact_in_every_format_and_makes_the_attribute():
    for number in (1, 2, 3):
        empty_the_site()
        given = with_tool(license="MIT") | {"format": f"shipskip-catalogue/{number}"}
        load(as_file(given))
        assert stated() == [("licence", "MIT", "")], number
        assert Attribute.objects.get().kind == "text"
        assert not load(as_file(given)).changed_anything
    first = dumped()
    assert '"license": "MIT"' in first
    assert '"attribute": "licence"' in first
    assert_comes_back(first)
    load(as_file(with_tool(license="GPL", facts=[FACT])))
    assert stated() == [("licence", "MIT", "")], "a fact of the document wins over the key"


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        ({}, [("licence", "MIT", SOURCE["source"])]),
        ({"license": "MIT"}, [("licence", "MIT", SOURCE["source"])]),
        ({"license": "GPL"}, [("licence", "GPL", "")]),
        ({"license": ""}, []),
        ({"facts": []}, []),
        ({"facts": [], "license": "MIT"}, [("licence", "MIT", SOURCE["source"])]),
    ],
)
def test_the_key_changes_or_removes_a_stored_licence_but_no_other_fact(keys, left):
    chat = make.category(slug="chat")
    row = make.tool(slug="gamma", name="Gamma", in_category=chat)
    make.fact("MIT", on=row, to=make.attribute(slug="licence", kind="text"), **SOURCE)
    if "facts" not in keys:
        make.fact("Rust", on=row, to=make.attribute(slug="written-in", kind="text"))
        left = [*left, ("written-in", "Rust", "")]
    load(as_file(with_tool(**keys)))
    assert sorted(stated()) == sorted(left)
    assert not load(as_file(with_tool(**keys))).changed_anything


def test_choices_of_earlier_documents_load_as_a_text():
    """The second and third also into a site that has it as a text."""
    many, one = ["MIT", "GPL"], "MIT"
    for kind, value in (("choice", one), ("choices", many), ("text", one), ("choice", one)):
        attribute: dict[str, Any] = {"slug": "licence", "name": "Licence", "kind": kind}
        attribute |= {"choices": many} if kind != "text" else {}
        load(as_file(with_tool(facts=[FACT | {"value": value}]) | {"attributes": [attribute]}))
        assert stated() == [("licence", "MIT, GPL" if kind == "choices" else "MIT", "")], kind


def test_faults_name_the_key():
    make.attribute(slug="licence", kind="text", asked_in=[make.category(slug="elsewhere")])
    assert faults_of(with_tool(license="MIT")) == [
        'tools[0].license: "licence" is not asked of tools in "chat"; leave it out, or add that '
        "category to the attribute"
    ]
    assert faults_of(with_tool(license="x" * 201)) == [
        "tools[0].license: is 201 characters long; at most 200 are allowed"
    ]
    attribute = {"slug": "licence", "name": "Licence", "kind": "number"}
    assert faults_of(document(attributes=[attribute])) == [
        'attributes[0].kind: is "number"; the licence of tools is a "text"'
    ]
