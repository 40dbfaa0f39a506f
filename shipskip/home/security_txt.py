"""The contact for security reports: `/.well-known/security.txt`."""

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

EXPIRES_AFTER = timedelta(days=180)


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """The contact, and an expiry date half a year from now (RFC 9116).

    No cache may store it, so that the expiry date is always current.
    """
    lines = [
        f"Contact: {settings.SECURITY_CONTACT}",
        f"Expires: {timezone.now() + EXPIRES_AFTER:%Y-%m-%dT00:00:00Z}",
        "Preferred-Languages: en",
        f"Canonical: {settings.SITE_URL}{request.path}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
