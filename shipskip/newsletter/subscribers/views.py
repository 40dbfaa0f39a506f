"""Views to join the newsletter and to confirm."""

from datetime import datetime, timedelta

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from shipskip.newsletter.models import Confirmation, SubscriberState
from shipskip.newsletter.subscribers import confirmations, rate_limit, subscription
from shipskip.newsletter.subscribers.forms import JoinForm, JoinPageForm
from shipskip.newsletter.subscribers.mail_addresses import Address
from shipskip.web import form_timestamps
from shipskip.web.htmx import fragment_or_page, is_fragment, see_other
from shipskip.web.network import client_address, network_of
from shipskip.web.own_page import sent_by_own_page

RETRY_SECONDS = 5
TEMPLATES = ("_join.html", "newsletter/join.html")
NETWORK_LIMIT_REACHED = "Too many requests came from your network today. Try again tomorrow."
DATABASE_UNAVAILABLE = "Your address could not be saved. Send it again in a moment."


@csrf_exempt
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """The form to join; POST sends a confirmation mail. The response is the same for all addresses.

    A CSRF token is only required if the browser's headers do not prove that the form was on our
    page: two responses at once may set two tokens, of which the older arrives last.
    """
    if request.method == "POST":
        same_site = sent_by_own_page(request)
        handler = _handle_join if same_site else csrf_protect(_handle_join)
        return handler(request)
    form = JoinPageForm(request.GET)
    form.full_clean()
    context = {**form.cleaned_data, "stamp": form_timestamps.timestamp(timezone.now())}
    return render(request, "newsletter/join.html", context)


@sensitive_variables()
def _handle_join(request: HttpRequest) -> HttpResponse:
    """Save the request, send the mail, and respond with what to do next."""
    now = timezone.now()
    form = JoinForm(request.POST, now=now)
    if not form.is_valid():
        return _redisplay(request, form, form.error, 400)
    address: Address = form.cleaned_data["address"]
    try:
        if not rate_limit.admit(network_of(client_address(request)), now):
            response = _redisplay(request, form, NETWORK_LIMIT_REACHED, 429)
            response["Retry-After"] = str(_seconds_until_tomorrow(now))
            return response
        confirmation = subscription.request_join(address, now)
    except (OperationalError, InterfaceError):
        response = _redisplay(request, form, DATABASE_UNAVAILABLE, 503)
        response["Retry-After"] = str(RETRY_SECONDS)
        return response
    if confirmation:
        confirmations.dispatch(confirmation)
    if is_fragment(request):
        return render(request, "_join.html", {"asked": True})
    return see_other("?asked")


def _redisplay(request: HttpRequest, form: JoinForm, error: str, status: int) -> HttpResponse:
    """The form again, with the typed address and the error."""
    context = {"typed": form.typed, "error": error, "stamp": form.next_timestamp}
    return fragment_or_page(request, *TEMPLATES, context, status)


def _seconds_until_tomorrow(now: datetime) -> int:
    """Seconds until the next day starts (UTC)."""
    tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return int((tomorrow - now).total_seconds()) + 1


@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, key: str) -> HttpResponse:
    """The page that a confirmation mail links to; only its button (POST) confirms."""
    now = timezone.now()
    confirmation = Confirmation.objects.with_key(key)
    if confirmation is None:
        return render(request, "newsletter/unknown.html", status=404)
    if request.method == "POST":
        subscription.confirm(confirmation, now)
        return see_other(request.path)
    subscriber = confirmation.subscriber
    confirmed = subscriber.state == SubscriberState.CONFIRMED
    can_confirm = subscriber.state == SubscriberState.WAITING and confirmation.can_confirm(now)
    context = {"subscriber": subscriber, "confirmed": confirmed, "can_confirm": can_confirm}
    return render(request, "newsletter/confirm.html", context)
