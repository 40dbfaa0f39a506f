"""An anonymous browser that voted or bookmarked: a random id in a signed cookie, nothing else.

Reading never makes a visitor; the first act does. A forged or damaged cookie is a new visitor.
Keys in SECRET_KEY_FALLBACKS are still believed, so a change of key keeps visitors.
"""

from uuid import UUID, uuid4

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest
from django.http.response import HttpResponseBase

LIFETIME = 400 * 24 * 3600
"""Seconds a browser may keep the cookie at most, counted anew at every act."""


def _signer() -> Signer:
    """Made anew each time, so that a change of keys is believed at once."""
    return Signer(salt="shipskip.visitor")


def cookie_name() -> str:
    """`__Host-visitor` over HTTPS, where browsers then refuse it from other hosts and paths."""
    return "__Host-visitor" if settings.SECURE_SITE else "visitor"


def visitor_of(request: HttpRequest) -> UUID | None:
    """The visitor behind a request; None for a reader, and for a cookie we did not sign."""
    cookie = request.COOKIES.get(cookie_name(), "")
    if not cookie or len(cookie) > 200:
        return None
    try:
        return UUID(hex=_signer().unsign(cookie))
    except (BadSignature, ValueError):
        return None


def visitor_or_new(request: HttpRequest) -> UUID:
    """The visitor behind a request, or a new one; `remember` it in the answer."""
    return visitor_of(request) or uuid4()


def remember(response: HttpResponseBase, visitor: UUID) -> None:
    """Give the browser its visitor cookie, readable by this site alone and by no script."""
    response.set_cookie(
        cookie_name(),
        _signer().sign(visitor.hex),
        max_age=LIFETIME,
        httponly=True,
        samesite="Lax",
        secure=settings.SECURE_SITE,
        path="/",
    )


def forget(response: HttpResponseBase) -> None:
    """Take the visitor cookie back."""
    response.delete_cookie(cookie_name(), path="/", samesite="Lax")
