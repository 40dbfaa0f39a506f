"""Where a form was sent from, as the browser says."""

from django.conf import settings
from django.http import HttpRequest


def from_our_own_page(request: HttpRequest) -> bool:
    """Whether the browser says that the form was sent from a page of this site: `Origin`, or
    `Referer` where that is missing, names its scheme, host and port or a trusted origin.
    """
    ours = {f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS}
    sender = request.headers.get("Origin")
    if sender is None:
        sender = "/".join(request.headers.get("Referer", "").split("/", 3)[:3])
    return sender in ours
