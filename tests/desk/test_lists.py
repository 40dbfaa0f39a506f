"""The desk's lists: their filters, and the search in them and while one types."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from reviews.models import TakeChange
from tests import factories as make
from tests.desk.acts import change, run_action
from tests.desk.editor_clients import queries_of
from tests.desk.forms import messages_of

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


def test_namesakes_are_distinguished_in_the_choice_of_tools(publisher):
    make.tool(name="Twin", tagline="the first")
    make.tool(name="Twin", tagline="the second")
    response = publisher.get(
        "/admin/autocomplete/?app_label=comparisons&model_name=comparisontool&field_name=tool"
        "&term=tw%00in"
    )
    texts = {row["text"] for row in response.json()["results"]}
    assert texts == {"Twin (the first)", "Twin (the second)"}


def test_lists_show_who_changed_a_row_last_and_when(publisher):
    User.objects.create(username="ana", first_name="Ana")
    tool = make.tool()
    change(tool, by="ana", tagline="New")
    for number in (1, 9):
        for _ in range(number):
            make.tool()
        page = publisher.get("/admin/tools/tool/")
        cell = page.content.decode().split('class="field-last_changed')
        assert len(cell) == len(page.context["cl"].result_list) + 1
    assert "by <bdi>Ana</bdi>" in page.content.decode()
    few = queries_of(publisher, "/admin/tools/tool/")
    make.tool()
    assert queries_of(publisher, "/admin/tools/tool/") == few


def test_a_message_names_the_first_five_of_many_published_rows(publisher):
    drafts = [make.tool(name=f"T{at}", tagline="t", published_at=None) for at in range(7)]
    tools = [make.take(on=tool).tool for tool in drafts]
    said = messages_of(run_action(publisher, tools, "publish_now"))[0]
    assert said.startswith("7 tools are public: ")
    assert said.endswith(">T4</a> and 2 more")


def test_labels_of_changes_kinds_and_numbers_of_rows_are_words(publisher):
    take = make.take(on=make.tool(name="Alpha"), by=make.reviewer(name="Builder"), score=85)
    make.attribute(kind="yes-no")
    change = TakeChange.objects.create(
        tool=take.tool,
        reviewer=take.reviewer,
        score_before=85,
        score_after=58,
        verdict_before="ship",
        verdict_after="skip",
        reason="Slower",
        at=timezone.now(),
    )
    record = f"/admin/reviews/takechange/{change.pk}/change/"
    for path, words in {
        record: ("85, ship → 58, skip", "Builder on Alpha"),
        "/admin/tools/attribute/": ("Yes or no", "1 attribute"),
        "/admin/tools/tool/?q=alpha": ("Show all tools", "1 tool"),
    }.items():
        page = publisher.get(path).content.decode()
        for text in words:
            assert text in page, (path, text)
        for text in ("85 to 58", f"on {take.tool_id}<", "Yes no", "1 result"):
            assert text not in page, (path, text)
