"""The steps of a download and of an upload, whose changes are shown before they are made.

The pages of the catalogue, of takes and of facts differ in texts and functions; the steps are the
same. The view of each is in `catalogue_views`.
"""

import tempfile
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import IO, Any, Protocol

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_protect

from reviews.models import TakeChange
from shipskip.catalogue.change_log import MAX_LISTED, OVERRULED_PRICES, LoadContext, Report
from shipskip.catalogue.faults import Fault, InvalidFileError, SiteChangedError
from shipskip.desk import uploads
from shipskip.desk.uploads import MAX_BYTES, Ticket, UploadMissingError
from shipskip.web.text import validate_reason

RIGHTS = ("tools.publish_tool", "reviews.publish_take", "comparisons.publish_comparison")
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


class LoadFunction(Protocol):
    """The signature of functions that load a file, such as `catalogue.load`."""

    def __call__(
        self,
        file: IO[bytes],
        load_context: LoadContext,
        *,
        dry_run: bool = False,
        expected_fingerprint: str = "",
    ) -> Report:
        """Load the file and return a report."""


@dataclass(frozen=True)
class FileFormat:
    """One format: URL name and template of its page, its command, its functions."""

    title: str
    screen: str
    template: str
    command: str
    history_note: str
    load: LoadFunction
    dump: Callable[[], Generator[str, None, None]]
    file_name: str
    content_type: str
    reason_with_file: bool = False
    """Whether the upload form, not the confirmation, has the field for the public reason."""
    max_rows: int | None = None
    """Maximum number of rows on this page, if limited."""

    @property
    def rows_in_words(self) -> str:
        """`max_rows` as text: `5,000`."""
        return f"{self.max_rows:,}" if self.max_rows else ""

    def load_context(self, request: HttpRequest, reason: str, now: datetime) -> LoadContext:
        """The editor who loads, with time, action and reason."""
        user = publisher(request)
        return LoadContext(now=now, user=user, history_note=self.history_note, reason=reason)


class LoadReasonField(forms.CharField):
    """The reason for changed scores, shown on the public record."""

    def __init__(self, *, label: str, help_text: str, required: bool = True) -> None:
        super().__init__(
            label=label,
            help_text=help_text,
            required=required,
            max_length=TakeChange._meta.get_field("reason").max_length,
            validators=[validate_reason],
            widget=forms.TextInput(attrs={"class": "vLargeTextField"}),
            error_messages={
                "required": "Give the reason in one line; readers of the tools’ pages see it."
            },
        )


class UploadForm(forms.Form):
    """The file to preview."""

    file = forms.FileField(
        allow_empty_file=True,  # the loader has a better message
        error_messages={"required": "Choose a file first.", "invalid": "Choose a file first."},
    )
    reason = LoadReasonField(
        required=False,
        label="Reason for changed scores",
        help_text="For rows without a reason of their own. Readers will see it.",
    )


class ConfirmForm(forms.Form):
    """The public reason, if one is needed."""

    reason = LoadReasonField(
        label="Reason for the changed scores",
        help_text="One line for the public record, such as “Pricing tripled in May”.",
    )


def publisher(request: HttpRequest) -> User:
    """The editor; raises PermissionDenied without permission to publish all that files change."""
    if not (isinstance(request.user, User) and request.user.has_perms(RIGHTS)):
        raise PermissionDenied
    return request.user


def file_page(request: HttpRequest, file_format: FileFormat) -> HttpResponse:
    """The page with download and upload; an uploaded file is stored and its changes are shown.

    The view must be exempt from Django's CSRF check, which reads the whole request. This function
    discards too large requests without storing them, and checks the token of all others.
    """
    publisher(request)
    if request.method == "POST" and _length(request) > MAX_BYTES + _FORM_BYTES:
        _drain(request)
        return _page(request, file_format, too_large=True, status=413)
    return _screen(request, file_format)


@csrf_protect
def _screen(request: HttpRequest, file_format: FileFormat) -> HttpResponse:
    if request.method != "POST":
        return _page(request, file_format)
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, file_format, form=form, status=422)
    upload = form.cleaned_data["file"]
    if upload.size > MAX_BYTES:
        return _page(request, file_format, form=form, too_large=True, status=413)
    now = timezone.now()
    ticket = uploads.store(upload, publisher(request).pk, now)
    ticket = replace(ticket, reason=form.cleaned_data["reason"])
    return _check(request, file_format, ticket, now, form=form)


def confirm(request: HttpRequest, file_format: FileFormat) -> HttpResponse:
    """Load the stored file if its changes are still the ones shown; else show them again."""
    owner = publisher(request).pk
    if request.method != "POST":  # redirected from the login
        return HttpResponseRedirect(reverse(f"admin:{file_format.screen}"))
    now = timezone.now()
    try:
        ticket = Ticket.read(request.POST.get("ticket", ""), owner)
        if ticket.asks_reason:
            form = ConfirmForm(request.POST)
            if not form.is_valid():
                return _check(request, file_format, ticket, now, confirming=form, status=422)
            ticket = replace(ticket, reason=form.cleaned_data["reason"])
        return _load(request, file_format, ticket, now)
    except UploadMissingError:
        return _page(request, file_format, error=UPLOAD_MISSING, status=410)


