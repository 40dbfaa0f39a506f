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


def test_correct_tallies_are_not_changed_and_the_exit_status_is_0():
    correct = (0, "Every tally agrees with its votes.\n", "")
    assert run("--check") == correct
    for _ in range(20):
        cast(factories.tool(), "ship")
    before = (row_counts(), list(ToolTally.objects.values()))
    assert [run(), run("--check")] == [correct, correct]
    assert (row_counts(), list(ToolTally.objects.values())) == before
    with CaptureQueriesContext(connection) as queries:
        assert tallies.drifts() == []
    assert len(queries) == 1


DRIFTS = {
    "one too many": (
        lambda: ToolTally.objects.filter(tool__slug="a").update(ship=3),
        "a: tally 3 ship / 1 skip, votes 2 ship / 1 skip\n",
    ),
    "swapped": (
        lambda: ToolTally.objects.filter(tool__slug="a").update(ship=1, skip=2),
        "a: tally 1 ship / 2 skip, votes 2 ship / 1 skip\n",
    ),
    "lost row": (
        lambda: ToolTally.objects.filter(tool__slug="a").delete(),
        "a: tally 0 ship / 0 skip, votes 2 ship / 1 skip\n",
    ),
    "vote gone": (
        lambda: Vote.objects.filter(tool__slug="a", choice="skip").delete(),
        "a: tally 2 ship / 1 skip, votes 2 ship / 0 skip\n",
    ),
    "state changed by hand": (
        lambda: Vote.objects.filter(tool__slug="a", choice="skip").update(voiding=999),
        "a: tally 2 ship / 1 skip, votes 2 ship / 0 skip\n",
    ),
    "no votes at all": (
        lambda: ToolTally.objects.create(tool=Tool.objects.get(slug="c"), ship=1),
        "c: tally 1 ship / 0 skip, votes 0 ship / 0 skip\n",
    ),
}


@pytest.mark.parametrize(("change", "line"), DRIFTS.values(), ids=DRIFTS)
def test_a_difference_is_named_by_a_check_which_writes_nothing_and_corrected_without(
    tools: list[Tool], change, line: str
):
    change()
    before = (row_counts(), list(ToolTally.objects.order_by("pk").values()))
    status, output, errors = run("--check")
    assert (status, output) == (1, line)
    assert "1 tallies differ" in errors
    assert (row_counts(), list(ToolTally.objects.order_by("pk").values())) == before
    assert run() == (0, f"{line}Tallies corrected: 1.\n", "")
    assert run("--check")[0] == 0


def test_every_tool_that_differs_is_named_and_void_and_forgotten_votes_are_distinguished(
    tools: list[Tool],
):
    for voiding in (999, None, None):
        Vote.objects.create(
            tool=tools[2], choice="ship", voiding_id=voiding, cast_at=NOON, changed_at=NOON
        )
    ToolTally.objects.update(ship=9)
    status, output, _ = run("--check")
    assert status == 1
    assert [line.split(":")[0] for line in output.splitlines()] == ["a", "b", "c"]
    run()
    assert [tally(tool) for tool in tools] == [(2, 1), (0, 1), (2, 0)]
