"""The stored panel figures are updated after every write of a take or reviewer, by any program."""

import json
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from threading import Thread

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.utils import timezone

from reviews import figure_triggers, figures
from reviews.models import PanelFigures, PanelMark, Reviewer, Take
from shipskip.page_cache.models import ContentVersion
from shipskip.search.index_triggers import change_triggers as search_triggers
from tests import factories as make
from tools.models import Tool

pytestmark = pytest.mark.django_db
NOW = timezone.now()
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NOTHING = (0, 0, 0, None, "none", None, None)


def count_figures(now: datetime = NOW) -> None:
    """Count as the background does at `now`."""
    while figures.count_marked(figures.BATCH, now) or figures.count_due(now):
        pass


def stored(tool: Tool) -> tuple[object, ...]:
    """The stored figures of a tool."""
    row = PanelFigures.objects.get(pk=tool.pk)
    return (row.ship, row.skip, row.points, row.mean, row.verdict, row.judged_at, row.due_at)


def version() -> int:
    return ContentVersion.objects.values_list("number", flat=True).first() or 0


def test_a_new_tool_has_figures_at_once_and_takes_are_counted_into_them():
    tool = make.tool()
    assert stored(tool) == NOTHING
    for score, verdict, age in ((90, "ship", 3), (41, "skip", 2), (60, "ship", 5)):
        make.take(on=tool, score=score, verdict=verdict, published_at=NOW - age * DAY)
    assert stored(tool) == NOTHING, "until the background has counted them"
    count_figures()
    assert stored(tool) == (2, 1, 191, 191 / 3, "ship", NOW - 2 * DAY, None)


def test_figures_are_updated_after_publication_change_withdrawal_and_deletion():
    tool = make.tool()
    take = make.take(on=tool, score=70, verdict="ship", published_at=None)
    count_figures()
    assert stored(tool) == NOTHING
    Take.objects.update(published_at=NOW - DAY)
    count_figures()
    assert stored(tool) == (1, 0, 70, 70, "ship", NOW - DAY, None)
    Take.objects.update(score=30, verdict="skip")
    count_figures()
    assert stored(tool) == (0, 1, 30, 30, "skip", NOW - DAY, None)
    Take.objects.update(published_at=None, withdrawn_at=NOW)
    count_figures()
    assert stored(tool) == NOTHING
    Take.objects.update(published_at=NOW - DAY)
    count_figures()
    take.delete()
    count_figures()
    assert stored(tool) == NOTHING


def test_a_scheduled_take_is_counted_once_at_its_publication_time():
    tool = make.tool()
    make.take(on=tool, score=80, verdict="ship", published_at=NOW - DAY)
    make.take(on=tool, score=20, verdict="skip", published_at=NOW + HOUR)
    make.take(on=tool, score=50, verdict="skip", published_at=NOW + DAY)
    count_figures()
    before = (1, 0, 80, 80, "ship", NOW - DAY, NOW + HOUR)
    assert stored(tool) == before
    assert figures.count_due(NOW + HOUR / 2) == 0
    assert figures.count_due(NOW + HOUR) == 1
    assert stored(tool) == (1, 1, 100, 50, "split", NOW + HOUR, NOW + DAY)
    assert figures.count_due(NOW + HOUR) == 0
    count_figures(NOW + DAY)
    assert stored(tool) == (1, 2, 150, 50, "skip", NOW + DAY, None)


def test_takes_are_published_and_withdrawn_with_their_reviewer():
    tool, reviewer = make.tool(), make.reviewer()
    make.take(on=tool, by=reviewer, score=80, verdict="ship", published_at=NOW - DAY)
    count_figures()
    whole = (1, 0, 80, 80, "ship", NOW - DAY, None)
    Reviewer.objects.update(published_at=None)
    count_figures()
    assert stored(tool) == NOTHING
    Reviewer.objects.update(published_at=NOW + HOUR)
    count_figures()
    assert stored(tool) == (*NOTHING[:6], NOW + HOUR)
    count_figures(NOW + HOUR)
    assert stored(tool) == whole
    Reviewer.objects.update(name="Another", motto="Prove it.")
    assert not PanelMark.objects.exists(), "a new name moves no figure"


def test_a_take_that_is_moved_changes_both_tools():
    first, second = make.tool(), make.tool()
    make.take(on=first, score=80, verdict="ship", published_at=NOW - DAY)
    count_figures()
    Take.objects.update(tool=second)
    count_figures()
    assert stored(first) == NOTHING
    assert stored(second) == (1, 0, 80, 80, "ship", NOW - DAY, None)


