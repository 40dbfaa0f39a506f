"""The matrix of tools by reviewers: what each cell says, where it leads, and its filters."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse

from tests import factories as make
from tests.desk.desks import desk_of, queries_of
from tests.markup import Document

pytestmark = pytest.mark.django_db

PATH = "/admin/coverage/"
NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
LONG_AGO = NOW - 181 * DAY


@pytest.fixture
def publisher(clock, db):
    clock(NOW)
    return desk_of("Publishers")


@pytest.fixture
def writer(clock, db):
    clock(NOW)
    return desk_of("Writers")


def document_of(response):
    assert response.status_code == 200
    return Document(response.content.decode())


def in_matrix(element):
    table = element.within("table")
    return table is not None and table.attributes.get("class") == "coverage__matrix"


def cells_of(page):
    return [element for element in page.elements if element.name == "td" and in_matrix(element)]


def cells(client, query=""):
    """What the cells say, without whom they are about."""
    return [cell.text for cell in cells_of(document_of(client.get(PATH + query)))]


def names(client, query=""):
    """The names of the tools in the order of the rows."""
    return [row.tool.name for row in client.get(PATH + query).context["matrix"].rows]


def links(page):
    """Where the links of the matrix lead, by their text."""
    return {
        element.text: element.attributes["href"]
        for element in page.elements
        if element.name == "a" and in_matrix(element)
    }


def text_of(client, query=""):
    """The text of the whole page."""
    return document_of(client.get(PATH + query)).root.text


def take_as(state, **fields):
    """A take on a tool `Solo` by a reviewer `Builder`, in that state at NOW."""
    moments = {
        "public": NOW - DAY,
        "draft": None,
        "scheduled": NOW + 2 * DAY,
        "withdrawn": None,
        "old": LONG_AGO,
    }
    tool = make.tool(name="Solo", tagline="Alone", published_at=LONG_AGO)
    by = make.reviewer(name="Builder", slug="builder")
    take = make.take(on=tool, by=by, published_at=moments[state], **{"score": 84} | fields)
    if state == "withdrawn":
        take.withdrawn_at = NOW
        take.save()
    return take


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("public", "84 ship: Builder on Solo"),
        ("draft", "draft: Builder on Solo"),
        ("scheduled", "scheduled 17 Jun: Builder on Solo"),
        ("withdrawn", "withdrawn: Builder on Solo"),
        ("old", "84 ship old: 16 Dec 2025: Builder on Solo"),
    ],
)
def test_a_cell_tells_the_state_of_a_take_and_leads_to_it(publisher, state, words):
    take = take_as(state)
    page = document_of(publisher.get(f"{PATH}?sort=newest"))
    assert [cell.text for cell in cells_of(page)] == [words]
    screen = reverse("admin:reviews_take_change", args=[take.pk])
    assert links(page)[words] == f"{screen}?back=sort%3Dnewest"


def test_a_skip_is_told_by_its_word(publisher):
    take_as("public", verdict="skip", score=9)
    assert cells(publisher) == ["9 skip: Builder on Solo"]


def test_a_missing_take_leads_to_a_form_that_knows_tool_and_reviewer(publisher):
    tool, reviewer = make.tool(name="Bare"), make.reviewer(name="Builder")
    page = document_of(publisher.get(PATH))
    assert [cell.text for cell in cells_of(page)] == ["missing: Builder on Bare"]
    url = links(page)["missing: Builder on Bare"]
    assert url == f"/admin/reviews/take/add/?tool={tool.pk}&reviewer={reviewer.pk}&back="
    form = publisher.get(url).context["adminform"].form
    assert int(form["tool"].value()) == tool.pk
    assert int(form["reviewer"].value()) == reviewer.pk


def test_a_tool_s_name_leads_to_its_screen(publisher):
    tool = make.tool(name="Bare")
    url = links(document_of(publisher.get(PATH)))["Bare"]
    assert url == reverse("admin:tools_tool_change", args=[tool.pk])
    assert publisher.get(url).status_code == 200


def test_a_scheduled_take_turns_public_at_its_moment(clock, publisher):
    take = take_as("scheduled")
    take.published_at = NOW + MINUTE
    take.save()
    assert cells(publisher) == ["scheduled 15 Jun: Builder on Solo"]
    clock(NOW + 2 * MINUTE)
    assert cells(publisher) == ["84 ship: Builder on Solo"]


def test_a_take_turns_old_when_nobody_confirmed_it_for_180_days(clock, publisher):
    take = take_as("public")
    take.published_at = NOW - 180 * DAY
    take.save()
    clock(NOW - MINUTE)
    assert cells(publisher) == ["84 ship: Builder on Solo"]
    assert names(publisher, "?what=old") == []
    clock(NOW + MINUTE)
    assert cells(publisher) == ["84 ship old: 17 Dec 2025: Builder on Solo"]
    assert names(publisher, "?what=old") == ["Solo"]


def test_a_take_that_was_confirmed_counts_from_then(publisher):
    take = take_as("old")
    take.checked_at = NOW - DAY
    take.save()
    assert cells(publisher) == ["84 ship: Builder on Solo"]
    assert names(publisher, "?what=old") == []
    take.checked_at = NOW - 200 * DAY
    take.save()
    assert cells(publisher) == ["84 ship old: 27 Nov 2025: Builder on Solo"]
    assert names(publisher, "?what=old") == ["Solo"]


def test_a_setting_says_after_how_many_days_a_take_is_old(publisher, settings):
    take_as("public")
    settings.STALE_AFTER_DAYS = 0
    assert cells(publisher) == ["84 ship old: 14 Jun: Builder on Solo"]
    assert names(publisher, "?what=old") == ["Solo"]
    assert "not written or confirmed within 0 days" in text_of(publisher)


def test_what_is_scheduled_for_another_year_names_the_year(publisher):
    take = take_as("scheduled")
    take.published_at = datetime(2027, 5, 3, tzinfo=UTC)
    take.save()
    assert cells(publisher) == ["scheduled 3 May 2027: Builder on Solo"]


def test_a_writer_is_not_led_to_a_public_take_but_to_every_other_one(writer):
    tool = make.tool(name="Solo")
    make.take(on=tool, by=make.reviewer(name="Seen", position=1), score=84)
    make.take(on=tool, by=make.reviewer(name="Draft", position=2), published_at=None)
    make.reviewer(name="None yet", position=3)
    page = document_of(writer.get(PATH))
    assert [cell.text for cell in cells_of(page)] == [
        "84 ship",
        "draft: Draft on Solo",
        "missing: None yet on Solo",
    ]
    assert set(links(page)) == {"Solo", "draft: Draft on Solo", "missing: None yet on Solo"}


def test_who_may_only_look_is_led_to_no_take(clock, db):
    clock(NOW)
    client = desk_of(rights=("view_tool", "view_take"))
    tool = make.tool(name="Solo")
    make.take(on=tool, by=make.reviewer(position=1), published_at=None)
    make.reviewer(position=2)
    page = document_of(client.get(PATH))
    assert [cell.text for cell in cells_of(page)] == ["draft", "missing"]
    assert set(links(page)) == {"Solo"}


def heads(page):
    return [
        element.text
        for element in page.elements
        if in_matrix(element) and element.attributes.get("scope") == "col"
    ]


def test_the_columns_stand_in_panel_order(publisher):
    make.tool()
    make.reviewer(name="Second", position=2)
    make.reviewer(name="First", position=1)
    assert heads(document_of(publisher.get(PATH))) == ["Tool", "First", "Second"]


def test_a_reviewer_to_come_has_a_column_that_is_not_counted(publisher):
    make.tool(name="Solo")
    make.reviewer(name="Soon", slug="soon", published_at=NOW + DAY)
    make.reviewer(name="Gone", published_at=None, withdrawn_at=NOW)
    page = document_of(publisher.get(PATH))
    assert heads(page) == ["Tool", "Soon scheduled, not counted"]
    assert "No take is missing on public tools" in page.root.text
    assert names(publisher, "?what=missing") == []
    assert names(publisher, "?what=missing&reviewer=soon") == ["Solo"]


def test_a_row_tells_the_state_of_its_tool(publisher):
    make.tool(name="A", tagline="x", published_at=None)
    make.tool(name="B", tagline="x", published_at=NOW + DAY)
    make.tool(name="C", tagline="x")
    make.tool(name="D", tagline="x", published_at=None, withdrawn_at=NOW)
    make.tool(name="E", tagline="x", in_category=make.category(published_at=None))
    rows = [
        element.text
        for element in document_of(publisher.get(PATH)).elements
        if in_matrix(element) and element.attributes.get("scope") == "row"
    ]
    assert rows == [
        "A x draft",
        "B x scheduled 16 Jun",
        "C x public",
        "D x withdrawn",
        "E x hidden: its category is not public",
    ]


def test_a_deleted_tool_is_left_out_everywhere(publisher):
    take = take_as("draft")
    make.take(on=take.tool, published_at=LONG_AGO)
    take.tool.remove(NOW)
    page = document_of(publisher.get(PATH))
    assert "There are no tools yet" in page.root.text
    assert "no drafts · none old" in page.root.text


def test_namesakes_are_told_apart(publisher):
    make.tool(name="Twin", tagline="the first")
    make.tool(name="Twin", tagline="", slug="twin-2")
    text = text_of(publisher)
    assert "Twin the first" in text
    assert "Twin twin-2" in text


def test_a_name_is_shown_as_it_is_written(publisher):
    make.tool(name="<b>A & B</b> – كود")
    make.reviewer(name="<i>")
    page = publisher.get(PATH).content.decode()
    assert "&lt;b&gt;A &amp; B&lt;/b&gt; – كود" in page
    assert "<b>A" not in page
    assert "<i>" not in page


@pytest.fixture
def crowd(publisher):
    """Tools by what is the matter with them, and two reviewers on the panel."""
    builder = make.reviewer(name="Builder", slug="builder", position=1)
    skeptic = make.reviewer(name="Skeptic", slug="skeptic", position=2)
    agents = make.category(slug="agents")
    moments = {
        "whole": (NOW - DAY, NOW - DAY),
        "half": (NOW - DAY, ...),
        "bare": (..., ...),
        "drafted": (NOW - DAY, None),
        "stale": (LONG_AGO, NOW - DAY),
    }
    for at, (name, pair) in enumerate(moments.items()):
        tool = make.tool(
            name=name, slug=name, in_category=agents, published_at=NOW - (9 - at) * DAY
        )
        for reviewer, moment in zip((builder, skeptic), pair, strict=True):
            if moment is not ...:
                make.take(on=tool, by=reviewer, published_at=moment)
    make.tool(name="unpublished", slug="unpublished", published_at=None)
    make.tool(name="coming", slug="coming", published_at=NOW + DAY, maker="Needle")
    make.tool(name="gone", slug="gone", published_at=None, withdrawn_at=NOW - 20 * DAY)
    return publisher


EVERY = ["bare", "coming", "drafted", "gone", "half", "stale", "unpublished", "whole"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", EVERY),
        ("?what=missing", ["bare", "coming", "gone", "half", "unpublished"]),
        ("?what=missing&state=public", ["bare", "half"]),
        ("?what=missing&reviewer=skeptic&state=public", ["bare", "half"]),
        ("?what=missing&reviewer=builder&state=public", ["bare"]),
        ("?what=draft", ["drafted"]),
        ("?what=draft&reviewer=skeptic", ["drafted"]),
        ("?what=draft&reviewer=builder", []),
        ("?what=old", ["stale"]),
        ("?what=old&reviewer=builder", ["stale"]),
        ("?what=old&reviewer=skeptic", []),
        ("?reviewer=builder", EVERY),
        ("?category=agents", ["bare", "drafted", "half", "stale", "whole"]),
        ("?state=draft", ["unpublished"]),
        ("?state=scheduled", ["coming"]),
        ("?state=public", ["bare", "drafted", "half", "stale", "whole"]),
        ("?state=withdrawn", ["gone"]),
        ("?q=NEEDLE", ["coming"]),
        ("?q=nothing+like+it", []),
        ("?sort=name", EVERY),
        ("?category=agents&what=missing&state=public&sort=newest", ["bare", "half"]),
        (
            "?sort=newest",
            ["unpublished", "coming", "stale", "drafted", "bare", "half", "whole", "gone"],
        ),
    ],
)
def test_the_matrix_is_filtered_and_sorted(crowd, query, found):
    assert names(crowd, query) == found


def test_a_chosen_reviewer_stands_alone(crowd):
    page = document_of(crowd.get(f"{PATH}?reviewer=skeptic&q=half"))
    assert heads(page) == ["Tool", "Skeptic"]
    assert [cell.text for cell in cells_of(page)] == ["missing: Skeptic on half"]


def test_the_form_keeps_what_was_chosen(crowd):
    page = document_of(crowd.get(f"{PATH}?what=missing&state=public&reviewer=builder&q=bar"))
    chosen = [
        element.attributes["value"] for element in page.elements if "selected" in element.attributes
    ]
    assert [value for value in chosen if value] == ["missing", "builder", "public"]
    field = next(e for e in page.elements if e.attributes.get("id") == "filter-q")
    assert field.attributes["value"] == "bar"


def test_the_totals_count_takes_and_lead_to_them(crowd):
    page = document_of(crowd.get(PATH))
    totals = {
        element.text: element.attributes["href"]
        for element in page.elements
        if element.name == "a" and element.attributes["href"].startswith("?")
    }
    assert totals == {
        "3 missing": "?what=missing&state=public",
        "1 draft": "?what=draft",
        "1 old": "?what=old",
    }
    assert names(crowd, totals["3 missing"]) == ["bare", "half"]


def test_what_a_reviewer_wrote_on_a_tool_that_is_not_public_leaves_no_total_below_zero(publisher):
    reviewer = make.reviewer()
    make.take(on=make.tool(published_at=None), by=reviewer)
    make.take(on=make.tool(in_category=make.category(published_at=None)), by=reviewer)
    make.tool()
    assert "1 missing on public tools" in text_of(publisher)


def test_the_totals_stay_whole_whatever_is_filtered(crowd):
    assert "3 missing on public tools · 1 draft · 1 old" in text_of(crowd, "?q=zzz&state=draft")


@pytest.mark.parametrize(
    ("query", "complaint"),
    [
        ("?what=everything", "There is no kind of take “everything” here; it was left out."),
        ("?category=nope", "There is no category “nope” here; it was left out."),
        ("?reviewer=nobody", "There is no reviewer “nobody” here; it was left out."),
        ("?state=deleted", "There is no state of the tool “deleted” here; it was left out."),
        ("?sort=random", "There is no order “random” here; it was left out."),
        ("?page=0", "There is no page “0”; this is the first."),
        ("?page=two", "There is no page “two”; this is the first."),
        ("?page=7", "There is no page 7; this is the first."),
        (
            "?q=" + "x" * 101,
            "Search takes at most 100 characters; yours was left out.",
        ),
        ("?q=%00", "Search cannot hold control characters; yours was left out."),
        ("?What=missing", "“What” is not a filter of this page; it was left out."),
    ],
)
def test_a_bad_filter_is_left_out_and_the_page_says_so(crowd, query, complaint):
    assert names(crowd, query) == EVERY
    assert complaint in text_of(crowd, query)


def test_fifty_tools_make_a_page(publisher):
    kind = make.category(slug="many")
    for at in range(51):
        make.tool(name=f"{at:02}", in_category=kind)
    query = "?what=&category=many"
    first = publisher.get(PATH + query)
    assert len(first.context["matrix"].rows) == 50
    page = document_of(first)
    onward = next(e for e in page.elements if e.attributes.get("rel") == "next")
    assert onward.attributes["href"] == "?category=many&page=2"
    assert names(publisher, onward.attributes["href"]) == ["50"]


def test_a_page_without_rows_says_why(publisher):
    assert "There are no tools yet. Add the first tool" in text_of(publisher)
    assert "No tool matches these filters. Show all tools" in text_of(publisher, "?q=zzz")
    make.tool()
    assert "There are no reviewers yet, so nothing is missing." in text_of(publisher)
    assert names(publisher, "?what=missing") == []


def test_who_may_not_write_a_tool_is_not_asked_to(clock, db):
    clock(NOW)
    text = text_of(desk_of(rights=("view_tool", "view_take")))
    assert "There are no tools yet." in text
    assert "Add the first tool" not in text


def test_a_stranger_is_sent_to_the_login_and_comes_back(client):
    response = client.get(f"{PATH}?what=missing")
    assert response.status_code == 302
    assert response["Location"] == "/admin/login/?next=/admin/coverage/%3Fwhat%3Dmissing"


@pytest.mark.parametrize("rights", [(), ("view_tool",), ("view_take",)])
def test_who_may_not_see_tools_and_takes_is_refused(db, rights):
    assert desk_of(rights=rights).get(PATH).status_code == 403


def test_the_matrix_is_read_only(publisher):
    assert publisher.post(PATH).status_code == 405


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?what=missing",
        "?what=missing&state=public&sort=newest&reviewer=builder",
        "?what=draft",
        "?what=old",
        "?q=many",
        "?page=1&category=agents",
    ],
)
def test_a_hundred_tools_ask_as_many_queries_as_two(publisher, query):
    panel = [make.reviewer(slug="builder"), make.reviewer(), make.reviewer()]
    agents = make.category(slug="agents")

    def grow(number):
        for _ in range(number):
            tool = make.tool(name="many", in_category=agents)
            make.take(on=tool, by=panel[0], published_at=LONG_AGO)
            make.take(on=tool, by=panel[1], published_at=None)
            make.take(on=make.tool(name="many", in_category=agents), by=panel[0])

    grow(2)
    few = queries_of(publisher, PATH + query)
    grow(50)
    make.reviewer()
    assert queries_of(publisher, PATH + query) == few <= 12
