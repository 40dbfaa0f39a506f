"""An anonymous browser that voted or bookmarked: a random id in a signed cookie, nothing else.

Reading a page creates no visitor; the first vote or bookmark does. A browser with a forged or
damaged cookie is a new visitor. Cookies signed with a key of SECRET_KEY_FALLBACKS stay valid.
"""

from uuid import UUID, uuid4

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest
from django.http.response import HttpResponseBase

LIFETIME = 400 * 24 * 3600
"""The cookie's max-age in seconds, renewed by every vote and bookmark."""


def _signer() -> Signer:
    """A new signer each time, so that changed keys take effect at once."""
    return Signer(salt="shipskip.visitor")


def cookie_name() -> str:
    """`__Host-visitor` over HTTPS, so that browsers bind it to this host and the path `/`."""
    return "__Host-visitor" if settings.SECURE_SITE else "visitor"


def visitor_of(request: HttpRequest) -> UUID | None:
    """The visitor of a request; None without a cookie or with one that we did not sign."""
    cookie = request.COOKIES.get(cookie_name(), "")
    if not cookie or len(cookie) > 200:
        return None
    try:
        return UUID(hex=_signer().unsign(cookie))
    except (BadSignature, ValueError):
        return None


def visitor_or_new(request: HttpRequest) -> UUID:
    """The visitor of a request, or a new one; then call `set_visitor_cookie` on the response."""
    return visitor_of(request) or uuid4()


def set_visitor_cookie(response: HttpResponseBase, visitor: UUID) -> None:
    """Set the visitor cookie: HttpOnly, SameSite=Lax, for this host only."""
    response.set_cookie(
        cookie_name(),
        _signer().sign(visitor.hex),
        max_age=LIFETIME,
        httponly=True,
        samesite="Lax",
        secure=settings.SECURE_SITE,
        path="/",
    )


def delete_visitor_cookie(response: HttpResponseBase) -> None:
    """Delete the visitor cookie."""
    response.delete_cookie(cookie_name(), path="/", samesite="Lax")
