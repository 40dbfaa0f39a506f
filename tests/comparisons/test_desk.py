"""Making a comparison at the desk."""

import pytest
from django.utils import timezone

from comparisons.models import Comparison
from tests import factories as make
from tests.desk.forms import comparison_form, errors, page_of
from tests.markup import read

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]
ADD = "/admin/comparisons/comparison/add/"


def until_last(values):
    """The values of the form's ten places up to the last one that is not empty."""
    found = list(values)
    while found and not found[-1]:
        found.pop()
    return found


def places(page):
    """The chosen tools of the form, a text for each place; empty where none is chosen."""
    fields = [page.by_id(f"id_tool_list-{at}-tool") for at in range(10)]
    chosen = [each for each in page.all("option") if "selected" in each.attributes]
    return until_last(" ".join(e.text for e in chosen if field in e.inside) for field in fields)


def texts(page):
    fields = [e.attributes for e in page.all("input")]
    return until_last(e.get("value", "") for e in fields if e.get("name", "").endswith("choose_if"))


def test_a_tool_s_page_links_to_a_comparison_with_it_and_the_focus_on_the_second_tool(writer):
    tool = make.tool(name="Twin", tagline="The first")
    page = read(writer.get(f"{ADD}?tools={tool.pk}"))
    assert places(page) == ["Twin (The first)"]
    assert "autofocus" in page.by_id("id_tool_list-1-tool").attributes
    assert "autofocus" not in page.by_id("id_tool_list-0-tool").attributes
    tool.remove(timezone.now())
    for key in (tool.pk, "junk", "9" * 40):
        page = read(writer.get(f"{ADD}?tools={key}&tools={key}"))
        assert places(page) == [], key
        assert "autofocus" not in page.by_id("id_tool_list-1-tool").attributes, key


def written(*tools, **names):
    """The form data of a browser without scripts: names beside the choices."""
    named = {f"tool_list-{place[1:]}-tool-by-name": text for place, text in names.items()}
    return comparison_form(*tools, **named)


def test_without_scripts_a_tool_is_named(writer):
    one, two = make.tool(slug="one", name="One"), make.tool(slug="two", name="Two")
    make.tool(slug="twin-a", name="Twin")
    twin = make.tool(slug="twin-b", name="twin")
    for sent, tools in [
        (written(one.pk, _1="two"), [one, two]),
        (written(_0=" TWO ", _1="one"), [two, one]),
        (written(one.pk, _1="twin-b"), [one, twin]),
    ]:
        assert writer.post(ADD, sent).status_code == 302
        assert Comparison.objects.get().tools == tools
        Comparison.objects.all().delete()
    response = writer.post(ADD, written(one.pk, _1="Twin"))
    [error] = errors(response)["tool_list"]
    assert "twin-a, twin-b" in error
    page = read(response)
    assert page.one("input", name="tool_list-1-tool-by-name").attributes["value"] == "Twin"
    response = writer.post(ADD, written(one.pk, _1="<b>"))
    assert set(errors(response)) == {"tool_list"}
    assert places(read(response))[0] == str(one)


def test_a_set_of_tools_that_cannot_be_saved_is_explained_beside_its_field(writer, snapshot):
    keys = [make.tool().pk for _ in range(2)]
    found, pages = {}, {}
    for name, sent in {
        "one tool": comparison_form(keys[0]),
        "a place that is no number": comparison_form(*keys, **{"tool_list-0-ORDER": "first"}),
        "a text without a tool": comparison_form(*keys, **{"tool_list-3-choose_if": "you"}),
        "a long text": comparison_form(*keys, **{"tool_list-1-choose_if": "x" * 141}),
        "no counts": {"tool_list-0-tool": keys[0], "tool_list-1-tool": keys[1], "summary": ""},
        "a deleted tool": comparison_form(keys[0], "999999"),
        "junk": comparison_form(keys[0], "9" * 40),
    }.items():
        response = writer.post(ADD, sent)
        [[field, [*faults]]] = errors(response).items()
        assert (response.status_code, field) == (200, "tool_list"), name
        found[name] = " ".join(faults)
        pages[name] = response
    assert found == snapshot
    field = read(pages["a place that is no number"]).one("input", name="tool_list-0-ORDER")
    assert field.attributes["value"] == "first"
    assert texts(read(pages["a text without a tool"])) == ["", "", "", "you"]
    assert texts(read(pages["a long text"])) == ["", "x" * 141]
    assert not Comparison.objects.exists()


