"""Who may do what at the desk, action by action, with forged form data as well."""

from datetime import timedelta
from decimal import Decimal
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Take, TakeChange
from shipskip.roles import WRITERS
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import (
    comparison_form,
    errors,
    on_the_page,
    page_of,
    post,
    take_name,
    tool_form,
    written_take,
)
from tools.models import Fact

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


READ_BY_ALL = [
    "tools/tool/",
    "tools/category/",
    "tools/attribute/",
    "tools/family/",
    "reviews/reviewer/",
    "reviews/take/",
    "comparisons/comparison/",
]
FOR_PUBLISHERS = ["tools/category/add/", "reviews/reviewer/add/", "reviews/vote/"]
FOR_ADMINISTRATORS = ["auth/user/", "auth/group/"]


@pytest.mark.parametrize(
    ("groups", "statuses"),
    [((), (403, 403, 403)), (("Writers",), (200, 403, 403)), (("Publishers",), (200, 200, 403))],
)
def test_a_screen_opens_for_those_who_may_use_it(groups, statuses):
    client = desk_of(*groups)
    screens = (READ_BY_ALL, FOR_PUBLISHERS, FOR_ADMINISTRATORS)
    for paths, status in zip(screens, statuses, strict=True):
        for screen in paths:
            assert client.get(f"/admin/{screen}").status_code == status, screen


def test_a_writer_edits_only_drafts_reads_all_tools_and_deletes_none(writer):
    now, minute = timezone.now(), timedelta(minutes=1)
    row = written_take(make.reviewer())
    for moment, status in ((None, 302), (now + minute, 403), (now - minute, 403)):
        tool = make.take(on=make.tool(name="Before", published_at=moment), published_at=None).tool
        form = tool_form(tool, name="After", published_at="2026-05-01 09:00", takes=[row])
        assert writer.get(page_of(tool, "change")).status_code == 200
        assert writer.post(page_of(tool, "change"), form).status_code == status, moment
        assert writer.post(page_of(tool, "delete"), {"post": "yes"}).status_code == 403
        tool.refresh_from_db()
        assert tool.name == ("After" if status == 302 else "Before")
        assert tool.published_at == moment
    assert Take.objects.count() == 4
    assert not Take.objects.exclude(published_at=None).exists()


@pytest.mark.parametrize(
    ("published_at", "status", "score"),
    [(None, 302, 1), (make.PUBLISHED, 403, 80)],
    ids=["draft", "public"],
)
def test_a_writer_edits_only_draft_takes_on_a_public_tool(writer, published_at, status, score):
    take = make.take(score=80, published_at=published_at)
    data = {"tool": take.tool_id, "reviewer": take.reviewer_id, "score": 1, "verdict": "skip"}
    assert writer.post(f"/admin/reviews/take/{take.pk}/change/", data).status_code == status
    take.refresh_from_db()
    assert take.score == score


def test_a_publisher_makes_a_comparison(publisher):
    one, two = make.tool(), make.tool()
    response = publisher.post("/admin/comparisons/comparison/add/", comparison_form(one.pk, two.pk))
    assert response.status_code == 302
    assert Comparison.objects.exists()


GOOD = "a-long-good-one"


@pytest.mark.parametrize(
    ("names", "passwords", "publishes", "sentences"),
    [
        (["ada", "publisher"], [GOOD] * 2, True, []),
        (
            ["ada", "boss", "Writer"],
            [GOOD] * 2,
            False,
            ["Answer writer or publisher.", "ada may now write drafts."],
        ),
        (["ada", ""], [GOOD] * 2, False, ["ada may now write drafts."]),
        (
            ["Taken", "bad name", "ada", "p"],
            ["short", "password1234", GOOD, "another", GOOD, GOOD],
            True,
            ["already", "too short", "too common", "differ"],
        ),
        (["ada"], [], None, []),
    ],
    ids=["publisher", "writer", "Enter", "asked again", "the input ends"],
)
def test_make_editor_asks_until_the_answers_are_valid_and_makes_one_who_can_log_in(
    monkeypatch, capsys, client, names, passwords, publishes, sentences
):
    User.objects.create_user("taken")
    module = "shipskip.operations.management.commands.make_editor"
    # Beyond the last answer the input ends.
    monkeypatch.setattr("builtins.input", Mock(side_effect=[*names, EOFError]))
    monkeypatch.setattr(f"{module}.getpass", Mock(side_effect=[*passwords, EOFError]))
    if publishes is None:
        with pytest.raises(CommandError):
            call_command("make_editor")
        assert User.objects.get().username == "taken"
        return
    call_command("make_editor")
    printed = "".join(capsys.readouterr())
    assert [sentence for sentence in sentences if sentence not in printed] == []
    login = {"username": "ada", "password": GOOD}
    assert client.post("/admin/login/?next=/admin/", login).status_code == 302
    assert client.get("/admin/tools/tool/add/").status_code == 200
    assert User.objects.get(username="ada").has_perm("tools.publish_tool") == publishes


