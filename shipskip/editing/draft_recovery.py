"""Recover the form of an editor whose session expired while writing.

The login page carries the submitted form in a hidden field, so that nothing is stored for
anonymous users. After the login the form is stored in the session until its own page is opened,
which shows it filled in and not saved.
"""

import json

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, QueryDict

SESSION_KEY = "kept"
EXCLUDED = ("csrfmiddlewaretoken", "username")
MAX_LENGTH = 2_000_000
"""In characters; Django rejects forms well below this length."""


def is_draft(request: HttpRequest) -> bool:
    """Whether the request submits a form whose text should be recovered."""
    match = request.resolver_match
    name = (match.url_name or "") if match else ""
    return request.method == "POST" and name in _recoverable_screens()


def _recoverable_screens() -> set[str]:
    """URL names of the forms of content; those of accounts and passwords are excluded."""
    return {
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


def pop(request: HttpRequest) -> QueryDict | None:
    """Return the form stored for this page, and remove it from the session."""
    found = request.session.get(SESSION_KEY)
    if not found or found["path"] != request.path or request.method != "GET":
        return None
    del request.session[SESSION_KEY]
    form = QueryDict(mutable=True)
    try:
        for name, texts in json.loads(found["form"]).items():
            form.setlist(
                name, [_without_surrogates(text) for text in texts if isinstance(text, str)]
            )
    except (ValueError, AttributeError, TypeError, RecursionError):  # browsers can change it
        return None
    return form


def _without_surrogates(text: str) -> str:
    """A text without unpaired surrogates, which cannot be encoded in UTF-8."""
    return text.encode("utf-8", "replace").decode()


def is_desk_path(path: str) -> bool:
    """Whether a path belongs to the desk."""
    return path.startswith(f"/{settings.ADMIN_PATH}")
