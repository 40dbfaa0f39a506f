"""Publishing and scheduling need their own buttons; a date alone changes no state."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from reviews.models import Take
from shipskip.web.publishing import ALWAYS
from tests import factories as make
from tests.desk.acts import change, run_action
from tests.desk.forms import (
    ADD,
    errors,
    messages_of,
    on_the_page,
    opened,
    page_of,
    post,
    sent_moment,
    take_fields,
    take_name,
    tool_form,
    written_take,
)
from tools.models import Category, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

PUBLISH, SCHEDULE = {"_publish": "Publish now"}, {"_schedule": "Schedule"}
UNSCHEDULE = {"_unschedule": "Remove from the schedule"}
PAST, FUTURE = "2026-05-03 14:00", "2040-05-03 14:00"


def in_days(days):
    """The time after this number of days, as a form sends it."""
    return (timezone.now() + timedelta(days=days)).replace(second=0, microsecond=0)


def ready_tool(**fields):
    """A tool with a tagline and a public take."""
    return make.take(on=make.tool(tagline="A tool", **fields)).tool


def fault_of_date(response):
    """The one fault of a refused form, which is its date's."""
    assert set(errors(response)) == {"published_at"}
    return errors(response)["published_at"][0]


def published_at(row):
    """When the stored row is or was published."""
    return type(row).objects.values_list("published_at", flat=True).get(pk=row.pk)


def states(*rows):
    """The stored states of these rows."""
    for row in rows:
        row.refresh_from_db()
    return [row.state(timezone.now()) for row in rows]


def state_shown(response):
    """The row of the state in a form."""
    return response.content.decode().partition("field-state")[2].partition("field-")[0]


@pytest.mark.parametrize(
    ("kind", "moment", "first_button"),
    [(make.category, None, "_continue"), (ready_tool, make.PUBLISHED, "_check")],
    ids=["draft", "public"],
)
def test_enter_checks_a_public_row_and_saves_a_draft(publisher, kind, moment, first_button):
    row = kind(published_at=moment)
    page = publisher.get(page_of(row))
    assert (">Draft" in state_shown(page)) == (moment is None)
    html = page.content.decode()
    assert re.findall(r'<input type="submit" name="(\w+)"', html)[0] == first_button
    sent = on_the_page(page) | {"_check": "Check", "name": "Another"}
    checked = publisher.post(page_of(row), sent).content.decode()
    assert "Checked. Nothing was saved" in checked
    assert "Correct what is marked" not in checked
    assert not type(row).objects.filter(name="Another").exists()


SOON, LATER = (datetime(year, 5, 3, 14, tzinfo=UTC) for year in (2040, 2041))
REFUSED = "refused"
DATES: list[tuple[Any, str, list[dict[str, str]], str, Any]] = [
    (None, FUTURE, [{}], "3 May 2040 14:00 UTC was not used: press Schedule to use it.", None),
    (None, FUTURE, [{}], "saved as a draft; readers see nothing of it", None),
    (None, FUTURE, [SCHEDULE], "is scheduled for", SOON),
    (None, "", [SCHEDULE], "Enter the date to schedule it for", REFUSED),
    (None, PAST, [SCHEDULE], "This date has passed", REFUSED),
    (None, "2026-05", [{}, PUBLISH, SCHEDULE], "as in 2026-05-03 14:00", REFUSED),
    (SOON, "2041-05-03 14:00", [SCHEDULE], "is scheduled for", LATER),
    (SOON, FUTURE, [UNSCHEDULE], "removed from the schedule; readers see nothing of it", None),
    (SOON, "", [{}], "It stays scheduled for", SOON),
    (make.PUBLISHED, "", [{}], "does not withdraw", make.PUBLISHED),
    (make.PUBLISHED, "", [PUBLISH], "", make.PUBLISHED),
    (make.PUBLISHED, "2026-05", [{}], "as in 2026-05-03 14:00", REFUSED),
    (make.PUBLISHED, FUTURE, [{}, SCHEDULE, UNSCHEDULE], "withdraw it first", REFUSED),
    (make.PUBLISHED, "2026-05-03T14:00:30", [{}], "", SOON.replace(2026, second=30)),
    (ALWAYS, PAST, [{}], "", SOON.replace(2026)),
]
"""The date of a row, the typed one, buttons, words of the answer, and the stored date."""


