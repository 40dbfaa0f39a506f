"""The site's commercial relations with makers."""

import pytest

from tests import factories as make
from tests.markup import read
from tools.relations import relations_in_words


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ([("A", "none")], "No commercial relation with its maker."),
        ([("A", "none"), ("B", "none")], "No commercial relation with these makers."),
        ([("A", "sponsor")], "The maker of A pays this site."),
        (
            [("A", "owner"), ("B", "none"), ("C", "affiliate")],
            "The maker of A and this site have an owner in common. Links to C earn "
            "this site money. No commercial relation with other makers.",
        ),
    ],
)
def test_every_relation_is_said_and_none_too(tools, words):
    assert relations_in_words(tools) == words


@pytest.mark.django_db
def test_a_page_says_it_even_without_takes(client):
    make.tool(slug="alpha", name="Alpha", relation="sponsor")
    make.tool(slug="beta")
    page = read(client.get("/tools/alpha/"))
    assert "The maker of Alpha pays this site." in page.of_class("tool-page__figures")[0].text
    [line] = read(client.get("/compare/alpha-vs-beta/")).of_class("personas")
    words = "The maker of Alpha pays this site. No commercial relation with other makers."
    assert line.text == words
