"""The grid of a category: tools by attributes, conflicts and faults by cell."""

import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from tests import factories as make
from tests.desk.editor_clients import Part, desk_of, queries_of
from tests.desk.forms import on_the_page
from tests.markup import one_line
from tools.fact_values import AttributeKind
from tools.models import Fact, FactChange

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

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


def test_the_words_of_a_source_go_with_its_answers(publisher, alpha, beta, size):
    source, words = "https://old.example", "Seven"
    for tool in (alpha, beta):
        make.fact(Decimal(7), on=tool, to=size, source=source, quote=words)
    no_address = save(publisher, **{cell(alpha, size): "8", "quote": "Eight"})
    assert "Give the address where these words stand." in no_address.content.decode()
    ticked = {f"true-{beta.pk}-{size.pk}": "on"}
    save(publisher, **{cell(alpha, size): "8"}, **ticked)
    assert [fact.quote for fact in Fact.objects.order_by("tool")] == ["", words], "another answer"
    save(publisher, **ticked, source="https://new.example")
    assert not Fact.objects.exclude(quote="").exists(), "another source"
    save(publisher, **ticked, source="https://new.example", quote="Still \n seven")
    assert Fact.objects.get(tool=beta).quote == "Still seven"


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


def test_a_fault_does_not_hide_what_another_editor_saved_in_the_cell(publisher, alpha, size):
    make.fact(Decimal(1), on=alpha, to=size)
    hers = on_the_page(publisher.get(PATH))
    save(desk_of("Publishers", name="ben"), **{cell(alpha, size): "2"})
    faulty = publisher.post(PATH, hers | {cell(alpha, size): "many"})
    response = publisher.post(PATH, on_the_page(faulty) | {cell(alpha, size): "3"})
    assert "Another editor saved “2” here meanwhile" in one_line(response.content)
    assert answers() == {"Alpha": "2"}


def test_an_answer_that_another_editor_removed_is_shown_beside_the_editor_s(publisher, alpha, size):
    make.fact(Decimal(1), on=alpha, to=size)
    hers = on_the_page(publisher.get(PATH))
    save(desk_of("Publishers", name="ben"), **{cell(alpha, size): ""})
    response = publisher.post(PATH, hers | {cell(alpha, size): "3"})
    assert "Another editor saved nothing here meanwhile" in one_line(response.content)
    assert publisher.post(PATH, on_the_page(response)).status_code == 303
    assert answers() == {"Alpha": "3"}


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


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("no-source", ["No source", "Old, no source"]),
        ("no-day", ["No day"]),
        ("missing", ["Missing"]),
        ("old", ["Old, no source", "Old"]),
    ],
)
def test_the_grid_shows_tools_in_which_something_is_due(publisher, agents, size, what, names):
    source = "https://example.org"
    facts = {
        "Missing": None,
        "No source": {},
        "Old, no source": {"checked_on": OLD},
        "No day": {"source": source},
        "Old": {"source": source, "checked_on": OLD},
        "Complete": {"source": source, "checked_on": timezone.localdate()},
    }
    tools = {name: make.tool(name=name, in_category=agents) for name in facts}
    for name, fields in facts.items():
        if fields is not None:
            make.fact(Decimal(1), on=tools[name], to=size, **fields)
    shown = on_the_page(publisher.get(f"{PATH}?what={what}"))
    assert [name for name, tool in tools.items() if cell(tool, size) in shown] == names


def test_a_cell_that_is_not_stated_needs_the_source_that_was_read(publisher, alpha, beta, size):
    make.fact(Decimal(1), on=beta, to=size, source="https://old.example")
    sent = {cell(alpha, size): "not stated", cell(beta, size): "not stated"}
    response = save(publisher, **sent)
    assert "Give the source that was read" in response.content.decode()
    assert answers() == {"Beta": "Not stated"}
    save(publisher, **sent, source="https://new.example")
    assert answers() == {"Alpha": "Not stated", "Beta": "Not stated"}


