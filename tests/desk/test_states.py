"""The states of rows in words."""

import pytest

from shipskip.editing.states import state_in_words, with_verb
from tests import factories as make


@pytest.mark.django_db
def test_a_name_with_and_in_it_is_one_name():
    take = make.take(on=make.tool(name="Search and Rescue", published_at=None))
    assert state_in_words(take) == "Hidden: Search and Rescue is not public"


def test_two_names_are_plural():
    assert with_verb(["A", "B and C"]) == "A and B and C are"
