"""The layout of the project, as tests.

import-linter checks the layers; test_template_rules.py reads templates and style sheets.
"""

import re
from fnmatch import fnmatch

import pytest

from shipskip.env import OF_SERVE, Env
from shipskip.web.cache_control import public_view
from tests import addresses, bundled, models_picture
from tests.source_files import ROOT, place, sources

TOP_LEVEL = {
    *"""
    manage.py shipskip tools comparisons reviews templates static fixtures tests docs deploy .ci
    pyproject.toml README.md Makefile LICENSE CHANGELOG.md SECURITY.md .env.example .gitignore
    requirements.lock requirements-dev.lock
    """.split()
}

PUBLIC_FORMS = {
    *"""
    newsletter:join newsletter:join_in_place reviews:vote reviews:vote_in_place
    tools:bookmark tools:bookmark_in_place reports:send reports:send_suggestion
    """.split()
}
"""Views of forms in public pages, without a token; `same_origin_only` refuses forgeries."""

EXEMPT = {
    "newsletter:leave": "a mail program sends no token; the key in the address is the permission",
    "newsletter:provider": "the mail provider proves itself with a secret",
    "admin:exchange": "checks the token itself, once it knows the length of the upload",
    "programs:mcp": "reads no cookie and writes nothing, so all origins may send it a message",
    **dict.fromkeys(["programs:api-root", "programs:api-unknown"], "accepts no form, as the API"),
    **dict.fromkeys(["tools:preview", "comparisons:preview"], "accepts no form"),
}
"""The other views without Django's token check, by reason; `public` ones accept no form."""


def test_no_other_view_is_exempt_from_tokens():
    exempt = {
        name
        for name, row in addresses.patterns()
        if getattr(row.callback, "csrf_exempt", False) and public_view(row.callback) is None
    }
    assert exempt | {"newsletter:provider"} == PUBLIC_FORMS | set(EXEMPT)


def test_the_top_level_holds_what_it_must_and_nothing_else():
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text().split()]
    names = {path.name for path in ROOT.iterdir()} - {".git"}
    entries = {name for name in names if not any(fnmatch(name, pattern) for pattern in ignored)}
    assert entries <= TOP_LEVEL


def test_the_guide_for_developers_draws_each_package_of_the_site():
    drawn = (ROOT / "docs" / "developers.md").read_text()
    packages = {path.parent.name for path in (ROOT / "shipskip").glob("*/__init__.py")}
    assert [name for name in packages - {"migrations"} if f"\n  {name}/ " not in drawn] == []


def test_every_setting_stands_in_the_example_with_its_default(monkeypatch):
    text = (ROOT / ".env.example").read_text()
    stated = dict(re.findall(r"^#?([A-Z_0-9]+)=(.*)$", text, re.M))
    assert list(stated) == list(Env.model_fields)
    for name in Env.model_fields:
        assert re.search(rf"^# .+\n#?{name}=", text, re.M), f"{name}: nothing says what it is"
        monkeypatch.setenv(name, stated[name] if f"\n{name}=" in text else "")
    assert Env() == Env.model_construct(), "a line that is no comment is the default"
    for name in OF_SERVE:
        assert f"\n#   {name} " in text, name


def test_the_picture_of_the_models_is_the_one_of_the_code():
    remedy = "run .venv/bin/python -m tests.models_picture"
    assert models_picture.DOCUMENT.read_text() == models_picture.document(), remedy


STRANGE = re.compile(r"\b(AGPL|GPL|proprietary|commercial|unnamed|SSPL|BUSL)", re.I)


def test_the_list_of_what_is_bundled_is_up_to_date():
    """Where it fails after `make lock`: `python -m tests.bundled`."""
    written = bundled.DOCUMENT.read_text()
    for name, version in bundled.locked():
        assert f"\n| {name} | {version} | " in written, name
    in_pages = [*bundled.vendored(), *bundled.fonts()]
    for row in in_pages:
        assert row in written
    rows = [line for line in written.splitlines() if line.startswith("| ")]
    assert len(rows) == len(bundled.locked()) + len(in_pages) + 1


def test_every_licence_is_named_and_none_forbids_it():
    rows = bundled.DOCUMENT.read_text().splitlines()
    licences = [row.split(" | ")[2].strip(" |") for row in rows if row.count(" | ") == 2]
    assert len(licences) > 20
    assert [licence for licence in licences if STRANGE.search(licence)] == []
    assert all(licences)


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_file_contains_no_address(name: str):
    """Without a hash of each package pip installs nothing."""
    text = (ROOT / name).read_text()
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links", text)


def test_a_module_is_named_for_its_subject():
    vague = set("utils util helpers helper services service signals common misc".split())
    assert not vague & {
        part.removesuffix(".py") for path in sources() for part in place(path).split("/")
    }


WRITES = re.compile(
    r"\b(?:Fact|Plan|Take|TakeChange|FactChange)\.objects\."
    r"(?:create|bulk_create|bulk_update|update_or_create|get_or_create)\("
    r"|bulk_(?:create|update)_with_history\("
)
WRITERS = {"tools/fact_writing.py", "reviews/take_writing.py", "shipskip/editing/bulk_saves.py"}
ALLOWED = {
    "tools/fact_changes.py": "the public record, written by the writers of facts and plans",
    "shipskip/web/publishing.py": "publishes and withdraws rows of every kind",
}


def test_facts_plans_and_takes_are_written_by_one_function_each():
    found = {place(path) for path in sources() if WRITES.search(path.read_text())}
    assert found - WRITERS == set(ALLOWED)
