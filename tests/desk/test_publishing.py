"""Publishing and scheduling need their own buttons; a date alone changes no state."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Take
from shipskip.web.publishing import ALWAYS
from tests import factories as make
from tests.desk.deleting import path, run_action
from tests.desk.forms import (
    ADD,
    errors,
    on_the_page,
    page_of,
    sent_moment,
    take_name,
    tool_form,
    written_take,
)
from tests.desk.histories import change, messages_of
from tools.models import Category, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

PUBLISH, SCHEDULE = {"_publish": "Publish now"}, {"_schedule": "Schedule"}
UNSCHEDULE = {"_unschedule": "Remove from the schedule"}


def in_days(days):
    """The time after this number of days, as a form sends it."""
    return (timezone.now() + timedelta(days=days)).replace(second=0, microsecond=0)


def ready_tool(**fields):
    """A tool with a tagline and a public take."""
    return make.take(on=make.tool(tagline="A tool", **fields)).tool


def post(client, row, **sent):
    """Send the page of a row with these changes; the page that follows."""
    url = path(row, "change")
    return client.post(url, on_the_page(client.get(url)) | sent, follow=True)


@pytest.mark.parametrize("kind", [make.tool, make.take, make.comparison, make.category])
def test_a_save_uses_no_date_and_says_so(publisher, kind):
    row = kind(published_at=None)
    response = post(publisher, row, published_at="2040-05-03 14:00")
    messages = " ".join(messages_of(response))
    assert "saved as a draft; readers see nothing of it" in messages
    assert "The date 3 May 2040 14:00 UTC was not used: press Schedule to use it." in messages
    row.refresh_from_db()
    assert (row.published_at, row.history.count()) == (None, 1)


@pytest.mark.parametrize(
    "half", ["2026-05", "2026-05-03 1", "2026-05-03 14:0", "03/05/2026 14:00", "x"]
)
@pytest.mark.parametrize("moment", [None, make.PUBLISHED], ids=["draft", "public"])
def test_an_incomplete_date_is_refused_and_the_accepted_form_is_shown(publisher, moment, half):
    row = make.category(published_at=moment)
    for act in ({}, PUBLISH, SCHEDULE):
        response = post(publisher, row, published_at=half, **act)
        assert "as in 2026-05-03 14:00" in errors(response)["published_at"][0]
        assert on_the_page(response)["published_at"] == half
    row.refresh_from_db()
    assert row.published_at == moment


@pytest.mark.parametrize("act", [{}, PUBLISH], ids=["saved", "published"])
def test_an_emptied_date_does_not_withdraw_a_row(publisher, act):
    row = ready_tool()
    response = post(publisher, row, published_at="", **act)
    row.refresh_from_db()
    assert row.published_at == make.PUBLISHED
    assert act or "does not withdraw" in " ".join(messages_of(response))


def test_what_was_public_from_the_start_shows_words_and_keeps_its_moment(publisher):
    row = make.reviewer(published_at=ALWAYS)
    page = publisher.get(path(row, "change"))
    assert on_the_page(page)["published_at"] == ""
    assert 'placeholder="Public from the start"' in page.content.decode()
    response = post(publisher, row, motto="New")
    assert len(messages_of(response)) == 1
    row.refresh_from_db()
    assert (row.published_at, row.motto) == (ALWAYS, "New")
    post(publisher, row, published_at="2026-05-03 14:00")
    row.refresh_from_db()
    assert f"{row.published_at:%Y-%m-%d %H:%M}" == "2026-05-03 14:00"


def test_an_emptied_date_leaves_a_row_on_the_schedule_and_says_so(publisher):
    row = make.category(published_at=in_days(1))
    messages = " ".join(messages_of(post(publisher, row, published_at="")))
    assert "It stays scheduled for" in messages
    was = row.published_at
    row.refresh_from_db()
    assert row.published_at == was


def test_the_date_of_a_public_row_can_be_corrected_but_not_moved_to_the_future(publisher):
    row = make.category()
    response = post(publisher, row, published_at="2040-05-03 14:00")
    assert "withdraw it first, then schedule it" in errors(response)["published_at"][0]
    post(publisher, row, published_at="2026-05-03T14:00:30")
    row.refresh_from_db()
    assert f"{row.published_at:%Y-%m-%d %H:%M:%S}" == "2026-05-03 14:00:30"


@pytest.mark.parametrize("date", ["", "2026-05-03 14:00"], ids=["no date", "a past date"])
def test_schedule_needs_a_date_to_come(publisher, date):
    row = make.category(published_at=None)
    response = post(publisher, row, published_at=date, **SCHEDULE)
    assert set(errors(response)) == {"published_at"}
    row.refresh_from_db()
    assert row.published_at is None


def test_a_row_is_scheduled_moved_and_taken_off_the_schedule(publisher):
    row = make.category(published_at=None)
    for moment in (in_days(1), in_days(2)):
        response = post(publisher, row, published_at=sent_moment(moment), **SCHEDULE)
        assert "is scheduled for" in messages_of(response)[0]
        row.refresh_from_db()
        assert row.published_at == moment
    messages = messages_of(post(publisher, row, **UNSCHEDULE))
    row.refresh_from_db()
    assert row.state(timezone.now()) == "draft"
    assert "removed from the schedule; readers see nothing of it" in messages[0]


def test_a_row_that_became_public_meanwhile_can_no_longer_be_scheduled(publisher):
    row = make.comparison()
    for act in (SCHEDULE, UNSCHEDULE):
        response = post(publisher, row, published_at="2040-05-03 14:00", **act)
        assert "withdraw it first" in errors(response)["published_at"][0]
    row.refresh_from_db()
    assert row.published_at == make.PUBLISHED


def test_a_text_that_a_colleague_changed_meanwhile_is_not_published_unseen(publisher):
    row = make.category(name="Before", published_at=None)
    sent = on_the_page(publisher.get(path(row, "change")))
    change(row, name="Theirs")
    response = publisher.post(path(row, "change"), sent | PUBLISH)
    assert "saved this while you were writing" in response.content.decode()
    assert on_the_page(response)["name"] == "Theirs"
    row.refresh_from_db()
    assert row.published_at is None


def test_a_text_is_not_published_by_saving_what_a_colleague_has_published(publisher):
    row = make.category(name="Before", published_at=None)
    sent = on_the_page(publisher.get(path(row, "change"))) | {"name": "Not ready"}
    change(row, published_at=make.PUBLISHED)
    response = publisher.post(path(row, "change"), sent)
    assert "saved this while you were writing" in response.content.decode()
    assert on_the_page(response)["published_at"] == "2026-05-01 09:00"
    assert "Save and publish the change" in response.content.decode()
    row.refresh_from_db()
    assert row.name == "Before"


def test_a_refused_publication_stores_nothing(publisher):
    tool = make.tool(published_at=None, tagline="")
    typed = {"tagline": "", "published_at": "2040-05-03 14:00"}
    response = post(publisher, tool, **typed, **PUBLISH)
    assert "tagline" in errors(response)
    form_data = on_the_page(response)
    assert form_data["published_at"] == typed["published_at"]
    assert publisher.post(page_of(tool), form_data).status_code == 302
    tool.refresh_from_db()
    assert tool.published_at is None


def test_a_published_tool_needs_a_tagline_and_the_form_says_so_beside_the_field(publisher):
    take = written_take(make.reviewer())
    form = tool_form(category=make.category().pk, tagline="", takes=[take])
    assert set(errors(publisher.post(ADD, form | PUBLISH))) == {"tagline"}


def test_a_published_tool_needs_a_take_that_is_public_with_it(publisher):
    reviewer, kind = make.reviewer(), make.category()
    form = tool_form(category=kind.pk)
    assert set(errors(publisher.post(ADD, form | PUBLISH))) == {"takes"}
    held = written_take(reviewer, held="on")
    later = tool_form(category=kind.pk, published_at="2040-05-01 09:00", takes=[held])
    for act in (PUBLISH, SCHEDULE):
        assert set(errors(publisher.post(ADD, later | act))) == {"takes"}
    del later[f"{take_name(reviewer)}-held"]
    assert publisher.post(ADD, later | SCHEDULE).status_code == 302


def test_a_draft_needs_neither_tagline_nor_take(publisher):
    form = tool_form(category=make.category().pk, tagline="")
    assert publisher.post(ADD, form).status_code == 302


def test_drafts_are_published_with_their_tool(publisher, client):
    row = written_take(make.reviewer())
    form = tool_form(category=make.category().pk, slug="with-drafts", takes=[row])
    response = publisher.post(ADD, form | PUBLISH, follow=True)
    assert messages_of(response)[1].startswith("Takes published: ")
    assert Take.objects.get().published_at > timezone.now() - timedelta(minutes=1)
    assert "84</b>/100" in client.get("/tools/with-drafts/").content.decode()


def test_drafts_follow_a_tool_that_is_scheduled(publisher, client, clock):
    tomorrow = in_days(1)
    row = written_take(make.reviewer())
    form = tool_form(category=make.category().pk, slug="tomorrow", takes=[row])
    publisher.post(ADD, form | {"published_at": sent_moment(tomorrow)} | SCHEDULE)
    assert Take.objects.get().published_at == tomorrow
    clock(tomorrow - timedelta(minutes=1))
    assert client.get("/tools/tomorrow/").status_code == 404
    clock(tomorrow + timedelta(minutes=1))
    assert "84</b>/100" in client.get("/tools/tomorrow/").content.decode()


def test_an_unchanged_stored_draft_is_published_with_its_tool(publisher):
    tool = make.tool(published_at=None, tagline="A tool")
    take = make.take(on=tool, published_at=None)
    post(publisher, tool)
    take.refresh_from_db()
    assert take.published_at is None
    post(publisher, tool, **PUBLISH)
    take.refresh_from_db()
    assert take.state(timezone.now()) == "public"


@pytest.mark.parametrize(
    ("act", "days"),
    [(PUBLISH, 0), (SCHEDULE, 2), (UNSCHEDULE, None)],
    ids=["publish", "schedule", "unschedule"],
)
def test_takes_scheduled_with_their_tool_move_with_it(publisher, clock, act, days):
    clock(in_days(0))
    tomorrow = in_days(1)
    tool = ready_tool(published_at=tomorrow)
    with_it = make.take(on=tool, published_at=tomorrow)
    edited = make.take(on=tool, published_at=tomorrow)
    later = make.take(on=tool, published_at=tomorrow + timedelta(days=9))
    typed = {f"{take_name(edited.reviewer_id)}-body": "Written again."}
    response = post(publisher, tool, published_at=sent_moment(in_days(2)), **act, **typed)
    assert messages_of(response)[1].startswith("Takes ")
    for take in (with_it, edited, later):
        take.refresh_from_db()
    moved = None if days is None else in_days(days)
    assert (with_it.published_at, edited.published_at) == (moved, moved)
    assert (edited.body, later.published_at) == ("Written again.", tomorrow + timedelta(days=9))


@pytest.mark.parametrize("by", ["form", "list"])
@pytest.mark.parametrize("state", ["draft", "scheduled"])
def test_a_take_that_is_held_back_stays_behind_and_the_others_go(publisher, state, by):
    tomorrow = in_days(1)
    moment = tomorrow if state == "scheduled" else None
    tool = make.tool(tagline="A tool", published_at=moment)
    ready, held = (make.take(on=tool, published_at=moment) for _ in "ab")
    saved = {f"{take_name(held.reviewer_id)}-held": "on"}
    page = post(publisher, tool, **saved)
    held.refresh_from_db()
    assert (held.published_at, held.held) == (None, True)
    page = (
        post(publisher, tool, **PUBLISH)
        if by == "form"
        else run_action(publisher, [tool], "publish_now")
    )
    ready.refresh_from_db()
    held.refresh_from_db()
    assert (ready.state(timezone.now()), held.published_at) == ("public", None)
    said = "Takes published: " if by == "form" else "Published with it: 1 take."
    assert messages_of(page)[1].startswith(said)


def test_the_list_publishes_no_tool_with_an_unfinished_take_and_says_which(publisher):
    tool = make.tool(tagline="A tool", published_at=None)
    make.take(on=tool, published_at=None)
    half = make.take(on=tool, published_at=None, score=None)
    said = messages_of(run_action(publisher, [tool], "publish_now"))
    assert said == [f"Not published: {half} has no score: finish it, or hold it back."]
    tool.refresh_from_db()
    assert tool.published_at is None


def test_a_withdrawn_take_is_not_published_with_its_tool(publisher):
    tool = make.tool(published_at=None, tagline="A tool")
    taken_back, draft = make.take(on=tool), make.take(on=tool, published_at=None)
    taken_back.withdraw(timezone.now())
    post(publisher, tool, **PUBLISH)
    taken_back.refresh_from_db()
    draft.refresh_from_db()
    now = timezone.now()
    assert (taken_back.state(now), draft.state(now)) == ("withdrawn", "public")


@pytest.mark.parametrize(
    ("typed", "state"),
    [({}, "draft"), ({"body": "Ready."}, "public"), ({"body": "Half", "held": "on"}, "draft")],
    ids=["untouched", "edited", "held back"],
)
def test_saving_a_public_tool_publishes_the_draft_takes_that_it_changes(publisher, typed, state):
    tool = ready_tool()
    draft = make.take(on=tool, published_at=None)
    own = {f"{take_name(draft.reviewer_id)}-{name}": value for name, value in typed.items()}
    said = messages_of(post(publisher, tool, tagline="Another", **own))
    draft.refresh_from_db()
    assert draft.state(timezone.now()) == state
    assert (f"Takes published: {draft.reviewer.name}." in said) == (state == "public")


def test_one_button_publishes_now(publisher, client):
    row = written_take(make.reviewer())
    form = tool_form(category=make.category().pk, slug="at-once", takes=[row])
    publisher.post(ADD, form | PUBLISH)
    assert client.get("/tools/at-once/").status_code == 200


def test_a_writer_is_not_offered_to_publish_and_a_sent_request_publishes_nothing(writer):
    page = writer.get(ADD).content.decode()
    for name in ("_publish", "_schedule", "published_at"):
        assert name not in page
    row = written_take(make.reviewer(), published_at="2040-05-03 14:00")
    form = tool_form(category=make.category().pk, takes=[row])
    assert writer.post(ADD, form | PUBLISH | SCHEDULE).status_code == 302
    assert Tool.objects.get().published_at is None
    assert Take.objects.get().published_at is None


def test_a_message_says_what_readers_see_and_links_to_it(publisher):
    tool = ready_tool(published_at=None, slug="quiet", name="Quiet")
    link = '<a href="/tools/quiet/">/tools/quiet/</a>'
    assert messages_of(post(publisher, tool, **PUBLISH))[0] == f"“Quiet” is public: {link}"
    changed = messages_of(post(publisher, tool, tagline="Another"))[0]
    assert changed == f"Saved. Readers see the change now: {link}"
    draft = make.take(on=tool, published_at=None)
    own = {f"{take_name(draft.reviewer_id)}-{name}": "Text" for name in ("body", "held")}
    unseen = messages_of(post(publisher, tool, **own))[0]
    assert unseen == f"Saved. What readers see has not changed: {link}"
    Category.objects.update(published_at=None)
    hidden = messages_of(post(publisher, tool, tagline="A third"))[0]
    assert hidden == f"“Quiet” is saved; readers see it once {tool.category.name} is public."


@pytest.mark.parametrize("kind", [make.tool, make.comparison])
@pytest.mark.parametrize("moment", [None, make.PUBLISHED], ids=["draft", "public"])
def test_a_preview_shows_what_was_typed_and_saves_nothing(publisher, kind, moment):
    row = kind(published_at=moment)
    if kind is make.tool:
        make.take(on=row)
    text = "summary" if kind is make.comparison else "description"
    more = {text: "Typed *just* now.", "_preview": "Preview", "tagline": "A line"}
    page = post(publisher, row, **more).content.decode()
    assert "Typed <em>just</em> now." in page
    assert "nothing of it is saved" in page
    row.refresh_from_db()
    assert (getattr(row, text), row.history.count(), row.published_at) == ("", 1, moment)
    assert messages_of(publisher.get("/admin/")) == []


def test_a_new_tool_is_previewed_without_saving_it(publisher):
    take = written_take(make.reviewer())
    form = tool_form(category=make.category().pk, takes=[take], _preview="Preview")
    page = publisher.post(ADD, form).content.decode()
    assert "84</b>/100" in page
    assert not Tool.objects.exists()
    assert not Tool.history.exists()


def test_a_preview_of_a_form_with_errors_shows_the_errors(publisher):
    tool = make.tool()
    response = post(publisher, tool, name="", _preview="Preview")
    assert "name" in errors(response)


@pytest.mark.parametrize("kind", [ready_tool, make.take, make.category, make.comparison])
@pytest.mark.parametrize("moment", [None, make.PUBLISHED], ids=["draft", "public"])
def test_enter_in_a_public_row_checks_and_saves_nothing(publisher, kind, moment):
    row = kind(published_at=moment)
    page = publisher.get(path(row, "change"))
    buttons = re.findall(r'<input type="submit" name="(\w+)"', page.content.decode())
    assert buttons[0] == ("_check" if moment else "_continue")
    versions = row.history.count()
    answer = publisher.post(path(row, "change"), on_the_page(page) | {"_check": "Check"})
    text = answer.content.decode()
    assert "Checked. Nothing was saved" in text
    assert "Correct what is marked" not in text
    assert row.history.count() == versions


@pytest.mark.parametrize("kind", [make.tool, make.take, make.comparison, make.category])
def test_the_form_says_the_state_to_writers_and_publishers(publisher, writer, kind):
    row = kind(published_at=None)
    for client in (writer, publisher):
        assert ">Draft" in state_shown(client.get(path(row, "change")))
    assert 'name="published_at"' in publisher.get(path(row, "change")).content.decode()


def test_a_refused_publication_still_shows_the_draft_as_one(publisher):
    row = make.tool(published_at=None, tagline="")
    assert ">Draft" in state_shown(post(publisher, row, **PUBLISH))


def state_shown(response):
    """The row of the state in a form."""
    return response.content.decode().partition("field-state")[2].partition("field-")[0]
