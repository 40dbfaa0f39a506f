"""The views of the pictures: each has an address with a hash of its content."""

import logging
from contextlib import suppress

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from comparisons import addresses
from comparisons.models import tools_key
from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.content.judged_tools import judged
from shipskip.content.share_picture import (
    SharePicture,
    has_own_picture,
    picture_of_comparison,
    picture_of_reviewer,
    picture_of_tool,
)
from shipskip.programs.pictures.storage import draw_later, path_of
from shipskip.programs.responses import for_programs, public_file
from shipskip.web.cache_control import PRIVATE, not_shared, public
from shipskip.web.static_files import SITE_PICTURE

log = logging.getLogger(__name__)


@require_safe
@public
@with_content
def comparison(request: HttpRequest, content: Content, pair: str, key: str) -> HttpResponse:
    """The picture of tools side by side, at the slugs of their page in any order."""
    slugs = addresses.parse(pair) or []
    tools = [tool for slug in slugs if (tool := content.by_slug.get(slug))]
    if not 1 < len(tools) == len(set(slugs)) <= addresses.MAX_TOOLS:
        raise Http404("There is no comparison at this address.")
    tools = content.in_page_order(tools)
    if not has_own_picture(content, tools):
        return _site_picture()
    response = _answer(request, picture_of_comparison(judged(tools)), key)
    is_edited = tools_key(tool.pk for tool in tools) in content.by_tools_key
    return response if is_edited else not_shared(response)


@require_safe
@public
@with_content
def tool(request: HttpRequest, content: Content, slug: str, key: str) -> HttpResponse:
    """The picture of a tool."""
    row = content.tool_at(slug)
    if row is None:
        raise Http404("There is no tool at this address.")
    return _answer(request, picture_of_tool(judged([row])[0]), key)


@require_safe
@public
@with_content
def reviewer(request: HttpRequest, content: Content, slug: str, key: str) -> HttpResponse:
    """The picture of a reviewer."""
    row = content.reviewer(slug)
    if row is None:
        raise Http404("There is no reviewer at this address.")
    return _answer(request, picture_of_reviewer(row, content), key)


def _answer(request: HttpRequest, picture: SharePicture, key: str) -> HttpResponse:
    """The picture, or the way to it from an earlier one's address; the site's own until it is
    drawn. Other sites may embed it.
    """
    if key != picture.key:
        return for_programs(redirect(picture.address))
    try:
        with suppress(FileNotFoundError):
            return public_file(request, path_of(picture), "image/png", f'"{picture.key}"')
        draw_later(picture)
    except OSError:  # a full disk, or a folder that cannot be written
        log.exception("The pictures cannot be stored.")
    return _site_picture()


def _site_picture() -> HttpResponse:
    """The way to the site's own picture, for this one request."""
    response = redirect(static(SITE_PICTURE))
    response["Cache-Control"] = PRIVATE
    return for_programs(response)
