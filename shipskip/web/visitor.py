"""An anonymous browser that voted or bookmarked: a random id in a signed cookie, nothing else.

Reading a page creates no visitor; the first vote or bookmark does. A browser with a forged or
damaged cookie is a new visitor. Cookies signed with a key of SECRET_KEY_FALLBACKS stay valid.

Scripts cannot read that cookie. A second one, `marks=1`, contains no id: if it is there, the script
of a public page requests the visitor's votes and bookmarks; other browsers send no such request.
"""

from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.http import HttpRequest
from django.http.response import HttpResponseBase

LIFETIME = timedelta(days=400)
"""How long both cookies live, from the last vote or bookmark that was stored."""
MARKS = "marks"
"""The cookie that a script may read (static/js/marks.js)."""


def _signer() -> Signer:
    """A new signer for each call, so that changed keys take effect immediately."""
    return Signer(salt="shipskip.visitor")


def cookie_name() -> str:
    """`__Host-visitor` over HTTPS, so that browsers bind it to this host and the path `/`."""
    return "__Host-visitor" if settings.SECURE_SITE else "visitor"


def visitor_of(request: HttpRequest) -> UUID | None:
    """The visitor of a request; None without a cookie or with one that we did not sign."""
    cookie = _cookie(request, cookie_name())
    if not cookie or len(cookie) > 200:
        return None
    try:
        return UUID(hex=_signer().unsign(cookie))
    except (BadSignature, ValueError):
        return None


def _cookie(request: HttpRequest, name: str) -> str:
    """The value of the cookie with exactly this name; empty without one.

    Django strips every Unicode space from names, so another host of the domain could set this name
    after such a space: a cookie that browsers do not bind to this host.
    """
    pairs = (pair.partition("=") for pair in request.META.get("HTTP_COOKIE", "").split(";"))
    return next((value for key, _, value in pairs if key.strip(" \t") == name), "")


def visitor_or_new(request: HttpRequest) -> UUID:
    """The visitor of a request, or a new one; then call `set_visitor_cookie` on the response."""
    return visitor_of(request) or uuid4()


def set_visitor_cookie(response: HttpResponseBase, visitor: UUID) -> None:
    """Set the visitor's two cookies: SameSite=Lax, for this host only, the id HttpOnly."""
    _set(response, cookie_name(), _signer().sign(visitor.hex), httponly=True)
    _set(response, MARKS, "1", httponly=False)


def delete_visitor_cookie(response: HttpResponseBase) -> None:
    """Delete the visitor's two cookies."""
    for name in (cookie_name(), MARKS):
        response.delete_cookie(name, path="/", samesite="Lax")


def _set(response: HttpResponseBase, name: str, value: str, *, httponly: bool) -> None:
    response.set_cookie(
        name,
        value,
        max_age=int(LIFETIME.total_seconds()),
        httponly=httponly,
        samesite="Lax",
        secure=settings.SECURE_SITE,
        path="/",
    )
