"""Views to join the newsletter and to confirm."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from shipskip.newsletter.models import Confirmation, SubscriberState
from shipskip.newsletter.subscribers import confirmations, rate_limit, subscription
from shipskip.newsletter.subscribers.forms import JoinForm, JoinPageForm
from shipskip.newsletter.subscribers.mail_addresses import MailAddress
from shipskip.web.htmx import came_from, see_other
from shipskip.web.network import client_address, network_of
from shipskip.web.refusals import RefusedError
from shipskip.web.same_origin import same_origin_only

RETRY_SECONDS = 5
NETWORK_LIMIT_REACHED = "Too many requests came from your network today. Try again tomorrow."
DATABASE_UNAVAILABLE = "Your address could not be saved. Send it again in a moment."


@dataclass(frozen=True)
class JoinRefusal:
    """Why a request to join was refused, and the address that was typed."""

    error: RefusedError
    typed: str

    def answer(self, request: HttpRequest, template: str) -> HttpResponse:
        """The form again, with the typed address and the error."""
        context = {"typed": self.typed, "error": str(self.error), "next": came_from(request)}
        return self.error.headed(render(request, template, context, status=self.error.status))


@same_origin_only
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """The form to join, and after it what to do next; POST sends a confirmation mail.

    The response is the same for all addresses.
    """
    back = came_from(request)
    if request.method != "POST":
        form = JoinPageForm(request.GET)
        form.full_clean()
        return render(request, "newsletter/join.html", {**form.cleaned_data, "next": back})
    if refusal := _request_join(request):
        return refusal.answer(request, "newsletter/join.html")
    return see_other("?" + urlencode({"asked": "yes"} | ({"next": back} if back else {})))


@same_origin_only
@sensitive_post_parameters()
@require_POST
def join_in_place(request: HttpRequest) -> HttpResponse:
    """Join with HTMX: the response replaces the form."""
    if refusal := _request_join(request):
        return refusal.answer(request, "_join.html")
    return render(request, "_join.html", {"asked": True})


@sensitive_variables()
def _request_join(request: HttpRequest) -> JoinRefusal | None:
    """Save the request and send the mail; return the refusal if it was refused, else None."""
    now = timezone.now()
    form = JoinForm(request.POST)
    if not form.is_valid():
        return JoinRefusal(RefusedError(form.error, 400), form.typed)
    address: MailAddress = form.cleaned_data["address"]
    try:
        if not rate_limit.admit(network_of(client_address(request)), now):
            error = RefusedError(NETWORK_LIMIT_REACHED, 429, _seconds_until_tomorrow(now))
            return JoinRefusal(error, form.typed)
        confirmation = subscription.request_join(address, now)
    except (OperationalError, InterfaceError):
        return JoinRefusal(RefusedError(DATABASE_UNAVAILABLE, 503, RETRY_SECONDS), form.typed)
    if confirmation:
        confirmations.dispatch(confirmation)
    return None


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
        return render(request, "newsletter/unknown_link.html", status=404)
    if request.method == "POST":
        subscription.confirm(confirmation, now)
        return see_other(request.path)
    subscriber = confirmation.subscriber
    confirmed = subscriber.state == SubscriberState.CONFIRMED
    can_confirm = subscriber.state == SubscriberState.WAITING and confirmation.can_confirm(now)
    context = {"subscriber": subscriber, "confirmed": confirmed, "can_confirm": can_confirm}
    return render(request, "newsletter/confirm.html", context)
