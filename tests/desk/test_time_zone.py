"""The desk in its editor's own time zone: what it shows, and how it reads what was typed."""

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from shipskip.desk.time_zone import COOKIE
from shipskip.editing.moments import MomentField
from tests import factories as make
from tests.desk.acts import change
from tests.desk.forms import messages_of, on_the_page, opened, page_of, post
from tools.models import Category

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

BERLIN = "Europe/Berlin"


def moment_of(row):
    return f"{type(row).objects.get(pk=row.pk).published_at:%Y-%m-%d %H:%M %Z}"


@pytest.fixture
def in_berlin(publisher):
    publisher.cookies[COOKIE] = BERLIN
    return publisher


def test_a_time_is_shown_and_read_in_the_editor_s_zone_with_utc_beside_it(in_berlin):
    row = make.comparison(published_at=None)
    messages = messages_of(post(in_berlin, row, published_at="2040-07-03 14:00", _schedule="x"))
    assert "is scheduled for 3 Jul 2040 14:00 CEST" in " ".join(messages)
    assert moment_of(row) == "2040-07-03 12:00 UTC"
    page = in_berlin.get(page_of(row, "change"))
    assert on_the_page(page)["published_at"] == "2040-07-03 14:00"
    assert f"{BERLIN}<span data-moment-utc> = 3 Jul 2040 12:00 UTC</span>" in page.content.decode()
    for address in ("/admin/comparisons/comparison/", "/admin/", page_of(row, "history")):
        assert "14:00 CEST" in in_berlin.get(address).content.decode()


def test_a_form_is_read_in_the_zone_that_it_was_shown_in(in_berlin):
    row = make.category(published_at=None)
    url = page_of(row, "change")
    whole = on_the_page(in_berlin.get(url))
    in_berlin.cookies[COOKIE] = "Asia/Tokyo"
    refused = in_berlin.post(url, whole | {"published_at": "2040-07-03 14:00", "name": ""})
    assert on_the_page(refused)["published_at"] == f"2040-07-03 14:00 {BERLIN}"
    sent = on_the_page(refused) | {"name": "Later", "_schedule": "x"}
    assert "3 Jul 2040 21:00 JST" in " ".join(messages_of(in_berlin.post(url, sent)))
    assert moment_of(row) == "2040-07-03 12:00 UTC"


def test_an_unknown_zone_is_utc(publisher):
    row = make.category(published_at=make.PUBLISHED)
    for name in ("", "../../etc/passwd", f"{BERLIN}\0", "Factory"):
        publisher.cookies[COOKIE] = name
        page = opened(publisher, row)
        shown = (page["published_at"], page["published_at-zone"])
        assert shown == ("2026-05-01 09:00", "UTC"), name
    sent = page | {"published_at-zone": "Mars/Olympus", "published_at": "2026-05-01 08:00"}
    publisher.post(page_of(row, "change"), sent)
    assert moment_of(row) == "2026-05-01 08:00 UTC"


NO_DATE = "Enter the whole date"
NOT_ONCE = f"twice or never on this day in {BERLIN}"


@pytest.mark.parametrize(
    ("typed", "moment"),
    [
        ("2040-07-03T14:00", "2040-07-03 12:00"),
        (" 2040-7-3  14:00:00", "2040-07-03 12:00"),
        ("2040/07/03 14:00", "2040-07-03 12:00"),
        ("3 July 2040 14:00", "2040-07-03 12:00"),
        ("3 jul 2040, 2:00 pm", "2040-07-03 12:00"),
        ("July 3, 2040 2pm", "2040-07-03 12:00"),
        ("03.07.2040 14:00", "2040-07-03 12:00"),
        ("2040-07-03 12:00Z", "2040-07-03 12:00"),
        ("2040-07-03 12:00 UTC", "2040-07-03 12:00"),
        ("2040-07-03 21:00 Asia/Tokyo", "2040-07-03 12:00"),
        ("2040-07-03", "2040-07-02 22:00"),
        ("3.7.2040", "2040-07-02 22:00"),
        ("0003-06-01 12:00 UTC", "0003-06-01 12:00"),
        ("9997-06-01 12:00 UTC", "9997-06-01 12:00"),
        ("2040-03-25 02:30 UTC", "2040-03-25 02:30"),
        ("2040-03-25 02:30", NOT_ONCE),
        ("2040-10-28 02:30", NOT_ONCE),
        ("0002-01-01 00:00", NO_DATE),  # in UTC the year before
        ("0002-06-01 12:00", NO_DATE),
        ("9998-01-01 12:00", NO_DATE),
        ("2026-02-30 10:00", NO_DATE),
        ("2026-05", NO_DATE),
        ("2026-05-03 14:0", NO_DATE),
        ("03/05/2026 14:00", NO_DATE),
        ("x", NO_DATE),
        ("0001-01-01T00:00:00+10:00", NO_DATE),
        ("0000-01-01 00:00", NO_DATE),
        ("9998-12-31 23:59 America/New_York", NO_DATE),  # in UTC the year after
    ],
)
def test_a_date_is_read_as_people_type_it_or_refused(typed, moment):
    with timezone.override(BERLIN):
        if moment in (NO_DATE, NOT_ONCE):
            with pytest.raises(ValidationError, match=moment):
                MomentField().clean(typed)
        else:
            assert f"{MomentField().clean(typed)}" == f"{moment}:00+00:00"


def test_a_time_that_occurs_twice_is_shown_in_utc_and_is_not_changed_by_a_save(in_berlin):
    row = make.category(published_at=make.PUBLISHED.replace(2025, 10, 26, 1, 30))
    page = on_the_page(in_berlin.get(page_of(row, "change")))
    assert page["published_at"] == "2025-10-26 01:30 UTC"
    post(in_berlin, row, name="Another")
    assert Category.objects.get(pk=row.pk).name == "Another"
    assert moment_of(row) == "2025-10-26 01:30 UTC"


def test_what_a_colleague_scheduled_is_filled_in_with_its_zone(in_berlin):
    row = make.category(published_at=make.PUBLISHED)
    url = page_of(row, "change")
    whole = on_the_page(in_berlin.get(url))
    change(row, name="Theirs", published_at="2026-04-01T10:00Z")
    in_berlin.cookies[COOKIE] = "Asia/Tokyo"
    refused = in_berlin.post(url, whole | {"name": "Mine"})
    assert refused.context["adminform"].form.conflict
    in_berlin.post(url, on_the_page(refused))
    assert moment_of(row) == "2026-04-01 10:00 UTC"


def test_no_page_outside_the_desk_knows_the_zone(in_berlin):
    tool = make.tool(tagline="One line", published_at=make.PUBLISHED)
    here = in_berlin.get(page_of(tool, "preview"), follow=True).content.decode()
    assert "UTC</time>" in here
    assert "CEST" not in here