def test_places_order_tools_and_a_tick_removes_one(writer):
    tools = [make.tool(name=name) for name in "ABC"]
    row = make.comparison(tools=tools[:2], published_at=None)
    for typed, removed, expected in [
        ((3, 1, 2), (), "BCA"),
        ((1, 2, 1), (), "ACB"),
        (("", 2, 1), (), "CBA"),
        ((9, 2, 3), (1,), "CA"),
    ]:
        sent = comparison_form(*(tool.pk for tool in tools))
        sent |= {f"tool_list-{at}-ORDER": place for at, place in enumerate(typed)}
        sent |= {f"tool_list-{at}-DELETE": "on" for at in removed}
        assert writer.post(page_of(row), sent).status_code == 302
        stored = Comparison.objects.get()
        assert "".join(tool.name for tool in stored.tools) == expected, (typed, removed)


def test_the_list_runs_few_queries_and_is_sorted_by_the_first_names(
    editor_client, django_assert_max_num_queries
):
    for name in ("B", "C", "A"):
        make.comparison(tools=[make.tool(name=name), make.tool(name=f"of {name}")])
    for _ in range(3):
        make.comparison(featured=True, published_at=None)
    with django_assert_max_num_queries(6):
        page = read(editor_client.get("/admin/comparisons/comparison/?o=1"))
    pairs = [row.text for row in page.all("th") if " vs " in row.text]
    assert pairs[:3] == ["A vs of A", "B vs of B", "C vs of C"]


def test_a_comparison_that_is_no_longer_featured_has_no_position(editor_client):
    row = make.comparison(featured=True)
    Comparison.objects.filter(pk=row.pk).update(position=3)
    form = comparison_form(*row.tool_ids, published_at="2026-05-01T09:00:00")
    for sent, stored in ((form | {"featured": "on"}, (True, 3)), (form, (False, None))):
        response = editor_client.post(page_of(row), sent)
        assert response.status_code == 302, errors(response)
        assert Comparison.objects.values_list("featured", "position").get() == stored


def test_the_text_beside_a_tool_is_moved_and_removed_with_it(writer):
    a, b, c = (make.tool(name=name, slug=name.lower(), tagline="") for name in "ABC")
    row = make.comparison(tools=[a, b], published_at=None)
    typed = {"tool_list-0-choose_if": " you wait ", "tool_list-2-choose_if": "you pay"}
    sent = comparison_form(a.pk, b.pk, c.pk, **typed)
    writer.post(page_of(row), sent)
    row.refresh_from_db()
    assert row.choose_if == {a.pk: "you wait", c.pk: "you pay"}
    assert texts(read(writer.get(page_of(row)))) == ["you wait", "", "you pay"]
    moved = {"tool_list-0-DELETE": "on", "tool_list-1-ORDER": 3, "tool_list-2-ORDER": 1}
    writer.post(page_of(row), sent | moved)
    row.refresh_from_db()
    assert (row.tool_ids, row.choose_if) == ([c.pk, b.pk], {c.pk: "you pay"})
    named = {"tool_list-1-tool-by-name": "b", "tool_list-1-choose_if": "you read"}
    writer.post(ADD, comparison_form(a.pk, **named))
    assert Comparison.objects.exclude(pk=row.pk).get().choose_if == {b.pk: "you read"}
    Comparison.objects.filter(pk=row.pk).update(published_at=make.PUBLISHED)
    page = read(writer.get(page_of(row)))  # a writer may only view what is public
    assert page.of_class("readonly")[0].text.startswith("C: you pay")


def test_tools_and_texts_have_a_history_can_be_restored_and_conflicts_name_them(editor_client):
    a, b, c = (make.tool(name=name, tagline="", slug=name.lower()) for name in "ABC")
    row = make.comparison(tools=[a, b])
    url = page_of(row)
    opened = read(editor_client.get(url)).one("input", name="history_id").attributes["value"]
    sent = {"history_id": opened, "published_at": "2026-05-01 09:00:00"}
    first = comparison_form(c.pk, b.pk, a.pk, **sent, **{"tool_list-1-choose_if": "you wait"})
    assert editor_client.post(url, first).status_code == 302
    history = editor_client.get(url.replace("change/", "history/"))
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
    restore = url.replace("change/", f"history/{version.history_id}/restore/")
    seen = read(editor_client.get(restore.replace("restore/", ""))).one("input", name="history_id")
    editor_client.post(restore, {"history_id": seen.attributes["value"], "reason": ""})
    row.refresh_from_db()
    assert (row.tool_ids, row.choose_if) == ([a.pk, b.pk], {})
