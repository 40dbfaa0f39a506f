"""The conventions of this code, as tests: what a reviewer would otherwise have to say each time."""

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from functools import cache
from graphlib import CycleError, TopologicalSorter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.test import Client

from shipskip.settings import env
from tests import addresses
from tests.everything import RUN_ONCE
from tools.admin import ToolAdmin

ROOT = Path(__file__).resolve().parent.parent
APPS = [
    *("shipskip/web", "shipskip/page_cache", "shipskip/editing", "tools", "reviews"),
    *("comparisons", "shipskip/newsletter", "shipskip/search", "shipskip/catalogue"),
]
"""Models and rules of each may use those of the apps before it."""

BUILDING_BLOCKS = ("shipskip/web/", "shipskip/page_cache/", "shipskip/editing/")
"""What serves every app: forms and admin classes there are no screens."""

HOUSE = {
    *("apps.py", "checks.py", "migrations", "roles.py", "settings.py", "urls.py", "wsgi.py"),
    *("web", "page_cache", "editing", "home", "search", "catalogue", "newsletter", "desk"),
    *("operations", "__init__.py"),
}
"""What stands in `shipskip/`; docs/developers.md draws it."""

SCREENS = re.compile(r"(^|/)(\w*(views|forms?|admin|urls)\.py$|(templatetags|management)/)")
"""Views, forms, admin, tags and commands: they may use models and rules of every app."""

TOP_LEVEL = {
    *(
        "manage.py",
        "shipskip",
        "tools",
        "comparisons",
        "reviews",
        "templates",
        "static",
        "fixtures",
    ),
    *("tests", "pyproject.toml", "README.md", "Makefile", "LICENSE", "CHANGELOG.md", "SECURITY.md"),
    *("docs", "deploy", ".ci", ".env.example", ".gitignore"),
    *("requirements.lock", "requirements-dev.lock"),
}
LONGEST_FILE = 400
LONGEST_FUNCTION = 40
MOST_CLASSES = 4
"""Own classes in a chain of inheritance, the class itself included."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources() -> Iterator[Path]:
    """Every Python file that is neither a test nor a migration."""
    for folder in ("shipskip", "tools", "reviews", "comparisons"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path
    yield ROOT / "manage.py"


def place(path: Path) -> str:
    """The path from the project's folder, as a reader writes it."""
    return path.relative_to(ROOT).as_posix()


def templates() -> Iterator[Path]:
    """Every template."""
    yield from sorted((ROOT / "templates").rglob("*.html"))


def every(paths: Iterable[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """One test for all of these files; it names each that fails."""

    def decorate(check: Callable[[Path], None]) -> Callable[[], None]:
        def test() -> None:
            failures = []
            for path in files:
                try:
                    check(path)
                except AssertionError as failure:
                    failures.append(f"{place(path)}: {failure}")
            assert not failures, "\n".join(failures)

        test.__doc__ = check.__doc__
        return test

    files = list(paths)
    assert files
    return decorate


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax of a file, which several tests read."""
    return ast.parse(path.read_text())


def imported(tree: ast.AST) -> set[str]:
    """The full names of the modules that a file imports, and of the names it takes from them."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


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
    """Whether a file holds screens; what serves every app holds building blocks alone."""
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
        ("tools/models/tools.py", "from tools.forms import ToolFilterForm"),
        ("reviews/ballot.py", "from reviews import vote_views"),
        ("reviews/judged_tools.py", "from comparisons.models import Comparison"),
        ("tools/admin.py", "from reviews.admin import TakeAdmin"),
        ("tools/admin.py", "from reviews.take_forms import TakeForm"),
        ("reviews/admin.py", "from tools.admin import ToolAdmin"),
        ("comparisons/views.py", "from tools.views import detail"),
        ("comparisons/views.py", "from reviews import vote_views"),
        ("comparisons/views.py", "from shipskip.newsletter.subscribers import views"),
        ("comparisons/views.py", "from shipskip.home.views import home"),
        ("comparisons/forms.py", "from tools.forms import ToolFilterForm"),
        ("tools/admin.py", "from reviews.admin import TakeInline"),
        ("shipskip/newsletter/models.py", "from shipskip.catalogue import dump"),
        ("shipskip/newsletter/subscribers/views.py", "from shipskip.home import views"),
        ("shipskip/desk/coverage.py", "from reviews.take_forms import TakeForm"),
        ("shipskip/home/views.py", "from tools import views"),
    ],
)
def test_an_import_across_the_layers_would_be_noticed(file: str, text: str):
    assert len(wrong_imports(file, text)) == 1


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("tools/views.py", "from reviews.models import Take"),
        ("tools/views.py", "from tools.forms import ToolFilterForm"),
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


