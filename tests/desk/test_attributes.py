"""The screens of attributes."""

import pytest

from tests import factories as make
from tests.desk.acts import change, changes_of, entries, restore
from tests.desk.forms import errors, on_the_page, opened, page_of
from tests.markup import read
from tools.fact_values import AttributeKind
from tools.models import Attribute

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

ADD = "/admin/tools/attribute/add/"


def test_an_attribute_is_written_listed_changed_on_record_and_restored(publisher):
    agents = make.category(name="Agents")
    form = {"name": "Terms", "kind": "choice", "choices": "MIT\n Apache 2.0 \n", "position": 3}
    form |= {"category_ids": [agents.pk], "group": "Licence and data"}
    assert publisher.post(ADD, form).status_code == 302
    row = Attribute.objects.get()
    assert (row.slug, row.choices, row.categories) == ("terms", ["MIT", "Apache 2.0"], [agents])
    first = row.history.get()
    assert first.history_user.username == "paula"
    assert "Agents" in read(publisher.get("/admin/tools/attribute/")).text
    publisher.post(page_of(row), form | {"name": "Licence terms", "slug": "terms"})
    newest = entries(publisher, row)[0]
    assert (newest.who, changes_of(newest)) == ("paula", ["Name: Terms → Licence terms"])
    restore(publisher, row, first)
    row.refresh_from_db()
    assert row.name == "Terms"


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
    keys = [make.category().pk for _ in "ab"]
    row = make.attribute()
    change(row, category_ids=keys[:1])
    hers = opened(publisher, row) | {"help": "Tokens"}
    change(row, category_ids=keys)
    response = publisher.post(page_of(row), hers)
    assert response.status_code == 200
    chosen = response.context["adminform"].form["category_ids"].value()
    assert [int(key) for key in chosen] == keys


def test_writers_read_attributes_and_the_one_of_licences_keeps_its_kind_and_address(
    writer, publisher
):
    row = make.attribute(slug="licence", name="Licence", kind="text")
    assert writer.get(page_of(row)).status_code == 200
    assert writer.post(page_of(row), {"name": "Other"}).status_code == 403
    assert writer.get(ADD).status_code == 403
    form = {"name": "Licence", "slug": "licence", "kind": "text", "position": 1}
    for changes, field in (({"kind": "choice", "choices": "MIT"}, "kind"), ({"slug": "x"}, "slug")):
        response = publisher.post(page_of(row), form | changes)
        assert set(errors(response)) == {field}
    assert publisher.get(page_of(row, "delete")).status_code == 403
