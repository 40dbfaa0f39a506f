"""What editors do with rows at the desk: change, delete, bring back and restore them."""

from datetime import UTC, datetime
from uuid import uuid4

from django.contrib.auth.models import User
from django.utils import timezone

from reviews.models import Vote
from tests import factories as make
from tests.desk.forms import list_of, page_of
from tools.models import Bookmark

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)


def change(row, *, by=None, at=None, reason=None, **values):
    """Save a row with other values, as an editor would; returns the version."""
    for name, value in values.items():
        setattr(row, name, value)
    if by:
        row._history_user = User.objects.get(username=by)
    if at:
        row._history_date = at
    row._change_reason = reason
    row.save()
    return row.history.first()


def entries(client, row, query=""):
    """The entries of a page of the history."""
    return client.get(page_of(row, "history") + query).context["page"].rows


def changes_of(entry):
    """The changes of an entry, one line each."""
    return [f"{c.label}: {c.before} → {c.after}" for c in entry.changes if not c.pieces]


def send(client, url, sent):
    """The answer to a form, with its own messages alone; the page that follows is not made."""
    client.cookies.pop("messages", None)
    return client.post(url, sent)


def restore(client, row, version, **sent):
    """Open the page of a version, then press its button."""
    url = page_of(row, f"history/{version.history_id}")
    data = {"history_id": client.get(url).context["history_id"]} | sent
    return send(client, f"{url}restore/", data)


def run_action(client, rows, name, **sent):
    """Run a list action on these rows."""
    data = {"action": name, "_selected_action": [row.pk for row in rows]} | sent
    return send(client, list_of(rows[0]), data)


def delete(client, row, **sent):
    """Confirm the deletion of a row."""
    return send(client, page_of(row, "delete"), {"post": "yes"} | sent)


def bring_back(client, row, **sent):
    return send(client, page_of(row, "bring-back"), sent)


def votes_on(tool, number=1):
    """Cast votes of new visitors."""
    now = timezone.now()
    Vote.objects.bulk_create(
        Vote(tool=tool, visitor=uuid4(), choice="ship", cast_at=now, changed_at=now)
        for _ in range(number)
    )


def rich_tool(**fields):
    """A public tool with votes, takes, a bookmark and a comparison."""
    tool = make.tool(**fields)
    votes_on(tool, 3)
    make.panel(on=tool, ship=2)
    make.take(on=tool, published_at=None)
    Bookmark.objects.create(visitor=uuid4(), tool=tool, saved_at=timezone.now())
    make.comparison(tools=[tool, make.tool(slug="other")])
    return tool
