"""What an address names: public rows and page objects, for pages and for programs.

`Http404` carries the sentence for the reader.
"""

from collections.abc import Sequence

from django.http import Http404

from comparisons.addresses import MAX_TOOLS, TOO_MANY_TOOLS, address, parse
from comparisons.models import tools_key
from reviews.scoring import OUR_WEIGHTS, Weights
from shipskip.content.content import Content
from shipskip.content.judged_tools import Column, with_tallies
from shipskip.content.records import Category, Reviewer, Tool
from shipskip.content.side_by_side import SideBySide

TOO_FEW_TOOLS = "A comparison has at least two tools."


def tool_page(content: Content, slug: str, weights: Weights = OUR_WEIGHTS) -> Column:
    """The tool at a (former) slug in full, with its tally; one query when it is in memory."""
    return with_tallies(content.full([public_tool(content, slug)]), weights)[0]


def comparison_page(
    content: Content, slugs: Sequence[str], weights: Weights = OUR_WEIGHTS
) -> SideBySide:
    """The tools at these (former) slugs side by side, in the order of their page; one query when
    they are in memory. Http404 for unknown tools, fewer than two or more than ten.
    """
    tools = content.in_page_order(public_tools(content, slugs))
    if len(tools) < 2:
        raise Http404(TOO_FEW_TOOLS)
    return SideBySide(
        columns=with_tallies(content.full(tools), weights),
        attributes=content.attributes,
        reviewers=content.reviewers,
        now=content.now,
        comparison=content.by_tools_key.get(tools_key(tool.pk for tool in tools)),
        rows="all",
    )


def comparison_at(
    content: Content, pair: str, weights: Weights = OUR_WEIGHTS
) -> tuple[SideBySide, bool]:
    """The comparison at this part of an address, and whether that is its own: earlier slugs,
    another order and capitals lead to it. Http404 as `comparison_page`, and for what is no address.
    """
    slugs = parse(pair)
    if slugs is None:
        raise Http404("This is not the address of a comparison.")
    page = comparison_page(content, slugs, weights)
    return page, pair == pair.lower() and address(slugs) == page.address


def public_tools(content: Content, slugs: Sequence[str]) -> list[Tool]:
    """The tools at these (former) slugs, each once; Http404 names the unknown ones."""
    if len(set(slugs)) > MAX_TOOLS:
        raise Http404(TOO_MANY_TOOLS)
    found = {slug: content.tool_at(slug) for slug in slugs}
    if unknown := [f"“{slug}”" for slug, tool in found.items() if tool is None]:
        what = "is no tool" if len(unknown) == 1 else "are no tools"
        raise Http404(f"There {what} {' or '.join(unknown)} here.")
    return list({tool.pk: tool for tool in found.values() if tool}.values())


def public_tool(content: Content, slug: str) -> Tool:
    """The tool at a (former) slug."""
    tool = content.tool_at(slug)
    if tool is None:
        raise Http404("There is no tool at this address.")
    return tool


def public_category(content: Content, slug: str) -> Category:
    """The category at a slug."""
    row = content.category(slug)
    if row is None:
        raise Http404("There is no category at this address.")
    return row


def public_reviewer(content: Content, slug: str) -> Reviewer:
    """The reviewer at a slug."""
    row = content.reviewer(slug)
    if row is None:
        raise Http404("There is no reviewer at this address.")
    return row
