"""The desk's lists and searches: what they find, for whom, with state and last change."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from shipskip.editing.states import with_verb
from shipskip.search.models import Synonym
from tests import factories as make
from tests.desk.acts import change
from tests.desk.editor_clients import desk_of
from tests.markup import read
from tools.models import Family

pytestmark = pytest.mark.django_db


def test_lists_are_filtered(publisher):
    now, day = timezone.now(), timedelta(days=1)
    moments = {"draft": None, "scheduled": now + day, "public": now - day}
    tools = {state: make.tool(published_at=moment) for state, moment in moments.items()}
    take = make.take(on=tools["public"], verdict="skip")
    make.take(on=tools["public"], verdict="ship")
    cases = [(f"tools/tool/?state={state}", tool) for state, tool in tools.items()]
    query = f"verdict__exact=skip&reviewer__id__exact={take.reviewer_id}&state=public"
    for path, row in [*cases, (f"reviews/take/?{query}", take)]:
        shown = publisher.get(f"/admin/{path}").context["cl"]
        assert [*shown.queryset] == [*shown.result_list] == [row], path


def test_tools_are_found_by_name_tagline_and_maker(publisher):
    make.tool(slug="by-name", name="A needle", tagline="Sews")
    make.tool(slug="by-tagline", tagline="needle work")
    make.tool(slug="by-maker", maker="Needle Ltd")
    make.tool(slug="other")
    for word in ("needle", "NEEDLE"):
        response = publisher.get(f"/admin/tools/tool/?q={word}")
        slugs = {tool.slug for tool in response.context["cl"].queryset}
        assert slugs == {"by-name", "by-tagline", "by-maker"}, word
    page = response.content.decode()
    assert 'id="searchbar"' not in page
    assert "Tools that match “<bdi>NEEDLE</bdi>”" in page
    assert 'aria-label="Select A needle"' in page
    assert "Select this object" not in page


def test_lists_say_in_words_what_and_how_many_rows_are_and_who_changed_one_last(publisher):
    User.objects.create(username="ana", first_name="Ana")
    make.attribute(kind="yes-no")
    change(make.tool(name="Alpha"), by="ana", tagline="New")
    make.tool(name="Alphabet")
    for path, words, other in (
        ("/admin/tools/attribute/", ("Yes or no", "1 attribute"), "Yes no"),
        ("/admin/tools/tool/?q=alpha", ("Show all tools", "2 tools"), "2 results"),
    ):
        page = publisher.get(path)
        assert [text for text in words if text not in page.content.decode()] == []
        assert other not in page.content.decode()
    cells = read(page).of_class("field-last_changed")
    assert sorted("by Ana" in cell.text for cell in cells) == [False, True]


def test_lists_sort_names_regardless_of_capitals_and_say_which_rows_hide_one(publisher):
    rows = [make.tool(name=name) for name in ("beta", "Zulu", "Alpha", "chroma and co")]
    make.take(on=rows[3])
    make.comparison(tools=rows[2:])
    for order in ("", "?o=1"):
        listed = read(publisher.get(f"/admin/tools/tool/{order}")).of_class("field-sorted_name")
        assert [cell.text.split()[0] for cell in listed] == ["Alpha", "beta", "chroma", "Zulu"]
    rows[3].withdraw(timezone.now())
    for screen in ("reviews/take", "comparisons/comparison"):
        (state,) = read(publisher.get(f"/admin/{screen}/")).of_class("field-state")
        assert state.text == "Hidden: chroma and co is not public", "“and” in a name is no plural"
    assert with_verb(["A", "B and C"]) == "A and B and C are"


# --- The search on every screen --------------------------------------------------------------

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


def found(client, text):
    """The page of what is found."""
    return read(client.get("/admin/search/", {"q": text}))


@pytest.mark.both_databases
def test_rows_of_every_kind_are_found_with_state_and_last_change_and_deleted_ones_to_bring_back(
    publisher, snapshot, clock
):
    clock(NOW)
    User.objects.create(username="ana", first_name="Ana")
    agents = make.category(name="Agents")
    draft = make.tool(name="Needle", published_at=None, in_category=agents)
    change(draft, by="ana", tagline="Sharp")
    alpha = make.tool(name="Alpha", in_category=agents)
    size = make.attribute(name="Needle size", slug="needle-size")
    make.fact(Decimal(7), on=alpha, to=size)
    Family.objects.create(name="Needles", slug="needles")
    Synonym.objects.create(word="needle", means="pin")
    for row in (
        make.tool(name="Needle gone", in_category=agents),
        make.take(on=alpha, by=make.reviewer(name="Needle judge")),
        make.category(name="Needlework"),
    ):
        row.remove(NOW)
    make.attribute(name="Needle gone").delete()
    Family.objects.create(name="Needle gone", slug="gone").delete()
    page = found(publisher, "NEEDLE")
    assert page.visible_text == snapshot
    links = [a.attributes["href"] for a in page.all("a") if a.within("li") and a.within("main")]
    assert f"/admin/tools/tool/{draft.pk}/change/" in links
    assert f"/admin/tools/tool/{alpha.pk}/change/#fact-needle-size" in links
    others = [url for url in links if "/change/" not in url]
    assert [publisher.get(url).status_code for url in others] == [200] * len(others)
    assert len(links) == 11
    facts = [found(publisher, text).texts("h2") for text in ("needle alpha", "alpha")]
    assert ["Facts" in headings for headings in facts] == [True, False]


def test_nobody_finds_what_they_may_not_see(publisher):
    make.tool(name="Needle")
    make.category(name="Needlework")
    User.objects.create(username="needle")
    make.subscriber(address="needle@example.org")
    for client, kinds in (
        (publisher, ["Tools", "Categories", "Subscribers"]),
        (desk_of(rights=("view_category",)), ["Categories"]),
        (desk_of(rights=("view_user",)), ["Accounts"]),
    ):
        assert found(client, "needle").texts("h2") == kinds


def test_the_search_field_stands_on_every_screen_and_keeps_the_text(publisher):
    for path in ("/admin/", "/admin/tools/tool/", "/admin/search/?q=needle"):
        (field,) = read(publisher.get(path)).all("input", type="search")
        assert field.attributes["value"] == ("needle" if "q=" in path else "")
