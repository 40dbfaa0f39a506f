"""A page as a reader's browser sees it: its elements, its text, its links."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "input", "br", "hr", "img"}

LINES = {
    *"""
    address article aside blockquote br button caption dd div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 header hr label legend li main nav ol optgroup option p pre section
    select summary table tbody textarea tfoot thead tr ul
    """.split()
}
"""Elements that begin and end a line of visible text."""


def one_line(html: bytes) -> str:
    """A page with its white space as browsers show it, so that a sentence is on one line."""
    return " ".join(html.decode().split())


@dataclass(eq=False)
class Element:
    """An element of the page: name, attributes, the elements around it and the text in it."""

    name: str
    attributes: dict[str, str]
    inside: list["Element"]
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text in the element, white space as a reader sees it."""
        return " ".join("".join(self.pieces).split())

    @property
    def classes(self) -> list[str]:
        """The names of its classes."""
        return self.attributes.get("class", "").split()

    def within(self, name: str) -> "Element | None":
        """The nearest element of that name around this one."""
        return next((outer for outer in reversed(self.inside) if outer.name == name), None)


class Document(HTMLParser):
    """The elements of a page in order; opening one without closing it is a fault."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.open: list[Element] = [Element("document", {}, [])]
        self.root = self.open[0]
        self.flow: list[str] = []
        self.feed(html)
        self.close()
        assert [element.name for element in self.open] == ["document"], "an element stays open"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {key: value or "" for key, value in attrs}, list(self.open))
        self.elements.append(element)
        self.separate(tag)
        if tag == "main":
            self.flow.clear()
        if tag == "li" and "value" in element.attributes:
            self.flow.append(f"{element.attributes['value']}. ")
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()
        self.separate(tag)

    def separate(self, tag: str) -> None:
        """Begin a new line of visible text where this element begins or ends one."""
        if tag in LINES:
            self.flow.append("\n")
        elif tag in ("td", "th"):
            self.flow.append(" | ")

    def handle_data(self, data: str) -> None:
        if self.open[-1].name == "script":
            return  # structured data, which nobody reads on the page
        for element in self.open:
            element.pieces.append(data)
        names = {element.name for element in self.open}
        if not names & {"style", "title", "head"} and ("main" in names or not self.all("main")):
            self.flow.append(data.replace("\n", " "))

    def all(self, tag: str, /, **attributes: str) -> list[Element]:
        """The elements of that name with these attributes (`class_`: all of these classes)."""
        classes = set(attributes.pop("class_", "").split())
        wanted = {key.replace("_", "-"): value for key, value in attributes.items()}
        return [
            element
            for element in self.elements
            if element.name == tag
            and wanted.items() <= element.attributes.items()
            and classes <= set(element.classes)
        ]

    def of_class(self, name: str) -> list[Element]:
        """The elements of that class, of any name."""
        return [e for e in self.elements if name in e.classes]

    def one(self, tag: str, /, **attributes: str) -> Element:
        """The only element of that name and these attributes."""
        found = self.all(tag, **attributes)
        assert len(found) == 1, f"{len(found)} × <{tag}> {attributes}"
        return found[0]

    def texts(self, tag: str, /, **attributes: str) -> list[str]:
        """The texts of the elements of that name, in order."""
        return [element.text for element in self.all(tag, **attributes)]

    def by_id(self, id_: str) -> Element:
        """The element with that id, of which there is one."""
        found = [element for element in self.elements if element.attributes.get("id") == id_]
        assert len(found) == 1, f"{len(found)} × #{id_}"
        return found[0]

    @property
    def title(self) -> str:
        """The text of the page's `title` element; a drawing may have one of its own."""
        [title] = [element for element in self.all("title") if not element.within("svg")]
        return title.text

    @property
    def heading(self) -> str:
        """The page's one main heading."""
        return self.one("h1").text

    @property
    def notices(self) -> list[str]:
        """The page's notices about what it left out."""
        return [
            element.text
            for element in self.all("p")
            if any(outer.attributes.get("role") == "status" for outer in element.inside)
        ]

    @property
    def links(self) -> list[str]:
        """The targets of the page's links, in order."""
        return [element.attributes.get("href", "") for element in self.all("a")]

    @property
    def text(self) -> str:
        """All text of the page."""
        return self.root.text

    @property
    def visible_text(self) -> str:
        """The text that a reader sees in the page's main part, a line for each block or row of a
        table; of a fragment or a mail, all of it.

        For snapshots: `assert read(response).visible_text == snapshot`.
        """
        lines = (" ".join(line.split()) for line in "".join(self.flow).split("\n"))
        cells = (re.sub(r"(\| )+\|?", "| ", line).strip("| ") for line in lines)
        return "\n".join(line for line in cells if line)


class Words(HTMLParser):
    """Where a word of one element begins at once after a word of another, so that both run together
    when the page's text is copied, spoken or extracted.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.together: list[str] = []
        self.before, self.is_next_to_a_tag = "", False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_next_to_a_tag = True

    def handle_endtag(self, tag: str) -> None:
        self.is_next_to_a_tag = True

    def handle_data(self, data: str) -> None:
        if self.is_next_to_a_tag and self.before[-1:].isalnum() and data[:1].isalnum():
            self.together.append(f"{self.before[-30:]}|{data[:30]}")
        self.before, self.is_next_to_a_tag = data, False


def read(response: Any) -> Document:
    """The document of a response."""
    return Document(response.content.decode())
