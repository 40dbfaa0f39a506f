"""Conventions of the Python files: their names, lengths, docstrings and classes."""

import ast
import importlib
import inspect
from collections.abc import Iterator, Mapping
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
from tools.admin import ToolAdmin

LONGEST_FILE = 400
LONGEST_FUNCTION = 40
MAX_CLASSES = 4
"""Own classes in a chain of inheritance, the class itself included."""


@every(sources())
def test_a_module_is_named_for_its_subject(path: Path):
    vague = {"utils", "util", "helpers", "helper", "services", "service"}
    vague |= {"signals", "common", "misc"}
    assert not vague & {part.removesuffix(".py") for part in path.relative_to(ROOT).parts}


@every([*sources(), *files_of_tests()])
def test_a_file_is_not_too_long(path: Path):
    assert len(path.read_text().splitlines()) <= LONGEST_FILE


@every(sources())
def test_a_function_is_not_too_long(path: Path):
    for node in ast.walk(tree_of(path)):
        if isinstance(node, Function):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= LONGEST_FUNCTION, f"{node.name} is {length} lines long"


def public_definitions(body: list[ast.stmt]) -> Iterator[Function | ast.ClassDef]:
    """Public functions and classes of a module, and the public methods of those classes."""
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                inner = public_definitions(node.body)
                yield from (each for each in inner if each.name not in ("Meta", "Media"))


OURS = {place(path).partition("/")[0] for path in sources() if path.parent != ROOT}


def own_chain(cls: type) -> list[type]:
    """The project's own classes that a class is made of, itself included."""
    return [each for each in cls.__mro__ if each.__module__.partition(".")[0] in OURS]


CONVENTIONAL = {"Command", "Media", "Meta"}
"""Names of classes that Django looks for."""


def repeated_classes(trees: Mapping[str, ast.Module]) -> dict[str, list[str]]:
    """The names of several classes, with the places of those; `trees` are the files by place."""
    found: dict[str, list[str]] = {}
    for file, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name not in CONVENTIONAL:
                found.setdefault(node.name, []).append(f"{file}:{node.lineno}")
    return {name: places for name, places in found.items() if len(places) > 1}


def test_no_two_classes_bear_one_name():
    assert not repeated_classes({place(path): tree_of(path) for path in sources()})


def test_a_repeated_name_of_a_class_is_noticed():
    one = ast.parse("class Cell:\n    class Meta: ...\nclass Row: ...")
    other = ast.parse("\nclass Cell: ...\nclass Grid:\n    class Meta: ...")
    assert repeated_classes({"one.py": one, "other.py": other}) == {
        "Cell": ["one.py:1", "other.py:2"]
    }


@every(path for path in sources() if path.name != "manage.py")
def test_a_chain_of_inheritance_has_at_most_four_own_classes(path: Path):
    module = importlib.import_module(place(path).removesuffix(".py").replace("/", "."))
    for name, cls in inspect.getmembers(module, inspect.isclass):
        if cls.__module__ == module.__name__:
            chain = [each.__name__ for each in own_chain(cls)]
            assert len(chain) <= MAX_CLASSES, f"{name}: {', '.join(chain)}"


def test_own_classes_in_a_chain_are_counted():
    assert [each.__name__ for each in own_chain(ToolAdmin)] == [
        "ToolAdmin",
        "PublishableAdmin",
        "ContentAdmin",
        "BaseAdmin",
    ]


@every(sources())
def test_what_is_public_has_a_docstring(path: Path):
    for node in public_definitions(tree_of(path).body):
        assert ast.get_docstring(node), f"{node.name} (line {node.lineno}) has no docstring"


@every(path for path in sources() if path.name != "__init__.py" and path.name != "manage.py")
def test_a_module_says_what_it_is_for(path: Path):
    assert ast.get_docstring(tree_of(path))


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
            assert allowed - {"POST"} in ({"GET", "HEAD"}, set()), path


@every(files_of_tests())
def test_a_test_s_name_is_a_sentence(path: Path):
    for node in ast.walk(tree_of(path)):
        if isinstance(node, Function) and node.name.startswith("test_"):
            assert node.name.count("_") >= 3, node.name
