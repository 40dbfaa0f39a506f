"""The slug that the desk proposes for a name."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from shipskip.web.slugs import propose_slug

KINDS = ("tool", "category", "reviewer", "attribute", "family")


class NameForm(forms.Form):
    """A name, and the kind of row that has it."""

    name = forms.CharField(max_length=200)
    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS])


@require_safe
def slug_proposal(request: HttpRequest) -> HttpResponse:
    """The slug as plain text; empty without a valid name."""
    form = NameForm(request.GET)
    text = propose_slug(**form.cleaned_data) if form.is_valid() else ""
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
