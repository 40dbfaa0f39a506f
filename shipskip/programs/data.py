"""One function for each thing that programs read, from the pages' own objects to plain values.

Markdown, JSON, CSV, the API, MCP and embeds all use these functions; shapes.py has the types. None
runs a query of its own, and none reads anything that a page does not show.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, cast

from django.conf import settings
from django.urls import reverse

from reviews.reviewer_profile import stats_of
from reviews.scoring import VERDICT_WORDS, Panel, Tally
from shipskip.catalogue.answers import amount_text, answer_json
from shipskip.content.content import Content
from shipskip.content.fact_sheet import profile
from shipskip.content.judged_tools import Column, JudgedTool
from shipskip.content.methodology import panel_stats, rule_numbers
from shipskip.content.personas import takes_tried
from shipskip.content.records import (
    Attribute,
    Category,
    Fact,
    FullTake,
    FullTool,
    Plan,
    Reviewer,
    Sourced,
    Take,
    TakeChange,
    Tool,
)
from shipskip.content.side_by_side import Pair, ScoreCell, SideBySide
from shipskip.programs.shapes import (
    AnswerData,
    AttributeData,
    CategoryData,
    CellData,
    ChangeData,
    CommunityData,
    ComparisonData,
    FactData,
    ListedComparisonData,
    ListedTakeData,
    ListedToolData,
    MethodologyData,
    NamedData,
    PanelData,
    PlanData,
    ReviewerData,
    RowData,
    ScorecardData,
    SourceData,
    TakeData,
    ToolData,
)
from shipskip.reports.counts import decided_on
from tools.fact_rows import AnswerCell, ShownAnswer, TableRow
from tools.relations import relations_in_words
from tools.tool_status import status_in_words


def absolute(path: str) -> str:
    """The address of a path of this site."""
    return f"{settings.SITE_URL}{path}"


def moment(at: datetime | None) -> str | None:
    """`2026-11-20T09:00:00Z`."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at else None


def day(on: date | None) -> str | None:
    """`2026-11-20`."""
    return on.isoformat() if on else None


def category_data(content: Content, row: Category) -> CategoryData:
    """A category, with the number of its tools."""
    return {
        "slug": row.slug,
        "name": row.name,
        "url": absolute(row.get_absolute_url()),
        "description": row.description,
        "tools": content.by_category.get(row.pk, 0).bit_count(),
    }


def reviewer_data(content: Content, row: Reviewer) -> ReviewerData:
    """A reviewer, with the figures of all their takes."""
    stats = stats_of(content.counts_by_reviewer.get(row.pk, {}))
    return {
        "slug": row.slug,
        "name": row.name,
        "url": absolute(row.get_absolute_url()),
        "motto": row.motto,
        "bio": row.bio,
        "likes": [*row.likes],
        "dislikes": [*row.dislikes],
        "position": row.position,
        "takes": stats.total,
        "ship_rate": stats.ship_rate,
        "score": _number(stats.mean),
    }


def attribute_data(content: Content, row: Attribute) -> AttributeData:
    """A question; without categories it is asked of all tools."""
    asked = content.categories_having(row.category_ids)
    return {
        "slug": row.slug,
        "name": row.name,
        "group": row.group,
        "kind": row.kind,
        "unit": row.unit,
        "better": row.better,
        "choices": [*row.choices],
        "help": row.help,
        "categories": [each.slug for each in asked],
    }


def take_data(tool: FullTool, take: FullTake) -> TakeData:
    """One reviewer's take on a tool, with its text."""
    return {
        "tool": tool.slug,
        "reviewer": take.reviewer.slug,
        "reviewer_name": take.reviewer.name,
        "score": take.score,
        "verdict": take.verdict,
        "because": take.because,
        "body": take.body,
        "basis": take.get_basis_display(),
        "remark": tool.remark_on(take),
        "published": moment(take.published_at),
        "url": _take_url(tool, take),
    }


