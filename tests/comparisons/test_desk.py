"""Making a comparison at the desk."""

import pytest
from django.utils import timezone
from zeal import zeal_ignore

from comparisons.models import Comparison
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
    found = [" ".join(chosen(page, f"tool_list-{at}-tool")) for at in range(10)]
    while found and not found[-1]:
        found.pop()
    return found


def test_a_tool_s_page_links_to_a_comparison_with_it_and_the_focus_on_the_second_tool(writer):
    tool = make.tool(name="Twin", tagline="The first")
    page = read(writer.get(f"{ADD}?tools={tool.pk}"))
    assert places(page) == ["Twin (The first)"]
    assert "autofocus" in page.by_id("id_tool_list-1-tool").attributes
    assert "autofocus" not in page.by_id("id_tool_list-0-tool").attributes
    assert "autofocus" not in read(writer.get(ADD)).by_id("id_tool_list-1-tool").attributes


@pytest.mark.parametrize("key", ["junk", "", "-1", "999", "9" * 40, "%00", "1.5", "²"])
def test_a_tool_that_does_not_exist_is_left_out(writer, key):
    response = writer.get(f"{ADD}?tools={key}&tools={key}")
    assert response.status_code == 200
    assert places(read(response)) == []


def test_a_deleted_tool_is_left_out(writer):
    tool = make.tool()
    tool.remove(timezone.now())
    assert places(read(writer.get(f"{ADD}?tools={tool.pk}"))) == []


def written(*tools, **names):
    """The form data of a browser without scripts: names beside the choices."""
    named = {f"tool_list-{place[1:]}-tool-by-name": text for place, text in names.items()}
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
    assert errors(response)["tool_list"] == [
        "Several rows are named “Twin”: enter an address, such as twin-a, twin-b."
    ]
    page = read(response)
    assert page.one("input", name="tool_list-1-tool-by-name").attributes["value"] == "Twin"
    assert writer.post(ADD, written(one.pk, _1="twin-b")).status_code == 302


@pytest.mark.parametrize("junk", ["zzz", "<b>", "1.5", "x" * 5000, "\x00x", "a\nb"])
def test_an_unknown_name_is_explained_and_stays(writer, junk):
    one = make.tool(slug="one")
    response = writer.post(ADD, written(one.pk, _1=junk))
    assert set(errors(response)) == {"tool_list"}
    assert places(read(response))[0] == str(one)


@pytest.mark.parametrize("junk", ["junk", "-1", "999999", "9" * 40, "1.5"])
def test_a_key_that_no_tool_has_causes_no_error(writer, junk):
    response = writer.post(ADD, comparison_form(make.tool().pk, junk))
    assert response.status_code == 200
    assert set(errors(response)) == {"tool_list"}


def test_a_set_that_exists_is_explained_beside_its_field(writer):
    row = make.comparison(published_at=None)
    response = writer.post(ADD, comparison_form(*row.tool_ids[::-1]))
    assert errors(response)["tool_list"] == [
        "There is a comparison of these tools already: change that one."
    ]


@pytest.mark.parametrize(
    ("typed", "removed", "expected"),
    [
        ((1, 2, 3), (), "ABC"),
        ((3, 1, 2), (), "BCA"),
        ((1, 2, 1), (), "ACB"),
        (("", 2, 1), (), "CBA"),
        ((0, -1, 3), (), "BAC"),
        ((1, 2, 3), (0,), "BC"),
        ((9, 2, 3), (1,), "CA"),
    ],
)
def test_places_order_tools_and_a_tick_removes_one(writer, typed, removed, expected):
    tools = [make.tool(name=name) for name in "ABC"]
    row = make.comparison(tools=tools[:2], published_at=None)
    sent = comparison_form(*(tool.pk for tool in tools))
    sent |= {f"tool_list-{at}-ORDER": place for at, place in enumerate(typed)}
    sent |= {f"tool_list-{at}-DELETE": "on" for at in removed}
    url = f"/admin/comparisons/comparison/{row.pk}/change/"
    assert writer.post(url, sent).status_code == 302
    assert "".join(tool.name for tool in Comparison.objects.get().tools) == expected


def test_a_place_that_is_no_number_is_refused_and_stays(writer):
    row = make.comparison(published_at=None)
    sent = comparison_form(*row.tool_ids, **{"tool_list-0-ORDER": "first"})
    response = writer.post(f"/admin/comparisons/comparison/{row.pk}/change/", sent)
    assert errors(response)["tool_list"] == ["Enter a whole number."]
    field = read(response).one("input", name="tool_list-0-ORDER")
    assert field.attributes["value"] == "first"


def test_one_tool_is_refused_and_the_form_has_ten_places(writer):
    response = writer.post(ADD, comparison_form(make.tool().pk))
    assert errors(response)["tool_list"] == ["A comparison has 2 to 10 tools."]
    page = read(response)
    assert page.by_id("id_tool_list-9-tool")
    assert "More tools, up to 10" in page.text


@pytest.mark.parametrize("counts", [{}, {"tool_list-TOTAL_FORMS": "x"}])
def test_a_form_without_its_counts_is_refused(writer, counts):
    sent = {"tool_list-0-tool": make.tool().pk, "tool_list-1-tool": make.tool().pk, "summary": ""}
    assert set(errors(writer.post(ADD, sent | counts))) == {"tool_list"}


