"""Editors who save at the same time, on separate connections: no error and no lost text."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.contrib.auth.models import Permission, User
from django.db import OperationalError, connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from reviews.models import Reviewer, Take, TakeChange
from shipskip.catalogue.faults import InvalidFileError, SiteChangedError
from shipskip.editing.row_locks import hold
from shipskip.page_cache.content_version import stored_number
from tests import factories as make
from tests.catalogue.documents import as_file, load
from tests.desk.acts import change
from tests.desk.forms import (
    ADD,
    list_of,
    on_the_page,
    opened,
    page_of,
    take_fields,
    take_name,
    written_take,
)
from tests.markup import read
from tests.shared_database import at_once, start_waiting
from tests.waiting import WAIT
from tools.fact_writing import lock_tools
from tools.models import Attribute, Category, Fact, FactChange, Tool

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def _allow_repeated_queries(settings):
    """In every thread, where the fixture `repeated_queries` has no effect."""
    settings.MIDDLEWARE = [each for each in settings.MIDDLEWARE if "zeal" not in each]


def editor(*rights: str) -> Client:
    """A superuser, or a user with only these permissions."""
    user = User.objects.create(username=str(uuid4()), is_staff=True, is_superuser=not rights)
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = Client(raise_request_exception=False)
    client.force_login(user)
    return client


def save_of(client: Client, row: Any, **changes: Any) -> Callable[[], HttpResponse]:
    """A request that saves a row's screen with these changes."""
    return partial(client.post, page_of(row), opened(client, row) | changes)  # type: ignore[return-value]


def statuses(*requests: Callable[[], HttpResponse]) -> list[int]:
    """The sorted statuses of requests that are sent at once."""
    return sorted(response.status_code for response in at_once(*requests))  # type: ignore[attr-defined]


def reopened(form: dict[str, object], tool: Tool) -> dict[str, object]:
    """The form of another tool with takes of the same reviewers, as if its page had been opened."""
    own = {"name": tool.name, "slug": tool.slug, "category": tool.category_id}
    rows = {"": tool} | {f"{take_name(take.reviewer)}-": take for take in tool.takes.all()}
    versions = {f"{start}history_id": row.history.get().pk for start, row in rows.items()}
    assert form.keys() >= versions.keys()
    return form | own | versions


def whole_save(client: Client, by: Reviewer) -> tuple[Tool, Callable[[], HttpResponse]]:
    """A public tool, and a save with another tagline, score and answer."""
    tool = make.take(on=make.tool(tagline="One"), by=by).tool
    changes = take_fields(by, score="70", reason="Slower now.")
    make.fact(Decimal(7), on=tool, to=make.attribute(asked_in=[tool.category]))
    return tool, save_of(client, tool, tagline="Two", **changes, **{"facts-0-answer": "9"})


def test_a_tool_s_screen_and_its_take_s_are_both_saved(database):
    one, other, panel = editor(), editor(), [make.reviewer(), make.reviewer()]
    form: dict[str, object] = {}
    for number in range(6):
        tool = make.tool(tagline="One")
        _, second = [make.take(on=tool, by=reviewer) for reviewer in panel]
        form = reopened(form, tool) if form else opened(one, tool)
        changes = take_fields(panel[0], score="70", reason="One")
        whole = partial(one.post, page_of(tool), form | changes)
        single = save_of(other, second, score=str(number), reason="Other")
        assert statuses(whole, single) == [302, 302]
        assert set(tool.takes.values_list("score", flat=True)) == {70, number}
        assert TakeChange.objects.filter(tool=tool).count() == 2


def test_one_form_sent_twice_at_once_is_one_save(database):
    client, reviewer = editor(), make.reviewer()
    for _ in range(4):
        tool, save = whole_save(client, reviewer)
        assert statuses(save, save) == [302, 302]
        assert list(tool.history.values_list("tagline", flat=True)) == ["Two", "One"]
        assert list(Take.history.filter(tool=tool).values_list("score", flat=True)) == [70, 80]
        assert TakeChange.objects.filter(tool=tool).count() == 1
        assert FactChange.objects.filter(tool=tool).count() == 1
        fact = Fact.objects.get(tool=tool)
        assert (fact.words, fact.history.count()) == ("9", 2)


