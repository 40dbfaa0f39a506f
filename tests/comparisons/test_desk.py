"""Making a comparison at the desk."""

import pytest
from django.utils import timezone
from zeal import zeal_ignore

from comparisons.models import ON_HOME_PAGE, Comparison
from tests import factories as make
from tests.desk.desks import desk_of
from tests.desk.forms import comparison_form, errors
from tests.markup import read

pytestmark = pytest.mark.django_db
ADD = "/admin/comparisons/comparison/add/"


@pytest.fixture(autouse=True)
def _allow_repeated_queries():
    with zeal_ignore():
        yield


@pytest.fixture
def writer(db):
    return desk_of("Writers")


def chosen(page, name):
    """The chosen tool of a field."""
    choice = page.by_id(f"id_{name}")
    return [e.text for e in page.all("option") if choice in e.inside and "selected" in e.attributes]


def test_a_tool_s_page_links_to_a_comparison_with_it_and_the_focus_on_the_second_tool(writer):
    tool = make.tool(name="Twin", tagline="The first")
    page = read(writer.get(f"{ADD}?first={tool.pk}"))
    assert chosen(page, "first") == ["Twin (The first)"]
    assert chosen(page, "second") == []
    assert "autofocus" in page.by_id("id_second").attributes
    assert "autofocus" not in page.by_id("id_first").attributes


def test_without_a_tool_the_focus_is_not_set(writer):
    assert "autofocus" not in read(writer.get(ADD)).by_id("id_second").attributes


@pytest.mark.parametrize("first", ["junk", "", "-1", "999", "9" * 40, "%00", "1.5", "²"])
def test_a_tool_that_is_not_there_is_left_out(writer, first):
    response = writer.get(f"{ADD}?first={first}&second={first}")
    assert response.status_code == 200
    assert chosen(read(response), "first") == []


def test_a_deleted_tool_is_left_out(writer):
    tool = make.tool()
    tool.remove(timezone.now())
    assert chosen(read(writer.get(f"{ADD}?first={tool.pk}")), "first") == []


def written(first="", second="", **names):
    """The form data of a browser without scripts: names beside the choices."""
    return comparison_form(first, second, **{f"{key}-by-name": text for key, text in names.items()})


def test_without_scripts_a_tool_is_named(writer):
    one, two = make.tool(slug="one", name="One"), make.tool(slug="two", name="Two")
    response = writer.post(ADD, written(one.pk, second="two"))
    assert response.status_code == 302, errors(response)
    assert Comparison.objects.get().tools == [one, two]
    Comparison.objects.all().delete()
    assert writer.post(ADD, written(first=" TWO ", second="one")).status_code == 302
    assert Comparison.objects.get().tools == [two, one]


def test_a_name_that_two_tools_have_is_explained_beside_its_field(writer):
    one = make.tool(slug="one")
    make.tool(slug="twin-a", name="Twin")
    make.tool(slug="twin-b", name="twin")
    response = writer.post(ADD, written(one.pk, second="Twin"))
    assert errors(response)["second"] == [
        "Several rows are named “Twin”: enter an address, such as twin-a, twin-b."
    ]
    page = read(response)
    assert page.one("input", name="second-by-name").attributes["value"] == "Twin"
    assert writer.post(ADD, written(one.pk, second="twin-b")).status_code == 302


@pytest.mark.parametrize("junk", ["zzz", "<b>", "1.5", "x" * 5000, "\x00x", "a\nb"])
def test_an_unknown_name_is_explained_and_stays(writer, junk):
    one = make.tool(slug="one")
    response = writer.post(ADD, written(one.pk, second=junk))
    assert set(errors(response)) == {"second"}
    assert chosen(read(response), "first") == [str(one)]


@pytest.mark.parametrize("junk", ["junk", "-1", "999999", "9" * 40, "1.5"])
def test_a_key_that_no_tool_has_breaks_nothing(writer, junk):
    response = writer.post(ADD, comparison_form(make.tool().pk, junk))
    assert response.status_code == 200
    assert set(errors(response)) == {"second"}


def test_a_pair_that_exists_is_explained_beside_its_field(writer):
    row = make.comparison(published_at=None)
    response = writer.post(ADD, comparison_form(row.second_id, row.first_id))
    assert "already" in errors(response)["second"][0]


def test_the_list_shows_the_order_of_the_featured_ones(editor_client):
    placed = make.comparison(featured=True)
    Comparison.objects.filter(pk=placed.pk).update(position=3)
    make.comparison(featured=True)
    make.comparison(published_at=None)
    page = read(editor_client.get("/admin/comparisons/comparison/"))
    cells = [e.text for e in page.of_class("field-place")]
    assert sorted(cells) == ["", "3: home page", "Last: home page"]


def test_the_list_says_which_featured_ones_the_home_page_shows(editor_client):
    hidden = make.comparison(featured=True, published_at=None)
    rows = [hidden, *(make.comparison(featured=True) for _ in range(ON_HOME_PAGE + 1))]
    for place, row in enumerate(rows, 1):
        Comparison.objects.filter(pk=row.pk).update(position=place)
    page = read(editor_client.get("/admin/comparisons/comparison/"))
    cells = {e.text for e in page.of_class("field-place")}
    shown = {f"{place}: home page" for place in range(2, ON_HOME_PAGE + 2)}
    assert cells == {"1: not public", "7: list of comparisons"} | shown


def test_the_list_runs_as_many_queries_for_many_rows_as_for_few(
    editor_client, django_assert_max_num_queries
):
    for _ in range(20):
        make.comparison(featured=True)
    with django_assert_max_num_queries(6):
        editor_client.get("/admin/comparisons/comparison/")


def test_a_comparison_that_is_no_longer_featured_has_no_position(editor_client):
    row = make.comparison(featured=True)
    Comparison.objects.filter(pk=row.pk).update(position=3)
    form = comparison_form(row.first_id, row.second_id, published_at="2026-05-01T09:00:00")
    url = f"/admin/comparisons/comparison/{row.pk}/change/"
    response = editor_client.post(url, form | {"featured": "on"})
    assert response.status_code == 302, errors(response)
    row.refresh_from_db()
    assert row.position == 3
    assert editor_client.post(url, form).status_code == 302
    stored = Comparison.objects.values_list("featured", "position").get()
    assert stored == (False, None)
