"""Tools as their preview shows them: with drafts, read like the content."""

from collections.abc import Sequence
from dataclasses import replace

from reviews.models import Reviewer as ReviewerRow
from reviews.models import Take
from shipskip.content import loading
from shipskip.content.content import Content
from shipskip.content.records import Category, FullTool, Reviewer
from tools.models import Category as CategoryRow
from tools.models import Plan, Tool


def previewed(keys: Sequence[int], content: Content) -> list[FullTool]:
    """The existing tools with these primary keys in any state, in their order, with the takes that
    are public or may become so.
    """
    rows = Tool.objects.filter(pk__in=keys)
    known = replace(
        content.known,
        categories=loading.rows_as(Category, CategoryRow.objects.all()),
        reviewers=loading.rows_as(Reviewer, ReviewerRow.objects.all()),
    )
    takes = Take.objects.not_withdrawn().filter(tool__in=keys)
    shares_name = {row.pk: row.shares_name for row in rows.for_preview()}
    listed = loading.tools(rows, takes, Plan.objects.filter(tool__in=keys), known)
    tools = [replace(tool, shares_name=shares_name[tool.pk]) for tool in listed]
    full = {tool.pk: tool for tool in loading.full_tools(tools, takes, known)}
    return [full[key] for key in keys if key in full]
