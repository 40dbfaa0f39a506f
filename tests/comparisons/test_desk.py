"""Making a comparison at the desk."""

import pytest
from django.utils import timezone
from zeal import zeal_ignore

from comparisons.comparison_form import REARRANGED
from comparisons.models import ON_HOME_PAGE, Comparison
from tests import factories as make
from tests.desk.editor_clients import desk_of
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


def places(page):
    """The chosen tools of the form, a text for each place; empty where none is chosen."""
    return [" ".join(chosen(page, f"tool_ids-{at}")) for at in range(10) if is_chosen(page, at)]


def is_chosen(page, at):
    return any(e.attributes.get("id") == f"id_tool_ids-{at}" for e in page.all("select"))


def test_a_tool_s_page_links_to_a_comparison_with_it_and_the_focus_on_the_second_tool(writer):
    tool = make.tool(name="Twin", tagline="The first")
    page = read(writer.get(f"{ADD}?tools={tool.pk}"))
    assert places(page) == ["Twin (The first)", ""]
    assert "autofocus" in page.by_id("id_tool_ids-1").attributes
    assert "autofocus" not in page.by_id("id_tool_ids-0").attributes
    assert "autofocus" not in read(writer.get(ADD)).by_id("id_tool_ids-1").attributes


@pytest.mark.parametrize("key", ["junk", "", "-1", "999", "9" * 40, "%00", "1.5", "²"])
def test_a_tool_that_does_not_exist_is_left_out(writer, key):
    response = writer.get(f"{ADD}?tools={key}&tools={key}")
    assert response.status_code == 200
    assert places(read(response)) == ["", ""]


def test_a_deleted_tool_is_left_out(writer):
    tool = make.tool()
    tool.remove(timezone.now())
    assert places(read(writer.get(f"{ADD}?tools={tool.pk}"))) == ["", ""]


def written(*tools, **names):
    """The form data of a browser without scripts: names beside the choices."""
    named = {f"tool_ids-{place[1:]}-by-name": text for place, text in names.items()}
    return comparison_form(*tools, **named)


def test_without_scripts_a_tool_is_named(writer):
    one, two = make.tool(slug="one", name="One"), make.tool(slug="two", name="Two")
    response = writer.post(ADD, written(one.pk, _1="two"))
    assert response.status_code == 302, errors(response)
    assert Comparison.objects.get().tools == [one, two]
    Comparison.objects.all().delete()
    assert writer.post(ADD, written(_0=" TWO ", _1="one")).status_code == 302
    assert Comparison.objects.get().tools == [two, one]


def test_a_name_that_two_tools_have_is_explained_beside_its_field(writer):
    one = make.tool(slug="one")
    make.tool(slug="twin-a", name="Twin")
    make.tool(slug="twin-b", name="twin")
    response = writer.post(ADD, written(one.pk, _1="Twin"))
    assert errors(response)["tool_ids"] == [
        "Several rows are named “Twin”: enter an address, such as twin-a, twin-b."
    ]
    page = read(response)
    assert page.one("input", name="tool_ids-1-by-name").attributes["value"] == "Twin"
    assert writer.post(ADD, written(one.pk, _1="twin-b")).status_code == 302


@pytest.mark.parametrize("junk", ["zzz", "<b>", "1.5", "x" * 5000, "\x00x", "a\nb"])
def test_an_unknown_name_is_explained_and_stays(writer, junk):
    one = make.tool(slug="one")
    response = writer.post(ADD, written(one.pk, _1=junk))
    assert set(errors(response)) == {"tool_ids"}
    assert places(read(response))[0] == str(one)


@pytest.mark.parametrize("junk", ["junk", "-1", "999999", "9" * 40, "1.5"])
def test_a_key_that_no_tool_has_causes_no_error(writer, junk):
    response = writer.post(ADD, comparison_form(make.tool().pk, junk))
    assert response.status_code == 200
    assert set(errors(response)) == {"tool_ids"}


def test_a_set_that_exists_is_explained_beside_its_field(writer):
    row = make.comparison(published_at=None)
    response = writer.post(ADD, comparison_form(*row.tool_ids[::-1]))
    assert errors(response)["tool_ids"] == [
        "There is a comparison of these tools already: change that one."
    ]


