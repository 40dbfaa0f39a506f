"""Database triggers that record changed rows in a table of marks, a queue for later work.

Triggers see the writes of every program. On SQLite Django alters a table by creating a new one,
which drops its triggers; `manage.py migrate` creates the missing ones at its end.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

EVENTS = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}


@dataclass(frozen=True)
class ChangeRule:
    """What a written row of a table inserts into the table of changes, as SQL; `{row}` is it."""

    table: str
    values: str
    old_too: bool = True
    """Whether an update also inserts the values that the row had before."""

    def on_sqlite(self, event: str) -> str:
        """The statements for one written row."""
        rows = self._rows(event)
        return "".join(
            f"INSERT INTO {{into}} SELECT {self.values.format(row=row)}; " for row in rows
        )

    def on_postgresql(self, event: str) -> str:
        """The statements for all rows that a statement has written."""
        values = self.values.format(row="written")
        return "".join(
            f"INSERT INTO {{into}} SELECT DISTINCT {values} FROM {row.lower()}_rows AS written; "  # noqa: S608 - ours
            for row in self._rows(event)
        )

    def _rows(self, event: str) -> Sequence[str]:
        rows = EVENTS[event]
        return rows if self.old_too else rows[-1:]


@dataclass(frozen=True)
class ChangeTriggers:
    """The triggers of one table of changes; `into` is that table with its columns."""

    name: str
    into: str
    rules: Sequence[ChangeRule]

    @property
    def tables(self) -> set[str]:
        """The watched tables."""
        return {rule.table for rule in self.rules}

    def install(self, connection: Any) -> None:
        """Create the triggers that are missing."""
        present = self.installed(connection)
        with connection.cursor() as cursor:
            for name, table, event, rules in self._triggers():
                if name not in present:
                    for statement in _CREATE[connection.vendor](name, table, event, rules):
                        cursor.execute(statement.format(into=self.into))

    def remove(self, connection: Any) -> None:
        """Drop the triggers."""
        with connection.cursor() as cursor:
            for name, *_ in self._triggers():
                if connection.vendor == "postgresql":
                    cursor.execute(f"DROP FUNCTION IF EXISTS {name}() CASCADE")
                else:
                    cursor.execute(f"DROP TRIGGER IF EXISTS {name}")

    def installed(self, connection: Any) -> set[str]:
        """The names of the triggers that are there."""
        if connection.vendor == "postgresql":
            query = "SELECT tgname FROM pg_trigger WHERE tgname LIKE %s"
        else:
            query = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s"
        with connection.cursor() as cursor:
            cursor.execute(query, [f"{self.name}_%"])
            return {row[0] for row in cursor.fetchall()}

    def _triggers(self) -> list[tuple[str, str, str, list[ChangeRule]]]:
        """Name, table, event and rules of each trigger."""
        found = []
        for table in dict.fromkeys(rule.table for rule in self.rules):
            for event in EVENTS:
                rules = [row for row in self.rules if row.table == table]
                found.append((f"{self.name}_{table}_{event.lower()}", table, event, rules))
        return found


def _on_sqlite(name: str, table: str, event: str, rules: Sequence[ChangeRule]) -> list[str]:
    body = "".join(rule.on_sqlite(event) for rule in rules)
    return [f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {body}END"]


def _on_postgresql(name: str, table: str, event: str, rules: Sequence[ChangeRule]) -> list[str]:
    """A statement that writes many rows notes them with one INSERT."""
    body = "".join(rule.on_postgresql(event) for rule in rules)
    given = " ".join(f"{side} TABLE AS {side.lower()}_rows" for side in EVENTS[event])
    return [
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {body}RETURN NULL; END $$",
        f"CREATE TRIGGER {name} AFTER {event} ON {table} REFERENCING {given} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {name}()",
    ]


_CREATE = {"sqlite": _on_sqlite, "postgresql": _on_postgresql}