def listed_take_data(tool: Tool, take: Take) -> ListedTakeData:
    """A take without its text, which the content has only of tools in full."""
    return {
        "tool": tool.slug,
        "reviewer": take.reviewer.slug,
        "score": take.score,
        "verdict": take.verdict,
        "published": moment(take.published_at),
        "url": _take_url(tool, take),
    }


def change_data(tool: Tool, change: TakeChange) -> ChangeData:
    """A change of a score or verdict, with its reason."""
    return {
        "tool": tool.slug,
        "reviewer": change.reviewer.slug,
        "score_before": change.score_before,
        "score_after": change.score_after,
        "verdict_before": change.verdict_before,
        "verdict_after": change.verdict_after,
        "reason": change.reason,
        "at": cast(str, moment(change.at)),
        "url": absolute(f"{tool.get_absolute_url()}#change-{change.pk}"),
    }


def fact_data(tool: FullTool, fact: Fact) -> FactData:
    """A tool's answer to an attribute, with its source."""
    return {
        "tool": tool.slug,
        "attribute": fact.attribute.slug,
        "name": fact.attribute.name,
        "words": fact.words,
        "value": cast(Any, answer_json(fact.value)),
        "applies": fact.applies,
        "note": fact.note,
        "source": _source(fact),
    }


def plan_data(tool: FullTool, plan: Plan) -> PlanData:
    """One price that a maker asks, with its source."""
    return {
        "tool": tool.slug,
        "name": plan.name,
        "words": plan.price,
        "amount": amount_text(plan.amount),
        "currency": plan.currency,
        "per": plan.per,
        "note": plan.note,
        "source": _source(plan),
    }


def listed_tool_data(judged: JudgedTool[Tool]) -> ListedToolData:
    """A tool as lists show it, with the panel's verdict and the community's tally."""
    tool = judged.tool
    return {
        "slug": tool.slug,
        "name": tool.title,
        "url": absolute(tool.get_absolute_url()),
        "tagline": tool.tagline,
        "maker": tool.maker,
        "category": _named(tool.category),
        "family": str(tool.family or ""),
        "entry": tool.entry,
        "price": tool.price,
        "status": tool.status,
        "status_since": day(tool.status_on),
        "status_words": status_in_words(tool.status, tool.status_on),
        "published": moment(tool.published_at),
        "panel": _panel(judged.panel, judged.judged_at),
        "community": _community(judged.tally),
    }


def tool_data(content: Content, column: Column) -> ToolData:
    """A tool in full: its texts, takes, facts and plans."""
    tool = column.tool
    sheet = profile(tool, content.attributes, content.now)
    return {
        **listed_tool_data(column),
        "website": tool.website,
        "description": tool.description,
        "best_for": tool.best_for,
        "choose_if": tool.choose_if,
        "pricing": tool.pricing,
        "relation": relations_in_words([(tool.title, tool.relation)]),
        "takes": [take_data(tool, take) for take in tool.takes],
        "facts": [fact_data(tool, fact) for fact in tool.facts.values()],
        "plans": [plan_data(tool, plan) for plan in tool.plans],
        "rows": [_row(group.name, row, [column]) for group in sheet.groups for row in group.rows],
        "not_recorded": [*sheet.missing],
        "corrections": decided_on(content, tool.pk),
    }


def listed_comparison_data(pair: Pair) -> ListedComparisonData:
    """A comparison as lists show it, with its answer."""
    return {
        "title": " vs ".join(tool.title for tool in pair.tools),
        "url": absolute(pair.get_absolute_url()),
        "tools": [_tool_named(tool) for tool in pair.tools],
        "answer": pair.answer,
    }


