"""The layout of the project and its two layers, as tests.

The other conventions are in test_source_rules.py and test_template_rules.py.
"""

import ast
import re
from fnmatch import fnmatch
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from shipskip.settings import env
from shipskip.web.cache_control import public_view
from tests import addresses
from tests.everything import RUN_ONCE
from tests.source_files import ROOT, every, imported, place, sources, tree_of

APPS = [
    *("shipskip/web", "shipskip/page_cache", "shipskip/editing", "tools", "reviews"),
    *("comparisons", "shipskip/newsletter", "shipskip/search", "shipskip/catalogue"),
]
"""Models and rules of each may use those of the apps before it."""

BUILDING_BLOCKS = ("shipskip/web/", "shipskip/page_cache/", "shipskip/editing/")
"""Packages that every app uses: their forms and admin classes are not screens."""

HOUSE = {
    *("apps.py", "checks.py", "migrations", "roles.py", "settings.py", "urls.py", "wsgi.py"),
    *("web", "page_cache", "editing", "home", "search", "catalogue", "newsletter", "desk"),
    *("operations", "__init__.py"),
}
"""The entries of `shipskip/`; docs/developers.md draws it."""

SCREENS = re.compile(r"(^|/)(\w*(views|forms?|admin|urls)\.py$|(templatetags|management)/)")
"""Views, forms, admin, tags and commands: they may use models and rules of every app."""

TOP_LEVEL = {
    *("manage.py", "shipskip", "tools", "comparisons", "reviews"),
    *("templates", "static", "fixtures"),
    *("tests", "pyproject.toml", "README.md", "Makefile", "LICENSE", "CHANGELOG.md", "SECURITY.md"),
    *("docs", "deploy", ".ci", ".env.example", ".gitignore"),
    *("requirements.lock", "requirements-dev.lock"),
}

MODULES = {
    place(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path
    for path in sources()
}
"""Every module of ours by its name."""


def module_of(name: str) -> str | None:
    """Our module that a full name is in, as `tools.models` for `tools.models.Tool`; None for a
    library's.
    """
    parts = name.split(".")
    known = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((module for module in known if module in MODULES), None)


def app_of(file: str) -> str | None:
    """The app that a file belongs to; None for the site's own."""
    found = [app for app in APPS if file.startswith(f"{app}/")]
    return max(found, key=len, default=None)


def is_screen(file: str) -> bool:
    """Whether a file has screens; building blocks that every app uses are not screens."""
    screen = SCREENS.search(file) and not file.startswith(BUILDING_BLOCKS)
    return app_of(file) is not None and bool(screen)


def wrong_imports(file: str, text: str) -> list[str]:
    """The imports of a file that its layer is not allowed, in alphabetical order."""
    own = app_of(file)
    found = []
    for name in sorted(imported(ast.parse(text))):
        module = module_of(name)
        if module is None or module == "shipskip":
            continue
        other = place(MODULES[module])
        app = app_of(other)
        another_s_screen = is_screen(other) and app != own
        if own is None or is_screen(file):
            wrong = another_s_screen or (own is not None and app is None)
        else:
            upwards = app is None or APPS.index(app) > APPS.index(own)
            wrong = upwards or is_screen(other)
        if wrong:
            found.append(name)
    return found


@every(sources())
def test_imports_keep_to_the_layers(path: Path):
    assert wrong_imports(place(path), path.read_text()) == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("shipskip/web/paging.py", "from tools.models import Tool"),
        ("shipskip/web/paging.py", "import reviews"),
        ("shipskip/web/paging.py", "def late():\n    from tools import models"),
        ("shipskip/web/paging.py", "from shipskip.editing import screens"),
        ("shipskip/editing/actions.py", "from tools.models import Tool"),
        ("tools/models/tools.py", "from reviews.models import Take"),
        ("tools/models/tools.py", "import comparisons.addresses"),
        ("tools/models/tools.py", "from tools.filter_forms import ToolFilterForm"),
        ("reviews/voting.py", "from reviews import vote_views"),
        ("reviews/judged_tools.py", "from comparisons.models import Comparison"),
        ("tools/admin.py", "from reviews.admin import TakeAdmin"),
        ("tools/admin.py", "from reviews.take_form import TakeForm"),
        ("reviews/admin.py", "from tools.admin import ToolAdmin"),
        ("comparisons/views.py", "from tools.views import detail"),
        ("comparisons/views.py", "from reviews import vote_views"),
        ("comparisons/views.py", "from shipskip.newsletter.subscribers import views"),
        ("comparisons/views.py", "from shipskip.home.views import home"),
        ("comparisons/comparison_form.py", "from tools.filter_forms import ToolFilterForm"),
        ("tools/admin.py", "from reviews.admin import TakeInline"),
        ("shipskip/newsletter/models.py", "from shipskip.catalogue import dump"),
        ("shipskip/newsletter/subscribers/views.py", "from shipskip.home import views"),
        ("shipskip/desk/coverage.py", "from reviews.take_form import TakeForm"),
        ("shipskip/home/views.py", "from tools import views"),
    ],
)
def test_the_rule_finds_an_import_across_the_layers(file: str, text: str):
    assert len(wrong_imports(file, text)) == 1


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tools/views.py", "from reviews.models import Take"),
        ("tools/views.py", "from tools.filter_forms import ToolFilterForm"),
        ("reviews/models/takes.py", "from tools.models import Tool"),
        ("shipskip/home/views.py", "from comparisons.models import Comparison"),
    ],
)
def test_screens_may_use_the_models_of_every_app(file: str, text: str):
    assert wrong_imports(file, text) == []


