"""On a tool's screen the parts that need no look now are folded, with a line on what is in them."""

from decimal import Decimal

import pytest

from reviews.models import Take
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import ADD, on_the_page, page_of, take_name
from tests.markup import read
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


def folds(response):
    """What the summaries of the folds say, by whether the fold is open."""
    page = read(response)
    found: dict[bool, list[str]] = {True: [], False: []}
    for summary in page.of_class("fold__line"):
        own = [each for each in summary.inside if each.name == "details"][-1]
        found["open" in own.attributes].append(summary.text)
    return found


@pytest.fixture
def tool(db) -> Tool:
    tool = make.tool(name="Alpha", tagline="A tool", description="It writes *code*. And more.")
    take = make.take(on=tool, by=make.reviewer(name="Builder", position=1), score=84)
    Take.objects.filter(pk=take.pk).update(because="It works.")
    make.plan(on=tool, amount="20")
    make.fact(Decimal(5), on=tool, to=make.attribute(name="Context"))
    return tool


def test_a_finished_tool_is_folded_and_each_line_says_what_is_in_it(publisher, tool):
    assert folds(publisher.get(page_of(tool))) == {
        True: [],
        False: [
            "What it is It writes *code*. And more.",
            "What it costs Free",
            "Whether it is maintained Not known",
            "Whether this site earns from it None",
            "Where it comes from Written here",
            "Votes A chart of the last 60 days",
            "Builder Public since 1 May 2026 09:00 UTC 84 · ship · It works.",
            "Facts 1 of 1 answered",
            "Plans Pro: $20 per month",
        ],
    }


def test_a_new_tool_shows_what_has_to_be_filled_in(publisher):
    make.reviewer(name="Builder", position=1)
    make.reviewer(name="Skeptic", position=2)
    found = folds(publisher.get(ADD))
    assert found[True] == ["What it is", "What it costs", "Builder Missing", "Plans None yet"]
    assert found[False] == [
        "Whether it is maintained",
        "Whether this site earns from it",
        "Skeptic Missing",
        "Facts None are asked yet",
    ]


def test_a_draft_is_open_and_the_next_missing_take_if_there_is_none(publisher, tool):
    skeptic, founder = make.reviewer(name="Skeptic"), make.reviewer(name="Founder")
    names = [line.split()[0] for line in folds(publisher.get(page_of(tool)))[True]]
    assert len(names) == 1
    make.take(on=tool, by=founder, published_at=None)
    make.take(on=tool, by=skeptic)
    (line,) = folds(publisher.get(page_of(tool)))[True]
    assert line.startswith("Founder Draft")


@pytest.mark.parametrize(
    ("name", "value", "title"),
    [
        ("website", "no address", "What it is"),
        ("status", "discontinued", "Whether it is maintained"),
        ("takes-0-score", "140", "Builder"),
        ("facts-0-answer", "many", "Facts"),
        ("plans-0-amount", "x", "Plans"),
    ],
)
def test_a_fold_with_a_fault_is_open(publisher, tool, name, value, title):
    url = page_of(tool)
    page = publisher.get(url)
    assert name in on_the_page(page)
    sent = on_the_page(page) | {name: value, "tagline": ""}
    response = publisher.post(url, sent)
    assert [line for line in folds(response)[True] if line.startswith(title)]
    assert len(folds(response)[True]) == 1


def test_a_conflict_opens_its_fold(publisher, tool):
    take, url = tool.takes.get(), page_of(tool)
    body = f"{take_name(take.reviewer_id)}-body"
    mine = on_the_page(publisher.get(url)) | {body: "Mine."}
    other = desk_of("Publishers", name="otto")
    other.post(url, on_the_page(other.get(url)) | {body: "Theirs."})
    (line,) = folds(publisher.post(url, mine))[True]
    assert line.startswith("Builder")