def test_a_deleted_tool_keeps_its_figures_and_an_erased_one_leaves_none():
    tool = make.tool()
    make.take(on=tool, score=80, verdict="ship", published_at=NOW - DAY)
    count_figures()
    whole = stored(tool)
    tool.remove(NOW)
    count_figures()
    assert stored(tool) == whole
    tool.bring_back()
    count_figures()
    assert stored(tool) == whole
    Take.objects.update(score=81)
    tool.delete()
    count_figures()
    assert not PanelFigures.objects.exists()
    assert not PanelMark.objects.exists()


def test_marks_that_are_counted_twice_write_nothing_the_second_time():
    """Else every page would lose its place in the cache."""
    tool = make.tool()
    make.take(on=tool, score=80, verdict="ship")
    count_figures()
    before = version()
    PanelMark.objects.create(tool_id=tool.pk)
    PanelMark.objects.create(tool_id=tool.pk + 1_000)  # of a tool that is gone
    count_figures()
    assert version() == before
    assert not PanelMark.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_counting_raises_the_content_version():
    make.take(score=80, verdict="ship")
    before = version()
    figures.catch_up()
    assert version() > before


def test_a_loaded_document_is_counted_by_the_command(tmp_path: Path):
    path = tmp_path / "catalogue.json"
    call_command("load_catalogue", "fixtures/catalogue.json", stdout=StringIO())
    assert not PanelMark.objects.exists()
    assert PanelFigures.objects.exclude(verdict="none").exists()
    document = json.loads(Path("fixtures/catalogue.json").read_text())
    for tool in document["tools"]:
        for take in tool["takes"]:
            take["score"] = 100 - take["score"]
    path.write_text(json.dumps(document))
    call_command("load_catalogue", str(path), reason="Turned round.", stdout=StringIO())
    assert list(figures.differences(timezone.now(), correct=False)) == []


def check() -> tuple[int, str]:
    """The exit status and the output of `recount --check`."""
    out = StringIO()
    try:
        call_command("recount", "--check", stdout=out, stderr=StringIO())
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    return 0, out.getvalue()


CHANGES = [
    *({"ship": 2}, {"skip": 1}, {"points": 81}, {"mean": None}, {"mean": 80.5}),
    *({"verdict": "skip"}, {"judged_at": None}, {"due_at": NOW + 900 * DAY}),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda row: next(iter(row)))
def test_check_names_a_tool_whose_row_was_changed_by_hand(change: dict[str, object]):
    """And `recount` corrects it."""
    tool = make.tool(slug="wronged")
    make.take(on=tool, score=80, verdict="ship")
    make.take(score=10, verdict="skip")
    count_figures()
    whole = stored(tool)
    PanelFigures.objects.filter(pk=tool.pk).update(**change)
    status, output = check()
    assert (status, output.count("figures")) == (1, 1)
    assert "wronged: figures" in output
    assert stored(tool) != whole
    call_command("recount", stdout=StringIO())
    assert stored(tool) == whole
    assert check()[0] == 0


def test_check_names_a_tool_without_a_row_but_none_that_waits_to_be_counted():
    make.take(on=make.tool(slug="waits"))
    make.take(on=make.tool(slug="lost"))
    PanelMark.objects.filter(tool_id=Tool.objects.get(slug="lost").pk).delete()
    PanelFigures.objects.filter(tool__slug="lost").delete()
    status, output = check()
    assert status == 1
    assert "has still to count: 1" in output
    assert "lost: figures none;" in output
    assert "waits:" not in output


@pytest.mark.django_db(transaction=True)
def test_one_process_at_a_time_counts():
    """Another finds the lock taken and leaves the marks to it."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer")
    tool = make.tool()
    make.take(on=tool, score=80, verdict="ship")
    found: list[int] = []

    def other() -> None:
        found.append(figures.count_marked(10, NOW))
        connection.close()

    with transaction.atomic():
        assert figures.count_marked(10, timezone.now()) == 1
        thread = Thread(target=other)
        thread.start()
        thread.join()
    assert found == [0]
    other()
    assert (found, stored(tool)[0]) == ([0, 0], 1)


@pytest.mark.django_db(transaction=True)
def test_migrate_creates_lost_triggers_and_counts_what_was_written_without_them():
    tool = make.tool()
    figure_triggers.remove(connection)
    make.take(on=tool, score=80, verdict="ship")
    bare = make.tool()
    assert not PanelMark.objects.exists()
    call_command("migrate", verbosity=0)
    assert stored(tool)[:3] == (1, 0, 80)
    assert stored(bare) == NOTHING
    names = figure_triggers.change_triggers.installed(connection)
    assert {name.rpartition("_")[2] for name in names} == {"insert", "update", "delete"}
    assert search_triggers.installed(connection)
