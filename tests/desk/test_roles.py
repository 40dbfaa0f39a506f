"""Who may do what at the desk, action by action."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from comparisons.models import Comparison
from reviews.models import Take
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import comparison_form, tool_form, written_take

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
        for path in paths:
            assert client.get(f"/admin/{path}").status_code == status, path


def test_a_writer_edits_only_drafts_reads_all_tools_and_deletes_none(writer):
    now, minute = timezone.now(), timedelta(minutes=1)
    row = written_take(make.reviewer())
    for moment, status in ((None, 302), (now + minute, 403), (now - minute, 403)):
        tool = make.take(on=make.tool(name="Before", published_at=moment), published_at=None).tool
        url = f"/admin/tools/tool/{tool.pk}"
        form = tool_form(tool, name="After", published_at="2026-05-01 09:00", takes=[row])
        assert writer.get(f"{url}/change/").status_code == 200
        assert writer.post(f"{url}/change/", form).status_code == status, moment
        assert writer.post(f"{url}/delete/", {"post": "yes"}).status_code == 403
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


def answers(monkeypatch, names, passwords):
    """Answer the questions of make_editor in order; the end of the answers ends the input."""
    for target, given in (("builtins.input", names), (f"{EDITOR}.getpass", passwords)):
        rest = iter(given)

        def answer(_question, rest=rest):
            try:
                return next(rest)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr(target, answer)


EDITOR = "shipskip.operations.management.commands.make_editor"


def test_make_editor_makes_a_publisher_who_can_log_in(monkeypatch, client):
    answers(monkeypatch, ["ada", "publisher"], ["a-long-good-one", "a-long-good-one"])
    call_command("make_editor")
    login = {"username": "ada", "password": "a-long-good-one"}
    assert client.post("/admin/login/?next=/admin/", login).status_code == 302
    assert client.get("/admin/tools/tool/add/").status_code == 200
    assert User.objects.get().has_perm("tools.publish_tool")


@pytest.mark.parametrize("role", ["Writer", ""], ids=["asked for", "Enter"])
def test_make_editor_makes_a_writer(monkeypatch, capsys, role):
    answers(monkeypatch, ["ada", "boss", role], ["a-long-good-one", "a-long-good-one"])
    call_command("make_editor")
    ada = User.objects.get()
    assert (ada.has_perm("tools.add_tool"), ada.has_perm("tools.publish_tool")) == (True, False)
    output = capsys.readouterr()
    assert "Answer writer or publisher." in output.err
    assert "ada may now write drafts." in output.out


def test_make_editor_asks_again_until_the_answers_are_valid(monkeypatch, capsys):
    User.objects.create_user("taken")
    passwords = ["short", "password1234", "a-long-good-one", "another", "a-long-good-one"]
    answers(monkeypatch, ["Taken", "bad name", "ada", "p"], [*passwords, "a-long-good-one"])
    call_command("make_editor")
    assert User.objects.get(username="ada").check_password("a-long-good-one")
    error_text = capsys.readouterr().err
    assert "already" in error_text
    assert "too short" in error_text
    assert "too common" in error_text
    assert "differ" in error_text


def test_make_editor_creates_no_account_if_the_input_ends(monkeypatch):
    answers(monkeypatch, ["ada"], [])
    with pytest.raises(CommandError):
        call_command("make_editor")
    assert not User.objects.exists()


def test_a_session_ends_with_the_browser_and_after_a_working_day(settings, client):
    User.objects.create_superuser("ada", password="a-long-good-one")
    client.post("/admin/login/", {"username": "ada", "password": "a-long-good-one"})
    assert client.cookies["sessionid"]["max-age"] == ""
    assert settings.SESSION_COOKIE_AGE == 12 * 3600
