"""Forms of the desk: writing, publishing, and errors beside their fields."""

import pytest

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from reviews.portraits import Sign
from tests import factories as make
from tests.desk.forms import (
    comparison_form,
    errors,
    on_the_page,
    page_of,
    take_name,
    tool_form,
    written_take,
)
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


def test_an_editor_writes_a_tool_with_a_take_and_readers_see_both(editor_client, client):
    category, reviewer = make.category(), make.reviewer()
    form = tool_form(category=category.pk, takes=[written_take(reviewer)], _publish="x")
    response = editor_client.post("/admin/tools/tool/add/", form)
    assert response.status_code == 302, errors(response)
    page = client.get("/tools/written/").content.decode()
    assert "84</b>/100" in page
    assert "Good." in page


def test_a_draft_stays_a_draft_until_it_is_published(editor_client, client):
    form = tool_form(category=make.category().pk)
    assert editor_client.post("/admin/tools/tool/add/", form).status_code == 302
    assert client.get("/tools/written/").status_code == 404


def test_a_changed_score_is_on_the_comparison_page_at_once(editor_client, client):
    tool, other, reviewer = make.tool(slug="aa"), make.tool(slug="bb"), make.reviewer()
    make.take(on=tool, by=reviewer, score=50)
    assert "50</b>/100" in client.get("/compare/aa-vs-bb/").content.decode()
    row = written_take(reviewer, score="91", reason="It got better.")
    response = editor_client.post(
        f"/admin/tools/tool/{tool.pk}/change/", tool_form(tool, takes=[row])
    )
    assert response.status_code == 302, errors(response)
    assert "91</b>/100" in client.get("/compare/aa-vs-bb/").content.decode()
    assert other.pk


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("slug", "Has-Capitals"),
        ("slug", "a-vs-b"),
        ("slug", "spaces here"),
        ("name", ""),
        ("name", "x" * 121),
        ("name", "bell \x07"),
        ("website", "javascript:alert(1)"),
        ("entry", "bribe"),
        ("category", "999999"),
        ("published_at", "12/31/2026"),
    ],
)
def test_a_fault_of_a_tool_is_named_beside_its_field(editor_client, field, value):
    form = tool_form(category=make.category().pk) | {field: value}
    response = editor_client.post("/admin/tools/tool/add/", form)
    assert response.status_code == 200
    assert set(errors(response)) == {field}
    assert not Tool.objects.exists()


def test_an_empty_slug_is_made_from_the_name_of_a_new_row_only(editor_client):
    form = tool_form(category=make.category().pk, name="שלום", slug="")
    assert editor_client.post("/admin/tools/tool/add/", form).status_code == 302
    tool = Tool.objects.get()
    assert tool.slug == "slvm"
    taken = editor_client.post("/admin/tools/tool/add/", form)
    emptied = editor_client.post(page_of(tool), tool_form(tool, slug=""))
    assert set(errors(taken)) == set(errors(emptied)) == {"slug"}
    assert errors(emptied)["slug"] == ["Enter the address."]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("example.com", "Begin the address with https:// or http://."),
        ("javascript:alert(1)", "Begin the address with https:// or http://."),
        ("https://example.com/a b", "Remove the space from the address."),
        ("https://example", "“example” is not a host on the web: check the part after https://."),
        ("http://a_b.com/x", "“a_b.com” is not a host on the web: check the part after http://."),
    ],
)
def test_the_refusal_of_an_invalid_address_says_what_is_wrong(editor_client, address, message):
    form = tool_form(category=make.category().pk) | {"website": address}
    response = editor_client.post("/admin/tools/tool/add/", form)
    assert errors(response) == {"website": [message]}


@pytest.mark.parametrize(
    ("field", "value"),
    [("score", "101"), ("score", "-1"), ("score", "80.5"), ("score", ""), ("verdict", "maybe")],
)
def test_a_fault_of_a_take_is_named_beside_its_field(editor_client, field, value):
    tool = make.tool()
    reviewer = make.reviewer()
    form = tool_form(tool, takes=[written_take(reviewer, **{field: value})])
    response = editor_client.post(f"/admin/tools/tool/{tool.pk}/change/", form)
    assert response.status_code == 200
    assert set(errors(response)) == {f"{take_name(reviewer)}-{field}"}
    assert not Take.objects.exists()


def test_a_reviewer_has_one_take_on_a_tool(editor_client):
    take = make.take(body="Theirs, the first.")
    sent = {"tool": take.tool_id, "reviewer": take.reviewer_id, "score": 1, "verdict": "skip"}
    response = editor_client.post("/admin/reviews/take/add/", sent | {"body": "Mine."})
    assert "reviewer" in errors(response)
    page = response.content.decode()
    assert "Theirs, the first." in page
    assert "Mine." in page
    assert Take.objects.get().body == "Theirs, the first."


def test_takes_stand_in_panel_order(editor_client):
    tool = make.tool()
    late = make.take(on=tool, by=make.reviewer(position=2))
    early = make.take(on=tool, by=make.reviewer(position=1))
    response = editor_client.get(f"/admin/tools/tool/{tool.pk}/change/")
    formset = response.context["inline_admin_formsets"][0].formset
    assert [form.instance.pk for form in formset.forms] == [early.pk, late.pk]


