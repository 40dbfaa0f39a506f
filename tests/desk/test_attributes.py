"""The screens of attributes and families."""

import pytest

from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import errors, on_the_page
from tests.desk.histories import change
from tools.fact_values import AttributeKind
from tools.models import Attribute, Family

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

ADD = "/admin/tools/attribute/add/"


def page_of(row):
    return f"/admin/tools/{row._meta.model_name}/{row.pk}/change/"


def test_an_attribute_is_written_with_choices_and_categories(publisher):
    agents = make.category(name="Agents")
    form = {"name": "Terms", "kind": "choice", "choices": "MIT\n Apache 2.0 \n", "position": 3}
    form |= {"category_ids": [agents.pk], "group": "Licence and data"}
    assert publisher.post(ADD, form).status_code == 302
    row = Attribute.objects.get()
    assert (row.slug, row.choices, row.categories) == ("terms", ["MIT", "Apache 2.0"], [agents])
    assert row.history.get().history_user.username == "paula"
    page = publisher.get("/admin/tools/attribute/").content.decode()
    assert "Agents" in page


def test_the_kind_is_fixed_while_tools_answer(publisher):
    row = make.attribute(kind=AttributeKind.YES_NO)
    make.fact(True, on=make.tool(), to=row)
    page = publisher.get(page_of(row))
    assert "Cannot be changed: 1 tool answers it." in page.content.decode()
    sent = on_the_page(page) | {"kind": "text"}
    assert publisher.post(page_of(row), sent).status_code == 302
    row.refresh_from_db()
    assert row.kind == AttributeKind.YES_NO


def test_a_choice_that_tools_state_cannot_be_taken_away(publisher):
    row = make.attribute(kind=AttributeKind.CHOICE, choices=["MIT", "GPL"])
    make.fact("GPL", on=make.tool(), to=row)
    sent = on_the_page(publisher.get(page_of(row))) | {"choices": "MIT"}
    assert "Tools answer “GPL”" in errors(publisher.post(page_of(row), sent))["choices"][0]


def test_an_attribute_with_answers_cannot_be_deleted(publisher):
    row = make.attribute()
    url = f"/admin/tools/attribute/{row.pk}/delete/"
    assert publisher.get(url).status_code == 200
    make.fact(None, on=make.tool(), to=row)
    assert publisher.post(url, {"post": "yes"}).status_code == 403


def test_a_family_with_tools_cannot_be_deleted(publisher):
    row = Family.objects.create(slug="cursor", name="Cursor")
    url = f"/admin/tools/family/{row.pk}/delete/"
    make.tool(family=row)
    assert publisher.post(url, {"post": "yes"}).status_code == 403


def test_two_editors_of_an_attribute_see_both_versions(publisher):
    row = make.attribute(name="Context")
    other = desk_of("Publishers", name="ben")
    hers, his = on_the_page(publisher.get(page_of(row))), on_the_page(other.get(page_of(row)))
    assert other.post(page_of(row), his | {"name": "Window"}).status_code == 302
    response = publisher.post(page_of(row), hers | {"name": "Context window"})
    conflict = response.context["adminform"].form.conflict
    assert conflict.rows == [("Name", "Window", "Context window")]


def test_ticked_categories_of_another_editor_are_kept(publisher):
    first, second = make.category(name="A"), make.category(name="B")
    row = make.attribute(asked_in=[first])
    hers = on_the_page(publisher.get(page_of(row))) | {"category_ids": [str(first.pk)]}
    change(row, category_ids=[first.pk, second.pk])
    assert publisher.post(page_of(row), hers | {"help": "Tokens"}).status_code == 200
    hers = publisher.post(page_of(row), hers | {"help": "Tokens"})
    chosen = hers.context["adminform"].form["category_ids"].value()
    assert [str(key) for key in chosen] == [str(first.pk), str(second.pk)]


def test_the_history_of_an_attribute_names_its_editor(publisher):
    row = make.attribute(name="Context")
    sent = on_the_page(publisher.get(page_of(row))) | {"name": "Context window"}
    publisher.post(page_of(row), sent)
    page = publisher.get(f"/admin/tools/attribute/{row.pk}/history/").content.decode()
    assert "paula" in page
    assert "Context window" in page


def test_writers_read_attributes_and_do_not_write_them(writer):
    row = make.attribute()
    assert writer.get(page_of(row)).status_code == 200
    assert writer.post(page_of(row), {"name": "Other"}).status_code == 403
    assert writer.get(ADD).status_code == 403


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"kind": "choice", "choices": "MIT"}, "The licence of tools is a text."),
        ({"slug": "terms"}, "Keep “licence”: catalogue documents find the licence by it."),
    ],
)
def test_the_attribute_of_licences_keeps_its_kind_and_address_at_the_desk(publisher, keys, fault):
    row = make.attribute(slug="licence", name="Licence", kind="text")
    form = {"name": "Licence", "slug": "licence", "kind": "text", "position": 1} | keys
    page = publisher.post(f"/admin/tools/attribute/{row.pk}/change/", form)
    assert fault in page.content.decode()
    assert publisher.get(f"/admin/tools/attribute/{row.pk}/delete/").status_code == 403