def test_a_session_ends_with_the_browser_and_after_a_working_day(settings, client):
    User.objects.create_superuser("ada", password="a-long-good-one")
    client.post("/admin/login/", {"username": "ada", "password": "a-long-good-one"})
    assert client.cookies["sessionid"]["max-age"] == ""
    assert settings.SESSION_COOKIE_AGE == 12 * 3600


LATER = timezone.now() + timedelta(hours=1)


def test_what_a_publisher_has_scheduled_is_not_changed_or_deleted(writer):
    for row in (
        make.tool(published_at=LATER, tagline="x"),
        make.take(on=make.tool(published_at=None), published_at=LATER),
        make.comparison(published_at=LATER),
    ):
        assert writer.get(page_of(row, "change")).status_code == 200
        assert writer.post(page_of(row, "change"), {"tagline": "Unseen"}).status_code == 403
        assert writer.post(page_of(row, "delete"), {"post": "yes"}).status_code == 403
        assert row.history.count() == 1


def test_forged_fields_of_a_withdrawn_tool_change_no_public_or_scheduled_take_and_no_redirect(
    writer,
):
    tool = make.tool(tagline="x", slug="old-name")
    takes = [
        make.take(on=tool, score=80, body="As published.", published_at=moment)
        for moment in (make.PUBLISHED, LATER)
    ]
    tool.rename("new-name")
    tool.withdraw(timezone.now())
    page = writer.get(page_of(tool, "change"))
    assert "As published." in page.content.decode()
    starts = [f"{take_name(take.reviewer_id)}-" for take in takes]
    sent = [name for name in on_the_page(page) if name.startswith(tuple(starts))]
    assert sent == [f"{start}key" for start in starts]
    values = {"score": "3", "verdict": "skip", "body": "Defaced."}
    fields = {f"{start}{name}": value for start in starts for name, value in values.items()}
    forged = on_the_page(page) | fields | {"ended": ["old-name"]}
    assert writer.post(page_of(tool, "change"), forged).status_code == 302
    for take in takes:
        take.refresh_from_db()
        assert (take.score, take.body) == (80, "As published.")
    assert tool.former_slugs.count() == 1
    changed = {f"{starts[0]}body": "Written again."}
    assert post(desk_of("Publishers"), tool, **changed).status_code == 302
    takes[0].refresh_from_db()
    assert takes[0].body == "Written again."


def test_a_writer_corrects_the_text_of_a_withdrawn_take_and_never_the_public_record(writer):
    take = make.take(on=make.tool(tagline="x"), score=80)
    first = take.history.first()
    take.score = 60
    take.save()
    take.withdraw(timezone.now())
    response = post(writer, take, score="5", verdict="skip", reason="Visit us")
    assert "ask a publisher" in errors(response)["score"][0]
    url = f"/admin/reviews/take/{take.pk}/history/{first.history_id}/"
    seen = writer.get(url).context["history_id"]
    response = writer.post(f"{url}restore/", {"history_id": seen, "reason": "Visit us"})
    assert "ask a publisher" in response.content.decode()
    assert post(writer, take, body="Mended.").status_code == 302
    take.refresh_from_db()
    assert (take.score, take.body, TakeChange.objects.count()) == (60, "Mended.", 0)


def test_a_comparison_is_not_featured(writer):
    row = make.comparison(published_at=None)
    assert post(writer, row, featured="on").status_code == 302
    assert not Comparison.objects.get().featured


@pytest.mark.parametrize(
    ("rights", "status"), [(("view_tool",), 303), (("view_category",), 403), ((), 403)]
)
def test_only_those_who_may_see_a_draft_get_a_link_to_its_preview(db, rights, status):
    tool = make.tool(published_at=None)
    response = desk_of(rights=rights).get(f"/admin/tools/tool/{tool.pk}/preview/")
    assert response.status_code == status


@pytest.mark.parametrize("missing", ["change_fact", "change_plan"])
def test_imported_facts_are_confirmed_only_by_those_who_may_change_facts_and_prices(db, missing):
    rights = {"view_tool", "change_tool", "change_fact", "change_plan"}
    fact = make.fact(Decimal(1), on=make.tool(published_at=None), to=make.attribute())
    Fact.objects.update(unconfirmed=True)
    sent = {"action": "confirm_imported", "_selected_action": [fact.tool_id]}
    for name, unconfirmed in ((missing, True), ("", False)):
        client = desk_of(rights=tuple(rights - {name}))
        client.post("/admin/tools/tool/", sent)
        assert Fact.objects.get().unconfirmed is unconfirmed


@pytest.mark.parametrize("address", ["/admin/exchange/", "/admin/tools/category/add/"])
def test_a_login_as_another_user_ends_at_the_desk_with_its_menu(address, db):
    User.objects.create_user("wanda", password="quite a long one", is_staff=True).groups.set(
        Group.objects.filter(name=WRITERS)
    )
    login = {"username": "wanda", "password": "quite a long one", "next": address}
    page = Client().post("/admin/login/", login, follow=True)
    assert page.status_code == 403
    text = page.content.decode()
    assert "You are logged in as <bdi>wanda</bdi>" in text
    assert 'href="/admin/tools/tool/"' in text
