"""The login of the desk, with limits on failed attempts and on concurrent password checks.

Wrong passwords are counted by network. A browser that once logged in under a name has a signed
cookie, and is counted apart from its network under that name: so nobody who enters wrong passwords
locks an editor out of the editor's own browser.
"""

import hashlib
import secrets
from datetime import timedelta
from ipaddress import IPv6Address
from threading import BoundedSemaphore
from typing import Any

from axes.models import AccessAttempt
from django import forms
from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.models import User
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.signing import BadSignature, TimestampSigner
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from shipskip.editing.fields import name_what_is_missing
from shipskip.web.desk_path import DESK_PATH
from shipskip.web.network import client_address, network_of

HASHES_AT_ONCE = 1
"""Maximum of concurrent password checks in a process: each takes a third of a second of a core."""

WAITING_AT_ONCE = 1
"""Maximum of logins in a process that wait for their turn: each keeps a thread from readers."""

RETRY_SECONDS = 2
"""How long a login waits for its turn, and how long a browser should wait if that was too short."""
BUSY = "busy"

KNOWN_BROWSER_LIFETIME = timedelta(days=90)
KNOWN_BROWSERS = IPv6Address("100::")
"""Begins the addresses under which django-axes counts known browsers: from there no packet comes
(RFC 6666).
"""

hashing = BoundedSemaphore(HASHES_AT_ONCE)
waiting = BoundedSemaphore(WAITING_AT_ONCE)


class LoginForm(AdminAuthenticationForm):
    """Django's login form, with a maximum length of the username and a limit on concurrent checks.

    The maximum length is that of the column in the log of failed logins.
    """

    username = UsernameField(
        max_length=User._meta.get_field("username").max_length,
        widget=forms.TextInput(attrs={"autofocus": True}),
    )

    shared = forms.BooleanField(
        required=False,
        label="This is a shared computer",
        label_suffix="",
        help_text="This browser stores no copy of what you type and have not saved.",
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
        """Check the password when it is its turn; raise an error if that takes too long."""
        if not _is_its_turn():
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


def _is_its_turn() -> bool:
    """Acquire `hashing`, after a wait if few others wait; return whether it was acquired."""
    if hashing.acquire(blocking=False):
        return True
    if not waiting.acquire(blocking=False):
        return False
    try:
        return hashing.acquire(timeout=RETRY_SECONDS)
    finally:
        waiting.release()


def login_source(request: HttpRequest) -> str:
    """For django-axes: the address under which the failures of a login are counted.

    It is the first one of the network (IPv4 /24, IPv6 /48), or for a known browser one made from
    its cookie. Empty without an address.
    """
    name = _username(request)
    cookie = request.COOKIES.get(_cookie_name(name), "")
    if name and 0 < len(cookie) <= 200:
        try:
            browser = _signer(name).unsign(cookie, max_age=KNOWN_BROWSER_LIFETIME)
            return str(KNOWN_BROWSERS + int(browser, 16))
        except (BadSignature, ValueError):
            pass
    address = client_address(request)
    return network_of(address).partition("/")[0] if address else ""


def remember_browser(request: HttpRequest, response: HttpResponse) -> None:
    """Set the cookie by which this browser is known under the name that has just logged in."""
    name = _username(request)
    response.set_cookie(
        _cookie_name(name),
        _signer(name).sign(secrets.token_hex(8)),
        max_age=KNOWN_BROWSER_LIFETIME,
        path=DESK_PATH,
        secure=settings.SECURE_SITE,
        httponly=True,
        samesite="Lax",
    )


def _username(request: HttpRequest) -> str:
    """The entered name, as the form reads it."""
    return str(LoginForm.base_fields["username"].to_python(request.POST.get("username", "")))


def _cookie_name(username: str) -> str:
    """The cookie of a name; a browser may be known under several."""
    return f"login-{hashlib.sha256(username.encode(errors='replace')).hexdigest()[:16]}"


def _signer(username: str) -> TimestampSigner:
    return TimestampSigner(salt=f"shipskip.login.{username}")


def lockout_parameters(
    request: HttpRequest, credentials: object = None
) -> list[str] | list[list[str]]:
    """For django-axes: lock a name from one network, or after many failures the whole network."""
    recent = AccessAttempt.objects.filter(
        ip_address=login_source(request) or None,
        attempt_time__gte=timezone.now() - settings.AXES_COOLOFF_TIME,
    )
    failures = recent.aggregate(total=Sum("failures_since_start"))["total"] or 0
    if failures >= settings.LOGIN_FAILURES_PER_NETWORK:
        return ["ip_address"]
    return [["username", "ip_address"]]
