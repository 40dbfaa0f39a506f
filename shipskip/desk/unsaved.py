"""Store the text that an editor types, until it is saved or discarded."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_POST

from shipskip.editing.draft_recovery import has_recoverable_form, to_json
from shipskip.editing.models import UnsavedText
from shipskip.web.htmx import see_other

MAX_LENGTH = 1_000_000
"""Maximum length of the JSON in characters; fits a tool with thirty takes of maximum length."""


class PathForm(forms.Form):
    """The address of a form whose text can be stored."""

    path = forms.CharField(max_length=200)

    def clean_path(self) -> str:
        """The path; raises ValidationError if its page has no such form."""
        path: str = self.cleaned_data["path"]
        if not has_recoverable_form(path):
            raise forms.ValidationError("The text of this page cannot be stored.")
        return path


@require_POST
def store_text(request: HttpRequest) -> HttpResponse:
    """Store the fields of the form at `?path=` for this editor; without fields, delete them."""
    form = PathForm(request.GET)
    if not form.is_valid():
        return HttpResponse(form.errors.as_text(), status=400, content_type="text/plain")
    text, own = to_json(request), UnsavedText.objects.at(form.cleaned_data["path"], request.user.pk)
    if len(text) > MAX_LENGTH:
        return HttpResponse("The text is too long.", status=413, content_type="text/plain")
    if text == "{}":
        own.delete()
    else:
        UnsavedText.objects.update_or_create(
            editor_id=request.user.pk,
            path=form.cleaned_data["path"],
            defaults={"form": text, "typed_at": timezone.now()},
        )
    return HttpResponse(status=204)


@require_POST
def discard_text(request: HttpRequest) -> HttpResponse:
    """Discard the stored text of the form at `path`, and redirect back to it."""
    form = PathForm(request.POST)
    if not form.is_valid():
        return HttpResponse(form.errors.as_text(), status=400, content_type="text/plain")
    path = form.cleaned_data["path"]
    UnsavedText.objects.at(path, request.user.pk).delete()
    messages.success(request, "The text that you left here was discarded.")
    return see_other(path)
