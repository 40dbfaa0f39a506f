"""Recover a form that an editor typed and could not save, or left.

If the session expired, the login page carries the submitted form in a hidden field, so that
nothing is stored for anonymous users. After the login the form is stored in the session until its
own page is opened, which shows it filled in and not saved. While an editor types, the form is
stored as UnsavedText; its page offers it, and `?restore` shows it in the same way.
"""

import json
from dataclasses import dataclass

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, QueryDict
from django.urls import Resolver404, resolve

from shipskip.editing.models import UnsavedText

SESSION_KEY = "kept"
RECOVERED = "desk.recovered"
"""The key in `request.META` that marks a request with a recovered form."""
NOT_SAVED = "Your text is back in the form, and not saved yet: check it, then save."
EXCLUDED = ("csrfmiddlewaretoken", "username")
GRID = "facts"
"""The URL name of the grid of facts, which is a form of many rows."""
MAX_LENGTH = 2_000_000
"""In characters; Django rejects forms well below this length."""


@dataclass(frozen=True)
class UnsavedNotice:
    """The notice on the page of a form about unsaved text."""

    path: str
    offer: UnsavedText | None
    """The text that the editor left here, to restore or to discard."""
    is_bound: bool
    """Whether the form shows text that is not saved: a recovered or a refused one."""


def is_draft(request: HttpRequest) -> bool:
    """Whether the request submits a form whose text should be recovered."""
    match = request.resolver_match
    name = (match.url_name or "") if match else ""
    return request.method == "POST" and name in _recoverable_screens()


def has_recoverable_form(path: str) -> bool:
    """Whether the page at `path` is a form whose text is recovered."""
    try:
        return resolve(path).url_name in _recoverable_screens()
    except Resolver404:
        return False


def notice(request: HttpRequest) -> UnsavedNotice:
    """Return the notice about unsaved text for the page of this request; one query.

    The page of a refused save still offers an earlier text if it was offered before.
    """
    is_bound = request.method == "POST"
    offers = not is_bound or "_offered" in request.POST
    offer = UnsavedText.objects.at(request.path, request.user.pk).first() if offers else None
    return UnsavedNotice(request.path, offer, is_bound)


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
    """Turn a request for a page into a POST of the form stored for it; False if there is none.

    The form is shown and not saved, so that the editor checks the text first.
    """
    text = _stored_text(request) if request.method == "GET" else ""
    form = _from_json(text) if text else None
    if form is None:
        return False
    _ = request.FILES  # parse now: parsing after method = "POST" would clear the form
    request.POST = form  # type: ignore[assignment]
    request.method, request.META[RECOVERED] = "POST", True
    return True


def _stored_text(request: HttpRequest) -> str:
    """The form stored for this page: in the session, which removes it, or as UnsavedText."""
    found = request.session.get(SESSION_KEY)
    if found and found["path"] == request.path:
        del request.session[SESSION_KEY]
        return str(found["form"])
    if "restore" not in request.GET:
        return ""
    left = UnsavedText.objects.at(request.path, request.user.pk).first()
    return left.form if left else ""


def _from_json(text: str) -> QueryDict | None:
    """A form from JSON; None if it cannot be read."""
    form = QueryDict(mutable=True)
    try:
        for name, texts in json.loads(text).items():
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
