"""What a page of results answers first."""

from tests.markup import Document


def first_answer(page: Document) -> str:
    """The address of the first link among offers and results; empty without one."""
    links = [link for link in page.all("a") if link.within("main") and link.within("section")]
    return links[0].attributes["href"] if links else ""
