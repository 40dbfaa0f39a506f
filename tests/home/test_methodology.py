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


def test_only_what_readers_see_counts_and_an_empty_site_has_no_example(client):
    def text() -> str:
        return read(client.get("/methodology/")).text

    empty = text()
    assert "Today 0 public takes on 0 tools." in empty
    assert "An example from today" not in empty
    assert "From 10 votes on" in empty
    make.take(published_at=None)
    make.take(on=make.tool(published_at=None))
    make.take(by=make.reviewer(published_at=None))
    assert "Today 0 public takes on 2 tools." in text()
    Reviewer.objects.update(published_at=None)
    tool, builder = make.tool(name="Alpha"), make.reviewer(name="Builder", position=1)
    make.take(on=tool, by=builder, score=90)
    assert "Today 1 public take on" in text()
    make.take(on=tool, by=make.reviewer(name="Skeptic", position=2), score=71, verdict="skip")
    make.take(on=make.tool(), by=builder, score=10, verdict="skip")
    found = text()
    for words in (
        "Today 3 public takes on 4 tools: 1 say ship, which is 33%, and the mean score is 57.0",
        "2 reviewers are on the panel: Builder, Skeptic.",
        "Alpha has 2 takes, 1 of them ship. 1 ÷ 2 is 50%, so the verdict is Split.",
        "The scores are 90, 71; their mean is 80.5.",
    ):
        assert words in found


def tool_with_scores(name: str, scores: str) -> None:
    """A tool with the scores of reviewers 1, 2 …: `80+` ships, `30-` skips, a dot is no take."""
    tool = make.tool(slug=name.lower(), name=name)
    for position, take in enumerate(scores.split(), 1):
        if take != ".":
            verdict = "ship" if take[-1] == "+" else "skip"
            by, _ = Reviewer.objects.get_or_create(slug=f"r{position}")
            make.take(on=tool, by=by, score=int(take[:-1]), verdict=verdict)


def test_each_case_of_the_answer_has_an_example_that_links_to_its_comparison(client, snapshot):
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
    examples = [example.text for example in page.of_class("example")]
    means = [line for line in page.visible_text.splitlines() if "newest tools make" in line]
    assert "\n".join(examples + means) == snapshot
    assert "/compare/alpha-vs-close/" in page.links

    for _ in range(MAX_EXAMPLE_TOOLS):
        make.tool(published_at=timezone.now() - timedelta(days=1))
    page = read(client.get("/methodology/"))
    assert "the 30 newest tools make 435 pairs" in page.text
    assert "Alpha" not in page.text
