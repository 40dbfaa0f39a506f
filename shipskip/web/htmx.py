"""The page to redirect to after a form; and at the desk, whether HTMX sent a request."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme


def is_fragment(request: HttpRequest) -> bool:
    """Whether HTMX sent the request, and so needs a fragment instead of a page."""
    return bool(getattr(request, "htmx", False))


class NextForm(forms.Form):
    """`next` of a form or a page: the path to go back to."""

    next = forms.CharField(required=False, max_length=1_000)


def came_from(request: HttpRequest) -> str:
    """The path of the page of this site that the reader came from, or an empty text.

    Reads `next` of the form or the query, then Referer; addresses of other sites and of the
    requested page itself are ignored.
    """
    form = NextForm(request.POST or request.GET)
    form.full_clean()
    urls: tuple[str, str] = form.cleaned_data.get("next", ""), request.headers.get("Referer", "")
    for url in urls:
        if not url or len(url) > 1_000:
            continue
        if not url_has_allowed_host_and_scheme(url, {request.get_host()}, request.is_secure()):
            continue
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        # A path that starts with two slashes, of either kind, is another site: //evil.example/.
        alone = re.match(r"/(?![/\\])", path) and url_has_allowed_host_and_scheme(path, None)
        if not alone or parts.path == request.path:
            continue
        return path
    return ""


def fragment_or_page(
    request: HttpRequest, fragment: str, page: str, context: Mapping[str, object], status: int = 200
) -> HttpResponse:
    """Render the fragment for HTMX, and the page for other requests."""
    name = fragment if is_fragment(request) else page
    return render(request, name, context, status=status)


def see_other(path: str) -> HttpResponse:
    """A 303 redirect: the POST is done, and the browser loads this path with GET."""
    response = HttpResponseRedirect(path)
    response.status_code = 303
    return response
