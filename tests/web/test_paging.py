"""Pages by limit + 1: one query, no count."""

import pytest

from shipskip.web.paging import Page, page_of, page_or_first
from tests import factories as make
from tools.models import Category

pytestmark = pytest.mark.django_db


@pytest.fixture
def five():
    """Five rows in order."""
    for number in range(5):
        make.category(slug=f"c{number}", name=f"C{number}")
    return Category.objects.order_by("slug")


def slugs(page: Page[Category]) -> list[str]:
    return [row.slug for row in page.rows]


@pytest.mark.parametrize(
    ("number", "rows", "previous", "following"),
    [
        (1, ["c0", "c1"], None, 2),
        (2, ["c2", "c3"], 1, 3),
        (3, ["c4"], 2, None),
        (4, [], 3, None),
    ],
)
def test_a_page_holds_its_rows_and_knows_its_neighbours(
    five, number, rows, previous, following, django_assert_num_queries
):
    with django_assert_num_queries(1):
        page = page_of(five, number, size=2)
    assert slugs(page) == rows
    assert (page.number, page.previous_number, page.next_number) == (number, previous, following)


def test_a_full_last_page_has_none_after_it(five):
    assert page_of(five, 1, size=5).has_next is False
    assert page_of(five, 1, size=4).has_next is True


def test_no_rows_at_all_are_one_empty_page():
    page = page_of(Category.objects.order_by("slug"), 1)
    assert (slugs(page), page.previous_number, page.next_number) == ([], None, None)


def test_a_page_number_beyond_the_end_shows_the_first_page_and_a_notice(five):
    chosen: dict[str, int] = {"page": 7}
    notices: list[str] = []
    page = page_or_first(five, chosen, notices)
    assert slugs(page) == ["c0", "c1", "c2", "c3", "c4"]
    assert chosen == {"page": 1}
    assert notices == ["There is no page 7; this is the first."]


def test_an_empty_first_page_is_no_error():
    notices: list[str] = []
    assert not page_or_first(Category.objects.all(), {"page": 1}, notices).rows
    assert notices == []
