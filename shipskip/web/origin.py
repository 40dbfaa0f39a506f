"""The origin of a form, from the browser's headers."""

from django.conf import settings
from django.http import HttpRequest


def from_our_own_page(request: HttpRequest) -> bool:
    """Whether the form was sent from a page of this site: `Origin`, or without it `Referer`, has
    the site's scheme, host and port, or a trusted origin.
    """
    ours = {f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS}
    sender = request.headers.get("Origin")
    if sender is None:
        sender = "/".join(request.headers.get("Referer", "").split("/", 3)[:3])
    return sender in ours
