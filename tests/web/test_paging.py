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


def test_a_page_holds_its_rows_and_knows_its_neighbours(five, django_assert_num_queries):
    none = Category.objects.none()
    for rows, number, size, found, previous, following in (
        (five, 1, 2, ["c0", "c1"], None, 2),
        (five, 2, 2, ["c2", "c3"], 1, 3),
        (five, 3, 2, ["c4"], 2, None),
        (five, 4, 2, [], 3, None),
        (five, 1, 4, ["c0", "c1", "c2", "c3"], None, 2),
        (five, 1, 5, ["c0", "c1", "c2", "c3", "c4"], None, None),
        (none, 1, 2, [], None, None),
    ):
        with django_assert_num_queries(0 if rows is none else 1):
            page = page_of(rows, number, size=size)
        case = (number, size)
        assert slugs(page) == found, case
        assert page.number == number, case
        assert (page.previous_number, page.next_number) == (previous, following), case


def test_a_page_number_beyond_the_end_shows_the_first_page_and_a_notice(five):
    chosen: dict[str, int] = {"page": 7}
    notices: list[str] = []
    page = page_or_first(five, chosen, notices)
    assert slugs(page) == ["c0", "c1", "c2", "c3", "c4"]
    assert chosen == {"page": 1}
    assert notices == ["There is no page 7; this is the first."]
    Category.objects.all().delete()
    notices.clear()
    assert not page_or_first(five.all(), {"page": 1}, notices).rows
    assert notices == []
