"""Writing a tool and its takes: a form a reviewer, previews, cautions, publishing, the record."""

from datetime import timedelta
from urllib.parse import quote

import pytest
from django.utils import timezone
from zeal import zeal_ignore

from reviews import cautions
from reviews.models import Take, TakeChange
from shipskip.editing.fields import words
from tests import factories as make
from tests.desk.desks import desk_of
from tests.desk.forms import errors, on_the_page, sent_moment, tool_form, written_take
from tools.models import Tool

pytestmark = pytest.mark.django_db

LONG = "word " * 60
ADD = "/admin/tools/tool/add/"


@pytest.fixture(autouse=True)
def _allow_repeated_queries_of_django_forms():
    with zeal_ignore():
        yield


@pytest.fixture
def publisher(db):
    return desk_of("Publishers")


@pytest.fixture
def writer(db):
    return desk_of("Writers")


def page_of(tool):
    return f"/admin/tools/tool/{tool.pk}/change/"


def takes_on(response):
    return response.context["inline_admin_formsets"][0].formset.forms


def test_a_form_is_ready_for_each_reviewer_in_panel_order(publisher):
    third, first, second = (make.reviewer(position=number) for number in (3, 1, 2))
    tool = make.tool()
    make.take(on=tool, by=second, body="There already.")
    forms = takes_on(publisher.get(page_of(tool)))
    assert [form.reviewer for form in forms] == [first, second, third]
    assert [bool(form.instance.pk) for form in forms] == [False, True, False]


def test_a_new_tool_has_a_form_for_every_reviewer_too(publisher):
    make.reviewer(), make.reviewer()
    assert len(takes_on(publisher.get(ADD))) == 2


@pytest.mark.parametrize("takes", [1, 9])
def test_the_queries_of_the_screen_do_not_depend_on_the_number_of_takes(
    takes, publisher, django_assert_max_num_queries
):
    tool = make.tool()
    make.panel(on=tool, ship=takes)
    publisher.get(page_of(tool))
    with django_assert_max_num_queries(16):
        publisher.get(page_of(tool))


def test_an_empty_form_makes_no_take(publisher):
    one, _two = make.reviewer(), make.reviewer()
    form = tool_form(category=make.category().pk, takes=[written_take(one)])
    assert publisher.post(ADD, form).status_code == 302
    assert Take.objects.get().reviewer == one


def test_a_save_stands_in_the_history_under_its_editor_s_name(publisher):
    form = tool_form(category=make.category().pk, takes=[written_take(make.reviewer())])
    publisher.post(ADD, form)
    assert Tool.history.get().history_user.username == "publishers"
    assert Take.history.get().history_user.username == "publishers"


# --- The preview of a text -------------------------------------------------------------------


def test_a_text_is_previewed_as_readers_will_see_it_with_its_length(publisher):
    sent = {"body": "Some *fine* words<script>x</script>"}
    fragment = publisher.post("/admin/markdown/?field=body", sent, headers={"hx-request": "true"})
    page = fragment.content.decode()
    assert "<em>fine</em>" in page
    assert "<script" not in page
    assert "3 words" in page
    assert "<html" not in page


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("-\n" * 10_000, "This text has 10,001 lines; at most 500 can be shown. Shorten it."),
        ("a" * 20_001, "This text has 20,001 characters; at most 20,000 fit."),
    ],
)
def test_a_text_that_takes_too_long_is_refused_by_preview_and_save(publisher, text, sentence):
    assert (
        sentence in publisher.post("/admin/markdown/?field=body", {"body": text}).content.decode()
    )
    form = tool_form(category=make.category().pk, description=text)
    assert sentence in publisher.post(ADD, form).content.decode()
    assert not Tool.objects.exists()


def test_without_scripts_the_preview_is_a_page_of_its_own(publisher):
    response = publisher.post("/admin/markdown/", {"field": "takes-1-body", "takes-1-body": "*So*"})
    page = response.content.decode()
    assert "<html" in page
    assert "<em>So</em>" in page


@pytest.mark.parametrize("sent", [{}, {"field": ""}, {"field": "nothing"}, {"field": "\x00"}])
def test_a_preview_of_nothing_is_empty_and_no_fault(publisher, sent):
    assert publisher.post("/admin/markdown/", sent).status_code == 200


