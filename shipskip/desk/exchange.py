"""A file in and out at the desk: what it would change is shown first, and changed when confirmed.

The screens of the catalogue and of the takes differ in what they say; the way is the same.
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
from shipskip.catalogue.changes import MAX_LISTED, LoadContext, Report
from shipskip.catalogue.faults import Fault, InvalidFileError, SiteChangedError
from shipskip.desk import uploads
from shipskip.desk.uploads import MOST_BYTES, GoneError, Ticket
from shipskip.web.text import validate_reason

RIGHTS = ("tools.publish_tool", "reviews.publish_take", "comparisons.publish_comparison")
_ROOM_FOR_THE_FORM = 64 * 1024
_MOST_DRAINED = 200 * 1024 * 1024
GONE = (
    "That file does not wait here any more: it was loaded already, or an hour has passed. "
    "Nothing was changed just now; choose it again to see what it would change."
)
OVERTAKEN = (
    "The site changed since you looked, so nothing was loaded. This is what the file would "
    "change now."
)


class Load(Protocol):
    """Brings a file into the site, as `catalogue.load` does."""

    def __call__(
        self,
        file: IO[bytes],
        load_context: LoadContext,
        *,
        dry_run: bool = False,
        expected_fingerprint: str = "",
    ) -> Report:
        """Load, and tell what was done."""


@dataclass(frozen=True)
class Exchange:
    """What goes in and out: its screen's name and template, its command, its functions."""

    title: str
    screen: str
    template: str
    command: str
    history_note: str
    load: Load
    dump: Callable[[], Generator[str, None, None]]
    file_name: str
    content_type: str
    reason_with_file: bool = False
    """Whether the reason of public changes is asked with the file, not with the confirmation."""
    max_rows: int | None = None
    """How many rows it takes at the desk, where that is told."""

    @property
    def rows_in_words(self) -> str:
        """That number, as in `5,000`."""
        return f"{self.max_rows:,}" if self.max_rows else ""

    def load_context(self, request: HttpRequest, reason: str, now: datetime) -> LoadContext:
        """Who loads, and why."""
        user = publisher(request)
        return LoadContext(now=now, user=user, history_note=self.history_note, reason=reason)


class ReasonField(forms.CharField):
    """Why scores change, as it stands on the public record."""

    def __init__(self, *, label: str, help_text: str, required: bool = True) -> None:
        super().__init__(
            label=label,
            help_text=help_text,
            required=required,
            max_length=TakeChange._meta.get_field("reason").max_length,
            validators=[validate_reason],
            widget=forms.TextInput(attrs={"class": "vLargeTextField"}),
            error_messages={"required": "Say in one line why; readers of the tools’ pages see it."},
        )


class UploadForm(forms.Form):
    """The file to look at."""

    file = forms.FileField(
        allow_empty_file=True,  # the reading says it better
        error_messages={"required": "Choose a file first.", "invalid": "Choose a file first."},
    )
    reason = ReasonField(
        required=False,
        label="Reason for changed scores",
        help_text="For rows without a reason of their own. Readers will see it.",
    )


class ConfirmForm(forms.Form):
    """The reason, where readers are to be told one."""

    reason = ReasonField(
        label="Reason for the changed scores",
        help_text="One line for the public record, such as “Pricing tripled in May”.",
    )


def publisher(request: HttpRequest) -> User:
    """The editor; raises PermissionDenied for one who may not publish all a file can change."""
    if not (isinstance(request.user, User) and request.user.has_perms(RIGHTS)):
        raise PermissionDenied
    return request.user


def screen(request: HttpRequest, exchange: Exchange) -> HttpResponse:
    """The way out and the way in; a file that is sent is looked at and waits.

    The view must be exempt from the CSRF check, which reads the whole request: of one that is too
    long nothing is kept. The check is made here, of what is short enough.
    """
    publisher(request)
    if request.method == "POST" and _length(request) > MOST_BYTES + _ROOM_FOR_THE_FORM:
        _drain(request)
        return _page(request, exchange, too_large=True, status=413)
    return _screen(request, exchange)


@csrf_protect
def _screen(request: HttpRequest, exchange: Exchange) -> HttpResponse:
    if request.method != "POST":
        return _page(request, exchange)
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, exchange, form=form, status=422)
    upload = form.cleaned_data["file"]
    if upload.size > MOST_BYTES:
        return _page(request, exchange, form=form, too_large=True, status=413)
    now = timezone.now()
    ticket = uploads.keep(upload, publisher(request).pk, now)
    ticket = replace(ticket, reason=form.cleaned_data["reason"])
    return _look(request, exchange, ticket, now, form=form)


def confirm(request: HttpRequest, exchange: Exchange) -> HttpResponse:
    """Load the file that waits, if it still does what was shown; else show anew."""
    owner = publisher(request).pk
    if request.method != "POST":  # back from a login
        return HttpResponseRedirect(reverse(f"admin:{exchange.screen}"))
    now = timezone.now()
    try:
        ticket = Ticket.read(request.POST.get("ticket", ""), owner)
        if ticket.asks_reason:
            form = ConfirmForm(request.POST)
            if not form.is_valid():
                return _look(request, exchange, ticket, now, confirming=form, status=422)
            ticket = replace(ticket, reason=form.cleaned_data["reason"])
        return _load(request, exchange, ticket, now)
    except GoneError:
        return _page(request, exchange, complaint=GONE, status=410)


