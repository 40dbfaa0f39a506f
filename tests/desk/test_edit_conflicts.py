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
from tests.desk.acts import NOON, change
from tests.desk.editor_clients import desk_of
from tests.desk.forms import errors, on_the_page, opened, page_of, take_name
from tests.markup import read

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


@pytest.fixture
def ana(db):
    return desk_of("Publishers", name="ana")


@pytest.fixture
def ben(db):
    return desk_of("Publishers", name="ben")


@pytest.fixture
def tool(db, clock):
    """A public tool with takes of two of three reviewers and one of two answers, at noon."""
    clock(NOON)
    row = make.tool(name="Shared", tagline="Before", pricing="Free")
    for position, slug in enumerate(("builder", "skeptic", "pm")):
        reviewer = make.reviewer(position=position, slug=slug, name=slug.title())
        if slug != "pm":
            make.take(on=row, by=reviewer, body="Before.")
    make.fact(Decimal(1), on=row, to=make.attribute(slug="window", name="Context window"))
    make.attribute(slug="licence", kind="choice", choices=["A", "B"])
    return row


def form_data(changes):
    """Changes of a tool's screen: `builder-body` is that field of the builder's take, and
    `window-answer` that of the fact.
    """
    starts = {each.slug: take_name(each) for each in Reviewer.objects.all()}
    starts |= {"licence": "facts-0", "window": "facts-1"}
    sent = {}
    for name, text in changes.items():
        slug, _, field = name.partition("-")
        sent[f"{starts[slug]}-{field}" if field else name] = text
    return sent


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
    facts = {f"{fact.attribute.slug}-answer": fact.words for fact in tool.facts.all()}
    return {"tagline": tool.tagline, "pricing": tool.pricing, **takes, **facts}


BEFORE = {"tagline": "Before", "pricing": "Free"}
BEFORE |= {"builder-body": "Before.", "skeptic-body": "Before.", "window-answer": "1"}
JUDGED = {"pm-score": "70", "pm-verdict": "ship"}
SAVES = {
    "of a row, a take and a new take": (
        {"tagline": "His", "builder-body": "His.", "pm-body": "His."},
        {"tagline": "Hers", "builder-body": "Hers.", "skeptic-body": "Hers.", "pm-body": "Hers."},
        True,
    ),
    "of a fact": ({"window-answer": "2", "licence-answer": "B"}, {"window-answer": "3"}, True),
    "of other fields of a row": ({"pricing": "$5"}, {"tagline": "Hers"}, True),
    "of other rows and the same change": (
        {"tagline": "Agreed", "builder-body": "His.", "pm-body": "His.", "licence-answer": "B"},
        {"tagline": "Agreed", "skeptic-body": "Hers.", "window-answer": "3"},
        False,
    ),
}
"""What ben saves, what ana saves then, and whether she is shown both versions first."""


@pytest.mark.both_databases
@pytest.mark.parametrize("case", SAVES)
def test_a_second_save_of_a_row_is_refused_until_both_versions_were_shown(
    ana, ben, tool, case, snapshot
):
    his, hers, is_refused = SAVES[case]
    form = opened(ana, tool)
    sent = [form_data(JUDGED | own if "pm-body" in own else own) for own in (his, hers)]
    assert ben.post(page_of(tool), form | sent[0]).status_code == 302
    response = ana.post(page_of(tool), form | sent[1])
    if is_refused:
        assert response.status_code == 200
        assert [each.text for each in read(response).of_class("conflict")] == snapshot
        assert on_the_page(response).items() >= sent[1].items()
        assert stored(tool) == BEFORE | his
        response = ana.post(page_of(tool), on_the_page(response))
    assert response.status_code == 302, errors(response)
    assert stored(tool) == BEFORE | his | hers


def test_conflicts_are_detected_on_every_screen_of_content(ana):
    rows = {
        "body": make.take(),
        "summary": make.comparison(),
        "description": make.category(),
        "likes": make.reviewer(likes=["tests"]),
        "name": make.attribute(),
    }
    for name, row in rows.items():
        response = ana.post(page_of(row), {"history_id": "0", name: "Hers."})
        assert "Hers." in [mine for _, _, mine in conflicts(response)], name


def test_what_changed_nothing_on_the_form_is_no_conflict_and_a_tick_is_kept(ana):
    row = make.comparison(summary="Before")
    hers = opened(ana, row)
    for text in ("Other", "Before"):
        change(row, summary=text)
    Comparison.objects.set_positions([row.pk])
    assert ana.post(page_of(row), hers | {"summary": "Hers"}).status_code == 302
    for featured in (True, False):
        hers = opened(ana, row) | {"summary": f"Hers, {featured}"}
        row.refresh_from_db()
        change(row, featured=featured)
        refused = ana.post(page_of(row), hers)
        assert ana.post(page_of(row), on_the_page(refused)).status_code == 302
        row.refresh_from_db()
        assert (row.featured, row.summary) == (featured, f"Hers, {featured}")


@pytest.mark.both_databases
def test_text_typed_over_an_unknown_version_is_refused_and_both_are_shown(ana):
    row, other = make.category(name="Before"), make.category()
    hers = opened(ana, row) | {"name": "Hers"}
    foreign = str(other.history.get().history_id)
    for sent in ("", "{", "-1", "9" * 18, "9" * 99, "²", "\x00", foreign):
        response = ana.post(page_of(row), hers | {"history_id": sent})
        assert ("Name", "Before", "Hers") in conflicts(response), sent
        assert not type(row).objects.filter(name="Hers").exists(), sent
    assert ana.post(page_of(row), on_the_page(response)).status_code == 302


def test_what_is_typed_for_a_take_and_a_plan_that_a_colleague_deleted_is_not_lost(ana, tool):
    Take.objects.filter(reviewer__slug="builder").update(published_at=None)
    plan = make.plan(on=tool)
    hers = opened(ana, tool) | form_data({"builder-body": "Still being written."})
    Take.objects.get(reviewer__slug="builder").remove(timezone.now())
    plan.delete()
    response = ana.post(page_of(tool), hers | {"plans-0-amount": "30"})
    assert "Still being written." in response.content.decode()
    assert on_the_page(response)["plans-0-amount"] == "30"
    assert ana.post(page_of(tool), on_the_page(response)).status_code == 302
    assert stored(tool)["builder-body"] == "Still being written."
    assert tool.plans.get().amount == 30


@pytest.mark.both_databases
def test_the_text_for_a_row_deleted_between_a_failed_save_and_its_retry_is_shown_again(ana):
    row = make.category(name="Before")
    sent = opened(ana, row) | {"name": "Written & <more>"}
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
    assert "Written &amp; &lt;more&gt;" in response.content.decode()


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
