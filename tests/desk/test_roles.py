"""Who may do what at the desk, action by action, with forged form data as well."""

from datetime import timedelta
from decimal import Decimal
from unittest.mock import Mock

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from reviews.models import TakeChange
from tests import factories as make
from tests.desk.acts import restore, run_action
from tests.desk.editor_clients import desk_of
from tests.desk.forms import (
    errors,
    messages_of,
    on_the_page,
    page_of,
    post,
    take_fields,
    take_name,
    tool_form,
    written_take,
)
from tools.models import Fact

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]

LATER = timezone.now() + timedelta(hours=1)
READ_BY_ALL = """
tools/tool/ tools/category/ tools/attribute/ tools/family/
reviews/reviewer/ reviews/take/ comparisons/comparison/
""".split()
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


@pytest.mark.parametrize("moment", [None, LATER, make.PUBLISHED], ids=["draft", "soon", "public"])
def test_a_writer_reads_all_edits_only_drafts_publishes_nothing_and_deletes_no_tool(writer, moment):
    tool = make.tool(published_at=moment, tagline="x")
    take = make.take(on=make.tool(published_at=None), published_at=moment)
    pair = make.comparison(published_at=moment)
    forged = {"published_at": "2026-05-01 09:00", "featured": "on"}
    forged |= {"_publish": "Publish now", "_schedule": "Schedule"}
    written = written_take(make.reviewer())
    for row, sent in (
        (tool, tool_form(tool, name="After", takes=[written]) | forged),
        (take, {"tool": take.tool_id, "reviewer": take.reviewer_id, "score": 1} | forged),
        (pair, forged),
    ):
        page = writer.get(page_of(row))
        assert page.status_code == 200
        offered = page.content.decode()
        assert [name for name in forged if f'name="{name}"' in offered and name != "featured"] == []
        status = writer.post(page_of(row), on_the_page(page) | sent).status_code
        assert status == (403 if moment else 302), row
        if moment or row is tool:
            assert writer.post(page_of(row, "delete"), {"post": "yes"}).status_code == 403
        assert row.history.count() == (1 if moment or row is pair else 2), row
        row.refresh_from_db()
        assert row.published_at == moment
    assert (tool.name == "After", take.score == 1, pair.featured) == (not moment, not moment, False)
    assert tool.takes.count() == (not moment)
    assert not tool.takes.exclude(published_at=None).exists()


def test_forged_fields_of_a_withdrawn_tool_change_no_public_or_scheduled_take_and_no_redirect(
    writer, publisher
):
    tool = make.tool(tagline="x", slug="old-name")
    takes = [
        make.take(on=tool, score=80, body="As published.", published_at=moment)
        for moment in (make.PUBLISHED, LATER)
    ]
    tool.rename("new-name")
    tool.withdraw(timezone.now())
    page = writer.get(page_of(tool))
    assert "As published." in page.content.decode()
    sent = on_the_page(page)
    starts = [take_name(take.reviewer_id) for take in takes]
    names = [name for name in sent if name.startswith(tuple(starts))]
    assert names == [f"{start}-key" for start in starts]
    for take in takes:
        sent |= take_fields(take.reviewer, score="3", verdict="skip", body="Defaced.")
    assert writer.post(page_of(tool), sent | {"ended": ["old-name"]}).status_code == 302
    for take in takes:
        take.refresh_from_db()
        assert (take.score, take.body) == (80, "As published.")
    assert tool.former_slugs.count() == 1
    changed = take_fields(takes[0].reviewer, body="Written again.")
    assert post(publisher, tool, **changed).status_code == 302
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
    assert "ask a publisher" in str(messages_of(restore(writer, take, first, reason="Visit us")))
    assert post(writer, take, body="Mended.").status_code == 302
    take.refresh_from_db()
    assert (take.score, take.body, TakeChange.objects.count()) == (60, "Mended.", 0)


def test_only_those_who_may_see_a_draft_get_a_link_to_its_preview(db):
    tool = make.tool(published_at=None)
    for right, status in (("view_tool", 303), ("view_category", 403)):
        assert desk_of(rights=(right,)).get(page_of(tool, "preview")).status_code == status, right


@pytest.mark.parametrize("missing", ["change_fact", "change_plan"])
def test_imported_facts_are_confirmed_only_by_those_who_may_change_facts_and_prices(db, missing):
    rights = {"view_tool", "change_tool", "change_fact", "change_plan"}
    fact = make.fact(Decimal(1), on=make.tool(published_at=None), to=make.attribute())
    Fact.objects.update(unconfirmed=True)
    for name, unconfirmed in ((missing, True), ("", False)):
        run_action(desk_of(rights=tuple(rights - {name})), [fact.tool], "confirm_imported")
        assert Fact.objects.get().unconfirmed is unconfirmed


# --- Accounts and logins ---------------------------------------------------------------------

GOOD = "a-long-good-one"
IS_WRITER = "ada may now write drafts."


@pytest.mark.parametrize(
    ("names", "passwords", "publishes", "sentences"),
    [
        (["ada", "publisher"], [GOOD] * 2, True, []),
        (["ada", "boss", "Writer"], [GOOD] * 2, False, ["Answer writer or publisher.", IS_WRITER]),
        (["ada", ""], [GOOD] * 2, False, [IS_WRITER]),
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
    User.objects.create_superuser("ada", password=GOOD)
    client.post("/admin/login/", {"username": "ada", "password": GOOD})
    assert client.cookies["sessionid"]["max-age"] == ""
    assert settings.SESSION_COOKIE_AGE == 12 * 3600


def test_a_login_as_another_user_ends_at_the_desk_with_its_menu(writer, client):
    user = User.objects.get(username="wanda")
    user.set_password(GOOD)
    user.save()
    login = {"username": "wanda", "password": GOOD, "next": "/admin/tools/category/add/"}
    page = client.post("/admin/login/", login, follow=True)
    assert page.status_code == 403
    text = page.content.decode()
    assert "You are logged in as <bdi>wanda</bdi>" in text
    assert 'href="/admin/tools/tool/"' in text
