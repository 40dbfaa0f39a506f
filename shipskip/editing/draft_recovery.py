"""Text kept safe when a session ends while an editor writes.

A form sent without a session comes back inside the login page, so that nothing is stored for a
stranger. After the login it waits in the session for its own page, which shows it again, filled
in and not saved.
"""

import json

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, QueryDict

SESSION_KEY = "kept"
SECRETS = ("csrfmiddlewaretoken", "username")
MOST = 2_000_000
"""Characters; a form is refused by Django long before it is this long."""


def writing(request: HttpRequest) -> bool:
    """Whether this is a form of a screen on which something is written."""
    match = request.resolver_match
    name = (match.url_name or "") if match else ""
    return request.method == "POST" and name in _screens_of_texts()


def _screens_of_texts() -> set[str]:
    """The names of the screens whose rows are texts; accounts and passwords are none."""
    return {
        f"{model._meta.app_label}_{model._meta.model_name}_{act}"
        for model in apps.get_models()
        if admin.site.is_registered(model)
        and getattr(admin.site.get_model_admin(model), "keeps_text", False)
        for act in ("add", "change")
    }


def packed(request: HttpRequest) -> str:
    """What was sent, as JSON, without what only this one request should know."""
    sent = {
        name: texts
        for name, texts in request.POST.lists()
        if name not in SECRETS and "password" not in name
    }
    return json.dumps(sent, ensure_ascii=False)


def put(request: HttpRequest, path: str, text: str) -> None:
    """Keep a packed form for the page at `path`, for this session."""
    if 0 < len(text) <= MOST:
        request.session[SESSION_KEY] = {"path": path, "form": text}


def take(request: HttpRequest) -> QueryDict | None:
    """The form kept for the page that is asked for, once."""
    found = request.session.get(SESSION_KEY)
    if not found or found["path"] != request.path or request.method != "GET":
        return None
    del request.session[SESSION_KEY]
    form = QueryDict(mutable=True)
    try:
        for name, texts in json.loads(found["form"]).items():
            form.setlist(name, [_whole(text) for text in texts if isinstance(text, str)])
    except (ValueError, AttributeError, TypeError, RecursionError):  # it went through a browser
        return None
    return form


def _whole(text: str) -> str:
    """A text without halves of characters, which no page can hold."""
    return text.encode("utf-8", "replace").decode()


def at_the_desk(path: str) -> bool:
    """Whether a path is one of the desk's."""
    return path.startswith(f"/{settings.ADMIN_PATH}")
