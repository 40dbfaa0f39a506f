"""A page that is announced but not open yet: it says so, with the status that means it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def closed(request: HttpRequest, what: str, instead: str, back: str) -> HttpResponse:
    """503 with no form: what is not open, what a reader can do instead, and the way back."""
    context = {"what": what, "instead": instead, "back": back}
    return render(request, "errors/503.html", context, status=503)