def test_the_preview_is_for_the_desk_alone_and_no_address_to_read(client, publisher):
    assert client.post("/admin/markdown/", {}).status_code == 302
    assert publisher.get("/admin/markdown/").status_code == 405


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        ("one", 1),
        ("It's well-known: a [link](https://a.example/b-c) counts.", 5),
        ("Été — naïve", 2),
        ("---", 0),
    ],
)
def test_words_are_counted_as_a_reader_would(text, number):
    assert words(text) == number


# --- The panel while one writes --------------------------------------------------------------


def test_the_panel_s_verdict_follows_what_is_typed(publisher):
    sent = {
        "reviewers": ["1", "2", "3", "4"],
        "takes-1-score": "80",
        "takes-1-verdict": "ship",
        "takes-2-score": "71",
        "takes-2-verdict": "ship",
        "takes-3-score": "20",
        "takes-3-verdict": "skip",
        "takes-4-score": "not yet",
    }
    page = publisher.post("/admin/tools/tool/panel/", sent, headers={"hx-request": "true"})
    words = " ".join(page.content.decode().split())
    assert "2 ship / 1 skip, 67 % ship, mean score 57.0 of 100" in words


def test_cautions_follow_what_is_typed(publisher):
    sent = {
        "reviewers": ["7", "<b>"],
        "takes-7-score": "31",
        "takes-7-verdict": "ship",
        "takes-7-body": "Too short.",
        "pricing": "",
    }
    page = publisher.post("/admin/tools/tool/panel/", sent, headers={"hx-request": "true"})
    text = page.content.decode()
    assert 'id="id_takes-7-verdict_caution" hx-swap-oob="true">A ship at 31 of 100?' in text
    assert 'id="id_takes-7-body_caution" hx-swap-oob="true">Only 2 of the 40 words' in text
    assert 'id="id_pricing_caution" hx-swap-oob="true">No pricing' in text
    assert "<b>" not in text.replace("<b>With these takes</b>", "")


def test_the_page_shows_the_panel_as_it_is_written_drafts_included(publisher):
    tool = make.tool()
    make.take(on=tool, score=90)
    make.take(on=tool, score=10, verdict="skip", published_at=None)
    page = " ".join(publisher.get(page_of(tool)).content.decode().split())
    assert "1 ship / 1 skip, 50 % ship, mean score 50.0 of 100" in page


@pytest.mark.parametrize(
    ("score", "verdict", "odd"),
    [
        (49, "ship", True),
        (50, "ship", False),
        (79, "skip", False),
        (80, "skip", True),
        (72, "ship", False),
        (72, "skip", False),
        (None, "ship", False),
        (0, "", False),
    ],
)
def test_score_and_verdict_may_look_at_odds(score, verdict, odd):
    assert bool(cautions.at_odds(score, verdict)) is odd


def test_a_take_of_forty_words_is_long_enough():
    assert cautions.too_short("word " * 39)
    assert not cautions.too_short("word " * 40)
    assert not cautions.too_short("")


def test_cautions_do_not_block_and_are_told_after_the_save(publisher):
    row = written_take(make.reviewer(name="Skeptic"), score="95", verdict="skip", body="Short.")
    form = tool_form(category=make.category().pk, takes=[row])
    page = publisher.post(ADD, form, follow=True).content.decode()
    assert Take.objects.count() == 1
    assert "Skeptic: A skip at 95 of 100?" in page
    assert "Skeptic: Only 1 of the 40 words" in page
    assert "No pricing" in page


def test_cautions_stand_beside_their_fields_when_the_page_is_opened(publisher):
    tool = make.tool(pricing="")
    take = make.take(on=tool, score=95, verdict="skip", body="Short.")
    page = publisher.get(page_of(tool)).content.decode()
    start = f'id="id_takes-{take.reviewer_id}'
    assert f'{start}-verdict_caution">A skip at 95' in page
    assert f'{start}-body_caution">Only 1 of the 40' in page
    assert 'id="id_pricing_caution">No pricing' in page


# --- Publishing ------------------------------------------------------------------------------


def test_a_published_tool_needs_a_tagline_and_says_so_beside_it(publisher):
    take = written_take(make.reviewer())
    form = tool_form(
        category=make.category().pk, tagline="", published_at="2026-05-01T09:00", takes=[take]
    )
    response = publisher.post(ADD, form)
    assert set(errors(response)) == {"tagline"}


