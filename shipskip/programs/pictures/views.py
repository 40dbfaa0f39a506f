"""The views of the pictures: each has an address with a hash of its content."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from comparisons import addresses
from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.content.judged_tools import judged
from shipskip.content.share_picture import (
    SharePicture,
    picture_of_comparison,
    picture_of_reviewer,
    picture_of_tool,
)
from shipskip.programs.pictures.drawing import BusyError, png
from shipskip.web.cache_control import not_shared, public


@require_safe
@public
@with_content
def comparison(request: HttpRequest, content: Content, pair: str, key: str) -> HttpResponse:
    """The picture of tools side by side, at the slugs of their page."""
    slugs = addresses.parse(pair) or []
    tools = [tool for slug in slugs if (tool := content.by_slug.get(slug))]
    if not 1 < len(tools) == len(set(slugs)) <= addresses.MAX_TOOLS:
        raise Http404("There is no comparison at this address.")
    tools = content.in_page_order(tools)
    response = _answer(picture_of_comparison(judged(tools)), key)
    is_edited = any(row.tools == tools for row in content.comparisons)
    return response if is_edited else not_shared(response)


@require_safe
@public
@with_content
def tool(request: HttpRequest, content: Content, slug: str, key: str) -> HttpResponse:
    """The picture of a tool."""
    row = content.tool_at(slug)
    if row is None:
        raise Http404("There is no tool at this address.")
    return _answer(picture_of_tool(judged([row])[0]), key)


@require_safe
@public
@with_content
def reviewer(request: HttpRequest, content: Content, slug: str, key: str) -> HttpResponse:
    """The picture of a reviewer."""
    row = content.reviewer(slug)
    if row is None:
        raise Http404("There is no reviewer at this address.")
    return _answer(picture_of_reviewer(row, content), key)


def _answer(picture: SharePicture, key: str) -> HttpResponse:
    """The picture, or the way to it from an earlier one's address. Other sites may embed it."""
    response: HttpResponse
    try:
        if key != picture.key:
            response = redirect(picture.address)
        else:
            response = HttpResponse(png(picture), content_type="image/png")
    except BusyError:
        busy = HttpResponse("Too many pictures at once. Try again.", status=503)
        busy["Retry-After"] = "2"
        return busy
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
