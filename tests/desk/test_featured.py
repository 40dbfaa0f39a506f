"""The order of the featured comparisons: their places in the list of comparisons."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from comparisons.models import ON_HOME_PAGE, Comparison
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import messages_of
from tests.markup import read

pytestmark = pytest.mark.django_db
LIST = "/admin/comparisons/comparison/"


def pair(name, *, position=None, **fields):
    """A featured comparison of the tools `<name>` and `<name>-2`."""
    tools = [make.tool(slug=name, name=name.title()), make.tool(slug=f"{name}-2")]
    row = make.comparison(tools=tools, **{"featured": True} | fields)
    Comparison.objects.filter(pk=row.pk).update(position=position)
    row.refresh_from_db()
    return row


@pytest.fixture
def three(db):
    """Three featured comparisons in the order a, b, c."""
    return [pair(name, position=place) for place, name in enumerate("abc", 1)]


def save(client, rows, *places):
    """Submit a place for each row."""
    data = {"form-TOTAL_FORMS": len(rows), "form-INITIAL_FORMS": len(rows), "_save": "Save"}
    for at, (row, place) in enumerate(zip(rows, places, strict=True)):
        data |= {f"form-{at}-id": row.pk, f"form-{at}-position": place}
    return client.post(LIST, data)


def order(client):
    """The first tools of the featured comparisons as the home page shows them."""
    page = read(client.get("/"))
    section = page.one("section", aria_labelledby="featured-title")
    links = [a for a in page.all("a", class_="pair__names") if section in a.inside]
    return "".join(link.text[0].lower() for link in links)


def places(response):
    """The first tools of the rows with a place, and the places, in the order of the list."""
    inputs = [e.attributes for e in read(response).all("input")]
    return [
        (each["aria-label"].split()[2].lower(), each.get("value", ""))
        for each in inputs
        if each.get("name", "").endswith("-position")
    ]


def test_places_set_the_order_and_are_counted_from_one(publisher, client, three):
    pair("other", featured=False)
    Comparison.objects.filter(pk=three[2].pk).update(position=0)
    assert places(publisher.get(LIST)) == [("c", "0"), ("a", "1"), ("b", "2")]
    assert order(client) == "cab"
    versions = Comparison.history.count()
    cases = {(3, 1, 2): "bca", (2, 2, 1): "cab", (1, 2, 0): "cab", ("", 2, 3): "bca"}
    for typed, expected in cases.items():
        for position, row in enumerate(three, 1):
            Comparison.objects.filter(pk=row.pk).update(position=position)
        response = save(publisher, three, *typed)
        assert (response.status_code, response["Location"]) == (302, LIST)
        response = publisher.get(LIST)
        assert "changed successfully" in messages_of(response)[0]
        assert places(response) == [(name, str(place)) for place, name in enumerate(expected, 1)]
        assert order(client) == expected, typed
    assert Comparison.history.count() == versions, "an order is not in the history"


def test_an_invalid_place_or_one_of_a_writer_or_visitor_changes_nothing(
    publisher, writer, client, three
):
    for junk in ("x", "-1", "9" * 400, "\x00"):
        response = save(publisher, three, 3, junk, 1)
        assert response.status_code == 200, junk
        assert read(response).of_class("errorlist"), junk
        assert [place for _, place in places(response)][::2] == ["3", "1"], junk
    for browser in (writer, desk_of(), client):
        save(browser, three, 3, 2, 1)
    page = writer.get(LIST)
    assert places(page) == []
    assert [e.text for e in read(page).of_class("field-position")] == ["1", "2", "3"]
    assert order(client) == "abc"


def test_what_a_colleague_featured_deleted_or_unfeatured_meanwhile(publisher, client, three):
    a, b, _ = three
    pair("new")
    Comparison.objects.filter(pk=b.pk).update(featured=False, position=None)
    save(publisher, three, 3, 2, 1)
    assert order(client) == "can"
    b.refresh_from_db()
    assert b.position is None, "without the tick it has no place"
    Comparison.objects.filter(pk=b.pk).delete()
    save(publisher, three, 1, 2, 3)
    assert order(client) == "acn"
    a.tools[0].remove(make.PUBLISHED)
    assert order(client) == "cn"


def test_the_list_says_where_readers_see_a_featured_one(publisher, client):
    for place in range(ON_HOME_PAGE + 2):
        pair(f"p{place}", position=place, published_at=None if place == 0 else make.PUBLISHED)
    page = read(publisher.get(LIST))
    cells = [e.text for e in page.of_class("field-shown_on")]
    assert cells == ["Not public", *["Home page"] * ON_HOME_PAGE, "List of comparisons"]
    assert len(order(client)) == ON_HOME_PAGE
    form = page.by_id("changelist-form")
    buttons = [e for e in page.all("input", type="submit") + page.all("button") if form in e.inside]
    assert buttons[0].attributes["name"] == "_save", "the Enter key presses the first button"


def test_a_new_order_runs_as_many_queries_for_many_as_for_few(
    publisher, three, django_assert_num_queries
):
    """One statement for each place that an editor changed."""
    save(publisher, three, 1, 2, 4)  # loads what is loaded once
    with CaptureQueriesContext(connection) as queries:
        save(publisher, three, 2, 1, 3)
    rows = three[1::-1] + three[2:] + [pair(f"r{at}", position=at) for at in range(4, 13)]
    with django_assert_num_queries(len(queries)):
        save(publisher, rows, 2, 1, *range(3, 13))
