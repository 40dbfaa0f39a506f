"""What a save at the desk writes: one version for one change, and nothing for no change."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reviews.models import Take
from tests import factories as make
from tests.desk.forms import on_the_page, page_of, post, take_name
from tools.models import FormerSlug, Tool

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("repeated_queries"),
    pytest.mark.both_databases,
]

TEXT = "First line.\n\nSecond line."
"""A text whose line endings browsers change."""


def written_tool():
    """A public tool with two takes, facts and a plan, with texts in every text field."""
    tool = make.tool(tagline="One line", description=TEXT, pricing="Free", maker="Maker")
    make.take(on=tool, body=TEXT)
    make.take(on=tool, published_at=None)
    make.fact(["A"], on=tool, to=make.attribute(kind="choices", choices=["A", "B"]))
    make.fact(False, on=tool, to=make.attribute(kind="yes-no"))
    make.plan(on=tool)
    Tool.objects.update(entry="paid")
    return tool


ROWS = {
    "tool": written_tool,
    "take": lambda: make.take(body=TEXT),
    "take that a browser wrote": lambda: make.take(body=TEXT.replace("\n", "\r\n")),
    "category": make.category,
    "reviewer": lambda: make.reviewer(bio=TEXT, likes=["Speed", "Docs"]),
    "comparison": lambda: make.comparison(summary=TEXT, featured=True),
    "issue": lambda: make.issue(introduction=TEXT),
}


def sent_by_a_browser(response):
    """Every field of a page unchanged, its line ends as browsers send them."""
    return {name: re.sub("\r?\n", "\r\n", text) for name, text in on_the_page(response).items()}


def writes_of(client, url, sent):
    """The SQL statements of a save that write content or its log."""
    with CaptureQueriesContext(connection) as queries:
        response = client.post(url, sent)
    assert response.status_code == 302, response.context["faults"]
    texts = [query["sql"].replace('"', "") for query in queries]
    written = [text for text in texts if text.startswith(("UPDATE", "INSERT", "DELETE"))]
    return [text[:80] for text in written if "session" not in text]


@pytest.mark.parametrize("make_row", ROWS.values(), ids=ROWS)
def test_a_save_that_changes_nothing_writes_nothing(publisher, make_row):
    row = make_row()
    page = publisher.get(page_of(row))
    sent = sent_by_a_browser(page)
    has_text = any("\r\n" in text for text in sent.values())
    assert has_text or row._meta.model_name == "category"
    for part in ("text", "preview"):
        shown = f'class="markdown-field__{part}"' in page.content.decode()
        assert shown or row._meta.model_name == "category"
    assert writes_of(publisher, page_of(row), sent) == []
    if isinstance(row, Take):
        assert writes_of(publisher, page_of(row), sent | {"reason": "For nothing"}) == []


def test_a_save_that_changes_one_field_writes_one_version(publisher):
    tool = written_tool()
    sent = sent_by_a_browser(publisher.get(page_of(tool))) | {"maker": "Another"}
    sent |= {f"{take_name(Take.objects.earliest('pk').reviewer_id)}-reason": "For nothing"}
    assert publisher.post(page_of(tool), sent).status_code == 302
    assert tool.history.count() == 2
    assert Take.history.filter(tool=tool).count() == 2
    tool.refresh_from_db()
    assert (tool.maker, tool.description) == ("Another", TEXT)


def test_a_renaming_writes_one_version_and_an_ended_redirect_none(publisher):
    tool = make.take(on=make.tool(slug="old", tagline="One line")).tool
    for versions, typed in enumerate(({"slug": "new"}, {"slug": "newer", "tagline": "Two"}), 2):
        before = {"slug": tool.slug, "tagline": tool.tagline}
        assert post(publisher, tool, **typed).status_code == 302
        tool.refresh_from_db()
        newest, last = tool.history.all()[:2]
        assert tool.history.count() == versions
        assert newest.history_user.username == "paula"
        for version, values in ((newest, before | typed), (tool, before | typed), (last, before)):
            assert {"slug": version.slug, "tagline": version.tagline} == values
        assert FormerSlug.objects.filter(slug=before["slug"]).exists()
    assert post(publisher, tool, ended=["old"]).status_code == 302
    assert [former.slug for former in FormerSlug.objects.all()] == ["new"]
    assert tool.history.count() == versions
