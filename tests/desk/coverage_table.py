"""The desk's table of tools by reviewers, read as a browser shows it."""

from datetime import UTC, datetime, timedelta

from tests.markup import Document

PATH = "/admin/coverage/"
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
LONG_AGO = NOW - 181 * DAY


def document_of(response):
    """The document of a page that answered 200."""
    assert response.status_code == 200
    return Document(response.content.decode())


def in_table(element):
    """Whether an element is in the table."""
    table = element.within("table")
    return table is not None and table.attributes.get("class") == "coverage__table"


def cells_of(page):
    """The cells of the table."""
    return [element for element in page.elements if element.name == "td" and in_table(element)]


def cells(client, query=""):
    """The texts of the cells."""
    return [cell.text for cell in cells_of(document_of(client.get(PATH + query)))]


def names(client, query=""):
    """The names of the tools in the order of the rows."""
    return [row.tool.name for row in client.get(PATH + query).context["table"].rows]


def links(page):
    """The targets of the links of the table, by their text."""
    return {
        element.text: element.attributes["href"]
        for element in page.elements
        if element.name == "a" and in_table(element)
    }


def text_of(client, query=""):
    """The text of the whole page."""
    return document_of(client.get(PATH + query)).root.text


def column_headings(page):
    """The headings of the columns."""
    return [
        element.text
        for element in page.elements
        if in_table(element) and element.attributes.get("scope") == "col"
    ]
