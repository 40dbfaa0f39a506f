"""Two editors on one row: the second save is refused, and no text is lost."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Reviewer, Take
from shipskip.editing.edit_conflicts import is_same
from tests import factories as make
from tests.catalogue.documents import as_file, load
from tests.desk.editor_clients import desk_of
from tests.desk.forms import errors, on_the_page, take_name
from tests.markup import one_line

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("repeated_queries"),
    pytest.mark.both_databases,
]


@pytest.fixture
def ana(db):
    return desk_of("Publishers", name="ana")


@pytest.fixture
def ben(db):
    return desk_of("Publishers", name="ben")


@pytest.fixture
def tool(db):
    """A public tool with two takes."""
    row = make.tool(name="Shared", tagline="Before", pricing="Free")
    make.take(on=row, by=make.reviewer(position=1, slug="builder", name="Builder"), body="Old one.")
    make.take(on=row, by=make.reviewer(position=2, slug="skeptic", name="Skeptic"), body="Old two.")
    return row


def page_of(row):
    return f"/admin/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/change/"


def field(tool, slug, name):
    return f"{take_name(Reviewer.objects.get(slug=slug))}-{name}"


def test_the_second_save_of_a_field_is_refused_with_both_versions(ana, ben, tool):
    url = page_of(tool)
    hers, his = on_the_page(ana.get(url)), on_the_page(ben.get(url))
    assert ben.post(url, his | {"tagline": "His tagline"}).status_code == 302
    response = ana.post(url, hers | {"tagline": "Her tagline"})
    assert response.status_code == 200
    form = response.context["adminform"].form
    assert form.conflict.who == "ben"
    assert form.conflict.rows == [("Tagline", "His tagline", "Her tagline")]
    page = response.content.decode()
    assert "ben saved this while you were writing" in page
    assert 'value="Her tagline"' in page
    tool.refresh_from_db()
    assert tool.tagline == "His tagline"


def test_saving_again_after_both_were_shown_stores_the_editor_s_decision(ana, ben, tool):
    url = page_of(tool)
    hers, his = on_the_page(ana.get(url)), on_the_page(ben.get(url))
    ben.post(url, his | {"tagline": "His tagline", "pricing": "$5"})
    refused = ana.post(url, hers | {"tagline": "Her tagline"})
    assert ana.post(url, on_the_page(refused)).status_code == 302
    tool.refresh_from_db()
    assert (tool.tagline, tool.pricing) == ("Her tagline", "$5")


def test_a_change_of_another_field_of_the_row_is_refused_too_and_shown(ana, ben, tool):
    url = page_of(tool)
    hers, his = on_the_page(ana.get(url)), on_the_page(ben.get(url))
    ben.post(url, his | {"pricing": "$5"})
    response = ana.post(url, hers | {"tagline": "Her tagline"})
    rows = {label: rest for label, *rest in response.context["adminform"].form.conflict.rows}
    assert rows == {"Pricing": ["$5", None], "Tagline": ["Before", "Her tagline"]}


def test_the_same_change_twice_is_no_conflict(ana, ben, tool):
    url = page_of(tool)
    hers, his = on_the_page(ana.get(url)), on_the_page(ben.get(url))
    ben.post(url, his | {"tagline": "Agreed"})
    assert ana.post(url, hers | {"tagline": "Agreed"}).status_code == 302


def test_a_row_that_this_editor_did_not_change_has_the_colleague_s_values(ana, ben, tool):
    url = page_of(tool)
    hers, his = on_the_page(ana.get(url)), on_the_page(ben.get(url))
    ben.post(url, his | {"tagline": "His tagline", field(tool, "builder", "body"): "His one."})
    response = ana.post(url, hers | {field(tool, "skeptic", "body"): "Her two."})
    assert response.status_code == 302, errors(response)
    tool.refresh_from_db()
    bodies = dict(Take.objects.values_list("reviewer__slug", "body"))
    assert tool.tagline == "His tagline"
    assert bodies == {"builder": "His one.", "skeptic": "Her two."}


def test_one_take_in_conflict_refuses_the_page_and_shows_both_beside_that_take(ana, ben, tool):
    url, body = page_of(tool), field(tool, "builder", "body")
    hers, his = on_the_page(ana.get(url)), on_the_page(ben.get(url))
    ben.post(url, his | {body: "His text of it."})
    other = field(tool, "skeptic", "body")
    response = ana.post(url, hers | {body: "Her text of it.", other: "Her second."})
    formset = response.context["inline_admin_formsets"][0].formset
    first, second = formset.forms
    assert ("Text", "His text of it.", "Her text of it.") in first.conflict.rows
    assert second.conflict is None
    assert "Her second." in response.content.decode()
    assert Take.objects.get(reviewer__slug="skeptic").body == "Old two."
    assert ana.post(url, on_the_page(response)).status_code == 302
    bodies = dict(Take.objects.values_list("reviewer__slug", "body"))
    assert bodies == {"builder": "Her text of it.", "skeptic": "Her second."}


def test_a_take_that_a_colleague_wrote_first_is_shown_beside_the_editor_s(ana, ben, tool):
    pm = make.reviewer(position=3, slug="pm", name="PM")
    url = page_of(tool)
    hers, his = on_the_page(ana.get(url)), on_the_page(ben.get(url))
    start = f"{take_name(pm)}-"
    take = {f"{start}score": "70", f"{start}verdict": "ship"}
    assert ben.post(url, his | take | {f"{start}body": "His new one."}).status_code == 302
    response = ana.post(url, hers | take | {f"{start}body": "Her new one."})
    assert response.status_code == 200
    assert ("Text", "His new one.", "Her new one.") in response.context["inline_admin_formsets"][
        0
    ].formset.forms[2].conflict.rows
    assert ana.post(url, on_the_page(response)).status_code == 302
    assert [take.body for take in pm.takes.all()] == ["Her new one."]


def test_an_empty_form_does_not_change_a_take_that_a_colleague_has_written(ana, ben, tool):
    pm = make.reviewer(position=3, slug="pm")
    url = page_of(tool)
    hers, his = on_the_page(ana.get(url)), on_the_page(ben.get(url))
    start = f"{take_name(pm)}-"
    ben.post(url, his | {f"{start}score": "70", f"{start}verdict": "ship", f"{start}body": "His."})
    assert ana.post(url, hers | {"pricing": "$9"}).status_code == 302
    assert pm.takes.get().body == "His."


def test_the_text_of_a_take_that_a_colleague_deleted_is_not_lost(ana, tool):
    url, body = page_of(tool), field(tool, "builder", "body")
    Take.objects.filter(reviewer__slug="builder").update(published_at=None)
    hers = on_the_page(ana.get(url))
    Take.objects.get(reviewer__slug="builder").remove(timezone.now())
    response = ana.post(url, hers | {body: "Still being written."})
    assert "Still being written." in response.content.decode()
    assert ana.post(url, on_the_page(response)).status_code == 302
    assert Take.objects.get(reviewer__slug="builder").body == "Still being written."


def test_conflicts_of_a_take_are_detected_on_its_own_screen_too(ana, ben, tool):
    take = Take.objects.get(reviewer__slug="builder")
    hers, his = on_the_page(ana.get(page_of(take))), on_the_page(ben.get(page_of(take)))
    ben.post(page_of(take), his | {"body": "His."})
    response = ana.post(page_of(take), hers | {"body": "Hers."})
    assert response.context["adminform"].form.conflict.rows == [("Text", "His.", "Hers.")]


def test_conflicts_of_a_comparison_a_category_and_a_reviewer_are_detected_too(ana, ben):
    pair, kind, reviewer = make.comparison(), make.category(), make.reviewer(likes=["tests"])
    for row, name in ((pair, "summary"), (kind, "description"), (reviewer, "likes")):
        url = page_of(row)
        hers, his = on_the_page(ana.get(url)), on_the_page(ben.get(url))
        assert ben.post(url, his | {name: "His."}).status_code == 302
        response = ana.post(url, hers | {name: "Hers."})
        assert response.context["adminform"].form.conflict.rows[0][1:] == ("His.", "Hers.")
        assert ana.post(url, on_the_page(response)).status_code == 302


def test_a_check_box_and_a_choice_that_only_a_colleague_changed_stay_changed(ana, ben):
    pair = make.comparison()
    url = page_of(pair)
    hers, his = on_the_page(ana.get(url)), on_the_page(ben.get(url))
    ben.post(url, his | {"featured": "on"})
    refused = ana.post(url, hers | {"summary": "Hers."})
    assert ana.post(url, on_the_page(refused)).status_code == 302
    row = Comparison.objects.get()
    assert (row.featured, row.summary) == (True, "Hers.")


@pytest.mark.parametrize("sent", ["", "{", "7", "999999999999999999", "9" * 99, "²", "\x00"])
def test_text_typed_over_an_unknown_version_is_refused_and_both_are_shown(ana, tool, sent):
    url = page_of(tool)
    hers = on_the_page(ana.get(url))
    response = ana.post(url, hers | {"tagline": "Hers", "history_id": sent})
    assert ("Tagline", "Before", "Hers") in response.context["adminform"].form.conflict.rows
    tool.refresh_from_db()
    assert tool.tagline == "Before"
    assert ana.post(url, on_the_page(response)).status_code == 302


def test_a_version_that_changed_nothing_here_is_no_conflict(ana, ben, tool):
    """A colleague changed a value and changed it back."""
    url = page_of(tool)
    hers = on_the_page(ana.get(url))
    for text in ("Other", "Before"):
        ben.post(url, on_the_page(ben.get(url)) | {"tagline": text})
    assert ana.post(url, hers | {"tagline": "Hers"}).status_code == 302


def test_the_position_of_a_comparison_has_no_history_and_is_no_conflict(ana):
    pair = make.comparison(featured=True)
    hers = on_the_page(ana.get(page_of(pair)))
    Comparison.objects.set_positions([pair.pk])
    assert ana.post(page_of(pair), hers | {"summary": "Hers."}).status_code == 302


def test_a_take_that_a_catalogue_load_changed_is_a_conflict(ana, tool):
    url, body = page_of(tool), field(tool, "builder", "body")
    hers = on_the_page(ana.get(url))
    loaded = {"reviewer": "builder", "score": 84, "verdict": "ship", "body": "Loaded."}
    entry = {"slug": tool.slug, "name": tool.name, "category": tool.category.slug}
    load(as_file({"format": "shipskip-catalogue/2", "tools": [entry | {"takes": [loaded]}]}))
    response = ana.post(url, hers | {body: "Hers."})
    first = response.context["inline_admin_formsets"][0].formset.forms[0]
    assert ("Text", "Loaded.", "Hers.") in first.conflict.rows


def test_the_text_for_a_tool_that_a_colleague_deleted_is_shown_again(ana, tool):
    url = page_of(tool)
    hers = on_the_page(ana.get(url))
    tool.remove(timezone.now())
    response = ana.post(url, hers | {"description": "An hour of work & <more>."})
    assert response.status_code == 409
    assert "An hour of work &amp; &lt;more&gt;." in response.content.decode()


def test_a_refused_page_shows_who_and_when(ana, ben, tool):
    url = page_of(tool)
    hers, his = on_the_page(ana.get(url)), on_the_page(ben.get(url))
    ben.post(url, his | {"tagline": "His"})
    page = one_line(ana.post(url, hers | {"tagline": "Hers"}).content)
    assert re.search(r"ben saved this on \d+ \w+ \d{4} \d\d:\d\d", page)


def test_values_that_an_editor_cannot_tell_apart_are_the_same():
    now = timezone.now()
    assert is_same("a\r\nb ", "a\nb")
    assert is_same(None, "")
    assert is_same(None, [])
    assert is_same(Decimal("7.50"), Decimal("7.5"))
    assert is_same(now, now.replace(microsecond=0))
    assert not is_same(now, now + timedelta(seconds=1))
    assert not is_same("1", "2")
    assert not is_same(False, None)


def test_the_text_for_a_row_deleted_between_a_failed_save_and_its_retry_is_shown_again(ana):
    row = make.category(name="Before")
    sent = on_the_page(ana.get(page_of(row))) | {"name": "Written"}
    lost: list[str] = []

    def race(execute, sql, params, many, context):
        if sql.startswith('UPDATE "tools_category"') and not lost:
            lost.append(sql)
            raise IntegrityError
        if len(lost) == 1 and sql.startswith("SELECT") and '"tools_category"' in sql:
            lost.append("deleted")
            row.remove(timezone.now())
        return execute(sql, params, many, context)

    with connection.execute_wrapper(race):
        response = ana.post(page_of(row), sent)
    assert response.status_code == 409
    assert "Written" in response.content.decode()
