"""Invalid input at the desk: it is answered, and nothing is lost or disclosed."""

import html
import json
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from reviews.models import Vote
from tests import factories as make
from tests.desk.forms import errors, on_the_page, opened, page_of, post, take_fields

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


def rows():
    """A take, its tool, its reviewer and its category."""
    take = make.take(on=make.tool(tagline="x"))
    return take, take.tool, take.reviewer, take.tool.category


def test_a_date_outside_the_calendar_is_reported(publisher):
    beyond = ("0001-01-01T00:00:00+10:00", "0000-01-01 00:00", "9999-99-99 99:99")
    for row, moments in zip(rows(), [beyond[:1], beyond[1:2], beyond[2:], beyond], strict=True):
        for moment in moments:
            refused = errors(post(publisher, row, published_at=moment))
            assert "as in 2026-05-03 14:00" in refused["published_at"][0], moment


@pytest.mark.both_databases
def test_an_address_that_is_refused_is_marked_in_its_field(publisher):
    for row in rows()[1:]:
        form = opened(publisher, row)
        for slug in ("Not an address", "", "{}", "../admin", "%00", "\0", "x" * 5000):
            response = publisher.post(page_of(row), form | {"slug": slug})
            assert response.status_code == 200, (row, slug)
            assert "slug" in errors(response), (row, slug)


def test_no_form_saves_a_row_as_a_new_one(publisher):
    for row in rows()[:3]:
        assert post(publisher, row, _saveasnew="1", name="").status_code == 400
        assert type(row).objects.count() == 1


@pytest.mark.both_databases
def test_a_forged_stored_text_breaks_no_page(db):
    User.objects.create_superuser("root", password="a-long-good-one")
    url = page_of(make.take())
    for stored in ("[" * 100_000, '{"body":["\\ud800 Half."]}', '{"body":[1]}', "x"):
        client = Client()
        sent = {"username": "root", "password": "a-long-good-one", "kept": stored, "next": url}
        assert client.post("/admin/login/", sent).status_code == 302
        assert [client.get(url).status_code for _ in range(2)] == [200, 200], stored[:30]


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/admin/password_change/", ("old_password", "new_password1", "new_password2")),
        ("/admin/auth/user/add/", ("username", "password1", "password2")),
        ("/admin/reviews/take/add/", ("body_password",)),
    ],
)
def test_passwords_are_not_stored(path, names):
    page = Client().post(path, dict.fromkeys(names, "open sesame")).content.decode()
    stored = re.search(r'name="kept" value="([^"]*)"', page)
    assert "open sesame" not in page
    assert stored is None or json.loads(html.unescape(stored[1])) == {}


@pytest.mark.both_databases
def test_a_search_during_typing_accepts_any_text(publisher):
    make.tool(name="Findable")
    query = "app_label=reviews&model_name=take&field_name=tool&term"
    response = publisher.get(f"/admin/autocomplete/?{query}=Find%00able")
    assert [row["text"].split(" (")[0] for row in response.json()["results"]] == ["Findable"]


@pytest.mark.both_databases
def test_a_vote_is_void_for_a_reason_that_can_be_read(publisher):
    now = timezone.now()
    vote = Vote.objects.create(tool=make.tool(), choice="ship", cast_at=now, changed_at=now)
    for reason in ("a\u202eb", "a\nb", "\u200b", "…", "\0"):
        sent = {"action": "void", "_selected_action": [vote.pk], "reason": reason}
        publisher.post("/admin/reviews/vote/", sent)
        assert Vote.objects.counted().get() == vote, reason


def test_slugs_that_change_while_the_form_is_open_do_not_block_it(publisher):
    tool = make.take(on=make.tool(tagline="x")).tool
    sent = opened(publisher, tool) | {"tagline": "My new line"}
    tool.rename("second-name")
    response = publisher.post(page_of(tool), sent)
    if response.status_code == 200:
        response = publisher.post(page_of(tool), on_the_page(response))
    assert response.status_code == 302
    tool.refresh_from_db()
    assert tool.tagline == "My new line"
    tool.rename("third-name")
    sent = opened(publisher, tool)
    tool.former_slugs.filter(slug="second-name").delete()
    sent |= {"ended": ["second-name"], "tagline": "Mine"}
    assert publisher.post(page_of(tool), sent).status_code == 302
    tool.refresh_from_db()
    assert (tool.tagline, tool.former_slugs.count()) == ("Mine", 1)


def test_a_take_for_a_reviewer_deleted_while_the_form_is_open_is_shown_again(publisher):
    tool = make.take(on=make.tool(tagline="x")).tool
    reviewer = make.reviewer()
    written = take_fields(reviewer, score="50", verdict="ship", body="Precious words.")
    sent = opened(publisher, tool) | written
    reviewer.remove(timezone.now())
    response = publisher.post(page_of(tool), sent)
    assert "Precious words." in str(errors(response)["takes"])
    assert publisher.post(page_of(tool), on_the_page(response)).status_code == 302