def _check(
    request: HttpRequest,
    file_format: FileFormat,
    ticket: Ticket,
    now: datetime,
    *,
    form: UploadForm | None = None,
    confirming: ConfirmForm | None = None,
    note: str = "",
    status: int = 200,
) -> HttpResponse:
    """Show what a stored file would change, or its errors."""
    load_context = file_format.load_context(request, ticket.reason, now)
    try:
        with uploads.claimed(ticket) as file:
            report = file_format.load(file, load_context, dry_run=True)
    except InvalidFileError as error:
        uploads.discard(ticket)
        return _page(request, file_format, form=form, faults=error.faults, file_title=ticket.title)
    except SiteChangedError as error:
        uploads.discard(ticket)
        refusal = f"{error}; nothing was written. Choose the file again."
        return _page(request, file_format, form=form, error=refusal.capitalize(), status=409)
    if not report.changed_anything:
        uploads.discard(ticket)
        note = f"{ticket.title} would change nothing: the site already has all its content."
        note = " ".join([note, _overruled(report)]).rstrip()
        return _page(request, file_format, note=note)
    return _changes(request, file_format, ticket, report, confirming, note=note, status=status)


def _load(
    request: HttpRequest, file_format: FileFormat, ticket: Ticket, now: datetime
) -> HttpResponse:
    """Load the file of a ticket, all or nothing."""
    load_context = file_format.load_context(request, ticket.reason, now)
    try:
        with uploads.claimed(ticket) as file:
            report = file_format.load(file, load_context, expected_fingerprint=ticket.fingerprint)
            if report.written:
                uploads.discard(ticket)
    except (InvalidFileError, SiteChangedError):
        return _check(request, file_format, ticket, now, note=CHANGED_MEANWHILE, status=409)
    if not report.written:
        return _check(request, file_format, ticket, now, note=CHANGED_MEANWHILE, status=409)
    messages.success(request, f"Loaded {ticket.title}: {_summary(report)}.")
    if overruled := _overruled(report):
        messages.warning(request, overruled)
    return HttpResponseRedirect(reverse(f"admin:{file_format.screen}"))


def _summary(report: Report) -> str:
    """The counts of the report in one line."""
    parts = []
    for name, count in report.counts().items():
        acts = {"created": count.created, "changed": count.changed, "removed": count.removed}
        parts += [f"{name} {act}: {number:,}" for act, number in acts.items() if number]
    return ", ".join(parts)


def _overruled(report: Report) -> str:
    """A sentence on the entry prices that contradict the plans; empty if there are none."""
    overruled = report.change_log.overruled
    return f"{OVERRULED_PRICES}: {overruled.in_words(MAX_NAMED)}." if overruled.total else ""


def download(file_format: FileFormat, now: datetime) -> FileResponse:
    """Download everything as one file.

    It is written completely before the first byte is sent, so that an error gives an error page and
    not an incomplete file, and a slow connection keeps no transaction open.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    for piece in file_format.dump():
        file.write(piece.encode())
    file.seek(0)
    return FileResponse(
        file,
        as_attachment=True,
        filename=file_format.file_name.format(now),
        content_type=file_format.content_type,
    )


def _page(
    request: HttpRequest,
    file_format: FileFormat,
    *,
    form: UploadForm | None = None,
    faults: list[Fault] | None = None,
    file_title: str = "",
    status: int | None = None,
    **more: Any,
) -> HttpResponse:
    """The page, with messages above its form."""
    faults = faults or []
    context = {
        **admin.site.each_context(request),
        "title": file_format.title,
        "file_format": file_format,
        "form": form or UploadForm(),
        "faults": faults[:MAX_LISTED],
        "number_of_faults": len(faults),
        "unlisted_faults": max(0, len(faults) - MAX_LISTED),
        "max_megabytes": MAX_BYTES // 1024**2,
        "file_title": file_title,
        **more,
    }
    return render(request, file_format.template, context, status=status or (422 if faults else 200))


def _changes(
    request: HttpRequest,
    file_format: FileFormat,
    ticket: Ticket,
    report: Report,
    confirming: ConfirmForm | None,
    *,
    note: str,
    status: int,
) -> HttpResponse:
    """The page that lists the changes, with the form that confirms them."""
    change_log = report.change_log
    asks = bool(change_log.on_record.total) and not file_format.reason_with_file
    ticket = replace(ticket, fingerprint=change_log.fingerprint, asks_reason=asks)
    context = {
        **admin.site.each_context(request),
        "title": f"What {ticket.title} would change",
        "file_format": file_format,
        "load_url": reverse(f"admin:{file_format.screen}-load"),
        "screen_url": reverse(f"admin:{file_format.screen}"),
        "ticket": ticket.signed(),
        "note": note,
        "counts": report.counts(),
        "change_lists": change_log.lists(),
        "form": (confirming or ConfirmForm()) if asks else None,
    }
    return render(request, "admin/upload_check.html", context, status=status)


def _length(request: HttpRequest) -> int:
    """The request's Content-Length in bytes; 0 if there is none."""
    length = request.META.get("CONTENT_LENGTH") or ""
    return int(length) if length.isdigit() else 0


def _drain(request: HttpRequest) -> None:
    """Read and discard the request body: browsers show a response only after sending all of it."""
    left = _MAX_DRAINED
    while left > 0 and (piece := request.read(_FORM_BYTES)):
        left -= len(piece)
