"""Public and private bytes: who may keep an answer, and for how long.

Everything is private unless its view is marked `public`. A public answer is the same bytes for
everybody, so any cache may keep it; it is asked again each time and answers 304 while unchanged.
"""

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

PUBLIC = "public, max-age=0, must-revalidate"
PRIVATE = "private, no-store"


def public(view: View[P]) -> View[P]:
    """Mark a view's pages and redirects as the same bytes for everybody, with an ETag.

    Raises ImproperlyConfigured when the answer sets a cookie or varies by one: such a view
    is not public, and keeping its answer would show one visitor's page to another.
    """

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if response.status_code not in (200, 301, 302, 303):
            return response
        if response.cookies or "Cookie" in response.get("Vary", ""):
            raise ImproperlyConfigured(f"{request.path} is marked public but belongs to a visitor.")
        response["Cache-Control"] = PUBLIC
        if response.status_code != 200:
            return response
        etag = f'"{hashlib.blake2b(response.content, digest_size=12).hexdigest()}"'
        response["ETag"] = etag
        conditional = get_conditional_response(request, etag, None, response)
        if isinstance(conditional, HttpResponse) and conditional.status_code == 304:
            conditional["Cache-Control"] = PUBLIC
            return conditional
        return response

    # Nothing is written here, so a wrong method gets its 405 and not a lesson about tokens.
    answer.csrf_exempt = True  # type: ignore[attr-defined]
    return answer


def private_by_default(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: an answer that does not say who may keep it is kept by nobody.

    One that anybody may keep leaves without cookies: Django takes a damaged session cookie back
    on whatever page comes next, and a cache would take it from every reader.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not response.has_header("Cache-Control"):
            response["Cache-Control"] = PRIVATE
        elif response["Cache-Control"] == PUBLIC and response.cookies:
            response.cookies.clear()
            words = response.get("Vary", "").split(", ")
            del response["Vary"]
            if others := [word for word in words if word not in ("", "Cookie")]:
                response["Vary"] = ", ".join(others)
        return response

    return middleware