def test_buttons_add_move_and_remove_tools_and_save_nothing(writer):
    a, b, c = (make.tool(name=name) for name in "ABC")
    row = make.comparison(tools=[a, b], published_at=None)
    url = f"/admin/comparisons/comparison/{row.pk}/change/"

    def press(act, *tools, **names):
        response = writer.post(url, written(*tools, **names) | {"tool_ids-act": act})
        assert errors(response) == {"__all__": [REARRANGED]}
        page = read(response)
        focus = [e for e in page.all("button") + page.all("select") if "autofocus" in e.attributes]
        return [text.split(" ")[0] for text in places(page)], focus[0].attributes.get("value")

    assert press("add", a.pk, b.pk) == (["A", "B", ""], None)
    assert press("up-2", a.pk, b.pk, c.pk) == (["A", "C", "B"], "up-1")
    assert press("down-0", a.pk, b.pk, c.pk) == (["B", "A", "C"], "down-1")
    assert press("remove-1", a.pk, b.pk, c.pk) == (["A", "C"], "add")
    assert press("remove-9", a.pk)[0] == ["A", ""]
    assert row.history.count() == 1
    assert writer.post(url, comparison_form(c.pk, a.pk, b.pk)).status_code == 302
    assert Comparison.objects.get().tools == [c, a, b]


def test_one_tool_is_refused_and_the_form_has_ten_places(writer):
    tools = [make.tool() for _ in range(11)]
    response = writer.post(ADD, comparison_form(tools[0].pk))
    assert errors(response)["tool_ids"] == ["A comparison has 2 to 10 tools."]
    page = read(
        writer.post(ADD, comparison_form(*(row.pk for row in tools)) | {"tool_ids-act": "x"})
    )
    assert len(places(page)) == 10
    assert "10 is the maximum." in page.text


def test_an_eleventh_tool_is_refused_and_not_silently_ignored(writer):
    tools = [make.tool() for _ in range(11)]
    response = writer.post(ADD, comparison_form(*(tool.pk for tool in tools)))
    assert errors(response)["tool_ids"] == ["A comparison has 2 to 10 tools."]
    assert not Comparison.objects.exists()


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
    form = comparison_form(*row.tool_ids, published_at="2026-05-01T09:00:00")
    url = f"/admin/comparisons/comparison/{row.pk}/change/"
    response = editor_client.post(url, form | {"featured": "on"})
    assert response.status_code == 302, errors(response)
    row.refresh_from_db()
    assert row.position == 3
    assert editor_client.post(url, form).status_code == 302
    stored = Comparison.objects.values_list("featured", "position").get()
    assert stored == (False, None)


def test_the_history_and_a_conflict_list_the_tools_in_order(editor_client):
    a, b, c = (make.tool(name=name, tagline="") for name in "ABC")
    row = make.comparison(tools=[a, b])
    url = f"/admin/comparisons/comparison/{row.pk}/change/"
    opened = read(editor_client.get(url)).one("input", name="loaded").attributes["value"]
    sent = {"loaded": opened, "published_at": "2026-05-01 09:00:00"}
    first = editor_client.post(url, comparison_form(c.pk, a.pk, b.pk, **sent))
    assert first.status_code == 302, errors(first)
    history = editor_client.get(f"/admin/comparisons/comparison/{row.pk}/history/")
    [change] = history.context["page"].rows[0].changes
    names = [f"{tool.name} ({tool.slug})" for tool in (a, b, c)]
    assert (change.before, change.after) == (
        "\n".join(names[:2]),
        "\n".join([names[2], *names[:2]]),
    )
    response = editor_client.post(url, comparison_form(b.pk, a.pk, **sent))
    [shown] = response.context["adminform"].form.conflict.rows
    assert shown == ("Tools", change.after, "\n".join([names[1], names[0]]))


def texts(page):
    """The text beside each tool of the form."""
    fields = [e.attributes for e in page.all("input")]
    return [e.get("value", "") for e in fields if e.get("name", "").endswith("-text")]


