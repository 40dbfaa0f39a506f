"""Views to leave, to be forgotten and to come back; the key in the URL is the permission."""

from collections.abc import Callable
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from shipskip.newsletter.models import Subscriber
from shipskip.newsletter.subscribers import subscription
from shipskip.newsletter.subscribers.forms import OneClickForm
from shipskip.web.htmx import see_other

PLAIN = "text/plain; charset=utf-8"


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, key: str) -> HttpResponse:
    """A page with a button; POST leaves, from the button or from a mail program (RFC 8058).

    A mail program sends no cookie or token and follows no redirect: it gets a plain 200. The key,
    which is only in the reader's own mails, is the permission.
    """
    response = _end(request, key, subscription.leave, "newsletter/leave.html")
    if response.status_code == 303 and OneClickForm(request.POST).is_valid():
        return HttpResponse("You have left. You will get no more mail.\n", content_type=PLAIN)
    return response


@require_http_methods(["GET", "HEAD", "POST"])
def forget(request: HttpRequest, key: str) -> HttpResponse:
    """A page that asks for confirmation; POST deletes the address and its data, except a hash."""
    return _end(request, key, subscription.forget, "newsletter/forget.html")


def _end(
    request: HttpRequest, key: str, end: Callable[[Subscriber, datetime], None], template: str
) -> HttpResponse:
    """GET shows the template; POST ends the subscription and redirects (303) to what was done."""
    subscriber = Subscriber.objects.with_key(key)
    if subscriber is None and not subscription.is_key_forgotten(key):
        return render(request, "newsletter/unknown_link.html", status=404)
    if request.method == "POST":
        if subscriber:
            end(subscriber, timezone.now())
        return see_other(request.path)
    if subscriber is None:
        return render(request, "newsletter/forgotten.html", {"key": key})
    return render(request, template, {"subscriber": subscriber})


@require_http_methods(["GET", "HEAD", "POST"])
def allow(request: HttpRequest, key: str) -> HttpResponse:
    """POST lets an address that was forgotten, or that complained, join again."""
    if request.method == "POST":
        subscription.allow_again(key)
        return see_other("/newsletter/join/?free=yes")
    subscriber = Subscriber.objects.with_key(key)
    barred = subscriber.complained if subscriber else subscription.is_key_forgotten(key)
    if not barred:
        return render(request, "newsletter/unknown_link.html", status=404)
    return render(request, "newsletter/allow.html", {"key": key})
