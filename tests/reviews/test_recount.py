"""`recount`: compares tallies with votes, lists the differences and corrects them."""

from io import StringIO

import pytest
from django.core.management import call_command

from reviews import tallies
from reviews.models import ToolTally, Vote
from tests import factories
from tests.reviews.voters import NOON, cast, row_counts, tally
from tools.models import Tool

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def tools(db: None) -> list[Tool]:
    """Two tools with votes, one without."""
    a, b, c = (factories.tool(slug=slug) for slug in "abc")
    for tool, choice in ((a, "ship"), (a, "skip"), (b, "skip")):
        cast(tool, choice)
    return [a, b, c]


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("recount", *arguments, stdout=out)
    return out.getvalue()


def test_correct_tallies_are_not_changed_and_the_exit_status_is_0(django_assert_num_queries):
    before = (row_counts(), list(ToolTally.objects.values()))
    assert run() == run("--check") == "Every tally agrees with its votes.\n"
    assert (row_counts(), list(ToolTally.objects.values())) == before
    with django_assert_num_queries(1):
        assert tallies.drifts() == []


@pytest.mark.both_databases
def test_every_tool_that_differs_is_named_and_void_and_forgotten_votes_are_distinguished(
    tools: list[Tool], capsys
):
    for voiding in (999, None, None):
        Vote.objects.create(
            tool=tools[2], choice="ship", voiding_id=voiding, cast_at=NOON, changed_at=NOON
        )
    Vote.objects.filter(tool=tools[0], choice="skip").update(voiding=999)
    Vote.objects.filter(tool=tools[1]).delete()
    with pytest.raises(SystemExit, match="1"):
        call_command("recount", "--check")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["a", "b", "c"]
    run()
    assert [tally(tool) for tool in tools] == [(1, 0), (0, 0), (2, 0)]
