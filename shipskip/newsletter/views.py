"""The weekly mailing: joining is not open yet."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from shipskip.web.closed import closed


@require_safe
def join(request: HttpRequest) -> HttpResponse:
    """Joining the newsletter is not open yet."""
    instead = "Until then the newest verdicts are on the home page."
    return closed(request, "The newsletter", instead, reverse("home"))