def test_a_changed_slug_leaves_a_redirect_that_an_editor_can_end(editor_client, client):
    tool = make.take(on=make.tool(slug="old-name")).tool
    url = f"/admin/tools/tool/{tool.pk}/change/"
    response = editor_client.post(url, tool_form(tool, slug="new-name"))
    assert response.status_code == 302, errors(response)
    response = client.get("/tools/old-name/")
    assert (response.status_code, response["Location"]) == (301, "/tools/new-name/")
    tool.refresh_from_db()
    assert editor_client.post(url, tool_form(tool, ended=["old-name"])).status_code == 302
    assert client.get("/tools/old-name/").status_code == 404


def test_a_slug_that_still_leads_elsewhere_is_refused_and_says_where(editor_client):
    first = make.tool(slug="old-name", name="The First")
    first.rename("new-name")
    form = tool_form(category=make.category().pk, slug="old-name")
    response = editor_client.post("/admin/tools/tool/add/", form)
    assert "The First" in errors(response)["slug"][0]


def test_an_editor_sets_two_tools_side_by_side_in_an_order(editor_client, client):
    one, two = make.tool(slug="aa"), make.tool(slug="bb")
    form = comparison_form(two.pk, one.pk, _publish="x")
    response = editor_client.post("/admin/comparisons/comparison/add/", form)
    assert response.status_code == 302, response.context["faults"]
    assert client.get("/compare/bb-vs-aa/").status_code == 200
    assert client.get("/compare/aa-vs-bb/")["Location"] == "/compare/bb-vs-aa/"


def test_a_tool_beside_itself_is_refused_beside_its_field(editor_client):
    tool = make.tool()
    form = comparison_form(tool.pk, tool.pk)
    response = editor_client.post("/admin/comparisons/comparison/add/", form)
    assert set(response.context["adminform"].form.errors) == {"tool_list"}


def test_a_pair_that_exists_in_the_other_order_is_refused_beside_its_field(editor_client):
    pair = make.comparison()
    form = comparison_form(*pair.tool_ids[::-1])
    response = editor_client.post("/admin/comparisons/comparison/add/", form)
    assert set(response.context["adminform"].form.errors) == {"tool_list"}
    assert Comparison.objects.count() == 1


def test_likes_are_written_one_a_line(editor_client):
    form = {
        "name": "Builder",
        "slug": "builder",
        "likes": "small tools\n\n  honest docs ",
        "dislikes": "",
        "position": "1",
        "published_at": "",
    }
    response = editor_client.post("/admin/reviews/reviewer/add/", form)
    assert response.status_code == 302, response.context["faults"]
    assert Reviewer.objects.get().likes == ["small tools", "honest docs"]
    page = editor_client.get(f"/admin/reviews/reviewer/{Reviewer.objects.get().pk}/change/")
    assert "small tools\nhonest docs" in page.content.decode()


def test_portraits_and_tints_are_chosen_among_pictures(editor_client):
    row = make.reviewer(name="Ann", sign="visor", tint="plum")
    url = f"/admin/reviews/reviewer/{row.pk}/change/"
    page = editor_client.get(url)
    assert page.content.decode().count('<svg class="portrait portrait--plum"') == len(Sign) + 2
    form = on_the_page(page)
    assert (form["sign"], form["tint"]) == ("visor", "plum")
    assert editor_client.post(url, form | {"sign": "bob", "tint": ""}).status_code == 302
    row.refresh_from_db()
    assert (row.sign, row.tint) == ("bob", "")
    assert editor_client.post(url, form | {"sign": "hat"}).status_code == 200


def test_view_on_site_is_offered_for_what_can_be_seen(editor_client):
    seen, draft = make.tool(), make.tool(published_at=None)
    page = editor_client.get(f"/admin/tools/tool/{seen.pk}/change/").content.decode()
    assert f'href="{seen.get_absolute_url()}"' in page
    page = editor_client.get(f"/admin/tools/tool/{draft.pk}/change/").content.decode()
    assert f'href="{draft.get_absolute_url()}"' not in page


def test_a_visitor_without_an_account_is_redirected_to_the_login(client):
    response = client.get("/admin/tools/tool/")
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")


def test_every_screen_of_the_desk_opens(editor_client):
    make.take()
    make.comparison()
    for path in (
        *("tools/category/", "tools/tool/", "tools/tool/add/"),
        *("reviews/reviewer/", "reviews/take/", "reviews/vote/"),
        *("comparisons/comparison/", "comparisons/comparison/add/"),
    ):
        assert editor_client.get(f"/admin/{path}").status_code == 200, path


@pytest.mark.parametrize("slug", ["A B", "Ünï", "a-vs-b"])
def test_an_invalid_slug_is_refused_and_nothing_is_lost(editor_client, slug):
    tool = make.take(on=make.tool(slug="good")).tool
    url = f"/admin/tools/tool/{tool.pk}/change/"
    response = editor_client.post(url, tool_form(tool, slug=slug, tagline="Just written"))
    assert set(errors(response)) == {"slug"}
    assert "Just written" in response.content.decode()


def test_a_name_of_two_lines_is_refused(editor_client):
    form = tool_form(category=make.category().pk, name="one\ntwo")
    response = editor_client.post("/admin/tools/tool/add/", form)
    assert set(errors(response)) == {"name"}
