"""Conventions of the Python files: names, signals and the methods of views."""

import ast
from pathlib import Path

import pytest
from django.test import Client

from tests import addresses
from tests.source_files import (
    ROOT,
    Function,
    every,
    files_of_tests,
    imported,
    place,
    sources,
    tree_of,
)


@every(sources())
def test_a_module_is_named_for_its_subject(path: Path):
    vague = {"utils", "util", "helpers", "helper", "services", "service"}
    vague |= {"signals", "common", "misc"}
    assert not vague & {part.removesuffix(".py") for part in path.relative_to(ROOT).parts}


@every(sources())
def test_nothing_connects_to_a_signal(path: Path):
    modules = imported(tree_of(path))
    if place(path) == "shipskip/newsletter/apps.py":
        modules.remove("anymail.signals.tracking")  # the only way that this library offers
    assert not [module for module in modules if ".signals" in module or "dispatch" in module]


@pytest.mark.django_db
def test_every_view_declares_its_methods(client: Client):
    addresses.sample_site()
    for path in [*addresses.PUBLIC.values(), *addresses.PRIVATE.values()]:
        for method in ("PUT", "PATCH", "DELETE", "TRACE", "BREW"):
            response = client.generic(method, path)
            assert response.status_code == 405, path
            allowed = set(response["Allow"].split(", "))
            assert allowed - {"POST", "OPTIONS"} in ({"GET", "HEAD"}, set()), path


@every(files_of_tests())
def test_a_test_s_name_is_a_sentence(path: Path):
    for node in ast.walk(tree_of(path)):
        if isinstance(node, Function) and node.name.startswith("test_"):
            assert node.name.count("_") >= 3, node.name