def test_a_circle_would_be_noticed():
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
def test_a_tag_library_formats_values_and_reaches_no_model(library: str):
    """A page's rows come from its view; neither a tag nor what it uses may look anything up."""
    assert models_reached_from(library) == set()


def test_a_model_in_reach_would_be_noticed():
    assert "reviews.models.takes" in models_reached_from("tools.views")


def foreign_fragments(folder: str, text: str) -> list[str]:
    """The fragments that a template in this folder borrows from another app's folder."""
    included = re.findall(r"""\{%\s*include ["']([^"']+)["']""", text)
    return [name for name in included if "/" in name and not name.startswith(f"{folder}/")]


@every(templates())
def test_a_template_uses_its_own_fragments_and_the_shared_ones(path: Path):
    assert foreign_fragments(path.parent.name, path.read_text()) == []


def test_a_borrowed_fragment_would_be_noticed():
    assert foreign_fragments("tools", '{% include "reviews/_vote.html" with a=b %}')
    assert not foreign_fragments("tools", '{% include "tools/_changes.html" %}')


@every(sources())
def test_a_module_is_named_for_its_subject(path: Path):
    vague = {
        "utils",
        "util",
        "helpers",
        "helper",
        "services",
        "service",
        "signals",
        "common",
        "misc",
    }
    assert not vague & {part.removesuffix(".py") for part in path.relative_to(ROOT).parts}


@every(sources())
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
                yield from (n for n in public_definitions(node.body) if n.name not in UNTOLD)


UNTOLD = {"Meta", "Media"}


def own_chain(cls: type) -> list[type]:
    """The project's own classes that a class is made of, itself included."""
    ours = {path.parts[0] for path in (p.relative_to(ROOT) for p in sources()) if path.parts[1:]}
    return [each for each in cls.__mro__ if each.__module__.partition(".")[0] in ours]


@every(path for path in sources() if path.name != "manage.py")
def test_a_chain_of_inheritance_has_at_most_four_own_classes(path: Path):
    module = importlib.import_module(place(path).removesuffix(".py").replace("/", "."))
    for name, cls in inspect.getmembers(module, inspect.isclass):
        if cls.__module__ == module.__name__:
            chain = [each.__name__ for each in own_chain(cls)]
            assert len(chain) <= MOST_CLASSES, f"{name}: {', '.join(chain)}"