def test_the_text_beside_a_tool_is_moved_and_removed_with_it(writer):
    a, b, c = (make.tool(name=name) for name in "ABC")
    row = make.comparison(tools=[a, b], published_at=None)
    url = f"/admin/comparisons/comparison/{row.pk}/change/"
    typed = {"tool_ids-0-text": " you wait ", "tool_ids-2-text": "you pay"}
    sent = comparison_form(a.pk, b.pk, c.pk, **typed)
    assert texts(read(writer.post(url, sent | {"tool_ids-act": "up-2"}))) == [
        "you wait",
        "you pay",
        "",
    ]
    assert texts(read(writer.post(url, sent | {"tool_ids-act": "remove-0"}))) == ["", "you pay"]
    assert writer.post(url, sent).status_code == 302
    row.refresh_from_db()
    assert row.choose_if == {str(a.pk): "you wait", str(c.pk): "you pay"}
    assert texts(read(writer.get(url))) == ["you wait", "", "you pay"]
    sent = comparison_form(c.pk, b.pk, **{"tool_ids-0-text": "you pay"})
    assert writer.post(url, sent).status_code == 302
    row.refresh_from_db()
    assert row.choose_if == {str(c.pk): "you pay"}


def test_a_text_that_cannot_be_saved_is_explained_and_stays(writer):
    one, two = make.tool(slug="one"), make.tool(slug="two")
    sent = comparison_form(one.pk, two.pk, **{"tool_ids-3-text": "you wait"})
    response = writer.post(ADD, sent)
    assert errors(response) == {
        "tool_ids": ["Choose what “you wait” is about, or delete this text."]
    }
    assert texts(read(response)) == ["", "", "", "you wait"]
    response = writer.post(ADD, comparison_form(one.pk, two.pk, **{"tool_ids-1-text": "x" * 141}))
    assert set(errors(response)) == {"tool_ids"}
    assert texts(read(response))[1] == "x" * 141
    named = {"tool_ids-1-by-name": "two", "tool_ids-1-text": "you wait"}
    assert writer.post(ADD, comparison_form(one.pk, **named)).status_code == 302
    assert Comparison.objects.get().choose_if == {str(two.pk): "you wait"}


def test_texts_have_a_history_can_be_restored_and_conflicts_name_their_tools(editor_client):
    a, b, c = (make.tool(name=name, tagline="", slug=name.lower()) for name in "ABC")
    row = make.comparison(tools=[a, b])
    url = f"/admin/comparisons/comparison/{row.pk}/change/"
    opened = read(editor_client.get(url)).one("input", name="loaded").attributes["value"]
    sent = {"loaded": opened, "published_at": "2026-05-01 09:00:00"}
    first = comparison_form(c.pk, b.pk, a.pk, **sent, **{"tool_ids-1-text": "you wait"})
    assert editor_client.post(url, first).status_code == 302
    history = editor_client.get(f"/admin/comparisons/comparison/{row.pk}/history/")
    tools, change = history.context["page"].rows[0].changes
    assert (tools.label, change.label, change.before) == ("Tools", "Choose if", "")
    assert change.after == "B (b): you wait"
    response = editor_client.post(
        url, comparison_form(a.pk, b.pk, **sent, **{"tool_ids-0-text": "you pay"})
    )
    shown = response.context["adminform"].form.conflict.rows
    assert shown == [
        ("Tools", "C (c)\nB (b)\nA (a)", None),
        ("Choose if", "B (b): you wait", "A (a): you pay"),
    ]
    page = read(response)
    assert (places(page), texts(page)) == (["C (c)", "B (b)", "A (a)"], ["", "", "you pay"])
    response = editor_client.post(url, comparison_form(b.pk, a.pk, **sent))
    page = read(response)
    assert (places(page), texts(page)) == (["B (b)", "A (a)"], ["you wait", ""])
    version = row.history.earliest("history_id")
    restore = f"/admin/comparisons/comparison/{row.pk}/history/{version.history_id}/restore/"
    seen = read(editor_client.get(restore.replace("restore/", ""))).one("input", name="seen")
    editor_client.post(restore, {"seen": seen.attributes["value"], "reason": ""})
    row.refresh_from_db()
    assert (row.tool_ids, row.choose_if) == ([a.pk, b.pk], {})


def test_an_editor_who_may_only_view_a_comparison_sees_the_names_of_its_tools(writer):
    row = make.comparison(tools=[make.tool(name="A", slug="a", tagline=""), make.tool()])
    type(row).objects.update(choose_if={str(row.tool_ids[0]): "you wait"})
    page = read(writer.get(f"/admin/comparisons/comparison/{row.pk}/change/"))
    shown = [e.text for e in page.of_class("readonly")]
    assert shown[0].startswith("A")
    assert shown[1] == "A (a): you wait"
