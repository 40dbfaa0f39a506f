"""Who the reviewers are and what their takes rest on, in one sentence."""

import pytest
from django.test import Client

from shipskip.content.personas import persona_line, takes_tried
from tests import factories as make
from tests.markup import read


def test_takes_that_rest_on_use_and_personas_are_counted(snapshot):
    bases: list[dict[str, int]] = [
        {},
        {"tried": 0},
        {"documentation": 110, "read-about": 6},
        {"tried": 1, "read-about": 3},
        {"tried": 2, "documentation": 1},
        {"tried": 12_000, "read-about": 1},
        {"tried": 4},
        {"tried": 1},
        {"documentation": 1},
        {"": 1},
        {"": 7},
        {"": 1, "read-about": 3},
        {"": 2, "tried": 1, "read-about": 1},
    ]
    assert [takes_tried(each) for each in bases] == snapshot(name="takes")
    counts: list[tuple[int, dict[str, int]]]
    counts = [(0, {}), (1, {}), (1, {"tried": 2}), (5, {"documentation": 116}), (10, {}), (11, {})]
    assert [persona_line(*each) for each in counts] == snapshot(name="personas")


PAGES = """
/ /reviewers/ /reviewers/builder/ /reviewers/builder/?category=agents
/tools/alpha/ /compare/alpha-vs-beta/ /compare/beta-vs-gamma/
""".split()


@pytest.mark.django_db
def test_every_page_that_introduces_the_panel_counts_the_takes_in_view(client: Client, snapshot):
    builder, skeptic = make.reviewer(slug="builder"), make.reviewer()
    alpha = make.tool(slug="alpha")
    beta = make.tool(slug="beta", in_category=make.category(slug="agents"))
    make.tool(slug="gamma")
    make.take(on=alpha, by=builder, basis="tried")
    make.take(on=beta, by=builder, basis="documentation")
    make.take(on=beta, by=skeptic, basis="read-about")
    make.take(on=alpha, by=skeptic, basis="tried", published_at=None)
    make.take(on=make.tool(published_at=None), by=builder, basis="tried")
    assert snapshot == {path: read(client.get(path)).of_class("personas")[0].text for path in PAGES}
