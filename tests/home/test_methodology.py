"""The methodology page: how a verdict is calculated, with today's numbers."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Reviewer
from shipskip.home.views import MAX_EXAMPLE_TOOLS
from tests import factories as make
from tests.markup import read
from tools.models import Tool

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
    assert "2 reviewers are on the panel: Builder, Skeptic." in text
    assert "Alpha has 2 takes, 1 of them ship. 1 ÷ 2 is 50%, so the verdict is Split." in text
    assert "The scores are 90, 71; their mean is 80.5." in text


def test_only_what_readers_see_counts_and_an_empty_site_has_no_example(client):
    text = read(client.get("/methodology/")).text
    assert "Today 0 public takes on 0 tools." in text
    assert "An example from today" not in text
    assert "From 10 votes on" in text
    make.take(published_at=None)
    make.take(on=make.tool(published_at=None))
    make.take(by=make.reviewer(published_at=None))
    assert "Today 0 public takes on 2 tools." in read(client.get("/methodology/")).text
    make.take()
    assert "Today 1 public take on" in read(client.get("/methodology/")).text


def tool_with_scores(name: str, scores: str) -> None:
    """A tool with the scores of reviewers 1, 2 …: `80+` ships, `30-` skips, a dot is no take."""
    tool = make.tool(slug=name.lower(), name=name)
    for position, take in enumerate(scores.split(), 1):
        if take != ".":
            verdict = "ship" if take[-1] == "+" else "skip"
            by, _ = Reviewer.objects.get_or_create(slug=f"r{position}")
            make.take(on=tool, by=by, score=int(take[:-1]), verdict=verdict)


def test_each_case_of_the_answer_has_an_example_that_links_to_its_comparison(client):
    for name, scores in {
        "Alpha": "80+ 80+ .",
        "Beta": "70+ 70+ 70+ 99+ 99+",
        "Close": "79+ 79+ 79+ .",
        "Divided": "80+ 80-",
        "Either": "80+ 80-",
        "Failed": "20- 20-",
        "Gone": "10- 20-",
        "Halted": "90+ 90+",
        "Nothing": "",
    }.items():
        tool_with_scores(name, scores)
    Tool.objects.filter(name="Halted").update(status="discontinued")
    page = read(client.get("/methodology/"))
    examples = {example.text for example in page.of_class("example")}
    assert examples == {
        "Failed vs Gone: “Skip both. Failed came nearest: its mean score is 20.0.”",
        "Gone vs Nothing: “Skip Gone. No verdict yet on Nothing.”",
        "Either vs Gone: “Neither is a clear ship: the panel is split on Either; skip Gone.”",
        "Close vs Gone: “Ship Close; skip Gone.”",
        "Close vs Either: “Ship Close; the panel is split on Either.”",
        "Divided vs Either: “The panel is split on both.”",
        "Beta vs Close: “Both ship; Close leads by 9 points among the 3 reviewers who judged "
        "both.”",
        "Alpha vs Beta: “Both ship; Alpha is ahead with the 2 reviewers who judged both, too few "
        "to call.”",
        "Halted vs Nothing: “No verdict yet on Nothing. Halted is no longer maintained.”",
        "Alpha vs Close: “Both ship; too close to call.”",
        "Beta vs Close vs Gone: “Ship Beta and Close; skip Gone. Between Beta and Close, Close "
        "leads by 9 points among the 3 reviewers who judged both.”",
    }
    assert "/compare/alpha-vs-close/" in page.links
    assert (
        "the 9 newest tools make 36 pairs. In 4 of them the tool with the higher mean of "
        "all its takes has the lower mean among the reviewers who judged both. In 3 the panel "
        "ships both tools. The higher mean of all takes would name a leader in 3 of these; we "
        "name one in 1, and 2 are too close to call, or judged by too few."
    ) in page.text

    for _ in range(MAX_EXAMPLE_TOOLS):
        make.tool(published_at=timezone.now() - timedelta(days=1))
    page = read(client.get("/methodology/"))
    assert "the 30 newest tools make 435 pairs" in page.text
    assert "Alpha" not in page.text
