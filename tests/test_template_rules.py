"""Conventions of templates and style sheets: fragments, colours, no inline code."""

import re
from html.parser import HTMLParser
from pathlib import Path

from django.contrib import admin

from tests.source_files import ROOT, every, sources, templates


def foreign_fragments(folder: str, text: str) -> list[str]:
    """The fragments that a template in this folder borrows from another app's folder."""
    included = re.findall(r"""\{%\s*include ["']([^"']+)["']""", text)
    return [name for name in included if "/" in name and not name.startswith(f"{folder}/")]


@every(templates())
def test_a_template_uses_its_own_fragments_and_the_shared_ones(path: Path):
    assert foreign_fragments(path.parent.name, path.read_text()) == []


NAMED_COLOURS = r"\b(?:white|black|red|green|blue|gr[ae]y|orange|yellow|purple|brown|pink|silver)\b"

COLOUR = re.compile(
    rf"#[0-9a-f]{{3,8}}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(|{NAMED_COLOURS}", re.I
)


def declarations(css: str) -> list[tuple[str, str]]:
    """The properties of a style sheet with their values, without what the tokens give."""
    bare = re.sub(r"/\*.*?\*/", "", css, flags=re.S)
    pairs = [
        declaration.partition(":")[::2]
        for block in re.findall(r"\{([^{}]*)\}", bare)
        for declaration in block.split(";")
    ]
    return [(name.strip(), re.sub(r"var\(--[\w-]+\)?", "", value)) for name, value in pairs]


def colours(css: str) -> list[str]:
    """The colours that a style sheet names in the values of its declarations."""
    values = [value for _, value in declarations(css)]
    return [found[0] for value in values for found in COLOUR.finditer(value)]


def own_type(css: str) -> list[str]:
    """The sizes of type and the typefaces that a style sheet names; `1em` is no size of its own."""
    sizes = [
        size
        for name, value in declarations(css)
        if name in ("font", "font-size")
        for size in re.findall(r"[\d.]+(?:[a-z]+|%)", value)
        if size != "1em"
    ]
    families = [
        value.strip()
        for name, value in declarations(css)
        if name == "font-family" and value.strip() not in ("", "inherit")
    ]
    return sizes + families


STYLE_SHEETS = sorted((ROOT / "static" / "css").rglob("*.css"))


@every(path for path in STYLE_SHEETS if path.name != "tokens.css")
def test_colours_come_from_the_tokens_alone(path: Path):
    assert colours(path.read_text()) == []


@every(path for path in STYLE_SHEETS if path.name != "tokens.css")
def test_sizes_of_type_and_typefaces_come_from_the_tokens_alone(path: Path):
    assert own_type(path.read_text()) == []


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


CODE = """
<style>a{}</style>
<script>{{ data }}</script>
<p style="color:red">
<p {% if x %}onclick="x()"{% endif %}>
<p data-hx-on:click="x()">
<a href="/x" hx-get="/x">x</a>
<div data-hx-get="/x"></div>
<a data-hx-get="/x">x</a>
<form action="/x"></form><button data-hx-post="/x">x</button>
<form action="/x"><button data-hx-delete="/x">x</button></form>
""".strip().splitlines()


def test_these_rules_find_what_they_are_for():
    """A pattern that has come to match nothing would let every template pass."""
    assert foreign_fragments("tools", '{% include "reviews/_vote.html" with a=b %}')
    own_colours = "#add { color: #ADD; fill: rgb(1 2 3); border: 1px solid Red }"
    assert colours(own_colours) == ["#ADD", "rgb(", "Red"]
    type_sizes = "i { font-size: max(var(--text-m), 1em) } p { font-size: 7pt; font-family: Webby }"
    assert own_type(type_sizes) == ["7pt", "Webby"]
    given = given_classes('<p class="a{% if b %} c{% endif %} d--{{ e }}">')
    assert dead_classes(".a .c, .d--f { x: .5 } .e:is(.a, .g) {}", given) == {"e", "g"}
    for html in CODE:
        assert len(TemplateFaults(html).faults) == 1, html


@every(templates())
def test_a_template_marks_nothing_safe_and_turns_no_escaping_off(path: Path):
    text = path.read_text()
    assert not re.search(r"\|\s*safe(seq)?\b", text)
    assert "autoescape off" not in text


EXTENDED = """
base.html admin/base.html admin/base_site.html admin/login.html admin/change_form.html
admin/change_list.html
""".split()
BASES = ("base.html", "embed.html", "submit_line.html", "change_form_object_tools.html")
"""What pages extend, and what Django's own pages include."""


@every(templates())
def test_a_page_extends_the_base_template_and_a_fragment_nothing(path: Path):
    extended = re.findall(r"""\{%\s*extends ["']([^"']+)["']""", path.read_text())
    if path.name.startswith("_"):
        assert extended == []
    elif path.name not in BASES:
        assert extended in [[name] for name in EXTENDED]
