"""Whether a pooler stands between the site and PostgreSQL that gives each transaction another
session (PgBouncer's `pool_mode = transaction`).

The site does not work there: its locks of jobs and migrations belong to a session, and so do its
prepared statements and `pg_dump`'s settings, which another client would get.
"""

from typing import Any

import psycopg
from django.db import connection

from shipskip.web.postgresql import waits

ADVICE = (
    "DATABASE_URL leads to a pooler that gives each transaction another session. Set"
    " `pool_mode = session` for this database in PgBouncer, or name PostgreSQL itself."
)
TRIES = 5


def separates_transactions() -> bool:
    """Whether two open connections get the same session. PostgreSQL itself names a connection's
    session when it begins; a pooler names none that exists.
    """
    if connection.vendor != "postgresql":
        return False
    parameters = connection.get_connection_params() | {"autocommit": True}
    connect = waits.LimitedConnection.connect
    with waits.limited(waits.WaitLimit.REQUEST), connect(**parameters) as first:
        if _session(first) == first.info.backend_pid:
            return False
        for _ in range(TRIES):  # another client may get the session in between
            try:
                with connect(**parameters) as second:
                    if _session(first) == _session(second):
                        return True
            except waits.NoAnswerError:
                return False  # it waits for a session that the first one keeps
    return False


def _session(client: "psycopg.Connection[Any]") -> int:
    (row,) = client.execute("SELECT pg_backend_pid()", prepare=False).fetchall()
    return int(row[0])
