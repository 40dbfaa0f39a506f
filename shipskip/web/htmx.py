"""HTMX requests: whether a fragment is wanted, and the page the reader is on."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme


def is_fragment(request: HttpRequest) -> bool:
    """Whether HTMX asks, and so wants a fragment instead of a page."""
    return bool(getattr(request, "htmx", False))


class NextForm(forms.Form):
    """`next` of a form: where to go on from it."""

    next = forms.CharField(required=False, max_length=1_000)


def came_from(request: HttpRequest) -> str:
    """The path of the page of this site that the reader came from, or an empty text.

    Looks at what the form carried (`next`), then at the page HTMX was on, then at the referring
    page; addresses of other sites, and of this very page, are not believed.
    """
    form = NextForm(request.POST)
    form.full_clean()
    for url in (
        form.cleaned_data.get("next", ""),
        request.headers.get("HX-Current-URL", ""),
        request.META.get("HTTP_REFERER", ""),
    ):
        if not url or len(url) > 1_000:
            continue
        if not url_has_allowed_host_and_scheme(url, {request.get_host()}, request.is_secure()):
            continue
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        # A path of two slashes is another site once it stands alone: //evil.example/.
        alone = path.startswith("/") and url_has_allowed_host_and_scheme(path, None)
        if not alone or parts.path == request.path:
            continue
        return path
    return ""


def fragment_or_page(
    request: HttpRequest, fragment: str, page: str, context: Mapping[str, object], status: int = 200
) -> HttpResponse:
    """The template that this request wants: the fragment for HTMX, the page for all others."""
    name = fragment if is_fragment(request) else page
    return render(request, name, context, status=status)


def see_other(path: str) -> HttpResponse:
    """303: what was sent is done; read on there."""
    response = HttpResponseRedirect(path)
    response.status_code = 303
    return response
