"""Two editors on one row: the second save is refused, and no text is lost."""

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
from tests.desk.acts import NOON
from tests.desk.editor_clients import desk_of
from tests.desk.forms import errors, on_the_page, opened, page_of, take_name
from tests.markup import read

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


@pytest.fixture
def at_noon(clock):
    clock(NOON)


@pytest.fixture
def ana(db):
    return desk_of("Publishers", name="ana")


@pytest.fixture
def ben(db):
    return desk_of("Publishers", name="ben")


@pytest.fixture
def tool(db):
    """A public tool with takes of two of three reviewers."""
    row = make.tool(name="Shared", tagline="Before", pricing="Free")
    for position, slug in enumerate(("builder", "skeptic", "pm")):
        reviewer = make.reviewer(position=position, slug=slug, name=slug.title())
        if slug != "pm":
            make.take(on=row, by=reviewer, body="Before.")
    return row


def form_data(changes):
    """Changes of a tool's screen: `builder-body` is that field of the builder's take."""
    starts = {each.slug: take_name(each) for each in Reviewer.objects.all()}
    sent = {}
    for name, text in changes.items():
        slug, _, field = name.partition("-")
        sent[f"{starts[slug]}-{field}" if field else name] = text
    return sent


def save_both(ana, ben, row, his, hers):
    """Both open the screen of a row; ben saves, then ana: the response to her."""
    form = opened(ana, row)
    assert ben.post(page_of(row), opened(ben, row) | form_data(his)).status_code == 302
    return ana.post(page_of(row), form | form_data(hers))


def conflicts(response):
    """Both versions as shown on a refused page, of the row and of its takes."""
    forms = [response.context["adminform"].form]
    for inline in response.context["inline_admin_formsets"][:1]:
        forms += inline.formset.forms
    return [row for form in forms if form.conflict for row in form.conflict.rows]


def stored(tool):
    """The stored values of the fields in the table below."""
    tool.refresh_from_db()
    bodies = dict(tool.takes.values_list("reviewer__slug", "body"))
    takes = {f"{slug}-body": body for slug, body in bodies.items()}
    return {"tagline": tool.tagline, "pricing": tool.pricing, **takes}


BEFORE = {"tagline": "Before", "pricing": "Free"}
BEFORE |= {"builder-body": "Before.", "skeptic-body": "Before."}
NEW_TAKE = {"pm-score": "70", "pm-verdict": "ship"}
SAVES: dict[str, tuple[dict[str, str], dict[str, str], list[tuple[str, str, str | None]]]] = {
    "one field": ({"tagline": "His"}, {"tagline": "Hers"}, [("Tagline", "His", "Hers")]),
    "two fields of one row": (
        {"pricing": "$5"},
        {"tagline": "Hers"},
        [("Tagline", "Before", "Hers"), ("Pricing", "$5", None)],
    ),
    "the same change": ({"tagline": "Agreed"}, {"tagline": "Agreed"}, []),
    "two rows": ({"tagline": "His", "builder-body": "His."}, {"skeptic-body": "Hers."}, []),
    "one of two takes": (
        {"builder-body": "His."},
        {"builder-body": "Hers.", "skeptic-body": "Hers too."},
        [("Text", "His.", "Hers.")],
    ),
    "a new take": (
        NEW_TAKE | {"pm-body": "His."},
        NEW_TAKE | {"pm-body": "Hers."},
        [("Text", "His.", "Hers.")],
    ),
    "a new take of one": (NEW_TAKE | {"pm-body": "His."}, {"pricing": "$9"}, []),
}
"""What ben saves, what ana then saves, and both versions that she is shown first."""


@pytest.mark.both_databases
@pytest.mark.parametrize("case", SAVES)
def test_a_second_save_of_a_row_is_refused_until_both_versions_were_shown(ana, ben, tool, case):
    his, hers, shown = SAVES[case]
    theirs = BEFORE | {name: text for name, text in his.items() if name not in NEW_TAKE}
    response = save_both(ana, ben, tool, his, hers)
    if shown:
        assert response.status_code == 200
        assert conflicts(response) == shown
        assert on_the_page(response).items() >= form_data(hers).items()
        assert stored(tool) == theirs
        response = ana.post(page_of(tool), on_the_page(response))
    assert response.status_code == 302, errors(response)
    mine = {name: text for name, text in hers.items() if name not in NEW_TAKE}
    assert stored(tool) == theirs | mine


