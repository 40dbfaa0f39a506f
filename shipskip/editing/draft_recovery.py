"""Recover a form that an editor typed and could not save, or left.

If the session expired, the login page carries the submitted form in a hidden field, so that
nothing is stored for anonymous users. After the login the form is stored in the session until its
own page is opened, which shows it filled in and not saved. While an editor types, unsaved.js keeps
a copy in the browser; to restore it, the script sends it with `_restore`.
"""

import json
import re

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.urls import reverse

from shipskip.web.desk_path import DESK_PATH

SESSION_KEY = "kept"
RECOVERED = "desk.recovered"
"""The key in `request.META` that marks a request with a recovered form."""
RESTORE = "_restore"
"""The field of a form that is shown and not saved."""
COPY = "_copy"
"""The field with the key of the browser's copy of the form."""
SAVED = "desk.saved"
"""The key in `request.META` of the copy whose text was saved."""
COPY_LIFETIME_SECONDS = 7 * 24 * 3600
SHARED = "shared_computer"
"""The session key that is set if a browser may not store copies."""
NOT_SAVED = "Your text is back in the form, and not saved yet: check it, then save."
EXCLUDED = ("csrfmiddlewaretoken", "username")
GRID = "facts"
"""The URL name of the grid of facts, which is a form of many rows."""
MAX_LENGTH = 2_000_000
"""In characters; Django rejects forms well below this length."""


def is_draft(request: HttpRequest) -> bool:
    """Whether the request submits a form whose text should be recovered."""
    match = request.resolver_match
    name = (match.url_name or "") if match else ""
    return request.method == "POST" and name in _recoverable_screens()


def _recoverable_screens() -> set[str]:
    """URL names of the forms of content; those of accounts and passwords are excluded."""
    return {GRID} | {
        f"{model._meta.app_label}_{model._meta.model_name}_{act}"
        for model in apps.get_models()
        if admin.site.is_registered(model)
        and getattr(admin.site.get_model_admin(model), "recovers_drafts", False)
        for act in ("add", "change")
    }


def to_json(request: HttpRequest) -> str:
    """The submitted form as JSON, without passwords and tokens."""
    sent = {
        name: texts
        for name, texts in request.POST.lists()
        if name not in EXCLUDED and "password" not in name
    }
    return json.dumps(sent, ensure_ascii=False)


def store(request: HttpRequest, path: str, text: str) -> None:
    """Store a form in the session, for the page at `path`."""
    if 0 < len(text) <= MAX_LENGTH:
        request.session[SESSION_KEY] = {"path": path, "form": text}


def fill_in(request: HttpRequest) -> bool:
    """Whether the page shows recovered text, which is not saved, so that the editor checks it
    first; a request for a page becomes a POST of the form that the session has for it.
    """
    if request.method == "POST" and RESTORE in request.POST:
        request.META[RECOVERED] = True
    kept = request.session.get(SESSION_KEY)
    if request.method != "GET" or not kept or kept["path"] != request.path:
        return RECOVERED in request.META
    del request.session[SESSION_KEY]
    form = _from_json(str(kept["form"]))
    if form is None:
        return False
    _ = request.FILES  # parse now: parsing after method = "POST" would clear the form
    request.POST = form  # type: ignore[assignment]
    request.method, request.META[RECOVERED] = "POST", True
    return True


def mark_saved(request: HttpRequest) -> None:
    """Note that the text of this form was saved."""
    request.META[SAVED] = request.POST.get(COPY, "")


def delete_copy(request: HttpRequest, response: HttpResponseBase) -> None:
    """Let the browser delete its copy of a text that was saved: the next page finds the cookie."""
    copy = request.META.get(SAVED, "")
    if re.fullmatch("[0-9a-f]{32}", copy) and response.status_code < 400:
        response.set_cookie(
            f"saved.{copy}",
            "yes",
            max_age=COPY_LIFETIME_SECONDS,
            path=reverse("admin:index"),
            secure=request.is_secure(),
            samesite="Lax",
        )


def _from_json(text: str) -> QueryDict | None:
    """A form from JSON; None if it cannot be read."""
    form = QueryDict(mutable=True)
    try:
        for name, texts in json.loads(text).items():
            kept = [_without_surrogates(text) for text in texts if isinstance(text, str)]
            if kept:  # an empty list would be the field's value
                form.setlist(name, kept)
    except (ValueError, AttributeError, TypeError, RecursionError):  # browsers can change it
        return None
    return form


def _without_surrogates(text: str) -> str:
    """A text without unpaired surrogates, which cannot be encoded in UTF-8."""
    return text.encode("utf-8", "replace").decode()


def is_desk_path(path: str) -> bool:
    """Whether a path belongs to the desk."""
    return path.startswith(DESK_PATH)
