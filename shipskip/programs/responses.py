"""Headers of what programs and other sites read."""

from django.http import HttpResponse

PREFLIGHT_SECONDS = 24 * 3600
"""How long a browser keeps the answer to a preflight; most keep it shorter."""


def for_programs(response: HttpResponse) -> HttpResponse:
    """Let scripts of other sites read the response. It carries no secret and no cookie."""
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Expose-Headers"] = "ETag, Link, Data-Version"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def preflight(methods: str, headers: str) -> HttpResponse:
    """What a browser asks before a script of another site sends a request: these methods and
    headers may be used.
    """
    response = HttpResponse(status=204)
    del response["Content-Type"]
    response["Allow"] = f"{methods}, OPTIONS"
    response["Access-Control-Allow-Methods"] = methods
    response["Access-Control-Allow-Headers"] = headers
    response["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return for_programs(response)