def test_an_eleventh_tool_is_refused_and_not_silently_ignored(writer):
    tools = [make.tool() for _ in range(11)]
    response = writer.post(ADD, comparison_form(*(tool.pk for tool in tools)))
    assert errors(response)["tool_list"] == ["A comparison has 2 to 10 tools."]
    assert not Comparison.objects.exists()


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
    opened = read(editor_client.get(url)).one("input", name="history_id").attributes["value"]
    sent = {"history_id": opened, "published_at": "2026-05-01 09:00:00"}
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
    """The text beside each tool of the form, without those after the last."""
    fields = [e.attributes for e in page.all("input")]
    found = [e.get("value", "") for e in fields if e.get("name", "").endswith("-choose_if")]
    while found and not found[-1]:
        found.pop()
    return found


def test_the_text_beside_a_tool_is_moved_and_removed_with_it(writer):
    a, b, c = (make.tool(name=name) for name in "ABC")
    row = make.comparison(tools=[a, b], published_at=None)
    url = f"/admin/comparisons/comparison/{row.pk}/change/"
    typed = {"tool_list-0-choose_if": " you wait ", "tool_list-2-choose_if": "you pay"}
    sent = comparison_form(a.pk, b.pk, c.pk, **typed)
    assert writer.post(url, sent).status_code == 302
    row.refresh_from_db()
    assert row.choose_if == {a.pk: "you wait", c.pk: "you pay"}
    assert texts(read(writer.get(url))) == ["you wait", "", "you pay"]
    moved = {"tool_list-0-DELETE": "on", "tool_list-1-ORDER": 3, "tool_list-2-ORDER": 1}
    assert writer.post(url, sent | moved).status_code == 302
    row.refresh_from_db()
    assert (row.tool_ids, row.choose_if) == ([c.pk, b.pk], {c.pk: "you pay"})


def test_a_text_that_cannot_be_saved_is_explained_and_stays(writer):
    one, two = make.tool(slug="one"), make.tool(slug="two")
    sent = comparison_form(one.pk, two.pk, **{"tool_list-3-choose_if": "you wait"})
    response = writer.post(ADD, sent)
    assert errors(response) == {
        "tool_list": ["Choose what “you wait” is about, or delete this text."]
    }
    assert texts(read(response)) == ["", "", "", "you wait"]
    long = {"tool_list-1-choose_if": "x" * 141}
    response = writer.post(ADD, comparison_form(one.pk, two.pk, **long))
    assert set(errors(response)) == {"tool_list"}
    assert texts(read(response))[1] == "x" * 141
    named = {"tool_list-1-tool-by-name": "two", "tool_list-1-choose_if": "you wait"}
    assert writer.post(ADD, comparison_form(one.pk, **named)).status_code == 302
    assert Comparison.objects.get().choose_if == {two.pk: "you wait"}


def test_texts_have_a_history_can_be_restored_and_conflicts_name_their_tools(editor_client):
    a, b, c = (make.tool(name=name, tagline="", slug=name.lower()) for name in "ABC")
    row = make.comparison(tools=[a, b])
    url = f"/admin/comparisons/comparison/{row.pk}/change/"
    opened = read(editor_client.get(url)).one("input", name="history_id").attributes["value"]
    sent = {"history_id": opened, "published_at": "2026-05-01 09:00:00"}
    first = comparison_form(c.pk, b.pk, a.pk, **sent, **{"tool_list-1-choose_if": "you wait"})
    assert editor_client.post(url, first).status_code == 302
    history = editor_client.get(f"/admin/comparisons/comparison/{row.pk}/history/")
    [change] = history.context["page"].rows[0].changes
    theirs = "C (c)\nB (b): you wait\nA (a)"
    assert (change.label, change.before, change.after) == ("Tools", "A (a)\nB (b)", theirs)
    mine = comparison_form(a.pk, b.pk, **sent, **{"tool_list-0-choose_if": "you pay"})
    response = editor_client.post(url, mine)
    shown = response.context["adminform"].form.conflict.rows
    assert shown == [("Tools", theirs, "A (a): you pay\nB (b)")]
    page = read(response)
    assert (places(page), texts(page)) == (["A (a)", "B (b)"], ["you pay"])
    response = editor_client.post(url, comparison_form(a.pk, b.pk, **sent) | {"summary": "Mine."})
    page = read(response)
    assert (places(page), texts(page)) == (["C (c)", "B (b)", "A (a)"], ["", "you wait"])
    assert response.context["adminform"].form.conflict.rows[0] == ("Tools", theirs, None)
    version = row.history.earliest("history_id")
    restore = f"/admin/comparisons/comparison/{row.pk}/history/{version.history_id}/restore/"
    seen = read(editor_client.get(restore.replace("restore/", ""))).one("input", name="history_id")
    editor_client.post(restore, {"history_id": seen.attributes["value"], "reason": ""})
    row.refresh_from_db()
    assert (row.tool_ids, row.choose_if) == ([a.pk, b.pk], {})


def test_an_editor_who_may_only_view_a_comparison_sees_the_names_of_its_tools(writer):
    row = make.comparison(tools=[make.tool(name="A", slug="a", tagline=""), make.tool()])
    row.choose_if = {row.tool_ids[0]: "you wait"}
    row.save()
    page = read(writer.get(f"/admin/comparisons/comparison/{row.pk}/change/"))
    shown = [e.text for e in page.of_class("readonly")]
    assert shown[0].startswith("A: you wait")
