"""The screens of attributes."""

import pytest

from tests import factories as make
from tests.desk.forms import errors, on_the_page
from tests.desk.histories import change, restore
from tests.markup import read
from tools.fact_values import AttributeKind
from tools.models import Attribute

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

ADD = "/admin/tools/attribute/add/"


def page_of(row):
    return f"/admin/tools/attribute/{row.pk}/change/"


def test_an_attribute_is_written_with_choices_and_categories(publisher):
    agents = make.category(name="Agents")
    form = {"name": "Terms", "kind": "choice", "choices": "MIT\n Apache 2.0 \n", "position": 3}
    form |= {"category_ids": [agents.pk], "group": "Licence and data"}
    assert publisher.post(ADD, form).status_code == 302
    row = Attribute.objects.get()
    assert (row.slug, row.choices, row.categories) == ("terms", ["MIT", "Apache 2.0"], [agents])
    assert row.history.get().history_user.username == "paula"
    assert "Agents" in read(publisher.get("/admin/tools/attribute/")).text


def test_what_tools_answered_stays_possible(publisher):
    row = make.attribute(kind=AttributeKind.CHOICE, choices=["MIT", "GPL"])
    make.fact("GPL", on=make.tool(), to=row)
    page = publisher.get(page_of(row))
    assert "Cannot be changed: 1 tool answers it." in read(page).text
    response = publisher.post(page_of(row), on_the_page(page) | {"choices": "MIT"})
    assert "“GPL”" in errors(response)["choices"][0]
    sent = on_the_page(page) | {"kind": "text", "choices": "GPL"}
    assert publisher.post(page_of(row), sent).status_code == 302
    row.refresh_from_db()
    assert (row.kind, row.choices) == (AttributeKind.CHOICE, ["GPL"])


def test_ticked_categories_of_another_editor_are_kept(publisher):
    first, second = make.category(name="A"), make.category(name="B")
    row = make.attribute(asked_in=[first])
    hers = on_the_page(publisher.get(page_of(row))) | {"category_ids": [str(first.pk)]}
    change(row, category_ids=[first.pk, second.pk])
    response = publisher.post(page_of(row), hers | {"help": "Tokens"})
    assert response.status_code == 200
    chosen = response.context["adminform"].form["category_ids"].value()
    assert [str(key) for key in chosen] == [str(first.pk), str(second.pk)]


def test_a_version_of_an_attribute_is_on_record_with_its_editor_and_restored(publisher):
    row = make.attribute(name="Context")
    first = row.history.get()
    sent = on_the_page(publisher.get(page_of(row))) | {"name": "Context window"}
    publisher.post(page_of(row), sent)
    page = read(publisher.get(f"/admin/tools/attribute/{row.pk}/history/")).text
    assert "paula" in page
    assert "Context window" in page
    restore(publisher, row, first)
    row.refresh_from_db()
    assert row.name == "Context"


def test_writers_read_attributes_and_do_not_write_them(writer):
    row = make.attribute()
    assert writer.get(page_of(row)).status_code == 200
    assert writer.post(page_of(row), {"name": "Other"}).status_code == 403
    assert writer.get(ADD).status_code == 403


def test_the_attribute_of_licences_keeps_its_kind_and_address_at_the_desk(publisher):
    row = make.attribute(slug="licence", name="Licence", kind="text")
    form = {"name": "Licence", "slug": "licence", "kind": "text", "position": 1}
    for changes, field in (({"kind": "choice", "choices": "MIT"}, "kind"), ({"slug": "x"}, "slug")):
        response = publisher.post(page_of(row), form | changes)
        assert set(errors(response)) == {field}
    assert publisher.get(f"/admin/tools/attribute/{row.pk}/delete/").status_code == 403
