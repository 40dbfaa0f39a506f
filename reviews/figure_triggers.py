"""The triggers that mark tools whose takes must be counted again, and add the row of a new tool."""

from typing import Any

from shipskip.web.change_triggers import ChangeRule, ChangeTriggers

change_triggers = ChangeTriggers(
    "mark_for_figures",
    "reviews_panelmark (tool_id)",
    [
        ChangeRule("reviews_take", "{row}.tool_id"),
        ChangeRule(
            "reviews_reviewer",
            "take.tool_id",
            events=["UPDATE"],
            joined="reviews_take AS take",
            on="take.reviewer_id = {row}.id",
            old_too=False,
            changed="published_at",
        ),
    ],
)
"""A take marks its tool, and a reviewer's moment of publication the tools of their takes."""

new_tool_triggers = ChangeTriggers(
    "add_figures",
    "reviews_panelfigures (tool_id, ship, skip, points, verdict)",
    [ChangeRule("tools_tool", "{row}.id, 0, 0, 0, 'none'", events=["INSERT"])],
)
"""A new tool has no takes."""


def install(connection: Any) -> None:
    """Create missing triggers, and the rows of tools that have none; mark all tools."""
    new_tool_triggers.install(connection)
    change_triggers.install(connection)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {new_tool_triggers.into} SELECT id, 0, 0, 0, 'none' FROM tools_tool "  # noqa: S608
            "WHERE id NOT IN (SELECT tool_id FROM reviews_panelfigures)"
        )
        cursor.execute("DELETE FROM reviews_panelmark")
        cursor.execute("INSERT INTO reviews_panelmark (tool_id) SELECT id FROM tools_tool")


def remove(connection: Any) -> None:
    """Drop the triggers."""
    new_tool_triggers.remove(connection)
    change_triggers.remove(connection)