def test_a_published_tool_needs_a_category(publisher):
    form = tool_form(published_at="2026-05-01T09:00", takes=[written_take(make.reviewer())])
    assert "category" in errors(publisher.post(ADD, form))


def test_a_published_tool_needs_a_take_that_is_public_with_it(publisher):
    reviewer, kind = make.reviewer(), make.category()
    form = tool_form(category=kind.pk, published_at="2026-05-01T09:00:00")
    assert set(errors(publisher.post(ADD, form))) == {"takes"}
    draft = written_take(reviewer, published_at="")
    assert set(errors(publisher.post(ADD, form | tool_form(takes=[draft]) | form))) == {"takes"}
    later = tool_form(
        category=kind.pk,
        published_at="2040-05-01T09:00:00",
        takes=[written_take(reviewer, published_at="2040-05-01T09:00:01")],
    )
    assert set(errors(publisher.post(ADD, later))) == {"takes"}
    in_time = later | {f"takes-{reviewer.pk}-published_at": "2040-05-01T09:00:00"}
    assert publisher.post(ADD, in_time).status_code == 302


def test_a_draft_needs_neither_tagline_nor_take(publisher):
    form = tool_form(category=make.category().pk, tagline="")
    assert publisher.post(ADD, form).status_code == 302


def test_drafts_are_published_with_their_tool_where_that_is_asked_for(publisher, client):
    row = written_take(make.reviewer(), published_at="")
    form = tool_form(category=make.category().pk, slug="with-drafts", takes=[row])
    form |= {"published_at": "2026-05-01T09:00:00", "with_takes": "on"}
    response = publisher.post(ADD, form)
    assert response.status_code == 302, errors(response)
    assert Take.objects.get().published_at > timezone.now() - timedelta(minutes=1)
    assert "84</b>/100" in client.get("/tools/with-drafts/").content.decode()


def test_drafts_follow_a_tool_that_is_scheduled(publisher, client, clock):
    tomorrow = (timezone.now() + timedelta(days=1)).replace(microsecond=0)
    row = written_take(make.reviewer(), published_at="")
    form = tool_form(category=make.category().pk, slug="tomorrow", takes=[row])
    publisher.post(ADD, form | {"published_at": sent_moment(tomorrow), "with_takes": "on"})
    assert Take.objects.get().published_at == tomorrow
    clock(tomorrow - timedelta(minutes=1))
    assert client.get("/tools/tomorrow/").status_code == 404
    clock(tomorrow + timedelta(minutes=1))
    assert "84</b>/100" in client.get("/tools/tomorrow/").content.decode()


def test_a_stored_draft_that_nobody_touched_is_published_with_its_tool(publisher):
    tool = make.tool(published_at=None, tagline="A tool")
    take = make.take(on=tool, published_at=None)
    sent = on_the_page(publisher.get(page_of(tool)))
    assert sent["with_takes"] == "on"
    response = publisher.post(page_of(tool), sent | {"_publish": "Publish now"})
    assert response.status_code == 302, errors(response)
    take.refresh_from_db()
    assert take.state(timezone.now()) == "public"


@pytest.mark.parametrize("days", [-1, 2])
def test_takes_scheduled_with_their_tool_move_with_it(publisher, days):
    tomorrow = (timezone.now() + timedelta(days=1)).replace(microsecond=0)
    tool = make.tool(published_at=tomorrow, tagline="A tool")
    with_it = make.take(on=tool, published_at=tomorrow)
    later = make.take(on=tool, published_at=tomorrow + timedelta(days=9))
    moment = timezone.now() + timedelta(days=days)
    sent = on_the_page(publisher.get(page_of(tool)))
    response = publisher.post(page_of(tool), sent | {"published_at": sent_moment(moment)})
    assert response.status_code == 302, errors(response)
    with_it.refresh_from_db()
    later.refresh_from_db()
    expected = max(moment, timezone.now())
    assert abs(with_it.published_at - expected) < timedelta(minutes=1)
    assert later.published_at == tomorrow + timedelta(days=9)


