"""Read the history of a row at the desk, and restore its versions."""

from datetime import UTC, datetime

from django.contrib.auth.models import User

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)


def change(row, *, by=None, reason=None, **values):
    """Save a row with other values, as an editor would; returns the version."""
    for name, value in values.items():
        setattr(row, name, value)
    if by:
        row._history_user = User.objects.get(username=by)
    row._change_reason = reason
    row.save()
    return row.history.first()


def path(row, end=""):
    """The address of a row's history."""
    options = row._meta
    return f"/admin/{options.app_label}/{options.model_name}/{row.pk}/history/{end}"


def entries(client, row, query=""):
    """The entries of a page of the history."""
    return client.get(path(row) + query).context["page"].rows


def changes_of(entry):
    """The changes of an entry, one line each."""
    return [f"{c.label}: {c.before} → {c.after}" for c in entry.changes if not c.pieces]


def restore(client, row, version, **sent):
    """Open the page of a version, then press its button."""
    page = client.get(path(row, f"{version.history_id}/"))
    data = {"history_id": page.context["history_id"]} | sent
    return client.post(path(row, f"{version.history_id}/restore/"), data, follow=True)


def messages_of(response):
    """The messages and notices of a page."""
    found = [str(message) for message in response.context["messages"]]
    return found + list(response.context.get("notices", []))
