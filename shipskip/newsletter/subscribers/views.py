"""Joining the newsletter, and confirming it."""

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
from shipskip.web.origin import from_our_own_page

RETRY_SECONDS = 5
TEMPLATES = ("_join.html", "newsletter/join.html")
CROWDED = "So many addresses came from your network today that we take no more. Try tomorrow."
AWAY = "Your address could not be kept just now. Send it again in a moment."


@csrf_exempt
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """The form to join; POST asks for a mail to confirm. The answer is one for all addresses.

    A token is asked for where the browser does not say that the form was on a page of ours. Who
    comes straight from another page may have two tokens under way, and the older one last.
    """
    if request.method == "POST":
        ours = from_our_own_page(request)
        answer = _ask if ours else csrf_protect(_ask)
        return answer(request)
    form = JoinPageForm(request.GET)
    form.full_clean()
    context = {**form.cleaned_data, "stamp": form_timestamps.timestamp(timezone.now())}
    return render(request, "newsletter/join.html", context)


@sensitive_variables()
def _ask(request: HttpRequest) -> HttpResponse:
    """Take the wish down, have the mail sent, and say what to do next."""
    now = timezone.now()
    form = JoinForm(request.POST, now=now)
    if not form.is_valid():
        return _again(request, form, form.complaint, 400)
    address: Address = form.cleaned_data["address"]
    try:
        if not rate_limit.admit(network_of(client_address(request)), now):
            response = _again(request, form, CROWDED, 429)
            response["Retry-After"] = str(_seconds_of_today(now))
            return response
        confirmation = subscription.ask(address, now)
    except (OperationalError, InterfaceError):
        response = _again(request, form, AWAY, 503)
        response["Retry-After"] = str(RETRY_SECONDS)
        return response
    if confirmation:
        confirmations.post(confirmation)
    if is_fragment(request):
        return render(request, "_join.html", {"asked": True})
    return see_other("?asked")


def _again(request: HttpRequest, form: JoinForm, said: str, status: int) -> HttpResponse:
    """The form with what was typed and what is wrong."""
    context = {"typed": form.typed, "said": said, "stamp": form.next_stamp}
    return fragment_or_page(request, *TEMPLATES, context, status)


def _seconds_of_today(now: datetime) -> int:
    """Until the next day begins (UTC)."""
    tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    return int((tomorrow - now).total_seconds()) + 1


@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, key: str) -> HttpResponse:
    """The page a confirmation mail leads to; its button confirms, opening it changes nothing."""
    now = timezone.now()
    confirmation = Confirmation.objects.at(key)
    if confirmation is None:
        return render(request, "newsletter/unknown.html", status=404)
    if request.method == "POST":
        subscription.confirm(confirmation, now)
        return see_other(request.path)
    subscriber = confirmation.subscriber
    confirmed = subscriber.state == SubscriberState.CONFIRMED
    opens = subscriber.state == SubscriberState.WAITING and confirmation.opens(now)
    context = {"subscriber": subscriber, "confirmed": confirmed, "opens": opens}
    return render(request, "newsletter/confirm.html", context)
