"""Synonyms in the catalogue document."""

import json
from io import BytesIO

import pytest

from shipskip.catalogue.dumping import dump
from shipskip.catalogue.faults import InvalidFileError
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


@pytest.mark.parametrize(
    ("synonyms", "fault"),
    [
        ([{"word": "!", "means": "a"}], 'synonyms[0].word: "!" has no letter or digit'),
        ([{"word": "a b", "means": "A-B"}], "synonyms[0].means: is the same as the word"),
        (
            [{"word": "a", "means": "b"}, {"word": "A", "means": "c"}],
            "synonyms[1].word: has the word of synonyms[0]",
        ),
    ],
)
def test_a_synonym_that_says_nothing_is_refused_by_its_place(synonyms, fault):
    with pytest.raises(InvalidFileError) as refused:
        loaded(*synonyms)
    assert any(str(each).startswith(fault) for each in refused.value.faults)
