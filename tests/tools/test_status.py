"""Whether a tool is maintained: wherever its name stands with a verdict, in answers and filters."""

from datetime import UTC, date, datetime

import pytest
from django.db import IntegrityError, transaction

from tests import factories as make
from tests.markup import read
from tools.models import Tool
from tools.tool_status import status_in_words, written_before

pytestmark = pytest.mark.django_db
ENDED_ON = date(2026, 6, 18)
BADGE = "No longer maintained"


@pytest.fixture
def pair() -> tuple[Tool, Tool]:
    """Two tools that ship; the second is no longer maintained."""
    agents = make.category(slug="agents", name="Agents")
    ended = {"status": "discontinued", "status_on": ENDED_ON, "status_note": "Its last release."}
    ended["status_source"] = "https://github.com/beta/beta/blob/v2/README.md"
    alpha = make.tool(slug="alpha", name="Alpha", in_category=agents, status="active")
    beta = make.tool(slug="beta", name="Beta", in_category=agents, **ended)
    for name in ("Builder", "Skeptic"):
        by = make.reviewer(slug=name.lower(), name=name)
        make.take(on=alpha, by=by, score=80, published_at=datetime(2026, 6, 1, tzinfo=UTC))
        make.take(on=beta, by=by, score=90, published_at=datetime(2026, 6, 1, tzinfo=UTC))
    return alpha, beta


@pytest.mark.parametrize(
    ("status", "day", "words"),
    [
        ("active", None, "Active"),
        ("active", date(2026, 11, 3), "Active, as of 3 November 2026"),
        ("maintenance", date(2026, 4, 6), "Maintenance only since 6 April 2026"),
        ("discontinued", None, BADGE),
        ("discontinued", ENDED_ON, f"{BADGE} since 18 June 2026"),
        ("unknown", ENDED_ON, ""),
    ],
)
def test_a_status_in_words(status, day, words):
    assert status_in_words(status, day) == words


@pytest.mark.parametrize(
    ("status", "day", "written", "remark"),
    [
        ("discontinued", ENDED_ON, 17, "Written before its maintenance ended on 18 June 2026."),
        ("maintenance", ENDED_ON, 17, "Written before it went into maintenance on 18 June 2026."),
        ("discontinued", ENDED_ON, 18, ""),
        ("discontinued", None, 17, ""),
        ("active", ENDED_ON, 17, ""),
        ("unknown", ENDED_ON, 17, ""),
    ],
)
def test_a_take_written_before_the_status_changed_says_so(status, day, written, remark):
    assert written_before(status, day, datetime(2026, 6, written, tzinfo=UTC)) == remark


def test_it_stands_wherever_the_name_stands_with_a_verdict_and_takes_say_that_they_are_older(
    client, pair
):
    with_takes = ("/compare/alpha-vs-beta/", "/tools/beta/", "/reviewers/builder/")
    lists = ("/tools/", "/categories/agents/", "/", "/search/?q=beta")
    for path in with_takes + lists:
        page = read(client.get(path))
        assert BADGE in [badge.text for badge in page.of_class("status")], path
        if path in with_takes:
            remark = "Written before its maintenance ended on 18 June 2026."
            assert remark in page.text, path
    (answer,) = read(client.get("/tools/alpha/")).of_class("answer")
    assert BADGE not in answer.text


def test_the_answer_never_tells_to_ship_it(client, pair):
    page = read(client.get("/compare/alpha-vs-beta/"))
    assert page.of_class("answer")[0].text == (
        "Ship Alpha. Beta is no longer maintained since 18 June 2026."
    )
    assert not page.of_class("answer__firmness")


def test_the_table_and_the_tool_s_page_say_since_when_with_source_and_note(client, pair):
    for path in ("/compare/alpha-vs-beta/", "/tools/beta/"):
        page = read(client.get(path))
        (row,) = [e for e in page.all("tr") if e.text.startswith("Status")]
        assert f"{BADGE} since 18 June 2026" in row.text
        assert "Its last release." in row.text
        assert "https://github.com/beta/beta/blob/v2/README.md" in page.links


def test_lists_can_be_filtered_by_it(client, pair):
    page = read(client.get("/tools/?status=active"))
    assert [e.text for e in page.of_class("tool-row__name")] == ["Alpha"]
    page = read(client.get("/categories/agents/?status=maintenance&status=discontinued"))
    assert [e.text for e in page.of_class("tool-row__name")] == ["Beta"]


@pytest.mark.both_databases
def test_the_database_knows_four(pair):
    with pytest.raises(IntegrityError), transaction.atomic():
        Tool.objects.update(status="dead")


def test_a_take_begins_with_its_because(client, pair):
    take = pair[0].takes.first()
    take.because, take.body = "Every edit is a commit.", "It works. And it says why."
    take.save()
    for path in ("/compare/alpha-vs-beta/", "/tools/alpha/", f"/reviewers/{take.reviewer.slug}/"):
        page = read(client.get(path))
        (summary,) = [e for e in page.all("summary") if "Every edit is a commit." in e.text]
        assert "It works." not in summary.text
        assert "It works. And it says why." in page.text
