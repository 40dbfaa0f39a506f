"""The order of the featured comparisons, by hand."""

import pytest
from django.utils import timezone

from comparisons.models import ON_HOME_PAGE, Comparison
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.markup import read
from tools.models import Tool

pytestmark = pytest.mark.django_db
SCREEN = "/admin/featured/"


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


def numbers(rows, *given):
    """The form data of the screen: a number for each row, in the order of the rows."""
    return {f"place-{row.pk}": n for row, n in zip(rows, given or range(1, 99), strict=False)}


def order(client):
    """The first tools of the featured comparisons as the home page shows them."""
    page = read(client.get("/"))
    section = next(e for e in page.all("section", aria_labelledby="featured-title"))
    links = [a for a in page.all("a", class_="pair__names") if section in a.inside]
    return [link.text.split(" No verdict")[0].lower() for link in links]


def on_screen(response):
    """The first tools of the comparisons in the list of the screen."""
    page = read(response)
    fields = page.all("input", class_="featured__number")
    return [field.attributes["aria-label"].split()[2].lower() for field in fields]


def test_the_screen_and_the_home_page_show_them_in_their_order(publisher, client):
    c = three()[2]
    Comparison.objects.filter(pk=c.pk).update(position=0)
    assert on_screen(publisher.get(SCREEN)) == ["c", "a", "b"] == order(client)


def test_numbers_set_the_order(publisher, client):
    rows = three()
    response = publisher.post(SCREEN, numbers(rows, 3, 1, 2), follow=True)
    assert response.redirect_chain == [(SCREEN, 303)]
    assert "The order is saved." in response.content.decode()
    assert order(client) == ["b", "c", "a"]


def test_equal_numbers_keep_their_order_and_zero_comes_before_one(publisher, client):
    rows = three()
    publisher.post(SCREEN, numbers(rows, 2, 2, 1))
    assert order(client) == ["c", "a", "b"]
    publisher.post(SCREEN, numbers([rows[2], rows[0], rows[1]], 1, 2, 0))
    assert order(client) == ["b", "c", "a"]


def test_a_button_moves_or_removes_one(publisher, client):
    a, b, c = three()
    in_turn = (
        ("up", "abc", c, "acb"),
        ("up", "acb", a, "acb"),
        ("down", "acb", a, "cab"),
        ("down", "cab", b, "cab"),
        ("off", "cab", a, "cb"),
    )
    for button, before, which, after in in_turn:
        shown = [{"a": a, "b": b, "c": c}[name] for name in before]
        response = publisher.post(SCREEN, numbers(shown) | {button: which.pk})
        assert response.status_code == 303
        assert order(client) == list(after), (button, before)


def test_numbers_typed_before_a_button_was_pressed_count_too(publisher, client):
    rows = three()
    publisher.post(SCREEN, numbers(rows, 9, 1, 2) | {"up": rows[2].pk})
    assert order(client) == ["c", "b", "a"]


def test_after_a_move_the_same_button_has_the_focus(publisher):
    rows = three()
    response = publisher.post(SCREEN, numbers(rows) | {"up": rows[2].pk}, follow=True)
    focused = [e for e in read(response).all("button") if "autofocus" in e.attributes]
    assert [(e.attributes["name"], e.attributes["value"]) for e in focused] == [
        ("up", str(rows[2].pk))
    ]
    response = publisher.post(
        SCREEN, numbers([rows[0], rows[2], rows[1]]) | {"up": rows[2].pk}, follow=True
    )
    focused = [e for e in read(response).all("button") if "autofocus" in e.attributes]
    assert [e.attributes["name"] for e in focused] == ["down"]


