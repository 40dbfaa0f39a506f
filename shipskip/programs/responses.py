"""Headers of what programs and other sites read."""

from django.http import HttpResponse


def for_programs(response: HttpResponse) -> HttpResponse:
    """Let scripts of other sites read the response. It carries no secret and no cookie."""
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Expose-Headers"] = "ETag, Link, Data-Version"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
