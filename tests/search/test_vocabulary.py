"""The words of the index in memory: loaded before the first reader comes, and renewed later."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from shipskip.operations.observability import health
from shipskip.page_cache.content_version import current_version
from shipskip.search.indexing import index_all
from shipskip.search.models import SearchWord
from shipskip.search.searching import AtOnce
from shipskip.search.vocabulary import Vocabulary, vocabulary
from tests import factories as make
from tests.waiting import wait_until


@pytest.mark.both_databases
@pytest.mark.usefixtures("page_cache")
def test_a_server_is_ready_once_it_has_the_words_and_a_search_reads_none(database, client):
    make.tool(name="Blender")
    index_all()
    AtOnce.enabled = False
    current_version.in_background = True
    try:
        wait_until(lambda: client.get("/readyz").status_code == 200)
        assert "blender" in vocabulary
        with CaptureQueriesContext(connection) as queries:
            assert b"Blender" in client.get("/search/?q=blendr").content
        assert not [row for row in queries if "search_word" in row["sql"]]
    finally:
        current_version.stop()
        current_version.in_background = False
        AtOnce.enabled = True
        health._migrated = False


def test_words_are_renewed_by_the_new_ones_and_reloaded_after_a_loss(db):
    known = Vocabulary()
    for word in ("alpha", "beta"):
        last = SearchWord.objects.create(word=word).pk
    known.renew()
    SearchWord.objects.create(word="gammas")
    with CaptureQueriesContext(connection) as queries:
        known.renew()
        known.renew()
    _, added, _ = queries
    assert f"> {last}" in added["sql"]
    assert "gamma" in known
    assert known.begins_any("gam")
    SearchWord.objects.filter(word__in=["alpha", "gammas"]).delete()
    known.renew()
    assert "beta" in known
    assert "alpha" not in known
    assert "gamma" not in known
    SearchWord.objects.all().delete()
    known.renew()
    assert not known.begins_any("b")
    assert known.is_loaded
