"""The methodology page: how a verdict is calculated, with today's numbers."""

import pytest

from tests import factories as make
from tests.markup import read

pytestmark = pytest.mark.django_db


def test_the_numbers_are_those_of_the_site(client):
    tool = make.tool(slug="alpha", name="Alpha")
    builder = make.reviewer(name="Builder", position=1)
    make.take(on=tool, by=builder, score=90)
    make.take(on=tool, by=make.reviewer(name="Skeptic", position=2), score=71, verdict="skip")
    make.take(on=make.tool(), by=builder, score=10, verdict="skip")
    text = read(client.get("/methodology/")).text
    assert (
        "Today 3 public takes on 2 tools: 1 say ship, which is 33%, and the mean score is 57.0"
        in text
    )
    assert "2 reviewers sit on the panel: Builder, Skeptic." in text
    assert "Alpha has 2 takes, 1 of them ship. 1 ÷ 2 is 50%, so the verdict is Split." in text
    assert "The scores are 90, 71; their mean is 80.5." in text


def test_one_take_on_one_tool_reads_well(client):
    make.take()
    assert "Today 1 public take on 1 tool:" in read(client.get("/methodology/")).text


def test_an_empty_site_has_no_example(client):
    text = read(client.get("/methodology/")).text
    assert "Today 0 public takes on 0 tools." in text
    assert "An example from today" not in text


def test_what_readers_cannot_see_does_not_count(client):
    make.take(published_at=None)
    make.take(on=make.tool(published_at=None))
    make.take(by=make.reviewer(published_at=None))
    assert "Today 0 public takes on 2 tools." in read(client.get("/methodology/")).text


def test_the_ten_votes_of_the_rule_are_the_ten_of_the_page(client):
    assert "From 10 votes on" in read(client.get("/methodology/")).text