def _look(
    request: HttpRequest,
    exchange: Exchange,
    ticket: Ticket,
    now: datetime,
    *,
    form: UploadForm | None = None,
    confirming: ConfirmForm | None = None,
    note: str = "",
    status: int = 200,
) -> HttpResponse:
    """What a file that waits would change, or what is wrong with it."""
    load_context = exchange.load_context(request, ticket.reason, now)
    try:
        with uploads.claimed(ticket) as file:
            report = exchange.load(file, load_context, dry_run=True)
    except InvalidFileError as error:
        uploads.throw_away(ticket)
        return _page(request, exchange, form=form, faults=error.faults, file_title=ticket.title)
    except SiteChangedError as error:
        uploads.throw_away(ticket)
        complaint = f"{error}; nothing was written. Choose the file again."
        return _page(request, exchange, form=form, complaint=complaint.capitalize(), status=409)
    if not report.changed_anything:
        uploads.throw_away(ticket)
        note = f"{ticket.title} would change nothing: the site says all of it already."
        return _page(request, exchange, note=note)
    return _changes(request, exchange, ticket, report, confirming, note=note, status=status)


def _load(request: HttpRequest, exchange: Exchange, ticket: Ticket, now: datetime) -> HttpResponse:
    """Load the file of a ticket, all of it or nothing."""
    load_context = exchange.load_context(request, ticket.reason, now)
    try:
        with uploads.claimed(ticket) as file:
            report = exchange.load(file, load_context, expected_fingerprint=ticket.fingerprint)
            if report.written:
                uploads.throw_away(ticket)
    except (InvalidFileError, SiteChangedError):
        return _look(request, exchange, ticket, now, note=OVERTAKEN, status=409)
    if not report.written:
        return _look(request, exchange, ticket, now, note=OVERTAKEN, status=409)
    messages.success(request, f"Loaded {ticket.title}: {_told(report)}.")
    return HttpResponseRedirect(reverse(f"admin:{exchange.screen}"))


def _told(report: Report) -> str:
    """What was done, in a few words."""
    parts = []
    for name, count in report.counts().items():
        for number, act in ((count.created, "created"), (count.changed, "changed")):
            if number:
                parts.append(f"{name} {act}: {number:,}")
    return ", ".join(parts)


def download(exchange: Exchange, now: datetime) -> FileResponse:
    """The whole of what there is, as a file.

    Drawn up before the first byte is sent: whatever goes wrong gives a page that says so, never
    half a file, and a slow line holds no transaction open.
    """
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
    for piece in exchange.dump():
        file.write(piece.encode())
    file.seek(0)
    return FileResponse(
        file,
        as_attachment=True,
        filename=exchange.file_name.format(now),
        content_type=exchange.content_type,
    )


def _page(
    request: HttpRequest,
    exchange: Exchange,
    *,
    form: UploadForm | None = None,
    faults: list[Fault] | None = None,
    file_title: str = "",
    status: int | None = None,
    **more: Any,
) -> HttpResponse:
    """The screen, with what there is to say above its form."""
    faults = faults or []
    context = {
        **admin.site.each_context(request),
        "title": exchange.title,
        "exchange": exchange,
        "form": form or UploadForm(),
        "faults": faults[:MAX_LISTED],
        "number_of_faults": len(faults),
        "unlisted_faults": max(0, len(faults) - MAX_LISTED),
        "most_megabytes": MOST_BYTES // 1024**2,
        "file_title": file_title,
        **more,
    }
    return render(request, exchange.template, context, status=status or (422 if faults else 200))


def _changes(
    request: HttpRequest,
    exchange: Exchange,
    ticket: Ticket,
    report: Report,
    confirming: ConfirmForm | None,
    *,
    note: str,
    status: int,
) -> HttpResponse:
    """What would change, and the form that confirms it."""
    change_log = report.change_log
    asks = bool(change_log.on_record.total) and not exchange.reason_with_file
    ticket = replace(ticket, fingerprint=change_log.fingerprint, asks_reason=asks)
    context = {
        **admin.site.each_context(request),
        "title": f"What {ticket.title} would change",
        "exchange": exchange,
        "load_url": reverse(f"admin:{exchange.screen}-load"),
        "screen_url": reverse(f"admin:{exchange.screen}"),
        "ticket": ticket.signed(),
        "note": note,
        "counts": report.counts(),
        "change_lists": change_log.lists(),
        "form": (confirming or ConfirmForm()) if asks else None,
    }
    return render(request, "admin/catalogue_check.html", context, status=status)


def _length(request: HttpRequest) -> int:
    """How many bytes the request says it has; 0 if it does not say."""
    said = request.META.get("CONTENT_LENGTH") or ""
    return int(said) if said.isdigit() else 0


def _drain(request: HttpRequest) -> None:
    """Read what is sent and forget it: a browser shows no answer before it has sent all."""
    left = _MOST_DRAINED
    while left > 0 and (piece := request.read(_ROOM_FOR_THE_FORM)):
        left -= len(piece)