def graph() -> dict[str, set[str]]:
    """Which modules of ours each of them imports, inside of functions too."""
    return {
        name: {
            module for each in imported(tree_of(path)) if (module := module_of(each)) is not None
        }
        - {name}
        for name, path in MODULES.items()
    }


def test_no_modules_import_each_other_in_a_circle():
    TopologicalSorter(graph()).prepare()


def test_the_rule_finds_a_circular_import():
    late = "def late():\n    from shipskip.home.errors import not_found"
    assert imported(ast.parse(late)) == {"shipskip.home.errors.not_found"}
    circle = graph() | {"tools.models.tools": {"shipskip.home.errors"}}
    with pytest.raises(CycleError):
        TopologicalSorter(circle).prepare()


def models_reached_from(module: str) -> set[str]:
    """The modules of models that a module imports, or that those import which it imports."""
    modules, reached, todo = graph(), set(), [module]
    while todo:
        if (name := todo.pop()) not in reached:
            reached.add(name)
            todo += modules[name]
    return {name for name in reached if "models" in name.split(".")}


@pytest.mark.parametrize("library", [name for name in MODULES if ".templatetags." in name])
def test_a_tag_library_formats_values_and_imports_no_model(library: str):
    """A page's rows come from its view; neither a tag nor what it uses may run a query."""
    assert models_reached_from(library) == set()


def test_the_rule_finds_a_model_that_can_be_reached():
    assert "reviews.models.takes" in models_reached_from("tools.views")


PUBLIC_FORMS = {
    *("newsletter:join", "newsletter:join_in_place", "reviews:vote", "reviews:vote_in_place"),
    *("tools:bookmark", "tools:bookmark_in_place"),
}
"""Views of forms in public pages, without a token; `same_origin_only` refuses forgeries."""

EXEMPT = {
    "newsletter:leave": "a mail program sends no token; the key in the address is the permission",
    "newsletter:provider": "the mail provider proves itself with a secret",
    "admin:catalogue": "checks the token itself, once it knows the length of the upload",
    "admin:takes-csv": "so does this",
    "admin:facts-csv": "so does this",
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


def test_the_site_s_package_holds_its_known_entries_and_nothing_else():
    names = {path.name for path in (ROOT / "shipskip").iterdir()}
    assert names - {"__pycache__"} <= HOUSE


def test_every_setting_is_documented_and_every_documented_setting_is_read():
    """The lines of .env, and the list of what is read from the environment only."""
    text = (ROOT / ".env.example").read_text()
    documented = re.findall(r"^#?([A-Z_]+)=", text, re.M)
    for names in re.findall(r"^#   ([A-Z_]+(?:, [A-Z_]+)*) ", text, re.M):
        documented += names.split(", ")
    assert sorted(documented) == sorted(env.known | {"TEST_POSTGRES_URL"})


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_file_contains_hashes_and_no_address(name: str):
    text = (ROOT / name).read_text()
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links", text)
    pinned = re.findall(r"^[A-Za-z0-9][\w.\[\]-]*==\S+", text, re.M)
    assert pinned
    assert len(re.findall(r"^[A-Za-z0-9][^\n]*\\\n\s+--hash=sha256:", text, re.M)) == len(pinned)


def test_the_paths_that_run_once_exist():
    """A file that moved would run on both databases unnoticed."""
    for reason, names in RUN_ONCE.items():
        assert [name for name in names if not (ROOT / "tests" / name).exists()] == [], reason
