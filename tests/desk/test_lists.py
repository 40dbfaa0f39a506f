"""The desk's lists: their filters, and the search in them and while one types."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests import factories as make

pytestmark = pytest.mark.django_db


def test_tools_are_filtered_by_state(publisher):
    now, day = timezone.now(), timedelta(days=1)
    for name, moment in (("draft", None), ("scheduled", now + day), ("public", now - day)):
        make.tool(slug=name, published_at=moment)
    for state in ("draft", "scheduled", "public"):
        response = publisher.get(f"/admin/tools/tool/?state={state}")
        assert [tool.slug for tool in response.context["cl"].queryset] == [state]


def test_the_filters_of_a_list_still_answer(publisher):
    take = make.take(verdict="skip")
    make.take(verdict="ship")
    query = f"verdict__exact=skip&reviewer__id__exact={take.reviewer_id}&state=public"
    response = publisher.get(f"/admin/reviews/take/?{query}")
    assert [row.pk for row in response.context["cl"].result_list] == [take.pk]


def test_tools_are_found_by_name_tagline_and_maker(publisher):
    make.tool(slug="by-name", name="A needle")
    make.tool(slug="by-tagline", tagline="needle work")
    make.tool(slug="by-maker", maker="Needle Ltd")
    make.tool(slug="other")
    for word in ("needle", "NEEDLE"):
        response = publisher.get(f"/admin/tools/tool/?q={word}")
        slugs = {tool.slug for tool in response.context["cl"].queryset}
        assert slugs == {"by-name", "by-tagline", "by-maker"}, word


def test_namesakes_are_distinguished_in_the_choice_of_tools(publisher):
    make.tool(name="Twin", tagline="the first")
    make.tool(name="Twin", tagline="the second")
    response = publisher.get(
        "/admin/autocomplete/?app_label=comparisons&model_name=comparisontool&field_name=tool"
        "&term=twin"
    )
    texts = {row["text"] for row in response.json()["results"]}
    assert texts == {"Twin (the first)", "Twin (the second)"}
