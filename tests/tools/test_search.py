"""The words of a query, and the slugs most similar to a mistyped one."""

import pytest

from tests import factories as make
from tools import search
from tools.models import Tool


def test_words_are_split_at_white_space_without_doubles():
    assert search.words("  fast \t local\nfast ") == ["fast", "local"]


def test_at_most_eight_words_are_searched():
    assert search.words("a b c d e f g h i j") == list("abcdefgh")


def test_stems_are_the_beginnings_of_words():
    assert search.stems("Cursor-Background-agent") == ["curs", "back", "agen"]


def test_stems_leave_out_single_characters_doubles_and_vs():
    assert search.stems("a cursor-vs-cursors-3 B") == ["curs"]


@pytest.mark.parametrize("text", ["", "é ü", "🚀", "\x00", "%_'", "مقارنة", "-"])
def test_where_nothing_can_be_guessed_there_are_no_stems(text: str):
    assert search.stems(text) == []


def test_stems_of_a_long_text_are_few_and_short():
    stems = search.stems(" ".join(f"word{n} x{n}" for n in range(5000)))
    assert len(stems) == search.MAX_WORDS
    assert all(len(stem) <= search.STEM for stem in stems)


def test_the_nearest_slug_comes_first():
    rows = [(slug, slug) for slug in ("zed", "smollm2", "smollm3", "cursor")]
    assert search.nearest("smolm3", rows, limit=2) == ["smollm3", "smollm2"]


def test_equally_near_slugs_come_in_alphabetical_order():
    rows = [(slug, slug) for slug in ("abd", "abc")]
    assert search.nearest("ab", rows) == ["abc", "abd"]


def test_case_does_not_matter_to_nearness():
    assert search.nearest("CURSOR", [("zed", 1), ("cursor", 2)], limit=1) == [2]


def test_at_most_five_are_near():
    assert len(search.nearest("a", [(f"a{n}", n) for n in range(9)])) == 5
    assert search.nearest("a", []) == []


@pytest.mark.django_db
def test_resembling_finds_the_meant_tool_in_one_query(django_assert_num_queries):
    for slug in ("smollm3", "smollm2", "cursor", "zed"):
        make.tool(slug=slug)
    with django_assert_num_queries(1):
        found = Tool.objects.all().resembling("smolm3")
    assert [tool.slug for tool in found] == ["smollm3", "smollm2"]


@pytest.mark.django_db
def test_resembling_runs_no_query_where_nothing_can_be_guessed(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert Tool.objects.all().resembling("🚀") == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text", ["alp", "ALPHA", "Quick", "acme", "acme alpha quick", "alpha alpha"]
)
def test_a_search_covers_name_tagline_and_maker(text: str):
    make.tool(name="Alpha", tagline="Quick as light", maker="Acme")
    make.tool(name="Other")
    assert [tool.name for tool in Tool.objects.all().matching(text)] == ["Alpha"]


@pytest.mark.django_db
def test_every_word_of_a_search_must_be_found():
    make.tool(name="Alpha", tagline="Quick as light")
    assert not Tool.objects.all().matching("alpha slow")


@pytest.mark.django_db
@pytest.mark.parametrize("sign", ["%", "_", "\\", "'", '"', "🚀", "–", "&", "(12B)", "שלום"])
def test_special_characters_are_searched_as_written(sign: str):
    make.tool(name=f"A {sign} tool")
    make.tool(name="Plain")
    assert [tool.name for tool in Tool.objects.all().matching(sign)] == [f"A {sign} tool"]
