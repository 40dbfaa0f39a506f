"""What other sites show of this one: badges, cards and comparisons in a frame, and oEmbed.

Nothing in a frame can be pressed but links that open the site: a vote sent from a frame of ours
would pass the rule of the same origin.
"""

import json
from collections.abc import Callable, Sequence
from typing import cast
from urllib.parse import unquote, urlsplit

from csp.constants import NONE
from csp.decorators import csp_replace
from django import forms
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from comparisons.addresses import parse
from reviews.scoring import VERDICT_WORDS, Verdict
from shipskip.content.content import Content
from shipskip.content.current import with_content
from shipskip.content.embed_codes import (
    CARD_HEIGHT,
    WIDTH,
    badge_code,
    card_code,
    comparison_code,
    comparison_height,
    frame_code,
)
from shipskip.content.judged_tools import Column, judged
from shipskip.content.page_objects import (
    comparison_at,
    comparison_page,
    public_tool,
    public_tools,
    tool_page,
)
from shipskip.content.records import Tool
from shipskip.programs.data import absolute
from shipskip.programs.markdown_pages import plain
from shipskip.programs.responses import for_programs
from shipskip.web.cache_control import not_cached, not_shared, public

FRAMED = csp_replace(
    {"script-src": [NONE], "form-action": [NONE], "connect-src": [NONE], "frame-ancestors": ["*"]}
)
"""The policy of a frame, where it differs from that of pages: no script, no form."""

COLOURS = {"ship": "#0a6849", "skip": "#a92f1c", "split": "#6b5310", "none": "#555555"}
"""Those of tokens.css, with white letters on them readable in light and dark."""

LABEL = "Ship or Skip"

NOT_LISTED = "Ship or Skip lists no such tool or comparison."

LETTER = 6.3
"""The width of a letter of a badge, in px; `textLength` fits the words to it."""


@require_safe
@public
@with_content
def badge(request: HttpRequest, content: Content, slug: str) -> HttpResponse:
    """The verdict with its takes as a picture 20 px high. Every tool that readers do not see has
    the same one, which is no 404: some sites show none of its picture.
    """
    tool = content.tool_at(slug)
    if tool is None:
        return not_cached(_badge(request, LABEL, "not listed", "none"), when=[slug])
    if tool.slug != slug:
        return for_programs(redirect("programs:badge", tool.slug, permanent=True))
    panel = judged([tool])[0].panel
    words = VERDICT_WORDS[panel.verdict]
    if panel.total:
        words = f"{words} · {panel.ship_of_total}"
    return _badge(request, tool.title, words, panel.verdict)


def _badge(request: HttpRequest, subject: str, words: str, verdict: Verdict) -> HttpResponse:
    left, right = (round(len(text) * LETTER + 12) for text in (LABEL, words))
    context = {
        "title": f"{subject}: {words}",
        "label": LABEL,
        "words": words,
        "colour": COLOURS[verdict],
        "left": left,
        "right": right,
        "width": left + right,
        "label_x": left / 2,
        "words_x": left + right / 2,
        "label_length": left - 12,
        "words_length": right - 12,
    }
    return for_programs(
        render(request, "programs/badge.svg", context, content_type="image/svg+xml")
    )


@require_safe
@public(tallies=True)
@with_content
def tool(request: HttpRequest, content: Content, slug: str) -> HttpResponse:
    """A card of a tool for a frame."""
    try:
        column = tool_page(content, slug)
    except Http404:
        return _not_listed(request)
    if column.tool.slug != slug:
        return for_programs(redirect("programs:tool_embed", column.tool.slug, permanent=True))
    return _frame(request, column.tool.title, column.tool.get_absolute_url(), [column])


@require_safe
@public(tallies=True)
@with_content
def comparison(request: HttpRequest, content: Content, pair: str) -> HttpResponse:
    """A comparison for a frame: the tools with their verdicts, and the answer."""
    try:
        page, is_own_address = comparison_at(content, pair)
    except Http404:
        return _not_listed(request)
    if not is_own_address:
        return for_programs(redirect(f"{page.address}embed/", permanent=True))
    title = " vs ".join(page.titles)
    response = _frame(request, title, page.address, page.columns, page.answer)
    return response if page.comparison else not_shared(response)


def _not_listed(request: HttpRequest) -> HttpResponse:
    """The card for what readers do not see: unknown, withdrawn, deleted or a draft."""
    return _frame(request, "Not listed", "/", [], NOT_LISTED, status=404)


def _frame(
    request: HttpRequest,
    title: str,
    url: str,
    columns: Sequence[Column],
    answer: str = "",
    status: int = 200,
) -> HttpResponse:
    context = {"title": title, "url": absolute(url), "answer": answer, "columns": columns}

    @FRAMED
    @xframe_options_exempt
    def answer_framed(request: HttpRequest) -> HttpResponse:
        return render(request, "programs/embed.html", context, status=status)

    return for_programs(cast(HttpResponse, answer_framed(request)))


