"""The table of tools by reviewers: the text and the link of each cell."""

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from tests import factories as make
from tests.desk.coverage_table import (
    DAY,
    LONG_AGO,
    MINUTE,
    NOW,
    PATH,
    cells,
    cells_of,
    column_headings,
    document_of,
    in_table,
    links,
    names,
    text_of,
)
from tests.desk.editor_clients import desk_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("coverage_clock")]


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
def test_a_cell_shows_the_state_of_a_take_and_links_to_it(publisher, state, words):
    take = take_as(state)
    page = document_of(publisher.get(f"{PATH}?sort=newest"))
    assert [cell.text for cell in cells_of(page)] == [words]
    screen = reverse("admin:reviews_take_change", args=[take.pk])
    assert links(page)[words] == f"{screen}?back=sort%3Dnewest"


def test_a_skip_is_shown_by_its_word(publisher):
    take_as("public", verdict="skip", score=9)
    assert cells(publisher) == ["9 skip: Builder on Solo"]


def test_a_missing_take_links_to_a_form_with_tool_and_reviewer_filled_in(publisher):
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


def test_a_scheduled_take_becomes_public_at_its_publication_time(clock, publisher):
    take = take_as("scheduled")
    take.published_at = NOW + MINUTE
    take.save()
    assert cells(publisher) == ["scheduled 15 Jun: Builder on Solo"]
    clock(NOW + 2 * MINUTE)
    assert cells(publisher) == ["84 ship: Builder on Solo"]


def test_a_take_is_old_180_days_after_its_last_confirmation(clock, publisher):
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
    assert "not written or confirmed within 180 days" in text_of(publisher)


def test_what_is_scheduled_for_another_year_names_the_year(publisher):
    take = take_as("scheduled")
    take.published_at = datetime(2027, 5, 3, tzinfo=UTC)
    take.save()
    assert cells(publisher) == ["scheduled 3 May 2027: Builder on Solo"]


def test_a_writer_gets_no_link_to_a_public_take_but_to_every_other_one(writer):
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


def test_an_editor_who_may_only_view_gets_no_link_to_a_take(clock, db):
    clock(NOW)
    client = desk_of(rights=("view_tool", "view_take"))
    tool = make.tool(name="Solo")
    make.take(on=tool, by=make.reviewer(position=1), published_at=None)
    make.reviewer(position=2)
    page = document_of(client.get(PATH))
    assert [cell.text for cell in cells_of(page)] == ["draft", "missing"]
    assert set(links(page)) == {"Solo"}


def test_the_columns_stand_in_panel_order(publisher):
    make.tool()
    make.reviewer(name="Second", position=2)
    make.reviewer(name="First", position=1)
    assert column_headings(document_of(publisher.get(PATH))) == ["Tool", "First", "Second"]


def test_a_scheduled_reviewer_has_a_column_that_is_not_counted(publisher):
    make.tool(name="Solo")
    make.reviewer(name="Soon", slug="soon", published_at=NOW + DAY)
    make.reviewer(name="Gone", published_at=None, withdrawn_at=NOW)
    page = document_of(publisher.get(PATH))
    assert column_headings(page) == ["Tool", "Soon scheduled, not counted"]
    assert "No take is missing on public tools" in page.root.text
    assert names(publisher, "?what=missing") == []
    assert names(publisher, "?what=missing&reviewer=soon") == ["Solo"]


def test_a_row_shows_the_state_of_its_tool(publisher):
    make.tool(name="A", tagline="x", published_at=None)
    make.tool(name="B", tagline="x", published_at=NOW + DAY)
    make.tool(name="C", tagline="x")
    make.tool(name="D", tagline="x", published_at=None, withdrawn_at=NOW)
    make.tool(name="E", tagline="x", in_category=make.category(published_at=None))
    rows = [
        element.text
        for element in document_of(publisher.get(PATH)).elements
        if in_table(element) and element.attributes.get("scope") == "row"
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


def test_namesakes_are_distinguished(publisher):
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


def test_a_page_without_rows_says_why(publisher):
    assert "There are no tools yet. Add the first tool" in text_of(publisher)
    assert "No tool matches these filters. Show all tools" in text_of(publisher, "?q=zzz")
    make.tool()
    assert "There are no reviewers yet, so nothing is missing." in text_of(publisher)
    assert names(publisher, "?what=missing") == []


def test_an_editor_who_may_not_add_tools_gets_no_link_to_do_so(clock, db):
    clock(NOW)
    text = text_of(desk_of(rights=("view_tool", "view_take")))
    assert "There are no tools yet." in text
    assert "Add the first tool" not in text


def test_a_visitor_without_an_account_is_redirected_to_the_login_and_back(client):
    response = client.get(f"{PATH}?what=missing")
    assert response.status_code == 302
    assert response["Location"] == "/admin/login/?next=/admin/coverage/%3Fwhat%3Dmissing"


@pytest.mark.parametrize("rights", [(), ("view_tool",), ("view_take",)])
def test_an_editor_who_may_not_view_tools_and_takes_is_refused(db, rights):
    assert desk_of(rights=rights).get(PATH).status_code == 403


def test_the_table_is_read_only(publisher):
    assert publisher.post(PATH).status_code == 405
