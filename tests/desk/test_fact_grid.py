"""The grid of a category: tools by attributes, conflicts and faults by cell."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from shipskip.editing.models import UnsavedText
from tests import factories as make
from tests.desk.editor_clients import Part, desk_of, queries_of
from tests.desk.forms import on_the_page
from tests.markup import one_line
from tools.fact_values import AttributeKind
from tools.models import Fact, FactChange

pytestmark = pytest.mark.django_db

OLD = date(2025, 1, 1)


@pytest.fixture
def agents(db):
    """A category with two tools."""
    return make.category(slug="agents", name="Agents")


@pytest.fixture
def alpha(agents):
    return make.tool(name="Alpha", in_category=agents)


@pytest.fixture
def beta(agents):
    return make.tool(name="Beta", in_category=agents)


@pytest.fixture
def size(agents):
    return make.attribute(name="Size", asked_in=[agents])


PATH = "/admin/facts/agents/"


def cell(tool, attribute):
    return f"cell-{tool.pk}-{attribute.pk}"


def save(client, path=PATH, **changes):
    return client.post(path, on_the_page(client.get(path)) | changes)


def answers():
    return {fact.tool.name: fact.words for fact in Fact.objects.select_related("tool", "attribute")}


def test_changed_cells_are_saved_with_one_source(publisher, alpha, beta, size):
    make.fact(Decimal(7), on=beta, to=size, source="https://old.example")
    response = save(
        publisher,
        **{cell(alpha, size): "128,000", cell(beta, size): "n/a", "source": "https://new.example"},
    )
    assert response.status_code == 303
    assert answers() == {"Alpha": "128,000", "Beta": "Does not apply"}
    assert {fact.source for fact in Fact.objects.all()} == {"https://new.example"}
    assert {fact.checked_on for fact in Fact.objects.all()} == {timezone.localdate()}
    assert {each.history_user.username for each in Fact.history.all()[:2]} == {"paula"}
    assert FactChange.objects.get().after == "Does not apply"


def test_an_unchanged_grid_writes_nothing(publisher, alpha, size):
    make.fact(Decimal(7), on=alpha, to=size, checked_on=OLD)
    assert save(publisher).status_code == 303
    assert Fact.history.count() == 1
    assert Fact.objects.get().checked_on == OLD


def test_an_emptied_cell_removes_the_answer(publisher, alpha, size):
    make.fact(Decimal(7), on=alpha, to=size)
    save(publisher, **{cell(alpha, size): ""})
    assert not Fact.objects.exists()
    assert FactChange.objects.get().after == ""


def test_a_fault_is_marked_in_its_cell_and_the_others_are_saved(publisher, alpha, beta, size):
    response = save(publisher, **{cell(alpha, size): "many", cell(beta, size): "3"})
    page = response.content.decode()
    assert "“many” is no number" in page
    assert 'value="many"' in page
    assert answers() == {"Beta": "3"}
    form_data = on_the_page(response) | {cell(alpha, size): "9"}
    assert publisher.post(PATH, form_data).status_code == 303
    assert answers() == {"Alpha": "9", "Beta": "3"}


def test_a_source_that_is_no_address_saves_nothing_and_loses_nothing(publisher, alpha, size):
    response = save(publisher, **{cell(alpha, size): "3", "source": "example.org"})
    assert "Begin the address with https://" in response.content.decode()
    assert on_the_page(response)[cell(alpha, size)] == "3"
    assert not Fact.objects.exists()


def test_a_cell_that_two_editors_changed_shows_both(publisher, alpha, beta, size):
    make.fact(Decimal(1), on=alpha, to=size)
    hers = on_the_page(publisher.get(PATH))
    save(desk_of("Publishers", name="ben"), **{cell(alpha, size): "2"})
    response = publisher.post(PATH, hers | {cell(alpha, size): "3", cell(beta, size): "4"})
    page = one_line(response.content)
    assert "Another editor saved “2” here meanwhile" in page
    assert answers() == {"Alpha": "2", "Beta": "4"}
    assert publisher.post(PATH, on_the_page(response)).status_code == 303
    assert answers() == {"Alpha": "3", "Beta": "4"}


def test_cells_of_another_editor_are_kept(publisher, alpha, beta, size):
    hers = on_the_page(publisher.get(PATH))
    save(desk_of("Publishers", name="ben"), **{cell(alpha, size): "2"})
    assert publisher.post(PATH, hers | {cell(beta, size): "4"}).status_code == 303
    assert answers() == {"Alpha": "2", "Beta": "4"}


@pytest.mark.parametrize("tick", ["true", "row", "column"])
def test_ticks_confirm_a_cell_a_row_or_a_column(publisher, alpha, beta, size, agents, tick):
    speed = make.attribute(asked_in=[agents])
    for tool in (alpha, beta):
        for attribute in (size, speed):
            make.fact(Decimal(1), on=tool, to=attribute, checked_on=OLD)
    name = {
        "true": f"true-{alpha.pk}-{size.pk}",
        "row": f"row-{alpha.pk}",
        "column": f"column-{size.pk}",
    }
    save(publisher, **{name[tick]: "on", "source": "https://new.example"})
    fresh = Fact.objects.filter(checked_on=timezone.localdate(), source="https://new.example")
    found = {(fact.tool_id, fact.attribute_id) for fact in fresh}
    assert (
        found
        == {
            "true": {(alpha.pk, size.pk)},
            "row": {(alpha.pk, size.pk), (alpha.pk, speed.pk)},
            "column": {(alpha.pk, size.pk), (beta.pk, size.pk)},
        }[tick]
    )
    assert not FactChange.objects.exists()


def test_several_choices_and_words_of_any_case_are_read(publisher, alpha, agents):
    row = make.attribute(kind=AttributeKind.CHOICES, choices=["Text", "Images"], asked_in=[agents])
    save(publisher, **{cell(alpha, row): "images;  TEXT"})
    assert Fact.objects.get().value == ["Images", "Text"]


def test_a_writer_fills_cells_of_drafts_only(writer, alpha, agents, size):
    draft = make.tool(name="Draft", in_category=agents, published_at=None)
    form = on_the_page(writer.get(PATH))
    assert cell(alpha, size) not in form
    writer.post(PATH, form | {cell(draft, size): "1", cell(alpha, size): "2"})
    assert answers() == {"Draft": "1"}


def test_staff_without_rights_see_no_grid(agents):
    assert desk_of().get(PATH).status_code == 403
    assert desk_of(name="other").get("/admin/facts/").status_code == 403


def test_the_grid_shows_tools_with_missing_or_old_answers(publisher, alpha, beta, size):
    make.fact(Decimal(1), on=alpha, to=size, checked_on=OLD)
    missing = on_the_page(publisher.get(f"{PATH}?what=missing"))
    old = on_the_page(publisher.get(f"{PATH}?what=old"))
    assert [cell(row, size) in missing for row in (alpha, beta)] == [False, True]
    assert [cell(row, size) in old for row in (alpha, beta)] == [True, False]


def test_a_restored_text_is_shown_and_not_saved(publisher, alpha, size):
    form = on_the_page(publisher.get(PATH)) | {cell(alpha, size): "5"}
    assert publisher.post(f"/admin/unsaved/?path={PATH}", form).status_code == 204
    response = publisher.get(f"{PATH}?restore=yes")
    assert "Your text is back in the form" in response.content.decode()
    assert not Fact.objects.exists()
    assert publisher.post(PATH, on_the_page(response)).status_code == 303
    assert answers() == {"Alpha": "5"}
    assert not UnsavedText.objects.exists()


def test_the_queries_do_not_depend_on_the_size_of_the_grid(publisher, agents, alpha, size):
    make.fact(Decimal(1), on=alpha, to=size)
    few = queries_of(publisher, PATH)
    for _ in range(29):
        attribute = make.attribute(asked_in=[agents])
        make.fact(Decimal(1), on=alpha, to=attribute)
    for _ in range(4):
        make.fact(Decimal(1), on=make.tool(in_category=agents), to=size)
    assert queries_of(publisher, PATH) == few


def test_the_first_page_and_coverage_count_what_is_due(publisher, alpha, beta, size):
    make.fact(Decimal(1), on=alpha, to=size, checked_on=timezone.localdate() - timedelta(days=181))
    part = Part(publisher, "facts")
    assert "1 answer missing" in part.text
    assert part.links["Agents: 1 missing"] == f"{PATH}?what=missing"
    assert "<b>1</b> old answer" in publisher.get("/admin/coverage/").content.decode()
    page = publisher.get("/admin/facts/").content.decode()
    assert f"{PATH}?what=old" in page
