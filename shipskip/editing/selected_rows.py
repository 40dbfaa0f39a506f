"""Ticks of a list that survive a refused action."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest

SESSION_KEY = "ticked"
SELECTED = "is_selected"
"""The attribute of a row that is shown ticked."""
MAX_ROWS = 500


def keep(request: HttpRequest, rows: Iterable[int] | None = None) -> None:
    """Keep the ticks of a list, its action and its reason; of `rows` only, if they are given."""
    selected = request.POST.getlist(ACTION_CHECKBOX_NAME)[:MAX_ROWS]
    left = None if rows is None else {str(pk) for pk in rows}
    request.session[SESSION_KEY] = {
        "path": request.get_full_path(),
        "rows": [pk for pk in selected if left is None or pk in left],
        "form": {name: request.POST.get(name, "")[:200] for name in ("action", "reason")},
    }


def forget(request: HttpRequest) -> None:
    """Delete the stored ticks: the action was done."""
    request.session.pop(SESSION_KEY, None)


def restore(request: HttpRequest, context: Mapping[str, Any]) -> None:
    """Tick the stored rows of a list that is about to be rendered, and fill in its action."""
    stored = request.session.get(SESSION_KEY)
    if not stored or stored["path"] != request.get_full_path():
        return
    del request.session[SESSION_KEY]
    for row in context["cl"].result_list:
        setattr(row, SELECTED, str(row.pk) in stored["rows"])
    if context["action_form"]:
        context["action_form"].initial = stored["form"]