@require_safe
@public
@with_content
def badge_text(request: HttpRequest, content: Content, slug: str) -> HttpResponse:
    """The code of a badge, to copy."""
    return _tool_code(content, slug, "programs:badge_code", badge_code)


@require_safe
@public
@with_content
def card_text(request: HttpRequest, content: Content, slug: str) -> HttpResponse:
    """The code of a card, to copy."""
    return _tool_code(content, slug, "programs:card_code", card_code)


@require_safe
@public
@with_content
def comparison_text(request: HttpRequest, content: Content, pair: str) -> HttpResponse:
    """The code of a comparison, to copy."""
    page, is_own_address = comparison_at(content, pair)
    if not is_own_address:
        return redirect(f"{page.address}embed.txt", permanent=True)
    response = _code(comparison_code(page.titles, page.address), page.address)
    return response if page.comparison else not_shared(response)


def _tool_code(
    content: Content, slug: str, view_name: str, code: Callable[[Tool], str]
) -> HttpResponse:
    tool = public_tool(content, slug)
    if tool.slug != slug:
        return redirect(view_name, tool.slug, permanent=True)
    return _code(code(tool), tool.get_absolute_url())


def _code(text: str, page: str) -> HttpResponse:
    response = HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8")
    response["Link"] = f'<{page}>; rel="canonical"'
    return for_programs(response)


class OembedForm(forms.Form):
    """The query of an oEmbed request."""

    url = forms.CharField(max_length=2_000)
    format = forms.ChoiceField(required=False, choices=[("json", "JSON")])
    maxwidth = forms.IntegerField(required=False, min_value=1)
    maxheight = forms.IntegerField(required=False, min_value=1)


@require_safe
@public(uncached=[""])
@with_content
def oembed(request: HttpRequest, content: Content) -> HttpResponse:
    """The frame of a page of this site, as oEmbed 1.0 asks for it."""
    form = OembedForm(request.GET)
    if "format" in form.errors:
        return HttpResponse("This oEmbed answers with JSON alone.", status=501)
    if "url" in form.errors:
        raise Http404("Give the address of a tool or a comparison as “url”.")
    if not form.is_valid():
        sentence = "Give “maxwidth” and “maxheight” as whole numbers above 0, or leave them out."
        return HttpResponse(sentence, status=400)
    page = _page_of(content, form.cleaned_data["url"])
    if page is None:
        raise Http404("There is no tool or comparison at this address.")
    title, path, height = page
    width = min(form.cleaned_data["maxwidth"] or WIDTH, WIDTH)
    height = min(form.cleaned_data["maxheight"] or height, height)
    values = {
        "version": "1.0",
        "type": "rich",
        "provider_name": LABEL,
        "provider_url": absolute("/"),
        "title": title,
        "width": width,
        "height": height,
        "html": frame_code(title, path, width, height),
    }
    text = json.dumps(values, ensure_ascii=False)
    return for_programs(HttpResponse(text, content_type="application/json; charset=utf-8"))


def _page_of(content: Content, url: str) -> tuple[str, str, int] | None:
    """Title and path of the page that a reader of this address gets, and its height in a frame."""
    try:
        if _host(url) != _host(settings.SITE_URL):
            return None
        path = unquote(urlsplit(url).path)
        match = resolve(path if path.endswith("/") else f"{path}/")
    except (ValueError, Resolver404):
        return None
    if match.view_name == "tools:detail":
        slugs: Sequence[str] | None = [match.kwargs["slug"]]
    elif match.view_name == "comparisons:detail":
        slugs = parse(match.kwargs["pair"])
    else:
        slugs = None
    if not slugs:
        return None
    tools = public_tools(content, slugs)
    if len(tools) == 1:
        return tools[0].title, tools[0].get_absolute_url(), CARD_HEIGHT
    page = comparison_page(content, slugs)
    return " vs ".join(page.titles), page.address, comparison_height(len(page.tools))


def _host(url: str) -> tuple[str, int | None]:
    """Host and port of a web address, the same for HTTP and HTTPS, and with `www.` or without."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"{url} is no web address.")
    port = None if parts.port in (80, 443) else parts.port
    return (parts.hostname or "").removeprefix("www."), port


@require_safe
@public
@with_content
def llms(request: HttpRequest, content: Content) -> HttpResponse:
    """The index for language models by the convention of llmstxt.org."""
    context = {
        "categories": [(plain(row.name), row.get_absolute_url()) for row in content.categories],
        "comparisons": [
            (plain(" vs ".join(tool.title for tool in row.tools)), row.get_absolute_url())
            for row in content.comparisons
            if row.featured
        ],
        "site": settings.SITE_URL,
        "about": reverse("programs:about"),
    }
    answer = render(request, "programs/llms.txt", context, content_type="text/plain; charset=utf-8")
    return for_programs(answer)