def test_an_invalid_number_is_explained_beside_its_field_and_nothing_is_lost(publisher, client):
    rows = three()
    for junk in ("", "x", "-1", "1.5", "10000", "9" * 400, "\x00", "١x", "1 2"):
        response = publisher.post(SCREEN, numbers(rows, 3, junk, 1))
        assert response.status_code == 400, junk
        page = read(response)
        field = page.one("input", name=f"place-{rows[1].pk}")
        fault = page.by_id(f"fault-{rows[1].pk}")
        assert field.attributes["aria-invalid"] == "true", junk
        assert fault.attributes["id"] in field.attributes["aria-describedby"]
        assert "Enter a whole number from 0 to 9999." in fault.text
        assert page.one("input", name=f"place-{rows[0].pk}").attributes["value"] == "3"
        assert page.of_class("featured__fault") == [fault]
        assert Comparison.objects.filter(position=2).get() == rows[1], junk
    assert order(client) == ["a", "b", "c"]


def test_a_comparison_that_a_colleague_featured_meanwhile_is_placed_last(publisher, client):
    rows = three()
    shown = numbers(rows, 3, 2, 1)
    pair("new", position=1)
    publisher.post(SCREEN, shown)
    assert order(client) == ["c", "b", "a", "new"]


def test_a_comparison_that_a_colleague_removed_meanwhile_is_not_featured_again(publisher, client):
    rows = three()
    rows[1].unfeature()
    publisher.post(SCREEN, numbers(rows, 3, 2, 1))
    assert order(client) == ["c", "a"]
    response = publisher.post(SCREEN, numbers(rows) | {"up": rows[1].pk}, follow=True)
    assert "Another editor removed this comparison in the meantime." in response.content.decode()
    assert order(client) == ["a", "c"]


def test_the_later_order_of_two_editors_is_stored(publisher, client):
    rows = three()
    publisher.post(SCREEN, numbers(rows, 3, 2, 1))
    publisher.post(SCREEN, numbers(rows, 2, 1, 3))
    assert order(client) == ["b", "a", "c"]


def test_numbers_of_unknown_comparisons_change_nothing(publisher, client):
    rows = three()
    other = pair("other", featured=False)
    junk = {f"place-{other.pk}": "0", "place-999999": "1", "place-x": "y", "place-": "1"}
    assert publisher.post(SCREEN, numbers(rows) | junk).status_code == 303
    assert order(client) == ["a", "b", "c"]
    other.refresh_from_db()
    assert (other.featured, other.position) == (False, None)


def test_a_featured_order_is_not_in_the_history(publisher):
    rows = three()
    versions = Comparison.history.count()
    publisher.post(SCREEN, numbers(rows, 3, 2, 1))
    assert Comparison.history.count() == versions


def test_comparisons_that_are_not_public_are_marked(publisher):
    draft = pair("draft", published_at=None, position=1)
    waiting = pair("waiting", position=2)
    Tool.objects.filter(pk=waiting.tool_ids[1]).update(published_at=None)
    pair("public", position=3)
    page = read(publisher.get(SCREEN))
    rows = {key: page.by_id(f"comparison-{key.pk}").text for key in (draft, waiting)}
    assert "Not public yet: Draft" in rows[draft]
    assert f"Not public yet: waits for {waiting.tools[1].name}" in rows[waiting]
    assert "Home page" in page.text


def test_the_screen_marks_which_ones_the_home_page_shows(publisher, client):
    for place in range(ON_HOME_PAGE + 2):
        pair(f"p{place}", position=place, published_at=None if place == 0 else make.PUBLISHED)
    cells = read(publisher.get(SCREEN)).texts("td")
    assert cells.count("Home page") == ON_HOME_PAGE == len(order(client))
    assert cells.count("List of comparisons") == 1


def test_a_comparison_is_found_by_the_names_of_its_tools_and_featured(publisher, client):
    rows = three()
    row = pair("wanted", featured=False)
    pair("unwanted-not", featured=False)
    page = read(publisher.get(SCREEN, {"q": "WANTED tool"}))
    form = page.one("form", action=f"/admin/featured/{row.pk}/")
    assert form.attributes["method"] == "post"
    response = publisher.post(f"/admin/featured/{row.pk}/", {"q": "wanted"}, follow=True)
    assert response.redirect_chain == [(f"{SCREEN}?q=wanted", 303)]
    assert "is featured, after the others." in response.content.decode()
    assert order(client) == ["a", "b", "c", "wanted"]
    assert row.history.first().history_user.username == "paula"
    assert row.history.first().featured
    assert len(rows) == 3


