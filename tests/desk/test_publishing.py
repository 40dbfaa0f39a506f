"""Publishing a tool with its takes: what it needs, now or on schedule."""

from datetime import timedelta

import pytest
from django.utils import timezone

from reviews.models import Take
from tests import factories as make
from tests.desk.forms import ADD, errors, on_the_page, page_of, sent_moment, tool_form, written_take
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


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


def test_drafts_are_published_with_their_tool_if_the_box_is_ticked(publisher, client):
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


def test_an_unchanged_stored_draft_is_published_with_its_tool(publisher):
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


def test_a_draft_take_on_a_public_tool_stays_a_draft_by_default(publisher):
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


def test_an_emptied_moment_withdraws_a_tool_and_the_list_says_so(publisher, client):
    tool = make.take(on=make.tool(tagline="A tool", slug="gone")).tool
    sent = on_the_page(publisher.get(page_of(tool)))
    publisher.post(page_of(tool), sent | {"published_at": ""})
    assert client.get("/tools/gone/").status_code == 404
    assert "Withdrawn since" in publisher.get("/admin/tools/tool/").content.decode()


def test_one_button_saves_and_withdraws(publisher, client):
    tool = make.take(on=make.tool(tagline="A tool", slug="out")).tool
    sent = on_the_page(publisher.get(page_of(tool))) | {"pricing": "$3", "_withdraw": "x"}
    assert publisher.post(page_of(tool), sent).status_code == 302
    tool.refresh_from_db()
    assert (tool.pricing, tool.state(timezone.now())) == ("$3", "withdrawn")
    assert client.get("/tools/out/").status_code == 404
