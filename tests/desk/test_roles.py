"""Who may do what at the desk, action by action."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from reviews.models import Take
from tests import factories as make
from tests.desk.editor_clients import desk_of
from tests.desk.forms import comparison_form, tool_form, written_take
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("repeated_queries")]


LISTS = [
    "tools/tool/",
    "tools/category/",
    "tools/attribute/",
    "tools/family/",
    "reviews/reviewer/",
    "reviews/take/",
    "comparisons/comparison/",
]


@pytest.mark.parametrize("path", LISTS)
def test_writers_and_publishers_read_every_list(path, writer):
    assert writer.get(f"/admin/{path}").status_code == 200
    User.objects.all().delete()
    assert desk_of("Publishers").get(f"/admin/{path}").status_code == 200


@pytest.mark.parametrize("path", LISTS)
def test_staff_without_a_group_have_no_rights(path):
    assert desk_of().get(f"/admin/{path}").status_code == 403


@pytest.mark.parametrize("group", ["Writers", "Publishers"])
def test_no_group_of_the_desk_may_change_users(group):
    client = desk_of(group)
    assert client.get("/admin/auth/user/").status_code == 403
    assert client.get("/admin/auth/group/").status_code == 403


def test_a_writer_writes_a_draft(writer):
    form = tool_form(category=make.category().pk)
    assert writer.post("/admin/tools/tool/add/", form).status_code == 302
    assert Tool.objects.get().published_at is None


def test_a_publication_time_that_a_writer_sends_is_ignored(writer):
    form = tool_form(category=make.category().pk, published_at="2026-05-01T09:00:00")
    assert writer.post("/admin/tools/tool/add/", form).status_code == 302
    assert Tool.objects.get().published_at is None


def test_a_publication_time_that_a_writer_sends_with_a_take_is_ignored(writer):
    tool = make.tool(published_at=None)
    form = tool_form(tool, takes=[written_take(make.reviewer())])
    assert writer.post(f"/admin/tools/tool/{tool.pk}/change/", form).status_code == 302
    assert Take.objects.get().published_at is None


@pytest.mark.parametrize(
    ("minutes", "status"), [(None, 302), (1, 403), (-1, 403)], ids=["draft", "scheduled", "public"]
)
def test_a_writer_edits_only_drafts(writer, minutes, status):
    moment = minutes and timezone.now() + timedelta(minutes=minutes)
    tool = make.take(on=make.tool(name="Before", published_at=moment)).tool
    form = tool_form(tool, name="After")
    response = writer.post(f"/admin/tools/tool/{tool.pk}/change/", form)
    assert response.status_code == status
    tool.refresh_from_db()
    assert tool.name == ("After" if status == 302 else "Before")
    assert tool.published_at == moment


def test_a_writer_reads_what_is_public(writer):
    tool = make.tool()
    assert writer.get(f"/admin/tools/tool/{tool.pk}/change/").status_code == 200


def test_a_writer_edits_a_draft_take_on_a_public_tool(writer):
    take = make.take(published_at=None)
    data = {"tool": take.tool_id, "reviewer": take.reviewer_id, "score": 1, "verdict": "skip"}
    assert writer.post(f"/admin/reviews/take/{take.pk}/change/", data).status_code == 302
    take.refresh_from_db()
    assert take.score == 1


def test_a_writer_cannot_change_a_public_take(writer):
    take = make.take(score=80)
    data = {"tool": take.tool_id, "reviewer": take.reviewer_id, "score": 1, "verdict": "skip"}
    assert writer.post(f"/admin/reviews/take/{take.pk}/change/", data).status_code == 403


@pytest.mark.parametrize("path", ["tools/category/add/", "reviews/reviewer/add/"])
def test_a_writer_makes_no_categories_and_no_reviewers(writer, path):
    assert writer.get(f"/admin/{path}").status_code == 403


def test_a_writer_deletes_nothing(writer):
    tool = make.tool(published_at=None)
    assert writer.post(f"/admin/tools/tool/{tool.pk}/delete/", {"post": "yes"}).status_code == 403


def test_a_writer_sees_no_votes(writer):
    assert writer.get("/admin/reviews/vote/").status_code == 403


def test_a_publisher_publishes_changes_and_deletes(publisher):
    category = make.category()
    form = tool_form(category=category.pk, takes=[written_take(make.reviewer())], _publish="x")
    assert publisher.post("/admin/tools/tool/add/", form).status_code == 302
    tool = Tool.objects.get()
    assert tool.state(timezone.now()) == "public"
    url = f"/admin/tools/tool/{tool.pk}"
    assert publisher.post(f"{url}/change/", tool_form(tool, name="After")).status_code == 302


def test_a_publisher_makes_a_comparison_and_sees_votes(publisher):
    one, two = make.tool(), make.tool()
    response = publisher.post("/admin/comparisons/comparison/add/", comparison_form(one.pk, two.pk))
    assert response.status_code == 302
    assert publisher.get("/admin/reviews/vote/").status_code == 200


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


def test_five_wrong_passwords_lock_the_login_for_a_quarter_of_an_hour(client):
    User.objects.create_superuser("ada", password="a-long-good-one")
    wrong = {"username": "ada", "password": "wrong"}
    for _ in range(5):
        response = client.post("/admin/login/", wrong)
    assert response.status_code == 429
    assert response["Retry-After"] == "900"
    right = {"username": "ada", "password": "a-long-good-one"}
    assert client.post("/admin/login/", right).status_code == 429


def test_a_wrong_password_of_one_user_does_not_lock_another(client):
    User.objects.create_superuser("eve", password="a-long-good-one")
    for _ in range(5):
        client.post("/admin/login/", {"username": "ada", "password": "wrong"})
    right = {"username": "eve", "password": "a-long-good-one"}
    assert client.post("/admin/login/", right).status_code == 302


def test_a_session_ends_with_the_browser_and_after_a_working_day(settings, client):
    User.objects.create_superuser("ada", password="a-long-good-one")
    client.post("/admin/login/", {"username": "ada", "password": "a-long-good-one"})
    assert client.cookies["sessionid"]["max-age"] == ""
    assert settings.SESSION_COOKIE_AGE == 12 * 3600
