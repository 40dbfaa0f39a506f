"""The screen of files: download the catalogue document, or takes or facts as CSV, or upload one of
them and see its changes before they are made. The kind of an uploaded file is recognised.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from reviews.models import TakeChange
from shipskip.catalogue import files
from shipskip.catalogue.applying import apply
from shipskip.catalogue.changes import KEPT, OVERRULED_PRICES, Changes
from shipskip.catalogue.comparing import compare
from shipskip.catalogue.faults import Fault, InvalidFileError, SiteChangedError
from shipskip.catalogue.files import FileKind
from shipskip.catalogue.spreadsheet_columns import Spelling
from shipskip.desk import uploads
from shipskip.desk.menu import PUBLISH_ALL
from shipskip.desk.uploads import MAX_BYTES, Ticket, UploadMissingError
from shipskip.editing.bulk_saves import Save
from shipskip.web.text import validate_reason
from shipskip.web.typed_values import DayOrder, DecimalSign

SCREEN = "admin:exchange"
MAX_ROWS = 5_000
"""Row limit of a CSV file: loading takes a few seconds, in which SQLite cannot write votes."""
MAX_NAMED = 20
"""How many overruled entry prices a message lists."""
_FORM_BYTES = 64 * 1024
_MAX_DRAINED = 200 * 1024 * 1024
UPLOAD_MISSING = (
    "That file is no longer available: it was already loaded, or an hour has passed. "
    "Nothing was changed; choose the file again to see what it would change."
)
CHANGED_MEANWHILE = (
    "The site changed after you saw the changes, so nothing was loaded. This is what the file "
    "would change now."
)


class ReasonForm(forms.Form):
    """The reason for changed scores, shown on the public record."""

    reason = forms.CharField(
        label="Reason for the changed scores",
        help_text="One line for the public record, such as “Pricing tripled in May”.",
        max_length=TakeChange._meta.get_field("reason").max_length,
        validators=[validate_reason],
        widget=forms.TextInput(attrs={"class": "vLargeTextField"}),
        error_messages={
            "required": "Give the reason in one line; readers of the tools’ pages see it."
        },
    )


class UploadForm(ReasonForm):
    """The file to preview, and a reason for rows without one of their own."""

    file = forms.FileField(
        allow_empty_file=True,  # the reader has a better message
        help_text="A catalogue document, or takes or facts as CSV: the kind is recognised.",
        error_messages={"required": "Choose a file first.", "invalid": "Choose a file first."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = False
        self.fields["reason"].label = "Reason for changed scores"
        own = "For takes without a reason of their own. Readers will see it."
        self.fields["reason"].help_text = own


class SpellingForm(forms.Form):
    """How a file writes numbers and days; it has the fields that `asks` names."""

    decimal_sign = forms.ChoiceField(
        label="How does this file write decimals?",
        choices=DecimalSign.choices,
        widget=forms.RadioSelect,
    )
    day_order = forms.ChoiceField(
        label="What comes first in its days?", choices=DayOrder.choices, widget=forms.RadioSelect
    )

    def __init__(self, *args: Any, asks: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in {*self.fields} - {*asks}:
            del self.fields[name]


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def exchange(request: HttpRequest) -> HttpResponse:
    """The page with downloads and upload; an uploaded file is stored and its changes are shown.

    It is exempt from Django's CSRF check, which reads the whole request. It discards too large
    requests without storing them, and checks the token of all others.
    """
    publisher(request)
    length = request.META.get("CONTENT_LENGTH") or ""
    is_long = length.isdigit() and int(length) > MAX_BYTES + _FORM_BYTES
    if request.method == "POST" and is_long:
        _drain(request)
        return _page(request, too_large=True, status=413)
    shown: HttpResponse = csrf_protect(_upload)(request)
    return shown


@require_http_methods(["GET", "HEAD", "POST"])
def load(request: HttpRequest) -> HttpResponse:
    """Load the stored file if its changes are still the ones shown; else show them again."""
    owner = publisher(request).pk
    if request.method != "POST":  # redirected from the login
        return redirect(SCREEN)
    try:
        ticket = Ticket.read(request.POST.get("ticket", ""), owner)
        if not ticket.fingerprint:  # the file was not read yet, because its spelling is unclear
            asked = SpellingForm(
                request.POST, asks=[name for name in Spelling._fields if name in request.POST]
            )
            spelling = asked.cleaned_data if asked.is_valid() else {}
            return _preview(request, replace(ticket, **spelling))
        form = ReasonForm(request.POST) if ticket.asks_reason else None
        if form and not form.is_valid():
            return _preview(request, ticket, confirming=form, status=422)
        if form:
            ticket = replace(ticket, reason=form.cleaned_data["reason"])
        return _load(request, ticket)
    except UploadMissingError:
        return _page(request, error=UPLOAD_MISSING, status=410)


@require_safe
def download(request: HttpRequest, name: str) -> FileResponse:
    """Download everything of one kind as one file.

    It is written completely before the first byte is sent, so that an error gives an error page
    and not an incomplete file, and a slow connection keeps no transaction open.
    """
    publisher(request)
    kind = next((kind for kind in files.KINDS if kind.name == name), None)
    if kind is None:
        raise Http404
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    for piece in kind.dump():
        file.write(piece.encode())
    file.seek(0)
    dated = f"{kind.name}-{timezone.now():%Y-%m-%d}.{kind.suffix}"
    return FileResponse(file, as_attachment=True, filename=dated, content_type=kind.content_type)


def _upload(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _page(request)
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form=form, status=422)
    upload = form.cleaned_data["file"]
    if upload.size > MAX_BYTES:
        return _page(request, form=form, too_large=True, status=413)
    ticket = uploads.store(upload, publisher(request).pk, timezone.now())
    ticket = replace(ticket, reason=form.cleaned_data["reason"])
    return _preview(request, ticket, form=form)


@contextmanager
def _claimed_changes(request: HttpRequest, ticket: Ticket) -> Iterator[tuple[FileKind, Changes]]:
    """The kind of a ticket's stored file, and what it changes now; nobody else can load it
    meanwhile.
    """
    with uploads.claimed(ticket) as file:
        kind = files.kind_of(file)
        document = kind.read(file, None, ticket.spelling)
        if kind.suffix == "csv" and document.number_of("tools") > MAX_ROWS:
            sentence = f"has more than {MAX_ROWS:,} rows, the maximum here: load it on the server"
            raise InvalidFileError([Fault("the file", f"{sentence} with “{kind.command}”")])
        save = Save(user=publisher(request), note=kind.note)
        yield kind, compare(document, save, ticket.reason or kind.reason)


def _preview(
    request: HttpRequest,
    ticket: Ticket,
    *,
    form: UploadForm | None = None,
    confirming: ReasonForm | None = None,
    note: str = "",
    status: int = 200,
) -> HttpResponse:
    """Show what a stored file would change, or its faults."""
    try:
        with _claimed_changes(request, ticket) as (kind, changes):
            pass
    except InvalidFileError as error:
        own: dict[str, Any] = {"faults": error.faults, "file_title": ticket.title}
        if error.asks:
            own["asked"] = SpellingForm(asks=error.asks)
            own["ticket"] = replace(ticket, fingerprint="").signed()
        else:
            uploads.discard(ticket)
        return _page(request, form=form, status=422, **own)
    if not changes.changed_anything:
        uploads.discard(ticket)
        note = f"{ticket.title} would change nothing: the site already has all its content."
        return _page(request, note=f"{note} {_overruled(changes)}".rstrip())
    asks = bool(changes.on_record.total and kind.reason)
    ticket = replace(ticket, fingerprint=changes.fingerprint, asks_reason=asks)
    asked = confirming or ReasonForm(initial={"reason": ticket.reason})
    context = {
        **admin.site.each_context(request),
        "title": f"What {ticket.title} would change",
        "ticket": ticket.signed(),
        "note": note,
        "counts": changes.counts,
        "change_lists": changes.lists(),
        "form": asked if asks else None,
    }
    return render(request, "admin/upload_check.html", context, status=status)


def _load(request: HttpRequest, ticket: Ticket) -> HttpResponse:
    """Load the file of a ticket, all or nothing."""
    try:
        with _claimed_changes(request, ticket) as (_, changes):
            if changes.fingerprint != ticket.fingerprint:
                raise SiteChangedError
            apply(changes)
            uploads.discard(ticket)
    except (InvalidFileError, SiteChangedError):
        return _preview(request, ticket, note=CHANGED_MEANWHILE, status=409)
    messages.success(request, f"Loaded {ticket.title}: {_summary(changes)}.")
    if overruled := _overruled(changes):
        messages.warning(request, overruled)
    return redirect(SCREEN)


def _page(
    request: HttpRequest,
    *,
    form: UploadForm | None = None,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """The page, with messages above its form."""
    context = {
        **admin.site.each_context(request),
        "title": "Document and CSV",
        "kinds": files.KINDS,
        "form": form or UploadForm(),
        "max_megabytes": MAX_BYTES // 1024**2,
        "max_rows": f"{MAX_ROWS:,}",
        **more,
    }
    return render(request, "admin/exchange.html", context, status=status)


def publisher(request: HttpRequest) -> User:
    """The editor; raises PermissionDenied without permission to publish all that files change."""
    if not (isinstance(request.user, User) and request.user.has_perms(PUBLISH_ALL)):
        raise PermissionDenied
    return request.user


def _summary(changes: Changes) -> str:
    """The counts in one line."""
    parts = []
    for name, count in changes.counts.items():
        acts = {"created": count.created, "changed": count.changed, "removed": count.removed}
        parts += [f"{name} {act}: {number:,}" for act, number in acts.items() if number]
    return ", ".join(parts)


def _overruled(changes: Changes) -> str:
    """Sentences on the entry prices that contradict the plans, and on what an import leaves alone;
    empty if there are none.
    """
    lists = {OVERRULED_PRICES: changes.overruled, KEPT: changes.kept}
    return " ".join(
        f"{heading}: {each.in_words(MAX_NAMED)}." for heading, each in lists.items() if each.total
    )


def _drain(request: HttpRequest) -> None:
    """Read and discard the request body: browsers show a response only after sending all of it."""
    left = _MAX_DRAINED
    while left > 0 and (piece := request.read(_FORM_BYTES)):
        left -= len(piece)
