"""The cookie with which a script of public pages offers an editor to edit them."""

from django.conf import settings
from django.http import HttpResponse
from django.urls import reverse

COOKIE = "desk"


def offer(response: HttpResponse) -> None:
    """Set the cookie of a browser that has logged in; scripts may read it, and it only says where
    the desk is.
    """
    response.set_cookie(
        COOKIE, reverse("admin:index"), secure=settings.SECURE_SITE, samesite="Lax", httponly=False
    )
