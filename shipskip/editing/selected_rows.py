"""Keep the selected rows of a list in the session after a refused action."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpRequest

SESSION_KEY = "ticked"
SELECTED = "is_selected"
"""The attribute of a row that is shown selected."""
MAX_ROWS = 500


def keep(request: HttpRequest, rows: Iterable[int] | None = None) -> None:
    """Store the selected rows of a list (of `rows` only, if given), its action and its reason."""
    selected = request.POST.getlist(ACTION_CHECKBOX_NAME)[:MAX_ROWS]
    left = None if rows is None else {str(pk) for pk in rows}
    request.session[SESSION_KEY] = {
        "path": request.get_full_path(),
        "rows": [pk for pk in selected if left is None or pk in left],
        "form": {name: request.POST.get(name, "")[:200] for name in ("action", "reason")},
    }


def forget(request: HttpRequest) -> None:
    """Delete the stored rows: the action was done."""
    request.session.pop(SESSION_KEY, None)


def restore(request: HttpRequest, context: Mapping[str, Any]) -> None:
    """Select the stored rows of a list that is about to be rendered, and fill in its action."""
    stored = request.session.get(SESSION_KEY)
    if not stored or stored["path"] != request.get_full_path():
        return
    del request.session[SESSION_KEY]
    for row in context["cl"].result_list:
        setattr(row, SELECTED, str(row.pk) in stored["rows"])
    if context["action_form"]:
        context["action_form"].initial = stored["form"]
