"""Whether a tool is maintained, and whether its maker pays: in words, on pages and in filters."""

from datetime import UTC, date, datetime

import pytest

from tests import factories as make
from tests.markup import read
from tools.relations import relations_in_words
from tools.tool_status import status_in_words, written_before

ENDED_ON = date(2026, 6, 18)
BADGE = "No longer maintained"
SOURCE = "https://github.com/beta/beta/blob/v2/README.md"
REMARK = "Written before its maintenance ended on 18 June 2026."


@pytest.mark.parametrize(
    ("status", "day", "words"),
    [
        ("active", ENDED_ON, "Active, as of 18 June 2026"),
        ("maintenance", ENDED_ON, "Maintenance only since 18 June 2026"),
        ("discontinued", None, BADGE),
        ("unknown", ENDED_ON, ""),
    ],
)
def test_a_status_in_words(status, day, words):
    assert status_in_words(status, day) == words


@pytest.mark.parametrize(
    ("status", "day", "written", "remark"),
    [
        ("discontinued", ENDED_ON, 17, REMARK),
        ("maintenance", ENDED_ON, 17, "Written before it went into maintenance on 18 June 2026."),
        ("discontinued", ENDED_ON, 18, ""),
        ("discontinued", None, 17, ""),
        ("active", ENDED_ON, 17, ""),
    ],
)
def test_a_take_written_before_the_status_changed_says_so(status, day, written, remark):
    assert written_before(status, day, datetime(2026, 6, written, tzinfo=UTC)) == remark


def test_it_stands_wherever_the_name_stands_with_a_verdict(client, db):
    """The answer never tells to ship it, and takes say that they are older."""
    agents, moment = make.category(slug="agents", name="Agents"), datetime(2026, 6, 1, tzinfo=UTC)
    ended = {"status": "discontinued", "status_on": ENDED_ON, "status_note": "Its last release."}
    alpha = make.tool(slug="alpha", name="Alpha", in_category=agents, status="active")
    beta = make.tool(slug="beta", name="Beta", in_category=agents, status_source=SOURCE, **ended)
    for slug in ("builder", "skeptic"):
        by = make.reviewer(slug=slug)
        for row, score in ((alpha, 80), (beta, 90)):
            make.take(on=row, by=by, score=score, published_at=moment)
    compared, tool = "/compare/alpha-vs-beta/", "/tools/beta/"
    with_takes = (compared, tool, "/reviewers/builder/")
    for path in (*with_takes, "/tools/", "/", "/search/?q=beta"):
        page = read(client.get(path))
        assert BADGE in [badge.text for badge in page.of_class("status")], path
        assert (REMARK in page.text) is (path in with_takes), path
        if path in (compared, tool):
            [cells] = [e.text for e in page.all("tr") if e.text.startswith("Status")]
            assert f"{BADGE} since 18 June 2026" in cells
            assert "Its last release." in cells
            assert SOURCE in page.links
    page = read(client.get(compared))
    sentence = "Ship Alpha. Beta has not been maintained since 18 June 2026."
    assert page.of_class("answer")[0].text == sentence
    assert "is left out" not in page.text
    for query, names in (("active", ["Alpha"]), ("maintenance&status=discontinued", ["Beta"])):
        page = read(client.get(f"/tools/?status={query}"))
        assert [e.text for e in page.of_class("tool-row__name")] == names


SEVERAL = (
    "The maker of A and this site have an owner in common. Links to C earn this site money."
    " No commercial relation with other makers."
)


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ([("A", "none")], "No commercial relation with its maker."),
        ([("A", "none"), ("B", "none")], "No commercial relation with these makers."),
        ([("A", "sponsor")], "The maker of A pays this site."),
        ([("A", "owner"), ("B", "none"), ("C", "affiliate")], SEVERAL),
    ],
)
def test_every_commercial_relation_is_said_and_none_too(tools, words):
    assert relations_in_words(tools) == words
