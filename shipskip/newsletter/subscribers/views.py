"""Views to join the newsletter and to confirm."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from shipskip.newsletter.models import Confirmation, SubscriberState
from shipskip.newsletter.subscribers import confirmations, subscription
from shipskip.newsletter.subscribers.forms import JoinForm, JoinPageForm
from shipskip.web.htmx import see_other
from shipskip.web.mail_addresses import MailAddress
from shipskip.web.refusals import RefusedError
from shipskip.web.visitor_forms import Context, VisitorForm


class SignUp(VisitorForm):
    """Requests a confirmation mail; the response is the same for all addresses."""

    template, changed_template = "newsletter/join.html", "_join.html"
    unavailable = "Your address could not be saved. Send it again in a moment."

    @sensitive_variables()
    def act(self) -> None:
        """Save the request and send the mail."""
        form = JoinForm(self.request.POST)
        if not form.is_valid():
            raise RefusedError(form.error, 400)
        address: MailAddress = form.cleaned_data["address"]
        subscription.admit_network(self.network, self.now)
        if confirmation := subscription.request_join(address, self.now):
            confirmations.dispatch(confirmation)

    def done_url(self) -> str:
        """The page that says what to do next."""
        return "?" + urlencode({"asked": "yes"} | ({"next": self.back} if self.back else {}))

    def context(self) -> Context:
        """Whether a mail was asked for."""
        form = JoinPageForm(self.request.GET)
        form.full_clean()
        return form.cleaned_data

    def changed(self) -> Context:
        """What to do next, instead of the form."""
        return {"asked": True}

    def refused(self, error: RefusedError) -> Context:
        """The typed address and the error."""
        return {"typed": JoinForm(self.request.POST).typed, "error": str(error)}

    def refused_in_place(self, error: RefusedError) -> HttpResponse:
        """The form again: it gets the focus and says that its address is wrong."""
        return self.render(self.changed_template, self.refused(error))


join, join_in_place = SignUp.views()


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