def test_a_button_uses_refuses_or_ignores_a_typed_date(publisher):
    """Which dates are none: test_time_zone.py."""
    for before, typed, acts, words, after in DATES:
        for act in acts:
            case, row = (before, typed, act), make.category(published_at=before)
            response = post(publisher, row, published_at=typed, **act)
            if after == REFUSED:
                assert words in fault_of_date(response), case
                assert on_the_page(response)["published_at"] == typed, case
            else:
                assert words in " ".join(messages_of(response)), case
            assert published_at(row) == (before if after == REFUSED else after), case
            assert row.history.count() == (1 if after in (before, REFUSED) else 2), case


def test_a_row_that_was_always_public_shows_no_date(publisher):
    row = make.category()
    page = publisher.get(page_of(row))
    assert on_the_page(page)["published_at"] == ""
    assert 'placeholder="Public from the start"' in page.content.decode()
    assert len(messages_of(post(publisher, row, description="New"))) == 1
    assert published_at(row) == ALWAYS


@pytest.mark.parametrize(
    ("theirs", "act"),
    [({"name": "Theirs"}, PUBLISH), ({"published_at": make.PUBLISHED}, {})],
    ids=["their text, published by me", "my text, published by them"],
)
def test_a_text_is_not_published_unseen_after_a_colleague_s_save(publisher, theirs, act):
    row = make.category(name="Before", published_at=None)
    mine = act or {"name": "Not ready"}
    sent = opened(publisher, row) | mine
    change(row, **theirs)
    response = publisher.post(page_of(row), sent)
    page, shown = response.content.decode(), on_the_page(response)
    assert "saved this while you were writing" in page
    if act:
        assert shown["name"] == "Theirs"
    else:
        assert shown["published_at"] == "2026-05-01 09:00"
        assert "Save and publish the change" in page
    expected = {"name": "Before", "published_at": None} | theirs
    assert Category.objects.values("name", "published_at").get() == expected


def test_a_refused_publication_stores_nothing_and_shows_a_draft(publisher):
    tool = make.tool(published_at=None, tagline="")
    response = post(publisher, tool, published_at=FUTURE, **PUBLISH)
    assert "tagline" in errors(response)
    assert ">Draft" in state_shown(response)
    form_data = on_the_page(response)
    assert form_data["published_at"] == FUTURE
    assert publisher.post(page_of(tool), form_data).status_code == 302
    assert published_at(tool) is None


def test_a_published_tool_needs_a_tagline_and_a_take_that_is_public_with_it(publisher):
    reviewer = make.reviewer()
    own = {"category": make.category().pk, "published_at": "2040-05-01 09:00"}
    take, held = written_take(reviewer), written_take(reviewer, held="on")
    for takes, typed, faults in (
        ([take], PUBLISH | {"tagline": ""}, {"tagline"}),
        ([], PUBLISH, {"takes"}),
        ([held], SCHEDULE, {"takes"}),
    ):
        refused = publisher.post(ADD, tool_form(takes=takes, **own) | typed)
        assert set(errors(refused)) == faults, (takes, typed)
    assert not Tool.objects.exists()
    assert publisher.post(ADD, tool_form(**own, tagline="")).status_code == 302
    assert Tool.objects.get().published_at is None


def test_a_draft_follows_the_schedule_of_its_tool(publisher):
    take, category, tomorrow = written_take(make.reviewer()), make.category(), in_days(1)
    own = {"category": category.pk, "published_at": sent_moment(tomorrow)}
    publisher.post(ADD, tool_form(takes=[take], **own) | SCHEDULE)
    assert Take.objects.get().published_at == tomorrow