def test_a_refused_page_shows_who_saved_what_and_when(at_noon, ana, ben, tool, snapshot):
    his = {"pricing": "$5", "tagline": "His"}
    (shown,) = read(save_both(ana, ben, tool, his, {"tagline": "Hers"})).of_class("conflict")
    assert shown.text == snapshot


def test_conflicts_are_detected_on_every_screen_of_content(ana, ben, tool):
    rows = {
        "body": tool.takes.first(),
        "summary": make.comparison(),
        "description": make.category(),
        "likes": make.reviewer(likes=["tests"]),
        "name": make.attribute(),
    }
    for name, row in rows.items():
        response = save_both(ana, ben, row, {name: "His."}, {name: "Hers."})
        (shown,) = response.context["adminform"].form.conflict.rows
        assert shown[1:] == ("His.", "Hers."), name
        assert ana.post(page_of(row), on_the_page(response)).status_code == 302, name


def test_what_changed_nothing_on_the_form_is_no_conflict_and_a_tick_is_kept(ana, ben):
    row = make.comparison(summary="Before")
    hers = opened(ana, row)
    for text in ("Other", "Before"):
        ben.post(page_of(row), opened(ben, row) | {"summary": text})
    assert ana.post(page_of(row), hers | {"summary": "Hers"}).status_code == 302
    refused = save_both(ana, ben, row, {"featured": "on"}, {"summary": "Hers."})
    assert ana.post(page_of(row), on_the_page(refused)).status_code == 302
    row.refresh_from_db()
    assert (row.featured, row.summary) == (True, "Hers.")
    hers = opened(ana, row)
    Comparison.objects.set_positions([row.pk])
    assert ana.post(page_of(row), hers | {"summary": "Hers again."}).status_code == 302


@pytest.mark.both_databases
def test_text_typed_over_an_unknown_version_is_refused_and_both_are_shown(ana):
    row, other = make.category(name="Before"), make.category()
    hers = opened(ana, row) | {"name": "Hers"}
    foreign = str(other.history.get().history_id)
    for sent in ("", "{", "0", "-1", "999999999999999999", "9" * 99, "²", "1e3", "\x00", foreign):
        response = ana.post(page_of(row), hers | {"history_id": sent})
        assert ("Name", "Before", "Hers") in conflicts(response), sent
        assert not type(row).objects.filter(name="Hers").exists(), sent
    assert ana.post(page_of(row), on_the_page(response)).status_code == 302


@pytest.mark.both_databases
def test_a_take_that_a_catalogue_load_changed_is_a_conflict(ana, tool):
    hers = opened(ana, tool) | form_data({"builder-body": "Hers."})
    loaded = {"reviewer": "builder", "score": 84, "verdict": "ship", "body": "Loaded."}
    entry = {"slug": tool.slug, "name": tool.name, "category": tool.category.slug}
    load(as_file({"format": "shipskip-catalogue/2", "tools": [entry | {"takes": [loaded]}]}))
    assert ("Text", "Loaded.", "Hers.") in conflicts(ana.post(page_of(tool), hers))


def test_the_text_for_a_take_or_a_tool_that_a_colleague_deleted_is_not_lost(ana, tool):
    Take.objects.filter(reviewer__slug="builder").update(published_at=None)
    hers = opened(ana, tool) | form_data({"builder-body": "Still being written."})
    Take.objects.get(reviewer__slug="builder").remove(timezone.now())
    response = ana.post(page_of(tool), hers)
    assert "Still being written." in response.content.decode()
    assert ana.post(page_of(tool), on_the_page(response)).status_code == 302
    assert stored(tool)["builder-body"] == "Still being written."
    hers = opened(ana, tool) | {"description": "An hour of work & <more>."}
    tool.remove(timezone.now())
    response = ana.post(page_of(tool), hers)
    assert response.status_code == 409
    assert "An hour of work &amp; &lt;more&gt;." in response.content.decode()


@pytest.mark.both_databases
def test_the_text_for_a_row_deleted_between_a_failed_save_and_its_retry_is_shown_again(ana):
    row = make.category(name="Before")
    sent = opened(ana, row) | {"name": "Written"}
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


NOW = timezone.now()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a\r\nb ", "a\nb", True),
        (None, "", True),
        (None, [], True),
        (Decimal("7.50"), Decimal("7.5"), True),
        (NOW, NOW.replace(microsecond=0), True),
        (NOW, NOW + timedelta(seconds=1), False),
        ("1", "2", False),
        (False, None, False),
    ],
)
def test_values_that_an_editor_cannot_tell_apart_are_the_same(one, other, same):
    assert is_same(one, other) == same