def test_a_withdrawn_take_is_not_published_with_its_tool(publisher):
    tool = make.tool(published_at=None, tagline="A tool")
    taken_back, draft = make.take(on=tool), make.take(on=tool, published_at=None)
    taken_back.withdraw(timezone.now())
    sent = on_the_page(publisher.get(page_of(tool)))
    publisher.post(page_of(tool), sent | {"_publish": "Publish now"})
    taken_back.refresh_from_db()
    draft.refresh_from_db()
    now = timezone.now()
    assert (taken_back.state(now), draft.state(now)) == ("withdrawn", "public")


def test_a_draft_take_on_a_public_tool_stays_a_draft_unless_asked(publisher):
    tool = make.tool(tagline="A tool")
    make.take(on=tool)
    draft = make.take(on=tool, published_at=None)
    sent = on_the_page(publisher.get(page_of(tool)))
    assert "with_takes" not in sent
    publisher.post(page_of(tool), sent | {"pricing": "$1"})
    draft.refresh_from_db()
    assert draft.published_at is None


def test_one_button_publishes_now(publisher, client):
    row = written_take(make.reviewer(), published_at="")
    form = tool_form(category=make.category().pk, slug="at-once", takes=[row], with_takes="on")
    publisher.post(ADD, form | {"_publish": "Publish now"})
    assert client.get("/tools/at-once/").status_code == 200


def test_a_writer_is_offered_no_publishing_and_it_does_nothing_for_them(writer):
    page = writer.get(ADD).content.decode()
    assert "_publish" not in page
    assert "with_takes" not in page
    row = written_take(make.reviewer(), published_at="")
    form = tool_form(category=make.category().pk, takes=[row], with_takes="on", _publish="x")
    assert writer.post(ADD, form).status_code == 302
    assert Tool.objects.get().published_at is None
    assert Take.objects.get().published_at is None


def test_a_moment_taken_away_makes_a_tool_withdrawn_and_the_list_says_so(publisher, client):
    tool = make.take(on=make.tool(tagline="A tool", slug="gone")).tool
    sent = on_the_page(publisher.get(page_of(tool)))
    publisher.post(page_of(tool), sent | {"published_at": ""})
    assert client.get("/tools/gone/").status_code == 404
    assert "Withdrawn since" in publisher.get("/admin/tools/tool/").content.decode()


@pytest.mark.parametrize("button", ["_preview", "_continue"])
def test_after_a_save_one_goes_on_or_looks_at_the_page(publisher, button):
    tool = make.take(on=make.tool(tagline="A tool")).tool
    sent = on_the_page(publisher.get(page_of(tool)))
    response = publisher.post(page_of(tool), sent | {button: "x"})
    onward = {"_preview": f"/admin/tools/tool/{tool.pk}/preview/", "_continue": page_of(tool)}
    assert response["Location"] == onward[button]


# --- The public record -----------------------------------------------------------------------


@pytest.fixture
def public_take(db):
    return make.take(on=make.tool(tagline="A tool"), score=78, verdict="ship", body=LONG)


def test_a_changed_score_asks_for_a_reason_beside_it(publisher, public_take):
    tool, start = public_take.tool, f"takes-{public_take.reviewer_id}"
    sent = on_the_page(publisher.get(page_of(tool))) | {f"{start}-score": "64"}
    response = publisher.post(page_of(tool), sent)
    assert set(errors(response)) == {f"{start}-reason"}
    public_take.refresh_from_db()
    assert public_take.score == 78
    sent |= {f"{start}-verdict": "skip", f"{start}-reason": "pricing tripled"}
    assert publisher.post(page_of(tool), sent).status_code == 302
    entry = TakeChange.objects.get()
    assert (entry.score_before, entry.score_after) == (78, 64)
    assert (entry.verdict_before, entry.verdict_after) == ("ship", "skip")
    assert (entry.reason, entry.tool, entry.reviewer) == (
        "pricing tripled",
        tool,
        public_take.reviewer,
    )


def test_a_typo_needs_no_reason_and_leaves_no_entry(publisher, public_take):
    tool, start = public_take.tool, f"takes-{public_take.reviewer_id}"
    sent = on_the_page(publisher.get(page_of(tool))) | {f"{start}-body": LONG + "mended"}
    assert publisher.post(page_of(tool), sent).status_code == 302
    assert not TakeChange.objects.exists()


