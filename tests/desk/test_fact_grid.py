"""The grid of a category: tools by attributes, conflicts and faults by cell."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from tests import factories as make
from tests.desk.editor_clients import desk_of, part_of
from tests.desk.forms import on_the_page
from tests.markup import read
from tools.models import Fact, FactChange, Tool

pytestmark = pytest.mark.django_db

PATH = "/admin/facts/agents/"
OLD = date(2025, 1, 1)
OLD_SOURCE = "https://old.example"
NEW_SOURCE = "https://new.example"


@pytest.fixture(autouse=True)
def agents(db):
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


def of(tool, attribute, what="cell"):
    """The name of a field of a cell."""
    return f"{what}-{tool.pk}-{attribute.pk}"


def save(client, **changes):
    """Open the grid, change cells and save."""
    return client.post(PATH, on_the_page(client.get(PATH)) | changes)


def answers():
    return {fact.tool.name: fact.words for fact in Fact.objects.select_related("tool", "attribute")}


def test_changed_cells_are_saved_with_one_source_and_an_unchanged_grid_writes_nothing(
    publisher, alpha, beta, size
):
    make.fact(Decimal(7), on=beta, to=size, source=OLD_SOURCE, checked_on=OLD)
    assert save(publisher).status_code == 303
    assert (Fact.history.count(), Fact.objects.get().checked_on) == (1, OLD)
    changes = {of(alpha, size): "128 000", of(beta, size): "n/a"}
    assert save(publisher, **changes, source=NEW_SOURCE).status_code == 303
    assert answers() == {"Alpha": "128,000", "Beta": "Does not apply"}
    today = timezone.localdate()
    for fact in Fact.objects.all():
        assert (fact.source, fact.checked_on) == (NEW_SOURCE, today)
    assert {each.history_user.username for each in Fact.history.all()[:2]} == {"paula"}
    assert FactChange.objects.get().after == "Does not apply"
    save(publisher, **{of(alpha, size): ""})
    assert answers() == {"Beta": "Does not apply"}, "an emptied cell removes its answer"
    assert FactChange.objects.latest("pk").after == ""


def test_the_words_of_a_source_go_with_its_answers(publisher, alpha, beta, size):
    for tool in (alpha, beta):
        make.fact(Decimal(7), on=tool, to=size, source=OLD_SOURCE, quote="Seven")
    ticked = {of(beta, size, "true"): "on"}
    for changes, quotes in (
        ({of(alpha, size): "8"}, ["", "Seven"]),  # a new answer
        ({"source": NEW_SOURCE}, ["", ""]),
        ({"source": NEW_SOURCE, "quote": "Still \n seven"}, ["", "Still seven"]),
    ):
        save(publisher, **ticked, **changes)
        assert [fact.quote for fact in Fact.objects.order_by("tool")] == quotes, changes


def test_a_bad_source_saves_nothing_and_a_bad_cell_only_the_others(
    publisher, alpha, beta, size, agents
):
    form = on_the_page(publisher.get(PATH))
    later = make.tool(name="Later", in_category=agents)
    for fault, source in (
        ("Begin the address with https://", {"source": "example.org"}),
        (f"{NEW_SOURCE}/ is enough", {"source": f"{NEW_SOURCE}/?UTM_medium=x"}),
        ("Give the address where these words stand.", {"quote": "Eight"}),
    ):
        sent = {of(alpha, size): "3", **source}
        response = publisher.post(PATH, form | sent)
        assert fault in response.content.decode()
        shown = on_the_page(response)
        assert shown.items() >= sent.items(), "nothing typed is lost"
        assert of(later, size) not in shown, "the tools that were sent, and no others"
        assert not Fact.objects.exists()
    make.fact(Decimal(1), on=beta, to=size, source=OLD_SOURCE)
    for text, fault in (("many", "“many” is no number"), ("not stated", "Give the source")):
        response = save(publisher, **{of(alpha, size): text, of(beta, size): "not stated"})
        (marked,) = read(response).of_class("fact-grid__fault")
        assert fault in marked.text
        assert on_the_page(response)[of(alpha, size)] == text
        assert answers() == {"Beta": "Not stated"}
    sent = on_the_page(response) | {"source": NEW_SOURCE}
    assert publisher.post(PATH, sent).status_code == 303
    assert answers() == {"Alpha": "Not stated", "Beta": "Not stated"}


@pytest.mark.parametrize(
    ("his", "hers", "shown"),
    [
        ("2", ["3"], "saved “2” here meanwhile"),
        ("", ["3"], "saved nothing here meanwhile"),
        ("2", ["many", "3"], "saved “2” here meanwhile"),
        ("2", ["1"], None),
        ("2", ["2"], None),
    ],
    ids=["both", "one removed it", "after a fault", "one", "both the same"],
)
def test_a_cell_that_two_editors_changed_shows_both(publisher, alpha, beta, size, his, hers, shown):
    make.fact(Decimal(1), on=alpha, to=size)
    sent = on_the_page(publisher.get(PATH)) | {of(beta, size): "4"}
    save(desk_of("Publishers", name="ben"), **{of(alpha, size): his})
    theirs = {"Alpha": his, "Beta": "4"} if his else {"Beta": "4"}
    for text in hers:
        response = publisher.post(PATH, sent | {of(alpha, size): text})
        if shown:
            sent = on_the_page(response)
        assert answers() == theirs
    if shown:
        assert shown in read(response).text
        response = publisher.post(PATH, sent)
        theirs = {"Alpha": "3", "Beta": "4"}
    assert response.status_code == 303
    assert answers() == theirs


def test_ticks_confirm_a_cell_a_row_or_a_column(publisher, alpha, beta, size, agents):
    speed = make.attribute(asked_in=[agents])
    cells = [(tool, attribute) for tool in (alpha, beta) for attribute in (size, speed)]
    for tool, attribute in cells:
        make.fact(Decimal(1), on=tool, to=attribute)
    ticks = {
        of(alpha, size, "true"): cells[:1],
        f"row-{alpha.pk}": cells[:2],
        f"column-{size.pk}": [cells[0], cells[2]],
    }
    for name, confirmed in ticks.items():
        Fact.objects.update(checked_on=OLD, source="")
        save(publisher, **{name: "on", "source": NEW_SOURCE})
        fresh = Fact.objects.filter(checked_on=timezone.localdate(), source=NEW_SOURCE)
        assert [(fact.tool, fact.attribute) for fact in fresh.order_by("pk")] == confirmed, name
    assert not FactChange.objects.exists()


def test_a_writer_fills_cells_of_drafts_only_and_staff_without_rights_none(
    writer, alpha, agents, size
):
    draft = make.tool(in_category=agents, published_at=None)
    types = make.attribute(kind="choices", choices=["Text", "Images"], asked_in=[agents])
    form = on_the_page(writer.get(PATH))
    assert of(alpha, size) not in form
    several = {of(draft, types): "images;  TEXT"}
    writer.post(PATH, form | several | {of(draft, size): "1", of(alpha, size): "2"})
    values = {fact.attribute: fact.value for fact in Fact.objects.filter(tool=draft)}
    assert values == {size: 1, types: ["Images", "Text"]}
    assert not alpha.facts.exists()
    statuses = [desk_of(name=path).get(path).status_code for path in (PATH, "/admin/facts/")]
    assert statuses == [403, 403]


def test_a_note_limits_the_answer_unless_an_editor_ticks_that_it_explains(
    publisher, alpha, beta, size
):
    fact = make.fact(Decimal(3), on=alpha, to=size, note="Both kinds")
    make.fact(Decimal(3), on=beta, to=size)
    explains = of(alpha, size, "explains")
    before = publisher.get(PATH)
    assert explains in before.content.decode()
    assert of(beta, size, "explains") not in before.content.decode(), "there is no note"
    unticked = on_the_page(before)

    def stored():
        fact.refresh_from_db()
        return fact.value, fact.note_only_explains, fact.history.count()

    save(publisher, **{explains: "on"})
    assert stored() == (3, True, 2)
    publisher.post(PATH, unticked)
    assert stored() == (3, True, 2), "a tick of another editor is kept"
    save(publisher, **{of(alpha, size): "4"})
    assert stored() == (4, True, 3)
    ticked = on_the_page(publisher.get(PATH))
    del ticked[explains]
    publisher.post(PATH, ticked | {of(alpha, size): "5"})
    assert stored() == (5, False, 4)


# --- What is due -----------------------------------------------------------------------------


def test_what_is_due_is_listed_and_leads_to_a_grid_of_these_tools(publisher, agents, size):
    source, today = "https://example.org", timezone.localdate()
    for name, fields in {
        "No source": {},
        "Old, no source": {"checked_on": OLD},
        "No day": {"source": source},
        "Old": {"source": source, "checked_on": today - timedelta(days=181)},
        "Complete": {"source": source, "checked_on": today - timedelta(days=180)},
    }.items():
        tool = make.tool(name=name, in_category=agents)
        make.fact(Decimal(1), on=tool, to=size, **fields)
    make.tool(name="Missing", in_category=agents)
    for what, names in {
        "no-source": ["No source", "Old, no source"],
        "no-day": ["No day"],
        "missing": ["Missing"],
        "old": ["Old", "Old, no source"],
    }.items():
        shown = on_the_page(publisher.get(f"{PATH}?what={what}"))
        tools = [tool for tool in Tool.objects.order_by("name") if of(tool, size) in shown]
        assert [tool.name for tool in tools] == names, what
    gaps = make.category(slug="gaps", name="Gaps")
    make.attribute(asked_in=[gaps])
    for _ in range(9):
        make.tool(in_category=gaps)
    part = part_of(publisher, "facts")
    assert [(label, url) for label, url in part.links.items() if "?what=" in url] == [
        ("Agents: 2 without a source", f"{PATH}?what=no-source"),
        ("1 without a day in Agents", f"{PATH}?what=no-day"),
        ("1 missing in Agents", f"{PATH}?what=missing"),
        ("2 old in Agents", f"{PATH}?what=old"),
        ("Gaps: 9 missing", "/admin/facts/gaps/?what=missing"),
    ], "answers without source or day come first"
    totals = ["2 answers without a source", "1 source without a day", "10 answers missing"]
    places = [part.text.index(words) for words in totals]
    assert places == sorted(places)
    page = read(publisher.get("/admin/due/"))
    assert page.texts("th", scope="col")[-4:] == ["No source", "No day", "Missing", "Old"]
    assert f"{PATH}?what=old" in page.links