@pytest.mark.parametrize(
    ("act", "days"),
    [(PUBLISH, 0), (SCHEDULE, 2), (UNSCHEDULE, None), ({}, 1)],
    ids=["publish", "schedule", "unschedule", "save"],
)
def test_takes_scheduled_with_their_tool_move_with_it(publisher, clock, act, days):
    clock(in_days(0))
    tomorrow = in_days(1)
    tool = ready_tool(published_at=tomorrow)
    with_it, edited, held = (make.take(on=tool, published_at=tomorrow) for _ in "abc")
    later = make.take(on=tool, published_at=tomorrow + timedelta(days=9))
    typed = take_fields(edited.reviewer, body="Again.") | take_fields(held.reviewer, held="on")
    response = post(publisher, tool, published_at=sent_moment(in_days(2)), **act, **typed)
    assert messages_of(response)[1].startswith("Takes ")
    for take in (with_it, edited, held, later):
        take.refresh_from_db()
    moved = None if days is None else in_days(days)
    assert (with_it.published_at, edited.published_at) == (moved, moved)
    assert (edited.body, later.published_at) == ("Again.", tomorrow + timedelta(days=9))
    assert (held.published_at, held.held) == (None, True)


def test_the_list_publishes_finished_takes_with_their_tools_and_leaves_the_held_back(publisher):
    tools = [make.tool(tagline="A tool", published_at=moment) for moment in (None, in_days(1))]
    ready = [make.take(on=tool, published_at=tool.published_at) for tool in tools]
    held = [make.take(on=tool, published_at=None, body="Held") for tool in tools]
    Take.objects.filter(body="Held").update(held=True)
    unready = make.tool(tagline="A tool", published_at=None)
    make.take(on=unready, published_at=None)
    half = make.take(on=unready, published_at=None, score=None)
    messages = messages_of(run_action(publisher, [*tools, unready], "publish_now"))
    assert messages[1:] == [
        "Published with them: 2 takes.",
        f"Not published: {half} has no score: finish it, or hold it back.",
    ]
    assert published_at(unready) is None
    assert states(*ready, *held) == ["public", "public", "draft", "draft"]


def test_saving_a_public_tool_publishes_the_draft_takes_that_it_changes(publisher):
    tool = ready_tool()
    untouched, edited, held = (make.take(on=tool, published_at=None) for _ in "abc")
    typed = take_fields(edited.reviewer, body="Ready.") | take_fields(held.reviewer, held="on")
    messages = messages_of(post(publisher, tool, tagline="Another", **typed))
    assert f"Takes published: {edited.reviewer.name}." in messages
    assert [bool(published_at(take)) for take in (untouched, edited, held)] == [False, True, False]
    assert published_at(edited) > timezone.now() - timedelta(minutes=1)


def test_a_message_says_what_readers_see_and_links_to_it(publisher):
    row = make.category(published_at=None, slug="quiet", name="Quiet")
    tool = ready_tool(slug="still", in_category=row)
    draft = make.take(on=tool, published_at=None).reviewer
    for saved, typed, message in (
        (row, PUBLISH, "“Quiet” is public"),
        (row, {"description": "Another"}, "Saved. Readers see the change now"),
        (tool, take_fields(draft, held="on"), "Saved. What readers see has not changed"),
    ):
        url = saved.get_absolute_url()
        shown = messages_of(post(publisher, saved, **typed))[0]
        assert shown == f'{message}: <a href="{url}">{url}</a>'
    Category.objects.update(published_at=None)
    hidden = f"“{tool.name}” is saved; readers see it once Quiet is public."
    assert messages_of(post(publisher, tool, tagline="A third"))[0] == hidden


@pytest.mark.parametrize(
    ("kind", "text", "moment"),
    [(ready_tool, "description", make.PUBLISHED), (make.comparison, "summary", None)],
)
def test_a_preview_shows_what_was_typed_and_saves_nothing(publisher, kind, text, moment):
    row = kind(published_at=moment)
    response = post(publisher, row, **{text: "Typed *just* now.", "_preview": "Preview"})
    page = response.content.decode()
    assert "Typed <em>just</em> now." in page
    assert "nothing of it is saved" in page
    row.refresh_from_db()
    assert (getattr(row, text), row.history.count(), row.published_at) == ("", 1, moment)
    assert messages_of(response) == []


