"""Conventions of templates and style sheets: fragments, colours, no inline code."""

import re
from html.parser import HTMLParser
from pathlib import Path

from django.contrib import admin

from tests.source_files import ROOT, every, sources, templates


@every(templates())
def test_a_template_uses_its_own_fragments_and_the_shared_ones(path: Path):
    included = re.findall(r"""\{%\s*include ["']([^"']+)["']""", path.read_text())
    own = f"{path.parent.name}/"
    assert [name for name in included if "/" in name and not name.startswith(own)] == []


NAMED_COLOURS = r"\b(?:white|black|red|green|blue|gr[ae]y|orange|yellow|purple|brown|pink|silver)\b"

COLOUR = re.compile(
    rf"#[0-9a-f]{{3,8}}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(|{NAMED_COLOURS}", re.I
)


STYLE_SHEETS = sorted((ROOT / "static" / "css").rglob("*.css"))


@every(path for path in STYLE_SHEETS if path.name != "tokens.css")
def test_colours_typefaces_and_sizes_of_type_come_from_the_tokens_alone(path: Path):
    text = re.sub(r"/\*.*?\*/|var\(--[\w-]+\)?", "", path.read_text(), flags=re.S)
    blocks = ";".join(re.findall(r"\{([^{}]*)\}", text))
    declared = re.findall(r"([\w-]+)\s*:([^;]*)", blocks)
    assert COLOUR.findall(" ".join(value for _, value in declared)) == []
    sizes = [value for name, value in declared if name in ("font", "font-size")]
    assert not re.search(r"\d[a-z%]", " ".join(sizes).replace("1em", ""))
    typefaces = {value.strip() for name, value in declared if name == "font-family"}
    assert typefaces <= {"", "inherit"}


def test_a_component_s_style_sheet_uses_only_tokens_that_exist():
    tokens = set(re.findall(r"(--[\w-]+)\s*:", (ROOT / "static/css/tokens.css").read_text()))
    for path in STYLE_SHEETS:
        text = path.read_text()
        own = set(re.findall(r"(--[\w-]+)\s*:", text))
        assert set(re.findall(r"var\((--[\w-]+)", text)) <= tokens | own, path.name


GIVEN = r'(?:class_?=|"class": |className = |classList\.\w+\()"([^"]*)|bodyclass %}(.*){'
"""Where a template, a tag, a widget or a script gives an element its classes."""

FOREIGN = {"htmx-request", "action-checkbox", "nowrap", "error", "warning", "shifted"}
"""Classes of HTMX, and of Django's admin where they stand elsewhere."""


def given_classes(text: str) -> set[str]:
    """The classes that a file gives to elements; `x--*` is one that ends with a value."""
    found = " ".join("".join(groups) for groups in re.findall(GIVEN, text))
    return set(re.sub(r"\{\{.*?\}\}|\{\w*\}", "*", re.sub(r"\{%.*?%\}", " ", found)).split())


def dead_classes(css: str, given: set[str]) -> set[str]:
    """The classes that a style sheet styles and no element has."""
    selectors = re.findall(r"([^{};]*)\{", re.sub(r"/\*.*?\*/", "", css, flags=re.S))
    styled = set(re.findall(r"\.([a-zA-Z][\w-]*)", " ".join(selectors)))
    begun = tuple(name[:-1] for name in given if name.endswith(("-*", "_*")))
    return {name for name in styled - given if not name.startswith(begun)}


def test_every_class_that_is_styled_occurs_in_a_template_a_tag_or_a_script():
    pages = [path for path in templates() if path.parent.name != "emails"]
    ours = [*pages, *sources(), *(ROOT / "static" / "js").rglob("*.js")]
    folder = Path(admin.__file__).parent
    django_s = [path for kind in ("html", "js", "py") for path in folder.rglob(f"*.{kind}")]
    given = {name for path in ours for name in given_classes(path.read_text())} | FOREIGN
    at_desk = {name for path in django_s for name in given_classes(path.read_text())}
    for path in STYLE_SHEETS:
        known = given | at_desk if path.parent.name == "desk" else given
        assert dead_classes(path.read_text(), known) == set(), path.name


SHAPES = r"<(?:svg|g|path|line|rect|circle|ellipse|polygon|polyline|text|tspan|use)\b[^>]*"
UNIT = r'\s(?!aria-)([\w-]+="[^"]*[\d}](?:%|r?em|px|ex|ch|v[wh]|pt|pc|[cm]m|in)(?![\w-])[^"]*")'


def units(text: str) -> list[str]:
    """The attributes of SVG elements whose value has a unit."""
    plain = re.sub(r"\{%.*?%\}|\{#.*?#\}", "", text, flags=re.S)
    return [found for shape in re.findall(SHAPES, plain) for found in re.findall(UNIT, shape)]


def test_no_attribute_of_a_drawing_has_a_unit_because_webkit_ignores_most_of_them():
    assert units('<svg width="100%"><text y="{{ y }}rem"/>{% if x == 1 %}</svg>') == [
        'width="100%"',
        'y="{{ y }}rem"',
    ]
    assert units("""'<line class="a" x1="{0}%" aria-label="1%"' ' y2="{1:.2f}rem"/>'""") == [
        'x1="{0}%"',
        'y2="{1:.2f}rem"',
    ]
    drawn = [path for path in [*templates(), *sources()] if "<svg" in path.read_text()]
    assert len(drawn) >= 5
    assert {path.name: found for path in drawn if (found := units(path.read_text()))} == {}


BARRED = ("on", "data-hx-on", "data-hx-vals", "data-hx-vars", "hx-")
"""Attributes that contain code, and those that are not HTML: HTMX reads `data-hx-` as well."""

REQUESTS = {f"data-hx-{verb}" for verb in ("get", "post", "put", "patch", "delete")}


class TemplateFaults(HTMLParser):
    """Finds inline code, and HTMX elements that would do nothing without a script."""

    def __init__(self, template: str) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.forms = 0
        self.feed(re.sub(r"\{%.*?%\}|\{#.*?#\}", "", template, flags=re.S))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Check one element."""
        names = {name for name, _ in attrs}
        self.forms += tag == "form"
        if tag == "style" or (tag == "script" and "src" not in names):
            self.faults.append(f"<{tag}> holds code")
        self.faults += [f"<{tag} {name}>" for name in names if name == "style"]
        self.faults += [f"<{tag} {name}>" for name in names if name.startswith(BARRED)]
        if sent := {name[8:] for name in names & REQUESTS}:
            works = (tag == "a" and "href" in names) or (tag == "form" and "action" in names)
            inside = self.forms > 0 or "formaction" in names
            works = works or (tag in ("button", "input", "select", "textarea") and inside)
            if not works or sent & {"put", "patch", "delete"}:
                self.faults.append(f"<{tag}> does nothing without a script")

    def handle_endtag(self, tag: str) -> None:
        """Leave a form."""
        self.forms -= tag == "form"


@every(templates())
def test_a_template_holds_no_code_and_every_form_works_without_a_script(path: Path):
    assert TemplateFaults(path.read_text()).faults == []


@every(templates())
def test_a_template_marks_nothing_safe_and_turns_no_escaping_off(path: Path):
    text = path.read_text()
    assert not re.search(r"\|\s*safe(seq)?\b", text)
    assert "autoescape off" not in text