@pytest.mark.parametrize("slug", ["", "written"], ids=["proposed address", "typed address"])
def test_a_new_tool_sent_twice_at_once_is_one_tool(database, slug):
    client, reviewer = editor(), make.reviewer()
    tool = {"name": "Written", "slug": slug, "tagline": "A tool", "entry": "free"}
    sent = on_the_page(client.get(ADD)) | tool | {"category": make.category().pk}
    sent |= take_fields(reviewer, **written_take(reviewer))
    assert statuses(*[partial(client.post, ADD, sent)] * 2) == [200, 302]
    assert Tool.objects.get().history.count() == 1
    assert Take.objects.get().history.count() == 1


def test_readers_see_one_new_version_of_the_content_after_one_save(database):
    """SQLite raises the number with each written row, but shows it to others at the commit."""
    seen = set()
    _, save = whole_save(editor(), make.reviewer())
    with ThreadPoolExecutor(1) as elsewhere:

        def note(execute, sql, params, many, context):
            result = execute(sql, params, many, context)
            if sql.startswith(("INSERT", "UPDATE", "DELETE")):
                seen.add(elsewhere.submit(stored_number).result(WAIT))
            return result

        before = elsewhere.submit(stored_number).result(WAIT)
        with connection.execute_wrapper(note):
            assert save().status_code == 302
        after = elsewhere.submit(stored_number).result(WAIT)
        elsewhere.submit(lambda: connection.close()).result(WAIT)
    assert seen == {before}
    assert after > before
    assert (Tool.objects.get().tagline, Fact.objects.get().words) == ("Two", "9")


def test_a_new_take_from_three_screens_is_one_take_and_two_conflicts(database):
    one, two, three = editor(), editor(), editor()
    other, reviewer = make.reviewer(), make.reviewer()
    form: dict[str, object] = {}
    for _ in range(5):
        tool = make.take(on=make.tool(tagline="One"), by=other).tool
        form = reopened(form, tool) if form else opened(one, tool)
        takes = [take_fields(reviewer, **written_take(reviewer, body=body)) for body in "AB"]
        whole = [
            partial(client.post, page_of(tool), form | take)
            for client, take in zip((one, two), takes, strict=True)
        ]
        single = written_take(reviewer) | {"tool": tool.pk, "reviewer": reviewer.pk}
        add = partial(three.post, "/admin/reviews/take/add/", single | {"published_at": ""})
        assert statuses(*whole, add) == [200, 200, 302]
        assert Take.objects.filter(tool=tool, reviewer=reviewer).count() == 1


def response_meanwhile(save, request):
    """The response of a request that starts while a colleague's transaction writes the same row:
    it has to wait for it.
    """
    with transaction.atomic():
        save()
        answer = start_waiting(request)
    return answer.result(WAIT)


def act_on(take, action, client):
    """Run an action on a take from its own screen or from the list of takes."""
    if action == "delete":
        return client.post(page_of(take, "delete"), {"sure": "on"})
    sent = {"action": action, "post": "yes", "sure": "on", "_selected_action": take.pk}
    return client.post(list_of(take), sent)


@pytest.mark.parametrize("action", ["delete", "delete_selected", "withdraw_chosen"])
def test_an_action_does_not_overwrite_what_a_colleague_saved_just_before(database, action):
    take, client = make.take(body="Old."), editor()
    answer = response_meanwhile(
        lambda: change(take, body="Corrected."), lambda: act_on(take, action, client)
    )
    assert answer.status_code == 302
    last = Take.history.filter(id=take.pk).latest("history_id")
    assert (bool(last.deleted_at), last.body) == ("delete" in action, "Corrected.")
    assert Take.objects.filter(pk=take.pk).exists() == ("withdraw" in action)
    if "delete" in action:  # a writer, who may delete drafts
        draft = make.take(published_at=None)
        writer = editor("view_take", "delete_take")
        response_meanwhile(
            lambda: change(draft, published_at=timezone.now()),
            lambda: act_on(draft, action, writer),
        )
        assert Take.objects.filter(pk=draft.pk).exists()


def test_a_grid_shows_the_answer_that_a_colleague_saved_just_before(database):
    tool, size, client = make.tool(), make.attribute(), editor()
    fact = make.fact(Decimal(1), on=tool, to=size)
    grid = f"/admin/facts/{tool.category.slug}/"
    sent = on_the_page(client.get(grid)) | {f"cell-{tool.pk}-{size.pk}": "3"}

    def save() -> None:
        lock_tools([tool.pk])
        fact.set_value(Decimal(2))
        fact.save()

    answer = response_meanwhile(save, lambda: client.post(grid, sent))
    assert "saved “2” here meanwhile" in read(answer).text
    assert Fact.objects.get().value == 2


