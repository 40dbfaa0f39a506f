"""Takes without score or verdict in catalogue documents and CSV files: drafts alone may be so."""

import json

import pytest
from django.utils import timezone

from reviews.models import Take
from tests import factories as make
from tests.catalogue.csv_rows import HEADER, alpha_take, dumped, faults, row
from tests.catalogue.csv_rows import load as load_csv
from tests.catalogue.documents import as_file, document, faults_of, load, tool
from tests.catalogue.documents import dumped as document_dumped
from tools.models import Tool

pytestmark = pytest.mark.django_db

MISSING = "only a draft that was never public can be without it"


def with_take(**keys) -> dict:
    """A document with a tool that has this take."""
    return document(tools=[*document()["tools"], tool(takes=[{"reviewer": "builder"} | keys])])


def test_a_draft_keeps_what_it_lacks_through_a_load_and_a_dump():
    load(as_file(with_take(body="Half a thought")))
    take = Take.objects.get(body="Half a thought")
    assert (take.score, take.verdict, take.published_at) == (None, "", None)
    text = document_dumped()
    dumped_take = json.loads(text)["tools"][2]["takes"][0]
    assert (dumped_take["score"], dumped_take["verdict"]) == (None, None)
    assert not load(as_file(text)).changed_anything
    load(as_file(with_take(score=70)))
    load(as_file(with_take(verdict="ship")))
    take.refresh_from_db()
    assert (take.score, take.verdict) == (70, "ship")
    load(as_file(with_take(score=None)))
    take.refresh_from_db()
    assert (take.score, take.verdict) == (None, "ship")


def test_a_take_that_was_deleted_while_public_does_not_come_back_without_a_score():
    load(as_file(with_take(score=70, verdict="ship", published="2026-05-01T09:00:00Z")))
    Tool.objects.update(published_at=timezone.now())
    Take.objects.get(score=70).remove(timezone.now())
    assert len(faults_of(with_take(body="New"))) == 2


@pytest.mark.usefixtures("csv_tools")
def test_a_csv_file_keeps_empty_cells_of_drafts_and_refuses_them_elsewhere():
    make.take(on=Tool.objects.get(slug="beta"), score=None, verdict="", published_at=None)
    text = dumped()
    assert ",,," in text
    assert not load_csv(as_file(text)).changed_anything
    alpha_take()
    (fault,) = faults(HEADER + row(score="", published="", reason="Why"))
    assert fault == f"line 2, score: is missing or empty; give it, as {MISSING}"
