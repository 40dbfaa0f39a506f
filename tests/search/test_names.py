"""A name is found by its own text, whatever characters it has."""

import pytest
from django.utils import timezone

from shipskip.search.models import SearchKind
from shipskip.search.searching import Scope, search
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
NAMES = [
    *("a & b", "A", "x", "7", "C", "C++", "C#", "F#", ".NET", "R", "%", "Ω", "五", "百度", "&&"),
    *("🚀", "👩‍💻", "The Best Tool", "How to Vote", "To", "Что это", "naïve café", "1.0", "∀", "ჯ"),
    "one two three four five six seven eight nine ten eleven",
    "the whole of all that one has to say of it in a long and winding name",
    "x" * 100,
    "🤖" * 100,
]


def test_an_exact_name_is_the_first_result():
    """Among others that begin like it and have more words."""
    for name in NAMES:
        make.tool(name=f"{name[:80]} plus")
        make.tool(name=f"About {name[:80]}")
    keys = {name: make.tool(name=name).pk for name in NAMES}
    for name, key in keys.items():
        found = search(name, Scope(timezone.now()))
        assert found.keys(SearchKind.TOOL)[:1] == [key], name
        assert not found.corrected, name


def test_nothing_typed_finds_nothing():
    make.tool(name="%")
    for text in ("", " ", "\t\n", "\u200b"):
        assert not search(text, Scope(timezone.now())).ranks, repr(text)
