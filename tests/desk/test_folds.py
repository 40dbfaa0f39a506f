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
    found: dict[bool, list[str]] = {True: [], False: []}
    for summary in read(response).of_class("fold__line"):
        own = [each for each in summary.inside if each.name == "details"][-1]
        found["open" in own.attributes].append(summary.text)
    return found


def finished_tool() -> Tool:
    tool = make.tool(name="Alpha", tagline="A tool", description="It writes *code*. And more.")
    take = make.take(on=tool, by=make.reviewer(name="Builder", position=1), score=84)
    Take.objects.filter(pk=take.pk).update(because="It works.")
    make.plan(on=tool, amount="20")
    make.fact(Decimal(5), on=tool, to=make.attribute(name="Context"))
    return tool


def test_a_finished_tool_is_folded_and_a_new_or_unfinished_one_shows_what_is_missing(
    publisher, snapshot
):
    panel = [make.reviewer(name=name) for name in ("First", "Second")]
    assert folds(publisher.get(ADD)) == snapshot(name="new")
    for reviewer in panel:
        reviewer.remove(make.PUBLISHED)
    tool = finished_tool()
    assert folds(publisher.get(page_of(tool))) == snapshot(name="finished")
    skeptic, founder = make.reviewer(name="Skeptic"), make.reviewer(name="Founder")
    (line,) = folds(publisher.get(page_of(tool)))[True]
    assert line.split()[0] in ("Skeptic", "Founder"), "the next missing take"
    make.take(on=tool, by=founder, published_at=None)
    make.take(on=tool, by=skeptic)
    (line,) = folds(publisher.get(page_of(tool)))[True]
    assert line.startswith("Founder Draft")


def test_a_fold_with_a_fault_or_a_conflict_is_open(publisher):
    tool = finished_tool()
    url = page_of(tool)
    sent = on_the_page(publisher.get(url))
    faults = {
        "website": ("no address", "What it is"),
        "status": ("discontinued", "Whether it is maintained"),
        "takes-0-score": ("140", "Builder"),
        "facts-0-answer": ("many", "Facts"),
        "plans-0-amount": ("x", "Plans"),
    }
    assert faults.keys() <= sent.keys()
    for name, (value, title) in faults.items():
        (line,) = folds(publisher.post(url, sent | {name: value, "tagline": ""}))[True]
        assert line.startswith(title), name
    body = f"{take_name(tool.takes.get().reviewer_id)}-body"
    other = desk_of("Publishers", name="otto")
    other.post(url, on_the_page(other.get(url)) | {body: "Theirs."})
    (line,) = folds(publisher.post(url, sent | {body: "Mine."}))[True]
    assert line.startswith("Builder")
