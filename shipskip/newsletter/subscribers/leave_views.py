"""Leaving, being forgotten, and coming back; the key in the address is all that is asked for."""

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

    The latter comes without cookie or token and follows no redirect: it gets a plain 200. The key,
    which stands in the reader's own mails alone, is the permission.
    """
    subscriber = Subscriber.objects.at(key)
    if subscriber is None and not subscription.is_forgotten(key):
        return render(request, "newsletter/unknown.html", status=404)
    if request.method == "POST":
        if subscriber:
            subscription.leave(subscriber, timezone.now())
        if OneClickForm(request.POST).is_valid():
            return HttpResponse("You have left. No more mail will come.\n", content_type=PLAIN)
        return see_other(request.path)
    if subscriber is None:
        return render(request, "newsletter/forgotten.html", {"key": key})
    return render(request, "newsletter/leave.html", {"subscriber": subscriber})


@require_http_methods(["GET", "HEAD", "POST"])
def forget(request: HttpRequest, key: str) -> HttpResponse:
    """Asks first; then deletes the address and what belongs to it, but for a seal."""
    subscriber = Subscriber.objects.at(key)
    if subscriber is None and not subscription.is_forgotten(key):
        return render(request, "newsletter/unknown.html", status=404)
    if request.method == "POST":
        if subscriber:
            subscription.forget(subscriber, timezone.now())
        return see_other(request.path)
    if subscriber is None:
        return render(request, "newsletter/forgotten.html", {"key": key})
    return render(request, "newsletter/forget.html", {"subscriber": subscriber})


@require_http_methods(["GET", "HEAD", "POST"])
def allow(request: HttpRequest, key: str) -> HttpResponse:
    """For who was forgotten or complained and changed their mind: lets the address join again."""
    if request.method == "POST":
        subscription.let_back(key)
        return see_other("/newsletter/join/?free")
    subscriber = Subscriber.objects.at(key)
    barred = subscriber.complained if subscriber else subscription.is_forgotten(key)
    if not barred:
        return render(request, "newsletter/unknown.html", status=404)
    return render(request, "newsletter/allow.html", {"key": key})
