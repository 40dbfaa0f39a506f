"""Editors who save at the same time, on separate connections: no error and no lost text."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Event, Thread
from uuid import uuid4

import psycopg
import pytest
from django.contrib.auth.models import Permission, User
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.utils import timezone

from reviews.models import Take, TakeChange
from shipskip.catalogue.faults import InvalidFileError, SiteChangedError
from shipskip.editing.row_locks import hold
from shipskip.page_cache.content_version import stored_number
from tests import factories as make
from tests.catalogue.documents import as_file, load
from tests.desk.forms import ADD, errors, on_the_page, take_name, written_take
from tests.reviews.test_voting_concurrency import WAIT, at_once
from tools.models import Category, Fact, FactChange, Tool

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def _allow_repeated_queries(settings):
    settings.MIDDLEWARE = [each for each in settings.MIDDLEWARE if "zeal" not in each]


def editor(*rights: str) -> Client:
    """A superuser, or a user with only these permissions."""
    user = User.objects.create(username=str(uuid4()), is_staff=True, is_superuser=not rights)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def page(row: Tool | Take) -> str:
    return f"/admin/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/"


def test_a_tool_s_screen_and_its_take_s_are_both_saved(database):
    one, other = editor(), editor()
    for number in range(6):
        tool = make.tool(tagline="One")
        first, second = make.take(on=tool, score=80), make.take(on=tool, score=80)
        tools, takes = f"{page(tool)}change/", f"{page(second)}change/"
        prefix = take_name(first.reviewer_id)
        whole = on_the_page(one.get(tools)) | {f"{prefix}-score": "70", f"{prefix}-reason": "One"}
        single = on_the_page(other.get(takes)) | {"score": str(number), "reason": "Other"}
        answers = at_once(
            lambda: one.post(tools, whole).status_code,  # noqa: B023
            lambda: other.post(takes, single).status_code,  # noqa: B023
        )
        assert answers == [302, 302]
        assert set(tool.takes.values_list("score", flat=True)) == {70, number}
        assert TakeChange.objects.filter(tool=tool).count() == 2


def whole_form(client: Client) -> tuple[Tool, str, dict[str, str]]:
    """A public tool, its URL, and its form with another tagline, score and answer."""
    tool, question = make.tool(tagline="One"), make.attribute(name="Size")
    take, _ = make.take(on=tool, score=80), make.fact(Decimal(7), on=tool, to=question)
    url, prefix = f"{page(tool)}change/", take_name(take.reviewer_id)
    changes = {"tagline": "Two", f"{prefix}-score": "70", f"{prefix}-reason": "Slower now."}
    return tool, url, on_the_page(client.get(url)) | changes | {"facts-0-answer": "9"}


def test_one_form_sent_twice_at_once_is_one_save(database):
    client = editor()
    for _ in range(4):
        tool, url, sent = whole_form(client)
        answers = at_once(*[lambda: client.post(url, sent).status_code] * 2)  # noqa: B023
        assert answers == [302, 302]
        assert list(tool.history.values_list("tagline", flat=True)) == ["Two", "One"]
        assert list(Take.history.filter(tool=tool).values_list("score", flat=True)) == [70, 80]
        assert TakeChange.objects.filter(tool=tool).count() == 1
        assert FactChange.objects.filter(tool=tool).count() == 1
        fact = Fact.objects.get(tool=tool)
        assert (fact.words, fact.history.count()) == ("9", 2)
        fact.attribute.facts.all().delete()
        fact.attribute.delete()


@pytest.mark.parametrize("slug", ["", "written"], ids=["proposed address", "typed address"])
def test_a_new_tool_sent_twice_at_once_is_one_tool(database, slug):
    client, reviewer = editor(), make.reviewer()
    changes = {"name": "Written", "slug": slug, "category": make.category().pk}
    changes |= {"tagline": "A tool", "entry": "free"}
    changes |= {
        f"{take_name(reviewer)}-{key}": text for key, text in written_take(reviewer).items()
    }
    sent = on_the_page(client.get(ADD)) | changes
    answers = at_once(*[lambda: client.post(ADD, sent).status_code] * 2)
    assert sorted(map(str, answers)) == ["200", "302"]
    assert Tool.objects.get().history.count() == 1
    assert Take.objects.get().history.count() == 1


def test_readers_see_one_new_version_of_the_content_after_one_save(database):
    """SQLite raises the number with each written row, but shows it to others at the commit."""
    client, seen = editor(), set()
    _, url, sent = whole_form(client)
    with ThreadPoolExecutor(1) as elsewhere:

        def note(execute, sql, params, many, context):
            result = execute(sql, params, many, context)
            if sql.startswith(("INSERT", "UPDATE", "DELETE")):
                seen.add(elsewhere.submit(stored_number).result(WAIT))
            return result

        before = elsewhere.submit(stored_number).result(WAIT)
        with connection.execute_wrapper(note):
            assert client.post(url, sent).status_code == 302
        after = elsewhere.submit(stored_number).result(WAIT)
        elsewhere.submit(lambda: connection.close()).result(WAIT)
    assert seen == {before}
    assert after > before
    assert (Tool.objects.get().tagline, Fact.objects.get().words) == ("Two", "9")


def test_a_new_take_from_three_screens_is_one_take_and_two_conflicts(database):
    one, two, three = editor(), editor(), editor()
    for _ in range(5):
        tool, reviewer = make.tool(tagline="One"), make.reviewer()
        make.take(on=tool)
        url, prefix = f"{page(tool)}change/", take_name(reviewer)
        text = {f"{prefix}-score": "50", f"{prefix}-verdict": "ship"}
        first = on_the_page(one.get(url)) | text | {f"{prefix}-body": "One."}
        second = first | {f"{prefix}-body": "Two."}
        third = {"tool": tool.pk, "reviewer": reviewer.pk, "score": "60", "verdict": "ship"}
        third |= {"body": "Three.", "published_at": ""}
        answers = at_once(
            lambda: one.post(url, first).status_code,  # noqa: B023
            lambda: two.post(url, second).status_code,  # noqa: B023
            lambda: three.post("/admin/reviews/take/add/", third).status_code,  # noqa: B023
        )
        assert sorted(map(str, answers)) == ["200", "200", "302"]
        assert Take.objects.filter(tool=tool, reviewer=reviewer).count() == 1
        reviewer.takes.all().delete()
        reviewer.delete()


def response_during_colleague_save(take, action, **values):
    """The response of a request that starts while another editor saves the take."""
    answers: list[int] = []
    begun = Event()

    def run() -> None:
        try:
            begun.set()
            answers.append(action())
        finally:
            connection.close()

    acting = Thread(target=run)
    with transaction.atomic():
        for name, value in values.items():
            setattr(take, name, value)
        take.save()
        acting.start()
        assert begun.wait(WAIT)
        acting.join(1)
        assert not answers, "it should wait for the take that is being saved"
    acting.join(WAIT)
    return answers[0]


ACTIONS = {
    "delete": ("{page}delete/", {"sure": "on"}),
    "delete chosen": ("{list}", {"action": "delete_selected", "post": "yes", "sure": "on"}),
    "withdraw chosen": ("{list}", {"action": "withdraw_chosen", "post": "yes"}),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_does_not_overwrite_what_a_colleague_saved_just_before(database, name):
    take = make.take(on=make.tool(), body="Old.")
    url, sent = ACTIONS[name]
    url = url.format(page=page(take), list="/admin/reviews/take/")
    client = editor()
    answer = response_during_colleague_save(
        take,
        lambda: client.post(url, sent | {"_selected_action": take.pk}).status_code,
        body="Corrected.",
    )
    assert answer == 302
    last = Take.history.filter(id=take.pk).latest("history_id")
    assert (bool(last.deleted_at), last.body) == ("delete" in name, "Corrected.")
    assert Take.objects.filter(pk=take.pk).exists() == ("withdraw" in name)


@pytest.mark.parametrize("name", ["delete", "delete chosen"])
def test_a_draft_published_at_the_same_time_is_not_deleted_by_a_writer(
    database,
    name,
):
    take = make.take(on=make.tool(), published_at=None)
    url, sent = ACTIONS[name]
    url = url.format(page=page(take), list="/admin/reviews/take/")
    client = editor("view_take", "delete_take")
    response_during_colleague_save(
        take,
        lambda: client.post(url, sent | {"_selected_action": take.pk}).status_code,
        published_at=timezone.now(),
    )
    assert Take.objects.filter(pk=take.pk).exists()


def response_during_deletion(row, action):
    """The response of a request that starts while a colleague deletes this row."""
    answers: list[object] = []

    def run() -> None:
        try:
            answers.append(action())
        finally:
            connection.close()

    acting = Thread(target=run)
    with transaction.atomic():
        row.remove(timezone.now())
        acting.start()
        acting.join(1)
        assert not answers, "it should wait for the row that is being deleted"
    acting.join(WAIT)
    return answers[0]


def test_a_tool_is_not_saved_in_a_category_that_is_being_deleted(database):
    tool, category, client = make.tool(tagline="One"), make.category(), editor()
    make.take(on=tool)
    url = f"{page(tool)}change/"
    sent = on_the_page(client.get(url)) | {"category": category.pk, "description": "Kept text."}
    answer = response_during_deletion(category, lambda: client.post(url, sent))
    assert answer.status_code == 200
    assert "This category was deleted: choose another" in str(errors(answer))
    assert "Kept text." in answer.content.decode()
    tool.refresh_from_db()
    assert (tool.category_id == category.pk, tool.description) == (False, "")


def test_an_attribute_is_not_saved_for_a_category_that_is_being_deleted(database):
    kept, category, client = make.category(), make.category(), editor()
    attribute = make.attribute(asked_in=[kept])
    url = f"{page(attribute)}change/"
    changes = {"category_ids": category.pk, "help": "Kept text."}
    sent = on_the_page(client.get(url)) | changes
    answer = response_during_deletion(category, lambda: client.post(url, sent))
    assert answer.status_code == 200
    assert "A category was deleted meanwhile" in str(errors(answer)["category_ids"])
    assert "Kept text." in answer.content.decode()
    attribute.refresh_from_db()
    assert (attribute.category_ids, attribute.help) == ([kept.pk], "")


def test_an_attribute_is_not_restored_to_a_category_that_is_being_deleted(database):
    category, client = make.category(), editor()
    attribute = make.attribute(asked_in=[category])
    version = attribute.history.get()
    attribute.category_ids = []
    attribute.save()
    url = f"{page(attribute)}history/{version.history_id}/restore/"
    sent = {"history_id": attribute.history.latest("history_id").history_id}
    answer = response_during_deletion(category, lambda: client.post(url, sent, follow=True))
    assert "is deleted: bring that back first." in answer.content.decode()
    attribute.refresh_from_db()
    assert attribute.category_ids == []


def test_a_take_is_not_written_for_a_reviewer_who_is_being_deleted(database):
    tool, reviewer, client = make.tool(tagline="One"), make.reviewer(), editor()
    url, prefix = f"{page(tool)}change/", take_name(reviewer)
    text = {f"{prefix}-score": "50", f"{prefix}-verdict": "ship", f"{prefix}-body": "Kept text."}
    sent = on_the_page(client.get(url)) | text
    answer = response_during_deletion(reviewer, lambda: client.post(url, sent))
    assert answer.status_code == 200
    assert "Kept text." in answer.content.decode()
    assert not Take.objects.filter(reviewer=reviewer).exists()


def test_a_deleted_tool_does_not_come_back_to_a_category_that_is_being_deleted(database):
    tool, client = make.tool(), editor()
    tool.remove(timezone.now())
    url = f"{page(tool)}bring-back/"
    answer = response_during_deletion(tool.category, lambda: client.post(url))
    assert "Its category is deleted: bring that back first." in answer.content.decode()
    assert not Tool.objects.filter(pk=tool.pk).exists()


def test_a_category_with_a_tool_that_is_being_saved_is_not_deleted(database):
    category, client = make.category(), editor()
    deletion = f"/admin/tools/category/{category.pk}/delete/"
    answers: list[str] = []

    def delete() -> None:
        try:
            answers.append(client.post(deletion, {"sure": "on"}).content.decode())
        finally:
            connection.close()

    acting = Thread(target=delete)
    with transaction.atomic():
        hold(Category.objects, [category.pk])
        make.tool(in_category=category)
        acting.start()
        acting.join(1)
        assert not answers, "it should wait for the tool that is being saved"
    acting.join(WAIT)
    assert "1 tool" in answers[0]
    assert Category.objects.filter(pk=category.pk).exists()


def is_refused_during_deletion(category, document):
    """Whether a load of this document that starts while a colleague deletes the category writes
    nothing. SQLite makes it wait before it compares, so there it finds that the file is invalid.
    """

    def load_it() -> bool:
        try:
            load(document)
        except (SiteChangedError, InvalidFileError):
            return True
        return False

    return response_during_deletion(category, load_it)


def test_a_document_is_not_loaded_into_a_category_that_is_being_deleted(database):
    category, tool = make.category(), make.tool()
    entry = {"slug": tool.slug, "name": tool.name, "category": category.slug, "entry": "free"}
    document = as_file({"format": "shipskip-catalogue/1", "tools": [entry]})
    assert is_refused_during_deletion(category, document)
    tool.refresh_from_db()
    assert tool.category_id != category.pk


def test_an_attribute_is_not_loaded_into_a_category_that_is_being_deleted(database):
    category, attribute = make.category(), make.attribute()
    entry = {"slug": attribute.slug, "name": attribute.name, "kind": attribute.kind}
    attributes = [{**entry, "categories": [category.slug]}]
    document = as_file({"format": "shipskip-catalogue/2", "attributes": attributes})
    assert is_refused_during_deletion(category, document)
    attribute.refresh_from_db()
    assert attribute.category_ids == []


def deadlock(times):
    """Fail this many updates of a tool with PostgreSQL's deadlock error."""
    left = [times]

    def fail(execute, sql, params, many, context):
        if sql.startswith('UPDATE "tools_tool"') and left[0]:
            left[0] -= 1
            raise OperationalError("deadlock detected") from psycopg.errors.DeadlockDetected()
        return execute(sql, params, many, context)

    return fail


@pytest.mark.parametrize(("times", "status"), [(1, 302), (2, 503)])
@pytest.mark.django_db
def test_a_deadlock_is_retried_once(times, status):
    tool = make.tool(tagline="Old")
    make.take(on=tool)
    url, client = f"{page(tool)}change/", editor()
    sent = on_the_page(client.get(url)) | {"tagline": "New"}
    with connection.execute_wrapper(deadlock(times)):
        assert client.post(url, sent).status_code == status
    tool.refresh_from_db()
    assert tool.tagline == ("New" if status == 302 else "Old")


@pytest.mark.django_db
def test_another_database_error_is_not_retried():
    tool = make.tool()
    make.take(on=tool)
    url, client, tried = f"{page(tool)}change/", editor(), []
    sent = on_the_page(client.get(url)) | {"tagline": "New"}

    def fail(execute, sql, params, many, context):
        if sql.startswith('UPDATE "tools_tool"'):
            tried.append(sql)
            raise OperationalError("disk full")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(fail):
        assert client.post(url, sent).status_code == 503
    assert len(tried) == 1
