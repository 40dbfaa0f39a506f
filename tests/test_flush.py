"""The flush of the tests leaves what Django's own leaves."""

from time import time

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.core.management.commands import flush
from django.db import connection

from shipskip.page_cache.models import ContentVersion
from tests import factories as make
from tests.flush import Flush

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
WITH_ROWS = {"auth_permission", "django_content_type", "django_migrations", "web_contentversion"}


def tables_with_rows() -> set[str]:
    """All of them, except those that belong to SQLite's full text search."""
    names = connection.introspection.table_names()
    with connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(
                f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})"  # noqa: S608 - our tables
                for name in names
                if not name.startswith("search_text")
            )
        )
        return {name for (name,) in cursor.fetchall()}


def test_the_flush_leaves_a_new_content_version_and_the_permissions_and_empties_all_other_tables():
    def permissions() -> set[tuple[str, str]]:
        return set(Permission.objects.values_list("content_type__model", "codename"))

    def flush_after_test(command: flush.Command) -> None:
        call_command(command, interactive=False, verbosity=0, reset_sequences=False)

    flush_after_test(flush.Command())
    permissions_before, quick_flush = permissions(), Flush()
    for _ in range(2):  # the first flush creates the permissions again, the second keeps them
        make.sent_issue(about=make.take().tool)
        make.comparison()
        User.objects.create_superuser("editor").user_permissions.add(Permission.objects.all()[0])
        assert len(tables_with_rows()) >= 20
        now = int(time() * 1000)
        flush_after_test(quick_flush)
        assert tables_with_rows() == WITH_ROWS
        assert permissions() == permissions_before
        assert ContentVersion.objects.get().number >= now
    deleted, changed = Permission.objects.all()[:2]
    deleted.delete()
    Permission.objects.filter(pk=changed.pk).update(codename="of_a_test")
    flush_after_test(quick_flush)
    assert permissions() == permissions_before
