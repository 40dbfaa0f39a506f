"""The desk of the subscribers: masked, looked at one by one, and each look is written down.

Addresses are searched for by POST: what stands in a query string stands in every log.
"""

from collections.abc import Callable

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from shipskip.editing.choices import is_key
from shipskip.editing.list_admin import ListAdmin
from shipskip.newsletter.models import AddressLook, Subscriber
from shipskip.newsletter.subscribers import mail_addresses, subscription
from shipskip.newsletter.subscribers.export import export
from shipskip.newsletter.subscribers.forms import AddressField
from shipskip.web.htmx import see_other

SHOWN = ("masked", "state", "joined_at", "confirmed_at", "ended_at", "ended_why")
ENDED_AT_THE_DESK = "ended at the desk"


class ReasonForm(forms.Form):
    """Why the desk ends a subscription."""

    reason = forms.CharField(max_length=200)


class FindForm(forms.Form):
    """Whose subscription the desk looks for."""

    address = AddressField(error_messages={"required": "Write the address to find."})


class SureForm(forms.Form):
    """That the owner of an address asked for it to be forgotten."""

    sure = forms.BooleanField()


@admin.register(Subscriber)
class SubscriberAdmin(ListAdmin[Subscriber]):
    """Subscribers come and go by themselves; the desk reads, helps and answers their questions."""

    list_display = SHOWN
    list_filter = ["state"]
    fields = readonly_fields = SHOWN
    ordering = ["-pk"]
    show_full_result_count = False
    actions = None
    change_list_template = "admin/subscribers.html"
    change_form_template = "admin/subscriber.html"

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only an address's owner can confirm it."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Subscriber | None = None) -> bool:
        """Nothing is written over; the acts below have addresses of their own."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Subscriber | None = None) -> bool:
        """An address is forgotten, which leaves its seal; never merely deleted."""
        return False

    def get_urls(self) -> list[URLPattern]:
        """The acts before Django's own addresses, which take any."""
        acts: list[tuple[str, Callable[..., HttpResponse], str]] = [
            ("find/", self.find_view, "find"),
            ("<int:pk>/look/", self.look_view, "look"),
            ("<int:pk>/export/", self.export_view, "export"),
            ("<int:pk>/end/", self.end_view, "end"),
            ("<int:pk>/forget/", self.forget_view, "forget"),
        ]
        own = [
            path(route, self.admin_site.admin_view(view), name=f"newsletter_subscriber_{name}")
            for route, view, name in acts
        ]
        return [*own, *super().get_urls()]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, object] | None = None,
    ) -> HttpResponse:
        """One subscriber, masked, with the acts for those who may and the looks there were."""
        context = {"may_act": _may_act(request), **(extra_context or {})}
        if is_key(object_id):
            looks = AddressLook.objects.filter(subscriber=int(object_id))
            context["looks"] = list(looks[:50])
        return super().change_view(request, object_id, form_url, context)

    @method_decorator(sensitive_post_parameters())
    @method_decorator(require_POST)
    def find_view(self, request: HttpRequest) -> HttpResponse:
        """Lead from an address to its subscriber; the address goes no further than this."""
        _allow(request)
        form = FindForm(request.POST)
        if not form.is_valid():
            messages.error(request, str(form.errors["address"][0]))
            return see_other(reverse("admin:newsletter_subscriber_changelist"))
        address = form.cleaned_data["address"]
        found = Subscriber.objects.of_address(address.normalised)
        if found:
            return _onward(found.pk)
        forgotten = subscription.was_forgotten(address.normalised)
        said = "was forgotten, and is not written to." if forgotten else "is not known here."
        messages.warning(request, f"{mail_addresses.masked(address.typed)} {said}")
        return see_other(reverse("admin:newsletter_subscriber_changelist"))

    @method_decorator(require_POST)
    def look_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The subscriber's page with the address in full; the look is written down first."""
        subscriber = _chosen(request, pk)
        _note(request, subscriber, "looked")
        request.method = "GET"  # the same page, for reading
        return self.change_view(request, str(pk), extra_context={"whole": subscriber.address})

    @method_decorator(require_POST)
    def export_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """All that is kept of one subscriber, as a file for its owner; this is noted too."""
        subscriber = _chosen(request, pk)
        _note(request, subscriber, "exported")
        answer = JsonResponse(export(subscriber), json_dumps_params={"indent": 1})
        answer["Content-Disposition"] = f'attachment; filename="subscriber-{pk}.json"'
        return answer

    @method_decorator(require_POST)
    def end_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """End a subscription for its owner, who asked by another way, with the reason."""
        subscriber = _chosen(request, pk)
        form = ReasonForm(request.POST)
        if not form.is_valid():
            messages.error(request, "Nothing was changed: write the reason.")
            return _onward(pk)
        reason = mail_addresses.without_addresses(form.cleaned_data["reason"])
        subscription.leave(subscriber, timezone.now(), f"{ENDED_AT_THE_DESK}: {reason}")
        self.log_change(request, subscriber, f"Ended: {reason}")
        messages.success(request, "No more mail goes to this address.")
        return _onward(pk)

    @method_decorator(require_POST)
    def forget_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Forget an address for its owner, who asked by another way; the page asks once before."""
        subscriber = _chosen(request, pk)
        if not SureForm(request.POST).is_valid():
            messages.error(request, "Nothing was changed: say that you are sure.")
            return _onward(pk)
        self.log_deletions(request, Subscriber.objects.filter(pk=pk))
        subscription.forget(subscriber, timezone.now())
        messages.success(request, "The address is forgotten, and is not written to again.")
        return see_other(reverse("admin:newsletter_subscriber_changelist"))


def _may_act(request: HttpRequest) -> bool:
    """Whether this editor may see an address in full and act for its owner."""
    return bool(request.user.has_perm("newsletter.change_subscriber"))


def _allow(request: HttpRequest) -> None:
    if not _may_act(request):
        raise PermissionDenied


def _chosen(request: HttpRequest, pk: int) -> Subscriber:
    """The subscriber of an act, for an editor who may do it."""
    _allow(request)
    subscriber = Subscriber.objects.filter(pk=pk).first()
    if subscriber is None:
        raise Http404("This subscriber is no longer here.")
    return subscriber


def _onward(pk: int) -> HttpResponse:
    return see_other(reverse("admin:newsletter_subscriber_change", args=[pk]))


def _note(request: HttpRequest, subscriber: Subscriber, act: str) -> None:
    """Write down who saw what, before they do."""
    AddressLook.objects.create(
        who_id=request.user.pk,
        who_then=request.user.get_username(),
        subscriber=subscriber,
        act=act,
        at=timezone.now(),
    )
