"""Synonyms in the catalogue document."""

import json
from io import BytesIO

import pytest

from shipskip.catalogue.dumping import dump
from shipskip.search.models import Synonym
from tests.catalogue.documents import load

pytestmark = pytest.mark.django_db


def loaded(*synonyms: dict[str, str]):
    """The report of loading these."""
    document = {"format": "shipskip-catalogue/3", "synonyms": list(synonyms)}
    return load(BytesIO(json.dumps(document).encode()))


def test_synonyms_are_loaded_changed_and_dumped():
    assert loaded({"word": "LLM", "means": "language model"}).counts["synonyms"].created == 1
    assert loaded({"word": "LLM", "means": "language model"}).counts["synonyms"].left_alone == 1
    assert loaded({"word": "llm", "means": "large language model"}).counts["synonyms"].changed == 1
    row = Synonym.objects.get()
    assert (row.word_key, row.means_key) == ("llm", "large language model")
    assert row.history.count() == 2
    assert json.loads("".join(dump()))["synonyms"] == [
        {"word": "llm", "means": "large language model"}
    ]