def test_featuring_again_and_removing_again_change_nothing(publisher):
    row = pair("a", position=4)
    versions = row.history.count()
    publisher.post(f"/admin/featured/{row.pk}/")
    row.refresh_from_db()
    assert (row.featured, row.position, row.history.count()) == (True, 4, versions)
    publisher.post(SCREEN, numbers([row]) | {"off": row.pk})
    publisher.post(SCREEN, {"off": row.pk})
    row.refresh_from_db()
    assert (row.featured, row.position, row.history.count()) == (False, None, versions + 1)
    assert row.history.first().history_user.username == "paula"


def test_a_search_that_finds_too_many_requests_another_word(publisher):
    for number in range(21):
        pair(f"many{number}", featured=False)
    page = read(publisher.get(SCREEN, {"q": "many"}))
    assert "More comparisons match than are shown: add a word to the search." in page.text
    assert len([b for b in page.all("button") if b.text == "Feature"]) == 20


def test_comparisons_of_deleted_tools_are_neither_shown_nor_found(publisher):
    for featured in (True, False):
        row = pair(f"gone{featured}".lower(), featured=featured)
        row.tools[0].remove(timezone.now())
        assert publisher.post(f"/admin/featured/{row.pk}/").status_code == 404
    assert "gone" not in publisher.get(SCREEN).content.decode().lower()


def test_an_unknown_comparison_is_not_featured(publisher):
    for pk in (999, 10**30):
        assert publisher.post(f"/admin/featured/{pk}/").status_code == 404, pk


def test_featuring_is_for_publishers(client):
    row = pair("a", featured=False)
    for browser, refused in ((desk_of("Writers"), 403), (desk_of("Nobody"), 403), (client, 302)):
        assert browser.get(SCREEN).status_code == refused
        assert browser.post(SCREEN, {"off": row.pk}).status_code == refused
        assert browser.post(f"/admin/featured/{row.pk}/").status_code == refused
    row.refresh_from_db()
    assert not row.featured


def test_featuring_takes_a_form_and_nothing_else(publisher):
    row = pair("a", featured=False)
    assert publisher.get(f"/admin/featured/{row.pk}/").status_code == 405
    assert publisher.put(SCREEN).status_code == 405


def test_the_screen_runs_as_many_queries_for_many_as_for_few(publisher, django_assert_num_queries):
    def create_comparisons(number):
        for _ in range(number):
            make.comparison(featured=True)
            make.comparison()

    create_comparisons(2)
    with django_assert_num_queries(8):
        publisher.get(SCREEN)
    create_comparisons(30)
    with django_assert_num_queries(8):
        publisher.get(SCREEN)


def test_a_new_order_runs_as_many_queries_for_many_as_for_few(publisher, django_assert_num_queries):
    rows = [make.comparison(featured=True) for _ in range(3)]
    with django_assert_num_queries(11):
        publisher.post(SCREEN, numbers(rows, *range(3, 0, -1)))
    rows += [make.comparison(featured=True) for _ in range(40)]
    with django_assert_num_queries(11):
        publisher.post(SCREEN, numbers(rows, *range(43, 0, -1)))


def test_the_enter_key_in_a_number_saves_the_order(publisher):
    """A form is sent by its first button."""
    three()
    page = read(publisher.get(SCREEN))
    form = next(e for e in page.all("form", action=SCREEN, method="post"))
    buttons = [b for b in page.all("button") if form in b.inside]
    assert buttons[0].text == "Save this order"
    assert "name" not in buttons[0].attributes
