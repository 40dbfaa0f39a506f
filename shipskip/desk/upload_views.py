"""The screens of the catalogue, and of takes and facts as CSV: download a file, or upload one and
see its changes before they are made.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from reviews.models import TakeChange
from shipskip.catalogue import files
from shipskip.catalogue.applying import apply
from shipskip.catalogue.changes import OVERRULED_PRICES, Changes
from shipskip.catalogue.comparing import compare
from shipskip.catalogue.faults import Fault, InvalidFileError, SiteChangedError
from shipskip.catalogue.files import FileKind
from shipskip.desk import uploads
from shipskip.desk.uploads import MAX_BYTES, Ticket, UploadMissingError
from shipskip.editing.bulk_saves import Save
from shipskip.web.text import validate_reason

RIGHTS = ("tools.publish_tool", "reviews.publish_take", "comparisons.publish_comparison")
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
        error_messages={"required": "Choose a file first.", "invalid": "Choose a file first."},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = False
        self.fields["reason"].label = "Reason for changed scores"
        own = "For rows without a reason of their own. Readers will see it."
        self.fields["reason"].help_text = own


@dataclass(frozen=True)
class UploadScreen:
    """The screen of one kind of file."""

    title: str
    name: str
    kind: FileKind
    max_rows: int = 0
    """Row limit; 0 for none."""

    @property
    def urls(self) -> list[tuple[str, Callable[..., HttpResponseBase], str]]:
        """The routes of the screen: the page, the load and the download."""
        form = require_http_methods(["GET", "HEAD", "POST"])
        return [
            (f"{self.name}/", csrf_exempt(form(self.page)), self.name),
            (f"{self.name}/load/", form(self.load), f"{self.name}-load"),
            (f"{self.name}/download/", require_safe(self.download), f"{self.name}-download"),
        ]

    @property
    def url(self) -> str:
        """The address of the page."""
        return reverse(f"admin:{self.name}")

    @property
    def command(self) -> str:
        """The command for files that are too large for the page."""
        return f"python manage.py load_{self.kind.name} FILE.{self.kind.suffix}"

    def page(self, request: HttpRequest) -> HttpResponse:
        """The page with download and upload; an uploaded file is stored and its changes are shown.

        It is exempt from Django's CSRF check, which reads the whole request. It discards too large
        requests without storing them, and checks the token of all others.
        """
        publisher(request)
        length = request.META.get("CONTENT_LENGTH") or ""
        is_long = length.isdigit() and int(length) > MAX_BYTES + _FORM_BYTES
        if request.method == "POST" and is_long:
            _drain(request)
            return self._page(request, too_large=True, status=413)
        shown: HttpResponse = csrf_protect(self._upload)(request)
        return shown

    def _upload(self, request: HttpRequest) -> HttpResponse:
        if request.method != "POST":
            return self._page(request)
        form = UploadForm(request.POST, request.FILES)
        if not form.is_valid():
            return self._page(request, form=form, status=422)
        upload = form.cleaned_data["file"]
        if upload.size > MAX_BYTES:
            return self._page(request, form=form, too_large=True, status=413)
        ticket = uploads.store(upload, publisher(request).pk, timezone.now())
        ticket = replace(ticket, reason=form.cleaned_data["reason"])
        return self._preview(request, ticket, form=form)

    def load(self, request: HttpRequest) -> HttpResponse:
        """Load the stored file if its changes are still the ones shown; else show them again."""
        owner = publisher(request).pk
        if request.method != "POST":  # redirected from the login
            return HttpResponseRedirect(self.url)
        try:
            ticket = Ticket.read(request.POST.get("ticket", ""), owner)
            form = ReasonForm(request.POST) if ticket.asks_reason else None
            if form and not form.is_valid():
                return self._preview(request, ticket, confirming=form, status=422)
            if form:
                ticket = replace(ticket, reason=form.cleaned_data["reason"])
            return self._load(request, ticket)
        except UploadMissingError:
            return self._page(request, error=UPLOAD_MISSING, status=410)

    def download(self, request: HttpRequest) -> FileResponse:
        """Download everything as one file.

        It is written completely before the first byte is sent, so that an error gives an error page
        and not an incomplete file, and a slow connection keeps no transaction open.
        """
        publisher(request)
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
        for piece in self.kind.dump():
            file.write(piece.encode())
        file.seek(0)
        name = f"{self.kind.name}-{timezone.now():%Y-%m-%d}.{self.kind.suffix}"
        return FileResponse(
            file, as_attachment=True, filename=name, content_type=self.kind.content_type
        )

    @contextmanager
    def _claimed_changes(self, request: HttpRequest, ticket: Ticket) -> Iterator[Changes]:
        """What the stored file of a ticket changes now; nobody else can load it meanwhile."""
        with uploads.claimed(ticket) as file:
            document = self.kind.read(file, None)
            if self.max_rows and document.number_of("tools") > self.max_rows:
                sentence = f"has more than {self.max_rows:,} rows, the maximum here: load it on the"
                fault = Fault("the file", f"{sentence} server with “{self.command}”")
                raise InvalidFileError([fault])
            save = Save(user=publisher(request), note=self.kind.note)
            yield compare(document, save, ticket.reason or self.kind.reason)

    def _preview(
        self,
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
            with self._claimed_changes(request, ticket) as changes:
                pass
        except InvalidFileError as error:
            uploads.discard(ticket)
            own = {"faults": error.faults, "file_title": ticket.title}
            return self._page(request, form=form, status=422, **own)
        if not changes.changed_anything:
            uploads.discard(ticket)
            note = f"{ticket.title} would change nothing: the site already has all its content."
            return self._page(request, note=f"{note} {_overruled(changes)}".rstrip())
        asks = bool(changes.on_record.total and self.kind.reason)
        ticket = replace(ticket, fingerprint=changes.fingerprint, asks_reason=asks)
        context = {
            **admin.site.each_context(request),
            "title": f"What {ticket.title} would change",
            "screen": self,
            "ticket": ticket.signed(),
            "note": note,
            "counts": changes.counts,
            "change_lists": changes.lists(),
            "form": (confirming or ReasonForm()) if asks else None,
        }
        return render(request, "admin/upload_check.html", context, status=status)

    def _load(self, request: HttpRequest, ticket: Ticket) -> HttpResponse:
        """Load the file of a ticket, all or nothing."""
        try:
            with self._claimed_changes(request, ticket) as changes:
                if changes.fingerprint != ticket.fingerprint:
                    raise SiteChangedError
                apply(changes)
                uploads.discard(ticket)
        except (InvalidFileError, SiteChangedError):
            return self._preview(request, ticket, note=CHANGED_MEANWHILE, status=409)
        messages.success(request, f"Loaded {ticket.title}: {_summary(changes)}.")
        if overruled := _overruled(changes):
            messages.warning(request, overruled)
        return HttpResponseRedirect(self.url)

    def _page(
        self,
        request: HttpRequest,
        *,
        form: UploadForm | None = None,
        status: int = 200,
        **more: Any,
    ) -> HttpResponse:
        """The page, with messages above its form."""
        context = {
            **admin.site.each_context(request),
            "title": self.title,
            "screen": self,
            "form": form or UploadForm(),
            "max_megabytes": MAX_BYTES // 1024**2,
            "max_rows": f"{self.max_rows:,}" if self.max_rows else "",
            **more,
        }
        template = f"admin/{self.name.replace('-', '_')}.html"
        return render(request, template, context, status=status)


def publisher(request: HttpRequest) -> User:
    """The editor; raises PermissionDenied without permission to publish all that files change."""
    if not (isinstance(request.user, User) and request.user.has_perms(RIGHTS)):
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
    """A sentence on the entry prices that contradict the plans; empty if there are none."""
    overruled = changes.overruled
    return f"{OVERRULED_PRICES}: {overruled.in_words(MAX_NAMED)}." if overruled.total else ""


def _drain(request: HttpRequest) -> None:
    """Read and discard the request body: browsers show a response only after sending all of it."""
    left = _MAX_DRAINED
    while left > 0 and (piece := request.read(_FORM_BYTES)):
        left -= len(piece)


CATALOGUE = UploadScreen("Catalogue", "catalogue", files.CATALOGUE)
TAKES_CSV = UploadScreen("Takes as CSV", "takes-csv", files.TAKES, MAX_ROWS)
FACTS_CSV = UploadScreen("Facts as CSV", "facts-csv", files.FACTS, MAX_ROWS)