def test_own_classes_in_a_chain_are_counted():
    assert [each.__name__ for each in own_chain(ToolAdmin)] == [
        "ToolAdmin",
        "PublishableAdmin",
        "ContentAdmin",
        "ListAdmin",
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


NAMED_COLOURS = r"\b(?:white|black|red|green|blue|gr[ae]y|orange|yellow|purple|brown|pink|silver)\b"
COLOUR = re.compile(
    rf"#[0-9a-f]{{3,8}}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(|{NAMED_COLOURS}", re.I
)


def colours(css: str) -> list[str]:
    """The colours that a style sheet names in the values of its declarations."""
    bare = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    values = [
        declaration.partition(":")[2]
        for block in re.findall(r"\{([^{}]*)\}", bare)
        for declaration in block.split(";")
    ]
    return [found[0] for value in values for found in COLOUR.finditer(value)]


STYLE_SHEETS = sorted((ROOT / "static" / "css").rglob("*.css"))


@every(path for path in STYLE_SHEETS if path.name != "tokens.css")
def test_colours_come_from_the_tokens_alone(path: Path):
    assert colours(path.read_text()) == []


def test_a_colour_would_be_noticed():
    css = (
        "#add { color: #ADD } @media print { a:hover { fill: rgb(1 2 3); border: 1px solid Red } }"
    )
    assert colours(css) == ["#ADD", "rgb(", "Red"]
    assert colours((ROOT / "static/css/tokens.css").read_text())


def test_a_component_s_style_sheet_uses_tokens_that_there_are():
    tokens = set(re.findall(r"(--[\w-]+)\s*:", (ROOT / "static/css/tokens.css").read_text()))
    for path in STYLE_SHEETS:
        text = path.read_text()
        own = set(re.findall(r"(--[\w-]+)\s*:", text))
        assert set(re.findall(r"var\((--[\w-]+)", text)) <= tokens | own, path.name


class Acts(HTMLParser):
    """Finds inline code, and HTMX elements that would do nothing without a script."""

    def __init__(self, template: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.forms = 0
        self.feed(re.sub(r"\{%.*?%\}|\{#.*?#\}", "", template, flags=re.S))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Judge one element."""
        names = {name for name, _ in attrs}
        self.forms += tag == "form"
        if tag == "style" or (tag == "script" and "src" not in names):
            self.faults.append(f"<{tag}> holds code")
        self.faults += [f"<{tag} {name}>" for name in names if name == "style"]
        self.faults += [f"<{tag} {name}>" for name in names if name.startswith(("on", "hx-on"))]
        self.faults += [f"<{tag} {name}>" for name in names if name in ("hx-vals", "hx-vars")]
        if names & {"hx-get", "hx-post", "hx-put", "hx-patch", "hx-delete"}:
            works = (tag == "a" and "href" in names) or (tag == "form" and "action" in names)
            inside = self.forms > 0 or "formaction" in names
            works = works or (tag in ("button", "input", "select", "textarea") and inside)
            if not works or names & {"hx-put", "hx-patch", "hx-delete"}:
                self.faults.append(f"<{tag}> does nothing without a script")

    def handle_endtag(self, tag: str) -> None:
        """Leave a form."""
        self.forms -= tag == "form"


@every(templates())
def test_a_template_holds_no_code_and_every_act_works_without_a_script(path: Path):
    assert Acts(path.read_text()).faults == []


@pytest.mark.parametrize(
    "html",
    [
        "<style>a{}</style>",
        "<script>{{ data }}</script>",
        '<p style="color:red">',
        '<p {% if x %}onclick="x()"{% endif %}>',
        '<p hx-on:click="x()">',
        '<div hx-get="/x"></div>',
        '<a hx-get="/x">x</a>',
        '<form action="/x"></form><button hx-post="/x">x</button>',
        '<form action="/x"><button hx-delete="/x">x</button></form>',
    ],
)
def test_a_fault_of_a_template_would_be_noticed(html: str):
    assert len(Acts(html).faults) == 1


@every(templates())
def test_a_template_marks_nothing_safe_and_turns_no_escaping_off(path: Path):
    text = path.read_text()
    assert not re.search(r"\|\s*safe(seq)?\b", text)
    assert "autoescape off" not in text


ADMIN_BASES = (
    "admin/base.html",
    "admin/base_site.html",
    "admin/login.html",
    "admin/change_form.html",
    "admin/change_list.html",
)


@every(path for path in templates() if not path.name.startswith("_") and path.name != "base.html")
def test_a_page_extends_the_base_and_there_is_no_fourth_level(path: Path):
    extended = re.search(r"""\{%\s*extends ["']([^"']+)["']""", path.read_text())
    assert extended
    assert extended[1] in ("base.html", *ADMIN_BASES)


@every(path for path in templates() if path.name.startswith("_"))
def test_a_fragment_extends_nothing(path: Path):
    assert "{% extends" not in path.read_text()


@pytest.mark.django_db
def test_every_view_declares_its_methods(client: Client):
    addresses.world()
    for path in [*addresses.PUBLIC.values(), *addresses.PRIVATE.values()]:
        for method in ("PUT", "PATCH", "DELETE", "TRACE", "BREW"):
            response = client.generic(method, path)
            assert response.status_code == 405, path
            allowed = set(response["Allow"].split(", "))
            assert {"GET", "HEAD"} <= allowed <= {"GET", "HEAD", "POST"}, path


def test_the_top_level_holds_what_it_must_and_nothing_else():
    ignored = [line.strip("/") for line in (ROOT / ".gitignore").read_text().split()]
    names = {path.name for path in ROOT.iterdir()} - {".git"}
    kept = {name for name in names if not any(fnmatch(name, pattern) for pattern in ignored)}
    assert kept <= TOP_LEVEL


def test_the_site_s_package_holds_the_rooms_of_the_house_and_nothing_else():
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
def test_a_lock_file_names_hashes_and_no_address(name: str):
    text = (ROOT / name).read_text()
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links", text)
    pinned = re.findall(r"^[A-Za-z0-9][\w.\[\]-]*==\S+", text, re.M)
    assert pinned
    assert len(re.findall(r"^[A-Za-z0-9][^\n]*\\\n\s+--hash=sha256:", text, re.M)) == len(pinned)


def test_a_test_s_name_is_a_sentence():
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, Function) and node.name.startswith("test_"):
                assert node.name.count("_") >= 3, f"{place(path)}: {node.name}"


def test_what_runs_once_is_there():
    """A file that moved would run on both databases unnoticed."""
    for reason, names in RUN_ONCE.items():
        assert [name for name in names if not (ROOT / "tests" / name).exists()] == [], reason
