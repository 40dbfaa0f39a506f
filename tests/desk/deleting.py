"""Rows to delete, and the desk's addresses for deleting, withdrawing and bringing back."""

from uuid import uuid4

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.utils import timezone

from reviews.models import Vote
from tests import factories as make
from tools.models import Bookmark


def path(row, action=""):
    """The address of a row's action; of its list without one."""
    options = row._meta
    place = f"/admin/{options.app_label}/{options.model_name}/"
    return f"{place}{row.pk}/{action}/" if action else place


def votes_on(tool, number=1):
    """Cast votes of new visitors."""
    now = timezone.now()
    Vote.objects.bulk_create(
        Vote(tool=tool, visitor=uuid4(), choice="ship", cast_at=now, changed_at=now)
        for _ in range(number)
    )


def run_action(client, rows, name, **sent):
    """Run a list action on these rows."""
    data = {"action": name, ACTION_CHECKBOX_NAME: [row.pk for row in rows]} | sent
    return client.post(path(rows[0]), data, follow=True)


def rich_tool(**fields):
    """A public tool with votes, takes, a bookmark and a comparison."""
    tool = make.tool(**fields)
    votes_on(tool, 3)
    make.panel(on=tool, ship=2)
    make.take(on=tool, published_at=None)
    Bookmark.objects.create(visitor=uuid4(), tool=tool, saved_at=timezone.now())
    make.comparison(tools=[tool, make.tool(slug="other")])
    return tool


def delete(client, row, **sent):
    """Confirm the deletion of a row."""
    return client.post(path(row, "delete"), {"post": "yes"} | sent, follow=True)
