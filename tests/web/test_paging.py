"""Pages by limit + 1: one query, no count."""

import pytest

from shipskip.web.paging import page_of, page_or_first
from tests import factories as make
from tools.models import Category

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("rows", "number", "size", "shown", "previous", "following"),
    [
        (5, 1, 2, "c0 c1", None, 2),
        (5, 2, 2, "c2 c3", 1, 3),
        (5, 3, 2, "c4", 2, None),
        (5, 4, 2, "", 3, None),
        (5, 1, 4, "c0 c1 c2 c3", None, 2),
        (5, 1, 5, "c0 c1 c2 c3 c4", None, None),
        (0, 1, 2, "", None, None),
    ],
)
def test_a_page_holds_its_rows_and_knows_its_neighbours_by_one_query(
    django_assert_num_queries, rows, number, size, shown, previous, following
):
    for place in range(rows):
        make.category(slug=f"c{place}")
    with django_assert_num_queries(1):
        page = page_of(Category.objects.order_by("slug"), number, size=size)
    assert [row.slug for row in page.rows] == shown.split()
    assert page.number == number
    assert (page.previous_number, page.next_number) == (previous, following)


def test_a_page_number_beyond_the_end_shows_the_first_page_and_a_notice():
    notices: list[str] = []
    assert not page_or_first(Category.objects.all(), {"page": 1}, notices).rows
    assert notices == []
    make.category(slug="only")
    chosen: dict[str, int] = {"page": 7}
    page = page_or_first(Category.objects.all(), chosen, notices)
    assert [row.slug for row in page.rows] == ["only"]
    assert chosen == {"page": 1}
    assert notices == ["There is no page 7; this is the first."]