def tool_to_save(client):
    tool, category = make.take(on=make.tool(tagline="One")).tool, make.category()
    return category, save_of(client, tool, category=category.pk, description="Kept text.")


def attribute_to_save(client):
    attribute, category = make.attribute(asked_in=[make.category()]), make.category()
    return category, save_of(client, attribute, category_ids=category.pk, help="Kept text.")


def attribute_to_restore(client):
    category = make.category()
    attribute = make.attribute(asked_in=[category])
    version = attribute.history.get()
    sent = {"history_id": change(attribute, category_ids=[]).history_id}
    url = page_of(attribute, f"history/{version.history_id}/restore")
    return category, lambda: client.post(url, sent, follow=True)


def take_to_write(client):
    tool, reviewer = make.tool(tagline="One"), make.reviewer()
    changes = take_fields(reviewer, score="50", verdict="ship", body="Kept text.")
    return reviewer, save_of(client, tool, **changes)


def tool_to_bring_back(client):
    tool = make.tool()
    tool.remove(timezone.now())
    return tool.category, lambda: client.post(page_of(tool, "bring-back"))


def load_of(section, entry):
    """A request that loads an entry; SQLite makes it wait before it compares, so there it finds
    that the file is invalid.
    """
    document = as_file({"format": "shipskip-catalogue/2", section: [entry]})

    def load_it() -> HttpResponse:
        try:
            load(document)
        except (SiteChangedError, InvalidFileError):
            return HttpResponse("refused")
        return HttpResponse("loaded")

    return load_it


def tool_to_load(_):
    tool, category = make.tool(), make.category()
    entry = {"slug": tool.slug, "name": tool.name, "category": category.slug}
    return category, load_of("tools", entry)


def attribute_to_load(_):
    attribute, category = make.attribute(), make.category()
    entry = {"slug": attribute.slug, "name": attribute.name, "kind": attribute.kind}
    return category, load_of("attributes", entry | {"categories": [category.slug]})


@pytest.mark.parametrize(
    ("case", "texts"),
    [
        (tool_to_save, ["This category was deleted: choose another", "Kept text."]),
        (attribute_to_save, ["A category was deleted meanwhile", "Kept text."]),
        (attribute_to_restore, ["is deleted: bring that back first."]),
        (take_to_write, ["Kept text."]),
        (tool_to_bring_back, ["Its category is deleted: bring that back first."]),
        (tool_to_load, ["refused"]),
        (attribute_to_load, ["refused"]),
    ],
)
def test_nothing_is_written_that_needs_a_row_that_is_being_deleted(database, case, texts):
    deleted, request = case(editor())

    def stored():
        rows = Tool.everything, Attribute.objects, Take.objects
        return [list(each.order_by("pk").values()) for each in rows]

    before = stored()
    answer = response_meanwhile(lambda: deleted.remove(timezone.now()), request)
    assert answer.status_code == 200
    assert [text for text in texts if text not in answer.content.decode()] == []
    assert stored() == before


def test_a_category_with_a_tool_that_is_being_saved_is_not_deleted(database):
    category, client = make.category(), editor()

    def save() -> None:
        hold(Category.objects, [category.pk])
        make.tool(in_category=category)

    sent = page_of(category, "delete"), {"sure": "on"}
    answer = response_meanwhile(save, lambda: client.post(*sent))
    assert "1 tool" in answer.content.decode()
    assert Category.objects.filter(pk=category.pk).exists()


@pytest.mark.django_db
def test_a_deadlock_is_retried_once_and_no_other_error():
    tool = make.take(on=make.tool(tagline="Old")).tool
    save, deadlock = save_of(editor(), tool, tagline="New"), psycopg.errors.DeadlockDetected()
    causes: list[Exception | None] = []
    tried: list[str] = []

    def fail(execute, sql, params, many, context):
        if sql.startswith('UPDATE "tools_tool"'):
            tried.append(sql)
            if causes:
                raise OperationalError("it failed") from causes.pop()
        return execute(sql, params, many, context)

    for failures, tries, status in (
        ([None], 1, 503),
        ([deadlock, deadlock], 2, 503),
        ([deadlock], 2, 302),
    ):
        causes[:] = failures
        tried.clear()
        with connection.execute_wrapper(fail):
            assert save().status_code == status
        assert len(tried) == tries
        tool.refresh_from_db()
        assert tool.tagline == ("New" if status == 302 else "Old")
