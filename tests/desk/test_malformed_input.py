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
from tests.desk.forms import errors, on_the_page, take_name

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("repeated_queries"),
    pytest.mark.both_databases,
]


def tool_page(tool):
    return f"/admin/tools/tool/{tool.pk}/change/"


@pytest.mark.parametrize(
    "kind", ["tools/category", "tools/tool", "reviews/reviewer", "reviews/take"]
)
def test_a_date_outside_the_calendar_is_reported(publisher, kind):
    take = make.take(on=make.tool(tagline="x"))
    rows = {"category": take.tool.category, "tool": take.tool, "reviewer": take.reviewer}
    row = rows.get(kind.split("/")[1], take)
    url = f"/admin/{kind}/{row.pk}/change/"
    form = on_the_page(publisher.get(url))
    for moment in ("0001-01-01T00:00:00+10:00", "0000-01-01 00:00", "9999-99-99 99:99"):
        response = publisher.post(url, form | {"published_at": moment})
        assert "as in 2026-05-03 14:00" in errors(response)["published_at"][0], moment


@pytest.mark.parametrize("kind", ["tools/category", "tools/tool", "reviews/reviewer"])
@pytest.mark.parametrize("slug", ["Not an address", "", "{}", "../admin", "%00", "x" * 5000])
def test_an_address_that_is_refused_is_marked_in_its_field(publisher, kind, slug):
    take = make.take(on=make.tool(tagline="x"))
    rows = {"category": take.tool.category, "tool": take.tool, "reviewer": take.reviewer}
    url = f"/admin/{kind}/{rows[kind.split('/')[1]].pk}/change/"
    response = publisher.post(url, on_the_page(publisher.get(url)) | {"slug": slug})
    assert response.status_code == 200
    assert "slug" in errors(response)


def test_no_form_saves_a_row_as_a_new_one(publisher):
    take = make.take(on=make.tool(tagline="x"))
    for row in (take, take.tool, take.reviewer):
        url = f"/admin/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/change/"
        sent = on_the_page(publisher.get(url)) | {"_saveasnew": "1", "name": ""}
        assert publisher.post(url, sent).status_code == 400
        assert type(row).objects.count() == 1


FORGED = ["[" * 4000, '{"a":' * 900, "[" * 200_000, "null", '{"score":[1]}', '"\\ud800"', "\0"]


def test_forged_hashes_are_ignored_or_refused(publisher):
    take = make.take(on=make.tool(tagline="x"))
    url = f"/admin/reviews/take/{take.pk}/change/"
    form = on_the_page(publisher.get(url))
    for number, hashes in enumerate(FORGED):
        sent = form | {"loaded": hashes, "body": f"Newer: {number}."}
        assert publisher.post(url, sent).status_code in (200, 302), hashes[:20]


@pytest.mark.parametrize(
    "stored", ["[" * 100_000, '{"body":["\\ud800 Half."]}', '{"body":[1]}', "x"]
)
def test_a_forged_stored_text_breaks_no_page(publisher, stored):
    User.objects.create_superuser("root", password="a-long-good-one")
    take = make.take(on=make.tool(tagline="x"))
    url = f"/admin/reviews/take/{take.pk}/change/"
    client = Client()
    sent = {"username": "root", "password": "a-long-good-one", "kept": stored, "next": url}
    assert client.post("/admin/login/", sent).status_code == 302
    assert [client.get(url).status_code for _ in range(2)] == [200, 200]


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


def test_a_search_during_typing_accepts_any_text(publisher):
    make.tool(name="Findable")
    query = "app_label=reviews&model_name=take&field_name=tool&term"
    response = publisher.get(f"/admin/autocomplete/?{query}=Find%00able")
    assert [row["text"].split(" (")[0] for row in response.json()["results"]] == ["Findable"]


@pytest.mark.parametrize("reason", ["a\u202eb", "a\nb", "\u200b", "…", "\0"])
def test_a_vote_is_void_for_a_reason_that_can_be_read(publisher, reason):
    now = timezone.now()
    vote = Vote.objects.create(tool=make.tool(), choice="ship", cast_at=now, changed_at=now)
    sent = {"action": "void", "_selected_action": [vote.pk], "reason": reason}
    publisher.post("/admin/reviews/vote/", sent)
    assert Vote.objects.counted().get() == vote


def test_a_rename_while_the_form_is_open_does_not_block_it(publisher):
    tool = make.take(on=make.tool(tagline="x")).tool
    sent = on_the_page(publisher.get(tool_page(tool))) | {"tagline": "My new line"}
    tool.rename("newer-name")
    response = publisher.post(tool_page(tool), sent)
    if response.status_code == 200:
        response = publisher.post(tool_page(tool), on_the_page(response))
    assert response.status_code == 302
    tool.refresh_from_db()
    assert tool.tagline == "My new line"


def test_an_earlier_slug_deleted_while_the_form_is_open_is_no_error(publisher):
    tool = make.take(on=make.tool(tagline="x")).tool
    tool.rename("second-name")
    tool.rename("third-name")
    sent = on_the_page(publisher.get(tool_page(tool)))
    tool.former_slugs.filter(slug="second-name").delete()
    sent |= {"ended": ["second-name"], "tagline": "Mine"}
    assert publisher.post(tool_page(tool), sent).status_code == 302
    tool.refresh_from_db()
    assert (tool.tagline, tool.former_slugs.count()) == ("Mine", 1)


def test_a_take_for_a_reviewer_deleted_while_the_form_is_open_is_shown_again(publisher):
    tool = make.take(on=make.tool(tagline="x")).tool
    reviewer = make.reviewer()
    start = f"{take_name(reviewer)}-"
    written = {f"{start}score": "50", f"{start}verdict": "ship", f"{start}body": "Precious words."}
    sent = on_the_page(publisher.get(tool_page(tool))) | written
    reviewer.remove(timezone.now())
    response = publisher.post(tool_page(tool), sent)
    assert "Precious words." in str(errors(response)["takes"])
    assert publisher.post(tool_page(tool), on_the_page(response)).status_code == 302
