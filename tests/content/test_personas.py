"""Who the reviewers are and what their takes rest on, in one sentence."""

import pytest
from django.test import Client

from shipskip.content.personas import persona_line, personas_of, takes_tried
from tests import factories as make
from tests.content.made_records import reviewer, take
from tests.markup import read


@pytest.mark.parametrize(
    ("bases", "words"),
    [
        ({}, ""),
        ({"tried": 0}, ""),
        ({"documentation": 110, "read-about": 6}, "0 of 116 takes rest on use of the tool"),
        ({"tried": 1, "read-about": 3}, "1 of 4 takes rests on use of the tool"),
        ({"tried": 2, "documentation": 1}, "2 of 3 takes rest on use of the tool"),
        ({"tried": 12_000, "read-about": 1}, "12,000 of 12,001 takes rest on use of the tool"),
        ({"tried": 4}, "all 4 takes rest on use of the tool"),
        ({"tried": 1}, "the one take rests on use of the tool"),
        ({"documentation": 1}, "the one take does not rest on use of the tool"),
        ({"": 1}, "the one take does not say what it rests on"),
        ({"": 7}, "none of the 7 takes says what it rests on"),
        (
            {"": 1, "read-about": 3},
            "0 of 4 takes rest on use of the tool, 1 does not say what it rests on",
        ),
        (
            {"": 2, "tried": 1, "read-about": 1},
            "1 of 4 takes rests on use of the tool, 2 do not say what they rest on",
        ),
    ],
)
def test_the_takes_that_rest_on_use_are_counted(bases, words):
    assert takes_tried(bases) == words


@pytest.mark.parametrize(
    ("reviewers", "bases", "line"),
    [
        (0, {}, ""),
        (1, {}, "A persona with a fixed point of view, written by our editors."),
        (
            1,
            {"tried": 2},
            "A persona with a fixed point of view, written by our editors; all 2 takes rest on use"
            " of the tool.",
        ),
        (
            5,
            {"documentation": 116},
            "Five personas with fixed points of view, written by our editors; 0 of 116 takes rest"
            " on use of the tool.",
        ),
        (10, {}, "Ten personas with fixed points of view, written by our editors."),
        (11, {}, "11 personas with fixed points of view, written by our editors."),
    ],
)
def test_the_line_names_the_personas_and_their_number(reviewers, bases, line):
    assert persona_line(reviewers, bases) == line


def test_a_page_counts_each_reviewer_once_and_each_take():
    builder, skeptic = reviewer(1, "builder"), reviewer(2, "skeptic")
    takes = [take(builder, basis="tried"), take(skeptic), take(builder, basis="read-about")]
    assert personas_of(takes) == (
        "Two personas with fixed points of view, written by our editors; 1 of 3 takes rests on use"
        " of the tool, 1 does not say what it rests on."
    )


ONE = "A persona with a fixed point of view, written by our editors; "
NONE = "No commercial relation with these makers."
TWO = "Two personas with fixed points of view, written by our editors; "


PAGES = [
    ("/", f"{TWO}1 of 3 takes rests on use of the tool."),
    ("/reviewers/", f"{TWO}1 of 3 takes rests on use of the tool."),
    ("/reviewers/builder/", f"{ONE}1 of 2 takes rests on use of the tool."),
    (
        "/reviewers/builder/?category=agents",
        f"{ONE}the one take does not rest on use of the tool.",
    ),
    ("/tools/alpha/", f"{ONE}the one take rests on use of the tool. Weigh them yourself"),
    (
        "/compare/alpha-vs-beta/",
        f"{TWO}1 of 3 takes rests on use of the tool. {NONE} Weigh them yourself",
    ),
    (
        "/compare/beta-vs-gamma/",
        f"{TWO}0 of 2 takes rest on use of the tool. {NONE} Weigh them yourself",
    ),
]


@pytest.mark.django_db
def test_every_page_that_introduces_the_panel_counts_the_takes_in_view(client: Client):
    builder, skeptic = make.reviewer(slug="builder"), make.reviewer()
    alpha = make.tool(slug="alpha")
    beta = make.tool(slug="beta", in_category=make.category(slug="agents"))
    make.tool(slug="gamma")
    make.take(on=alpha, by=builder, basis="tried")
    make.take(on=beta, by=builder, basis="documentation")
    make.take(on=beta, by=skeptic, basis="read-about")
    make.take(on=alpha, by=skeptic, basis="tried", published_at=None)
    make.take(on=make.tool(published_at=None), by=builder, basis="tried")
    for path, line in PAGES:
        assert read(client.get(path)).of_class("personas")[0].text == line, path
