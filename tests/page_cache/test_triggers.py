"""The database raises the content version on every write, from any program."""

import time
from collections.abc import Callable

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection, transaction

from shipskip.page_cache.models import ContentVersion
from shipskip.page_cache.version_triggers import install, installed, remove
from shipskip.web.publishing import Publishable
from tests import addresses
from tests import factories as make
from tests.own_models import own_models
from tools.models import Category, Tool

pytestmark = pytest.mark.both_databases

NOT_SHOWN = {
    "jobs": ["JobRun"],
    "limits": ["DailySalt", "ActCount"],
    "web": ["ContentVersion"],
    "search": ["SearchDocument", "SearchWord", "SearchChange", "Synonym"],
    "tools": ["Bookmark", "SourceCheck"],
    "reviews": ["Vote", "VoteEvent", "ToolTally"],
    "comparisons": ["DayReads", "RecentReads"],
    "reports": ["Report"],
    "newsletter": ["Subscriber", "ForgottenAddress", "Confirmation", "AddressLook", "Delivery"],
}
"""Tables without triggers: no page shows them, or only pages that are not cached (searches), or
that expire soon (tallies).
"""


def number() -> int:
    """The content version's number now."""
    return ContentVersion.objects.values_list("number", flat=True).first() or 0


def wait_until_after(version: int) -> None:
    """Wait until the clock has passed a version, which is a time in milliseconds."""
    while time.time() * 1000 <= version + 1:
        time.sleep(0.001)


@pytest.mark.django_db
def test_every_table_that_readers_see_has_its_triggers_after_all_migrations():
    """A new model has `watch` or is listed in NOT_SHOWN; a migration that alters a table has
    `watch_again` first and last.
    """
    hidden = {apps.get_model(app, name) for app, names in NOT_SHOWN.items() for name in names}
    shown = {*own_models()} - hidden
    assert {model._meta.db_table for model in shown} == installed(connection)
    scheduled = {model for model in apps.get_models() if issubclass(model, Publishable)}
    assert scheduled <= shown
    assert {model._meta.label for model in scheduled} == set(settings.SCHEDULED_MODELS)


@pytest.mark.django_db
def test_the_triggers_can_be_installed_again_and_removed():
    before = installed(connection)
    install(connection, sorted(before))
    assert installed(connection) == before
    remove(connection, ["tools_tool"])
    assert installed(connection) == before - {"tools_tool"}


@pytest.mark.django_db(transaction=True)
def test_every_write_to_a_table_that_readers_see_raises_the_number():
    addresses.sample_site()
    tool = Tool.objects.get(slug="alpha")
    tool.rename("omega")
    for model in own_models():
        table = model._meta.db_table
        row = model._base_manager.first()
        if table in installed(connection) and row is not None:
            before = number()
            model._base_manager.filter(pk=row.pk).update(**{row._meta.pk.name: row.pk})
            assert number() > before, f"{table}, changed"
    category = make.category()
    truncate = "TRUNCATE" if connection.vendor == "postgresql" else "DELETE FROM"
    new = [Tool(slug="b", name="B", category=category)]
    writes: dict[str, Callable[[], object]] = {
        "a row": lambda: make.category(slug="new"),
        "rows at once": lambda: Tool.objects.bulk_create(new, ignore_conflicts=True),
        "an update": lambda: Tool.objects.filter(slug="b").update(name="C"),
        "a deletion": lambda: Category.objects.get(slug="new").delete(),
        "truncating": lambda: connection.cursor().execute(f"{truncate} comparisons_comparisontool"),
    }
    for name, write in writes.items():
        before = number()
        write()
        assert number() > before, name


@pytest.mark.django_db(transaction=True)
def test_a_number_is_never_repeated():
    make.tool()
    before = number()
    ContentVersion.objects.update(number=17)
    wait_until_after(before)
    make.tool()
    assert number() > before, "an older copy of the database was put back"
    ContentVersion.objects.all().delete()
    make.tool()
    assert number() > before


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_writes_many_rows_raises_it_once_on_postgresql():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer and cannot tell a transaction's end in a trigger")
    make.tool()
    ContentVersion.objects.update(number=10**15)
    with transaction.atomic():
        category = make.category()
        for _ in range(5):
            make.tool(in_category=category)
        undone = transaction.savepoint()
        make.tool()
        transaction.savepoint_rollback(undone)
        make.tool()
    assert number() == 10**15 + 1
    make.tool(in_category=category)
    assert number() == 10**15 + 2


@pytest.mark.django_db(transaction=True)
def test_two_editors_who_write_at_once_do_not_wait_for_each_other_on_postgresql():
    """The row of the version is locked only at the end of a transaction."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer")
    from django.db import connections

    make.tool(slug="a"), make.tool(slug="b")
    other = connections.create_connection("default")
    try:
        with transaction.atomic():
            Tool.objects.filter(slug="a").update(name="A")
            with other.cursor() as cursor:
                cursor.execute("SET lock_timeout = '2s'")
                cursor.execute("UPDATE tools_tool SET name = 'B' WHERE slug = 'b'")
    finally:
        other.close()
    assert {tool.name for tool in Tool.objects.all()} == {"A", "B"}
