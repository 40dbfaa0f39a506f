"""The order of the featured comparisons: their places in the list of comparisons."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from comparisons.models import ON_HOME_PAGE, Comparison
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.histories import messages_of
from tests.markup import read

pytestmark = pytest.mark.django_db
LIST = "/admin/comparisons/comparison/"


def pair(name, *, featured=True, position=None, **fields):
    """A comparison of the tools `<name>` and `<name>-2`."""
    tools = [make.tool(slug=name, name=name.title()), make.tool(slug=f"{name}-2")]
    row = make.comparison(tools=tools, featured=featured, **fields)
    Comparison.objects.filter(pk=row.pk).update(position=position)
    row.refresh_from_db()
    return row


def three():
    """Three featured comparisons in the order a, b, c."""
    return [pair(name, position=place) for place, name in enumerate("abc", 1)]


def sent(rows, *places):
    """The form data of the list: the place of each row, in the order of the rows."""
    data = {"action": "", "form-TOTAL_FORMS": len(rows), "form-INITIAL_FORMS": len(rows)}
    for at, (row, place) in enumerate(zip(rows, places, strict=True)):
        data |= {f"form-{at}-id": row.pk, f"form-{at}-position": place}
    return data


def order(client):
    """The first tools of the featured comparisons as the home page shows them."""
    page = read(client.get("/"))
    section = next(e for e in page.all("section", aria_labelledby="featured-title"))
    links = [a for a in page.all("a", class_="pair__names") if section in a.inside]
    return [link.text.split(" No verdict")[0].lower() for link in links]


def places(response):
    """The first tools of the rows with a place, and the places, in the order of the list."""
    page = read(response)
    fields = [e for e in page.all("input") if e.attributes.get("name", "").endswith("-position")]
    return [
        (field.attributes["aria-label"].split()[2].lower(), field.attributes.get("value", ""))
        for field in fields
    ]


def save(client, rows, *places):
    """Submit a place for each row."""
    return client.post(LIST, sent(rows, *places) | {"_save": "Save"})


def test_places_set_the_order_and_are_counted_from_one(publisher, client):
    rows = three()
    pair("other", featured=False)
    Comparison.objects.filter(pk=rows[2].pk).update(position=0)
    assert places(publisher.get(LIST)) == [("c", "0"), ("a", "1"), ("b", "2")]
    assert order(client) == ["c", "a", "b"]
    versions = Comparison.history.count()
    cases = {(3, 1, 2): "bca", (2, 2, 1): "cab", (1, 2, 0): "cab", ("", 2, 3): "bca"}
    for typed, expected in cases.items():
        for position, row in enumerate(rows, 1):
            Comparison.objects.filter(pk=row.pk).update(position=position)
        response = save(publisher, rows, *typed)
        assert (response.status_code, response["Location"]) == (302, LIST)
        response = publisher.get(LIST)
        assert "changed successfully" in messages_of(response)[0]
        assert places(response) == [(name, str(place)) for place, name in enumerate(expected, 1)]
        assert order(client) == list(expected), typed
    assert Comparison.history.count() == versions, "an order is not in the history"


def test_an_invalid_place_is_marked_and_nothing_is_lost(publisher, client):
    rows = three()
    for junk in ("x", "-1", "1.5", "9" * 400, "\x00", "1 2"):
        response = save(publisher, rows, 3, junk, 1)
        assert response.status_code == 200, junk
        assert read(response).of_class("errorlist"), junk
        assert [place for _, place in places(response)][::2] == ["3", "1"], junk
    assert order(client) == ["a", "b", "c"]


def test_what_a_colleague_featured_deleted_or_unfeatured_meanwhile(publisher, client):
    a, b, c = three()
    pair("new", position=None)
    Comparison.objects.filter(pk=b.pk).update(featured=False, position=None)
    save(publisher, [a, b, c], 3, 2, 1)
    assert order(client) == ["c", "a", "new"]
    b.refresh_from_db()
    assert b.position is None, "without the tick it has no place"
    form = sent([a, b, c], 1, 2, 3)
    b.delete()
    publisher.post(LIST, form | {"_save": "Save"})
    assert order(client) == ["a", "c", "new"]
    a.tools[0].remove(timezone.now())
    assert order(client) == ["c", "new"]


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


def test_a_writer_sees_the_places_and_cannot_change_them(client):
    rows = three()
    writer = desk_of("Writers")
    for browser in (writer, desk_of("Nobody"), client):
        save(browser, rows, 3, 2, 1)
    page = writer.get(LIST)
    assert places(page) == []
    assert [e.text for e in read(page).of_class("field-position")] == ["1", "2", "3"]
    assert order(client) == ["a", "b", "c"]


def test_a_new_order_runs_as_many_queries_for_many_as_for_few(publisher):
    """One statement for each place that an editor changed."""
    rows = [pair(f"q{at:02}", position=at) for at in range(1, 4)]
    save(publisher, rows, 1, 2, 4)  # loads what is loaded once
    counts = []
    for number in (3, 40):
        rows += [pair(f"r{at}", position=at) for at in range(len(rows) + 1, number + 1)]
        with CaptureQueriesContext(connection) as queries:
            save(publisher, rows, 2, 1, *range(3, number + 1))
        counts.append(len(queries))
        rows[:2] = rows[1::-1]
    assert counts[0] == counts[1]
