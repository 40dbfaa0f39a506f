"""The triggers of the stored panel figures, which migrations 0013 to 0015 have and 0016 drops."""

TRIGGERS = {
    "add_figures_tools_tool_insert": ("INSERT", "tools_tool"),
    "mark_for_figures_reviews_take_insert": ("INSERT", "reviews_take"),
    "mark_for_figures_reviews_take_update": ("UPDATE", "reviews_take"),
    "mark_for_figures_reviews_take_delete": ("DELETE", "reviews_take"),
    "mark_for_figures_reviews_reviewer_update": ("UPDATE", "reviews_reviewer"),
}
"""Event and table of each trigger."""

NEW_TOOL = "INSERT INTO reviews_panelfigures (tool_id, ship, skip, points, verdict) SELECT "
MARK = "INSERT INTO reviews_panelmark (tool_id) SELECT "
SQLITE = {
    "add_figures_tools_tool_insert": f"{NEW_TOOL} NEW.id, 0, 0, 0, 'none';",
    "mark_for_figures_reviews_take_insert": f"{MARK} NEW.tool_id;",
    "mark_for_figures_reviews_take_update": f"{MARK} OLD.tool_id; {MARK} NEW.tool_id;",
    "mark_for_figures_reviews_take_delete": f"{MARK} OLD.tool_id;",
    "mark_for_figures_reviews_reviewer_update": f"{MARK} take.tool_id FROM reviews_take AS take "
    "WHERE take.reviewer_id = NEW.id AND OLD.published_at IS NOT NEW.published_at;",
}
POSTGRESQL = {
    "add_figures_tools_tool_insert": f"{NEW_TOOL} DISTINCT id, 0, 0, 0, 'none' FROM new_rows;",
    "mark_for_figures_reviews_take_insert": f"{MARK} DISTINCT tool_id FROM new_rows;",
    "mark_for_figures_reviews_take_update": f"{MARK} DISTINCT tool_id FROM old_rows; "
    f"{MARK} DISTINCT tool_id FROM new_rows;",
    "mark_for_figures_reviews_take_delete": f"{MARK} DISTINCT tool_id FROM old_rows;",
    "mark_for_figures_reviews_reviewer_update": f"{MARK} DISTINCT take.tool_id "
    "FROM new_rows AS written JOIN reviews_take AS take ON take.reviewer_id = written.id "
    "JOIN old_rows AS before ON before.id = written.id "
    "AND before.published_at IS DISTINCT FROM written.published_at;",
}
ROWS = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}


def create(apps, editor):
    """Create the triggers, a row of figures for each tool without one, and mark every tool."""
    remove(apps, editor)
    with editor.connection.cursor() as cursor:
        for name, (event, table) in TRIGGERS.items():
            if editor.connection.vendor == "postgresql":
                rows = " ".join(f"{row} TABLE AS {row.lower()}_rows" for row in ROWS[event])
                cursor.execute(
                    f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
                    f"$$ BEGIN {POSTGRESQL[name]} RETURN NULL; END $$"
                )
                cursor.execute(
                    f"CREATE TRIGGER {name} AFTER {event} ON {table} REFERENCING {rows} "
                    f"FOR EACH STATEMENT EXECUTE FUNCTION {name}()"
                )
            else:
                cursor.execute(
                    f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {SQLITE[name]} END"
                )
        cursor.execute(
            f"{NEW_TOOL} id, 0, 0, 0, 'none' FROM tools_tool "
            "WHERE id NOT IN (SELECT tool_id FROM reviews_panelfigures)"
        )
        cursor.execute("DELETE FROM reviews_panelmark")
        cursor.execute(f"{MARK} id FROM tools_tool")


def remove(apps, editor):
    """Drop the triggers."""
    with editor.connection.cursor() as cursor:
        for name in TRIGGERS:
            if editor.connection.vendor == "postgresql":
                cursor.execute(f"DROP FUNCTION IF EXISTS {name}() CASCADE")
            else:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