def comparison_data(page: SideBySide) -> ComparisonData:
    """Tools side by side: the answer, how firm it is, the decision table, and all takes."""
    return {
        "title": " vs ".join(page.titles),
        "url": absolute(page.address),
        "tools": [_tool_named(tool) for tool in page.tools],
        "answer": page.answer,
        "firmness": page.firmness.words if page.firmness else "",
        "judged_by": page.judged_by,
        "agreement": page.agreement,
        "judged": moment(page.judged_at),
        "personas": page.personas,
        "relations": page.relations,
        "summary": page.comparison.summary if page.comparison else "",
        "choose": [
            {"tool": tool.slug, "text": text, "best_for": tool.best_for}
            for tool, text in page.choose_if_texts
        ],
        "columns": [listed_tool_data(column) for column in page.columns],
        "rows": [
            _row(group.name, row, page.columns)
            for group in page.decision.groups
            for row in group.rows
        ],
        "scorecard": [_scorecard(row.reviewer, row.cells) for row in page.scorecard],
    }


def methodology_data(content: Content) -> MethodologyData:
    """The numbers of the rules, and today's of the panel."""
    stats = panel_stats(content)
    return {
        "url": absolute(reverse("methodology")),
        "tools": len(content.tools),
        "panel": {
            "takes": stats.total,
            "ship": stats.ship,
            "ship_rate": stats.ship_rate,
            "score": _number(stats.mean),
            "basis": takes_tried(content.bases),
        },
        "rules": rule_numbers(),
    }


def _scorecard(reviewer: Reviewer, cells: Sequence[ScoreCell]) -> ScorecardData:
    return {
        "reviewer": _named(reviewer),
        "takes": [take_data(cell.tool, cell.take) if cell.take else None for cell in cells],
    }


def _row(group: str, row: TableRow[object], columns: Sequence[Column]) -> RowData:
    cells = zip(columns, row.cells, strict=True)
    return {
        "group": group,
        "name": row.label,
        "differs": row.differs,
        "cells": [_cell(row.kind, column, value) for column, value in cells],
    }


def _cell(kind: str, column: Column, value: object) -> CellData:
    answers: list[AnswerData] = []
    match kind:
        case "verdict":
            words = column.panel.words
        case "score":
            words = str(column.panel.score) if column.panel.total else "—"
        case "tally":
            words = column.tally.short_words
        case "category":
            words = column.tool.category.name
        case _:
            answers = [_answer(each) for each in cast(AnswerCell, value)]
            words = "; ".join(map(_with_note, answers))
    return {"tool": column.tool.slug, "words": words, "answers": answers}


def _answer(answer: ShownAnswer) -> AnswerData:
    return {
        "words": answer.words,
        "stated": answer.is_stated,
        "best": answer.is_best,
        "note": answer.note,
        "source": _source(cast(Sourced, answer.origin)) if answer.origin else None,
    }


def _with_note(answer: AnswerData) -> str:
    return f"{answer['words']} ({answer['note']})" if answer["note"] else answer["words"]


def _panel(panel: Panel, judged_at: datetime | None) -> PanelData:
    return {
        "verdict": panel.verdict,
        "words": VERDICT_WORDS[panel.verdict],
        "share": panel.share,
        "score": _number(panel.score),
        "ship": panel.ship,
        "skip": panel.skip,
        "remark": panel.verdict_beside_score,
        "judged": moment(judged_at),
    }


def _community(tally: Tally) -> CommunityData:
    return {
        "words": tally.words,
        "ship": tally.ship,
        "skip": tally.skip,
        "share": tally.share,
        "interval": [*tally.interval] if tally.interval else None,
    }


def _source(row: Sourced) -> SourceData:
    checked = day(row.checked_on)
    return {
        "url": row.source,
        "checked": checked,
        "quote": row.quote,
        "imported": row.unconfirmed,
    }


def _take_url(tool: Tool, take: Take) -> str:
    return absolute(f"{tool.get_absolute_url()}#by-{take.reviewer.slug}")


def _named(row: Category | Reviewer) -> NamedData:
    return {"slug": row.slug, "name": row.name, "url": absolute(row.get_absolute_url())}


def _tool_named(tool: Tool) -> NamedData:
    return {"slug": tool.slug, "name": tool.title, "url": absolute(tool.get_absolute_url())}


def _number(score: Decimal | None) -> float | None:
    return None if score is None else float(score)
