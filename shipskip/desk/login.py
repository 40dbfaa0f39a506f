"""The login of the desk, with limits on failed attempts and on concurrent password checks."""

from threading import BoundedSemaphore
from typing import Any

from axes.models import AccessAttempt
from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.models import User
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db.models import Sum
from django.http import HttpRequest
from django.utils import timezone

from shipskip.editing.fields import name_what_is_missing
from shipskip.web.network import client_address_text

HASHES_AT_ONCE = 1
"""Maximum of concurrent password checks in a process: each takes a third of a second of a core."""

RETRY_SECONDS = 2
BUSY = "busy"

hashing = BoundedSemaphore(HASHES_AT_ONCE)


class LoginForm(AdminAuthenticationForm):
    """Django's login form, with a maximum length of the username and a limit on concurrent checks.

    The maximum length is that of the column in the log of failed logins.
    """

    username = UsernameField(
        max_length=User._meta.get_field("username").max_length,
        widget=forms.TextInput(attrs={"autofocus": True}),
    )

    error_messages = AdminAuthenticationForm.error_messages | {
        "invalid_login": "Username or password is wrong, or this account may not open the desk. "
        "Capital and small letters differ in both.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            name_what_is_missing(field)

    def clean(self) -> dict[str, object]:
        """Check the password; if too many others are being checked, raise an error, do not wait."""
        if not hashing.acquire(blocking=False):
            raise ValidationError(
                "Other logins are being checked. Wait a few seconds, then log in again.", code=BUSY
            )
        try:
            return super().clean()
        finally:
            hashing.release()

    @property
    def is_busy(self) -> bool:
        """Whether the password was not checked because of too many other checks."""
        return self.has_error(NON_FIELD_ERRORS, BUSY)


def lockout_parameters(
    request: HttpRequest, credentials: object = None
) -> list[str] | list[list[str]]:
    """For django-axes: lock a name from one address, or after many failures the whole address."""
    recent = AccessAttempt.objects.filter(
        ip_address=client_address_text(request) or None,
        attempt_time__gte=timezone.now() - settings.AXES_COOLOFF_TIME,
    )
    failures = recent.aggregate(total=Sum("failures_since_start"))["total"] or 0
    if failures >= settings.LOGIN_FAILURES_PER_ADDRESS:
        return ["ip_address"]
    return [["username", "ip_address"]]