def explains(tool, attribute):
    return f"explains-{tool.pk}-{attribute.pk}"


def test_a_note_does_not_limit_the_answer_where_an_editor_ticks_it(publisher, alpha, beta, size):
    fact = make.fact(Decimal(3), on=alpha, to=size, note="Both kinds")
    make.fact(Decimal(3), on=beta, to=size)
    page = publisher.get(PATH).content.decode()
    assert explains(alpha, size) in page
    assert explains(beta, size) not in page, "without a note there is nothing to tick"
    save(publisher, **{explains(alpha, size): "on"})
    fact.refresh_from_db()
    assert (fact.note_only_explains, fact.history.count()) == (True, 2)
    save(publisher, **{cell(alpha, size): "4"})
    fact.refresh_from_db()
    assert (fact.value, fact.note_only_explains) == (4, True)
    sent = on_the_page(publisher.get(PATH))
    del sent[explains(alpha, size)]
    publisher.post(PATH, sent | {cell(alpha, size): "5"})
    fact.refresh_from_db()
    assert (fact.value, fact.note_only_explains) == (5, False)


def test_a_tick_of_another_editor_beside_a_note_is_kept(publisher, alpha, size):
    fact = make.fact(Decimal(3), on=alpha, to=size, note="Both kinds")
    sent = on_the_page(publisher.get(PATH))
    fact.note_only_explains = True
    fact.save()
    publisher.post(PATH, sent)
    fact.refresh_from_db()
    assert fact.note_only_explains


def test_a_source_that_follows_its_readers_is_refused(publisher, alpha, size):
    sent = {cell(alpha, size): "3", "source": "https://example.org/?UTM_medium=x"}
    response = save(publisher, **sent)
    assert "https://example.org/ is enough" in response.content.decode()
    assert not Fact.objects.exists()


def test_the_queries_do_not_depend_on_the_size_of_the_grid(publisher, agents, alpha, size):
    make.fact(Decimal(1), on=alpha, to=size)
    few = queries_of(publisher, PATH)
    for _ in range(29):
        attribute = make.attribute(asked_in=[agents])
        make.fact(Decimal(1), on=alpha, to=attribute)
    for _ in range(4):
        make.fact(Decimal(1), on=make.tool(in_category=agents), to=size)
    assert queries_of(publisher, PATH) == few


def test_the_first_page_and_the_page_of_what_is_due_count_it(publisher, alpha, beta, size):
    make.fact(
        Decimal(1),
        on=alpha,
        to=size,
        source="https://example.org",
        checked_on=timezone.localdate() - timedelta(days=181),
    )
    part = Part(publisher, "facts")
    assert "1 answer missing" in part.text
    assert part.links["Agents: 1 missing"] == f"{PATH}?what=missing"
    page = publisher.get("/admin/due/").content.decode()
    assert f"{PATH}?what=old" in page


def test_lists_of_what_is_due_begin_with_answers_without_source_or_day(publisher, agents, size):
    for fields in ({}, {"checked_on": OLD}, {"source": "https://example.org"}):
        make.fact(Decimal(1), on=make.tool(in_category=agents), to=size, **fields)
    make.tool(in_category=agents)
    gaps = make.category(slug="gaps", name="Gaps")
    make.attribute(asked_in=[gaps])
    for _ in range(9):
        make.tool(in_category=gaps)
    part = Part(publisher, "facts")
    assert part.text.index("2 answers without a source") < part.text.index("1 source without a day")
    assert part.text.index("1 source without a day") < part.text.index("10 answers missing")
    links = [url for label, url in part.links.items() if "?what=" in url]
    assert links == [
        f"{PATH}?what=no-source",
        f"{PATH}?what=no-day",
        f"{PATH}?what=missing",
        f"{PATH}?what=old",
        "/admin/facts/gaps/?what=missing",
    ]
    heads = re.findall(
        r'<th scope="col">(.*?)</th>', one_line(publisher.get("/admin/due/").content)
    )
    assert heads[-4:] == ["No source", "No day", "Missing", "Old"]