@pytest.mark.parametrize("reason", ["two\nlines", "x" * 201, "   "])
def test_a_reason_is_one_line_for_readers(publisher, public_take, reason):
    url = f"/admin/reviews/take/{public_take.pk}/change/"
    sent = on_the_page(publisher.get(url)) | {"score": "1", "reason": reason}
    assert set(errors(publisher.post(url, sent))) == {"reason"}


def test_a_draft_take_and_a_take_on_a_draft_tool_need_no_reason(publisher):
    for take in (
        make.take(published_at=None),
        make.take(on=make.tool(published_at=None)),
        make.take(published_at=timezone.now() + timedelta(minutes=1)),
    ):
        url = f"/admin/reviews/take/{take.pk}/change/"
        sent = on_the_page(publisher.get(url))
        assert "reason" not in sent
        assert publisher.post(url, sent | {"score": "1"}).status_code == 302
    assert not TakeChange.objects.exists()


def test_a_minute_after_its_moment_a_take_is_on_record(publisher, clock):
    now = timezone.now()
    take = make.take(published_at=now)
    url = f"/admin/reviews/take/{take.pk}/change/"
    clock(now - timedelta(minutes=1))
    assert "reason" not in on_the_page(publisher.get(url))
    clock(now + timedelta(minutes=1))
    assert "reason" in on_the_page(publisher.get(url))


def test_withdrawing_is_no_way_around_the_record(publisher, public_take):
    public_take.withdraw(timezone.now())
    url = f"/admin/reviews/take/{public_take.pk}/change/"
    sent = on_the_page(publisher.get(url)) | {"score": "1"}
    assert set(errors(publisher.post(url, sent))) == {"reason"}


def test_an_old_take_can_be_said_to_be_still_true(publisher, settings):
    old = timezone.now() - timedelta(days=settings.STALE_AFTER_DAYS + 1)
    take = make.take(published_at=old)
    url = f"/admin/reviews/take/{take.pk}/change/"
    assert "Read again today" in publisher.get(url).content.decode()
    sent = on_the_page(publisher.get(url)) | {"still_true": "on"}
    assert publisher.post(url, sent).status_code == 302
    assert "Read again today" not in publisher.get(url).content.decode()


def test_deleting_a_take_is_no_way_around_the_record(publisher, public_take):
    tool, reviewer = public_take.tool, public_take.reviewer
    public_take.delete()
    sent = {"tool": tool.pk, "reviewer": reviewer.pk, "score": "1", "verdict": "skip", "body": "x"}
    response = publisher.post("/admin/reviews/take/add/", sent)
    assert "Bring it back" in errors(response)["__all__"][0]
    make.take(on=tool)
    row = written_take(reviewer, score="1")
    response = publisher.post(page_of(tool), tool_form(tool, takes=[row]))
    assert "Bring it back" in errors(response)[f"takes-{reviewer.pk}-__all__"][0]
    assert Take.objects.filter(reviewer=reviewer).count() == 0


def test_a_deleted_draft_may_be_written_anew(publisher):
    take = make.take(published_at=None)
    take.delete()
    sent = {"tool": take.tool_id, "reviewer": take.reviewer_id, "score": "1", "verdict": "skip"}
    assert publisher.post("/admin/reviews/take/add/", sent).status_code == 302


def test_one_button_saves_and_withdraws(publisher, client):
    tool = make.take(on=make.tool(tagline="A tool", slug="out")).tool
    sent = on_the_page(publisher.get(page_of(tool))) | {"pricing": "$3", "_withdraw": "x"}
    assert publisher.post(page_of(tool), sent).status_code == 302
    tool.refresh_from_db()
    assert (tool.pricing, tool.state(timezone.now())) == ("$3", "withdrawn")
    assert client.get("/tools/out/").status_code == 404


@pytest.mark.parametrize("back", ["", "what=missing&page=2", "//evil.example/?x=1", "a=b\r\nc"])
def test_a_take_opened_from_the_matrix_leads_back_to_it(publisher, back):
    tool, reviewer = make.tool(), make.reviewer()
    sent = {"tool": tool.pk, "reviewer": reviewer.pk, "score": "1", "verdict": "skip"}
    query = f"?tool={tool.pk}&reviewer={reviewer.pk}&back={quote(back)}"
    response = publisher.post(f"/admin/reviews/take/add/{query}", sent)
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/coverage/?")
    assert "page=2" in response["Location"] or "page" not in back