def test_a_preview_of_a_new_tool_saves_nothing_and_one_with_errors_shows_them(publisher):
    take = written_take(make.reviewer())
    form = tool_form(category=make.category().pk, takes=[take], _preview="Preview")
    assert "84</b>/100" in publisher.post(ADD, form).content.decode()
    assert "name" in errors(publisher.post(ADD, form | {"name": ""}))
    assert not Tool.history.exists()


# --- Drafts of takes without score or verdict ------------------------------------------------


def unfinished(**fields):
    """A draft with a text alone."""
    return make.take(score=None, verdict="", published_at=None, **fields)


@pytest.mark.both_databases
@pytest.mark.parametrize("lacking", [{"score": None}, {"verdict": ""}], ids=["score", "verdict"])
def test_no_database_holds_a_public_or_withdrawn_take_without_score_or_verdict(lacking):
    take = make.take()
    for moments in ({}, {"published_at": None, "withdrawn_at": make.PUBLISHED}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Take.objects.filter(pk=take.pk).update(**lacking, **moments)


def test_a_take_needs_score_and_verdict_for_every_publication_and_cannot_lose_them_afterwards(
    publisher,
):
    take = unfinished()
    sent = opened(publisher, take) | {"score": "70", "published_at": FUTURE}
    for act in (PUBLISH, SCHEDULE):
        found = errors(publisher.post(page_of(take), sent | act))
        assert set(found) == {"verdict"}
        assert "Choose a verdict: a take needs one to be published." in found["verdict"][0]
    scheduled = publisher.post(page_of(take), sent | {"verdict": "ship"} | SCHEDULE)
    assert "is scheduled" in " ".join(messages_of(scheduled))
    for moments, fault in (
        ({}, "needs one to be published"),
        ({"published_at": make.PUBLISHED}, "readers see this take"),
        ({"published_at": None, "withdrawn_at": make.PUBLISHED}, "never public"),
    ):
        Take.objects.filter(pk=take.pk).update(**moments)
        assert fault in errors(post(publisher, take, score=""))["score"][0]


def test_takes_are_published_with_their_tool_unless_held_back_or_withdrawn_but_not_unfinished(
    publisher,
):
    tool = make.tool(tagline="One line", published_at=None)
    ready, draft = make.take(on=tool, published_at=None), unfinished(on=tool)
    withdrawn = make.take(on=tool)
    withdrawn.withdraw(timezone.now())
    sent = opened(publisher, tool) | PUBLISH
    found = errors(publisher.post(page_of(tool), sent))
    name = take_name(draft.reviewer_id)
    assert set(found) == {f"{name}-score", f"{name}-verdict"}
    assert "tick “Hold this take back”" in found[f"{name}-score"][0]
    response = publisher.post(page_of(tool), sent | {f"{name}-held": "on"})
    assert messages_of(response)[0].startswith(f"“{tool.name}” is public")
    assert messages_of(response)[1] == f"Takes published: {ready.reviewer.name}."
    assert states(ready, draft, withdrawn) == ["public", "draft", "withdrawn"]
    assert draft.held
    other = make.reviewer()
    sent = take_fields(other, **written_take(other, score="", verdict=""))
    assert set(errors(post(publisher, tool, **sent))) == {
        f"{take_name(other)}-score",
        f"{take_name(other)}-verdict",
    }


def test_lists_coverage_and_preview_show_an_unfinished_take_and_no_figure_counts_it(publisher):
    tool = make.tool(tagline="One line")
    make.take(on=tool, score=60)
    draft = unfinished(on=tool, body="Half a thought")
    change(draft, body="Half of a thought")
    response = run_action(publisher, [draft], "publish_now")
    assert f"Not published: {draft} has no score and no verdict." in messages_of(response)
    assert "unfinished" in publisher.get("/admin/coverage/").content.decode()
    change(draft, score=64)
    page = publisher.get(page_of(tool, "preview"), follow=True).content.decode()
    assert "Half of a thought" in page
    assert "64/100 · no verdict yet" in page
    assert "1 of 1 ship" in page
