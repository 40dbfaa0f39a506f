"""`recount`: compares tallies with votes, lists the differences and corrects them."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews import tallies
from reviews.models import ToolTally, Vote
from tests import factories
from tests.reviews.voters import NOON, cast, row_counts, tally
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def tools() -> list[Tool]:
    """Two tools with votes, one without."""
    a, b, c = (factories.tool(slug=slug) for slug in "abc")
    for tool, choices in ((a, ["ship", "ship", "skip"]), (b, ["skip"])):
        for choice in choices:
            cast(tool, choice)
    return [a, b, c]


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit status, output and error output."""
    out, err = StringIO(), StringIO()
    try:
        call_command("recount", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("arguments", [[], ["--check"]])
def test_correct_tallies_are_not_changed_and_the_exit_status_is_0(
    tools: list[Tool], arguments: list[str]
):
    before = row_counts()
    assert run(*arguments) == (0, "Every tally agrees with its votes.\n", "")
    assert row_counts() == before


def test_without_votes_there_is_nothing_to_correct():
    assert run("--check")[0] == 0


def change_tally(kind: str, tools: list[Tool]) -> None:
    """Make the tally of a tool differ from its votes."""
    a, _, c = tools
    if kind == "one too many":
        ToolTally.objects.filter(tool=a).update(ship=3)
    elif kind == "swapped":
        ToolTally.objects.filter(tool=a).update(ship=1, skip=2)
    elif kind == "lost row":
        ToolTally.objects.filter(tool=a).delete()
    elif kind == "vote gone":
        Vote.objects.filter(tool=a, choice="skip").delete()
    elif kind == "state changed by hand":
        Vote.objects.filter(tool=a, choice="skip").update(voiding=999)
    else:
        ToolTally.objects.create(tool=c, ship=1)


DRIFTS = {
    "one too many": "a: tally 3 ship / 1 skip, votes 2 ship / 1 skip\n",
    "swapped": "a: tally 1 ship / 2 skip, votes 2 ship / 1 skip\n",
    "lost row": "a: tally 0 ship / 0 skip, votes 2 ship / 1 skip\n",
    "vote gone": "a: tally 2 ship / 1 skip, votes 2 ship / 0 skip\n",
    "state changed by hand": "a: tally 2 ship / 1 skip, votes 2 ship / 0 skip\n",
    "no votes at all": "c: tally 1 ship / 0 skip, votes 0 ship / 0 skip\n",
}


@pytest.mark.parametrize("kind", DRIFTS)
def test_check_names_the_tool_writes_nothing_and_exits_1(tools: list[Tool], kind: str):
    change_tally(kind, tools)
    before = (row_counts(), list(ToolTally.objects.order_by("pk").values()))
    status, output, errors = run("--check")
    assert (status, output) == (1, DRIFTS[kind])
    assert "1 tallies differ" in errors
    assert (row_counts(), list(ToolTally.objects.order_by("pk").values())) == before


@pytest.mark.parametrize("kind", DRIFTS)
def test_rebuilding_reports_what_it_corrects_and_a_second_check_finds_nothing(
    tools: list[Tool], kind: str
):
    change_tally(kind, tools)
    assert run() == (0, f"{DRIFTS[kind]}Tallies corrected: 1.\n", "")
    assert run("--check")[0] == 0
    assert tallies.drifts() == []


def test_every_tool_that_differs_is_named(tools: list[Tool]):
    ToolTally.objects.update(ship=9)
    status, output, _ = run("--check")
    assert status == 1
    assert [line.split(":")[0] for line in output.splitlines()[:2]] == ["a", "b"]


def test_void_and_forgotten_votes_are_distinguished(tools: list[Tool]):
    tool = tools[2]
    for voiding in (999, None, None):
        Vote.objects.create(
            tool=tool, choice="ship", voiding_id=voiding, cast_at=NOON, changed_at=NOON
        )
    run()
    assert tally(tool) == (2, 0)


def test_checking_many_tools_runs_one_query(tools: list[Tool]):
    for _ in range(20):
        cast(factories.tool(), "ship")
    with CaptureQueriesContext(connection) as queries:
        assert tallies.drifts() == []
    assert len(queries) == 1
