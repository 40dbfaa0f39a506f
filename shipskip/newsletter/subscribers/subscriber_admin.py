"""The admin of subscribers: addresses are masked, and each view of a full address is logged.

The search for an address uses POST, since query strings appear in logs.
"""

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from shipskip.editing.admin_base import BaseAdmin, View
from shipskip.editing.foreign_key_fields import is_key
from shipskip.newsletter.models import AddressLook, Subscriber
from shipskip.newsletter.subscribers import subscription
from shipskip.newsletter.subscribers.export import export
from shipskip.web import mail_addresses
from shipskip.web.htmx import see_other
from shipskip.web.mail_addresses import AddressField

SHOWN = ("masked", "state", "joined_at", "confirmed_at", "ended_at", "ended_why")
ENDED_BY_EDITOR = "ended at the desk"
MAY_ACT = "newsletter.change_subscriber"
"""The permission to see full addresses and act for their owners."""


class EndSubscriptionForm(forms.Form):
    """Why an editor ends a subscription."""

    reason = forms.CharField(max_length=200)


class FindForm(forms.Form):
    """The address to search for."""

    address = AddressField(error_messages={"required": "Enter the address to find."})


class ForgetAddressForm(forms.Form):
    """Confirms that the owner asked to have the address forgotten."""

    sure = forms.BooleanField()


@admin.register(Subscriber)
class SubscriberAdmin(BaseAdmin[Subscriber]):
    """Subscribers join and leave by themselves; editors only help and answer questions."""

    list_display = SHOWN
    list_filter = ["state"]
    fields = readonly_fields = SHOWN
    ordering = ["-pk"]
    change_list_template = "admin/subscribers.html"
    change_form_template = "admin/subscriber.html"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only the owner of an address can confirm it."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Subscriber | None = None) -> bool:
        """No field is editable; the actions below have their own URLs."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Subscriber | None = None) -> bool:
        """Addresses cannot be deleted here; “forget” deletes them and stores a hash."""
        return False

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """One subscriber, masked, with the actions for permitted editors and the address views."""
        context = {"may_act": request.user.has_perm(MAY_ACT), **(extra_context or {})}
        if is_key(object_id):
            address_views = AddressLook.objects.filter(subscriber=int(object_id))
            context["looks"] = list(address_views[:50])
        return super().change_view(request, object_id, form_url, context)

    @method_decorator(sensitive_post_parameters())
    def find_view(self, request: HttpRequest) -> HttpResponse:
        """Redirect from an address to its subscriber, without the address in the URL."""
        form = FindForm(request.POST)
        if not form.is_valid():
            messages.error(request, str(form.errors["address"][0]))
            return see_other(reverse("admin:newsletter_subscriber_changelist"))
        address = form.cleaned_data["address"]
        found = Subscriber.objects.of_address(address.normalised)
        if found:
            return self.redirect_to("change", found.pk)
        forgotten = subscription.is_address_forgotten(address.normalised)
        state = "was forgotten and gets no mail." if forgotten else "is not a subscriber."
        messages.warning(request, f"{mail_addresses.masked(address.typed)} {state}")
        return see_other(reverse("admin:newsletter_subscriber_changelist"))

    def show_address_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The subscriber's page with the full address; the view is logged first."""
        subscriber = get_object_or_404(Subscriber, pk=pk)
        _log_address_view(request, subscriber, "looked")
        request.method = "GET"  # the same page, for reading
        return self.change_view(request, str(pk), extra_context={"whole": subscriber.address})

    def export_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """All data stored about one subscriber, as a file for its owner; the export is logged."""
        subscriber = get_object_or_404(Subscriber, pk=pk)
        _log_address_view(request, subscriber, "exported")
        answer = JsonResponse(export(subscriber), json_dumps_params={"indent": 1})
        answer["Content-Disposition"] = f'attachment; filename="subscriber-{pk}.json"'
        return answer

    def end_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """End a subscription, with a reason, for an owner who asked elsewhere."""
        subscriber = get_object_or_404(Subscriber, pk=pk)
        form = EndSubscriptionForm(request.POST)
        if not form.is_valid():
            messages.error(request, "Nothing was changed: enter the reason.")
            return self.redirect_to("change", pk)
        reason = mail_addresses.without_addresses(form.cleaned_data["reason"])
        subscription.leave(subscriber, timezone.now(), f"{ENDED_BY_EDITOR}: {reason}")
        self.log_change(request, subscriber, f"Ended: {reason}")
        messages.success(request, "This address gets no more mail.")
        return self.redirect_to("change", pk)

    def forget_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Forget an address for an owner who asked elsewhere; needs the checkbox."""
        subscriber = get_object_or_404(Subscriber, pk=pk)
        if not ForgetAddressForm(request.POST).is_valid():
            messages.error(request, "Nothing was changed: tick that the owner asked for this.")
            return self.redirect_to("change", pk)
        self.log_deletions(request, Subscriber.objects.filter(pk=pk))
        subscription.forget(subscriber, timezone.now())
        messages.success(request, "The address is forgotten and gets no more mail.")
        return see_other(reverse("admin:newsletter_subscriber_changelist"))


def _act(view: View) -> View:
    """A view that answers POST, for editors with the permission to act."""
    return require_POST(permission_required(MAY_ACT, raise_exception=True)(view))


SubscriberAdmin.page("find/", "find", _act)(SubscriberAdmin.find_view)
SubscriberAdmin.page("<int:pk>/look/", "look", _act)(SubscriberAdmin.show_address_view)
SubscriberAdmin.page("<int:pk>/export/", "export", _act)(SubscriberAdmin.export_view)
SubscriberAdmin.page("<int:pk>/end/", "end", _act)(SubscriberAdmin.end_view)
SubscriberAdmin.page("<int:pk>/forget/", "forget", _act)(SubscriberAdmin.forget_view)


def _log_address_view(request: HttpRequest, subscriber: Subscriber, act: str) -> None:
    """Log which editor sees which address, before it is shown."""
    AddressLook.objects.create(
        who_id=request.user.pk,
        who_then=request.user.get_username(),
        subscriber=subscriber,
        act=act,
        at=timezone.now(),
    )
